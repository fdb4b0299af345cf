//! The path over postings in memory: every plain record that is admitted is found by counting, and of
//! those no more than the best are measured exactly.

use std::sync::Arc;

use super::Postings;
use super::best::{Best, Scored};
use super::bounds::Bounds;
use super::lists::{Doc, Words, docs};
use super::partition::Partition;
use super::scan::{Scan, Wanted};
use super::segment::{Entry, Segment};
use super::terms::Term;
use crate::candidate::{Candidate, Proposal};
use crate::error::Result;
use crate::query::Query;
use crate::rank::Key;
use crate::record::{Authority, MemoryType};
use crate::retrieve::Path;
use crate::scope::Scope;
use crate::shown::Shown;
use crate::trace::{Channel, Filtered, Mode};

/// One retrieval over postings; `find` gives the record of a row.
pub(crate) struct Hot<'a, F> {
    pub(crate) postings: &'a Postings,
    pub(crate) find: F,
}

impl<F: FnMut(i64) -> Result<(Arc<Shown>, Arc<[u8]>)>> Path for Hot<'_, F> {
    const MODE: Mode = Mode::Fts5;
    const FROM_MEMORY: bool = true;
    type Origin = Arc<[u8]>;

    fn channel(hits: usize) -> Channel {
        if hits > 0 { Channel::Fts5 } else { Channel::TypeAffinity }
    }

    fn candidates(&mut self, query: &Query<'_>, most: usize) -> Result<Proposal> {
        thread_local! {
            static SCAN: std::cell::RefCell<Scan> = std::cell::RefCell::default();
        }
        Ok(SCAN.with_borrow_mut(|scan| Search::new(self.postings, query, most).run(scan)))
    }

    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, Arc<[u8]>)> {
        (self.find)(i64::try_from(key).unwrap_or(i64::MAX))
    }
}

/// The stage that drops a plain record, besides relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Lifecycle,
    Purpose,
    Request,
    None,
}

type Found<'a> = (&'a Entry, usize);

struct Search<'a, 'q> {
    postings: &'a Postings,
    query: &'q Query<'q>,
    /// The terms of the tags asked for; `None` where no record carries one of them.
    tags: Option<Vec<Term>>,
    best: Best<'a, Found<'a>>,
    bounds: Bounds,
    admitted: usize,
    proposal: Proposal,
}

impl<'a, 'q> Search<'a, 'q> {
    fn new(postings: &'a Postings, query: &'q Query<'q>, most: usize) -> Self {
        let terms = &postings.terms;
        Self {
            postings,
            query,
            tags: query.request.tags.iter().map(|tag| terms.find_tag(tag)).collect(),
            best: Best::new(most),
            bounds: Bounds::new(query),
            admitted: 0,
            proposal: Proposal::default(),
        }
    }

    fn run(mut self, scan: &mut Scan) -> Proposal {
        let terms: Vec<Term> =
            self.query.keys().filter_map(|key| self.postings.terms.find(key)).collect();
        let fewest = self.query.admission.fewest_hits(self.query.asked());
        let wanted = Wanted { terms: &terms, fewest, hints: self.query.hints };
        let mut visible = 0;
        for place in &self.query.places {
            let owner = (self.query.request.owner().to_owned(), place.key());
            if let Some(&number) = self.postings.numbers.get(&owner) {
                let partition = &self.postings.partitions[number as usize];
                visible += partition.len();
                self.count(partition, place.scope());
                self.search(partition, wanted, scan);
            }
        }
        self.proposal.filtered.scope = self.postings.records - visible;
        self.proposal.filtered.irrelevant -= self.admitted;
        let best = self.best.into_kept();
        self.proposal.outranked = self.admitted - best.len();
        self.proposal.candidates.extend(best.into_iter().map(|one| {
            let (entry, hits) = one.found;
            Candidate {
                id: one.key.id.to_owned(),
                traits: entry.traits,
                hits,
                key: entry.row as usize,
                unjudged: None,
            }
        }));
        self.proposal
    }

    fn search(&mut self, partition: &'a Partition, wanted: Wanted<'_>, scan: &mut Scan) {
        for (number, segment) in partition.segments.iter().enumerate() {
            let special = || partition.special_in(number);
            let (among, all) = self.considered(segment);
            scan.run(segment, wanted, among, special().map(|(doc, _)| doc));
            for ((_, card), (doc, hits)) in special().zip(&scan.special) {
                let row = segment.entry(*doc).map_or(0, |entry| entry.row as usize);
                self.proposal.candidates.push(Candidate::unjudged(Arc::clone(card), *hits, row));
            }
            for &(doc, hits) in &scan.hits {
                if all || self.stage_of(segment, doc) == Stage::None {
                    self.admit(segment, doc, hits);
                }
            }
        }
    }

    /// The documents among which to search, and whether the request may have all of them.
    fn considered(&self, segment: &'a Segment) -> (&'a [Words], bool) {
        let request = self.query.request;
        let filters =
            [request.scopes.is_some(), request.types.is_some(), request.authorities.is_some()];
        if self.looks_at_each() || filters.contains(&true) {
            (segment.plain(), false)
        } else if request.serves(Authority::Directive) {
            (segment.plain(), true)
        } else {
            (segment.evidence(), true)
        }
    }

    /// Whether the request asks for what only the records themselves tell.
    fn looks_at_each(&self) -> bool {
        self.query.request.min_confidence > 0.0 || !self.query.request.tags.is_empty()
    }

    fn admit(&mut self, segment: &'a Segment, doc: Doc, hits: usize) {
        self.admitted += 1;
        let bound = segment.bound(doc).map_or(f64::INFINITY, |bound| self.bounds.of(bound, hits));
        if self.best.may_take(bound)
            && let Some(entry) = segment.entry(doc)
        {
            let score = self.query.score(&entry.traits, hits).final_score;
            let key = Key { score, updated: entry.traits.updated, id: segment.id(doc) };
            self.best.take(Scored { key, found: (entry, hits) });
        }
    }

    /// Counts a partition's ended and plain records by the stage that drops them, as if none were admitted.
    fn count(&mut self, partition: &Partition, scope: Scope) {
        self.proposal.filtered.lifecycle += partition.ended;
        if self.looks_at_each() {
            return self.count_each(partition);
        }
        for (&(authority, kind), &records) in &partition.plain {
            let stage = self.group_stage(scope, kind, authority);
            *counter(&mut self.proposal.filtered, stage) += records;
        }
    }

    fn count_each(&mut self, partition: &Partition) {
        for segment in &partition.segments {
            for doc in docs(segment.plain()) {
                let stage = self.stage_of(segment, doc);
                *counter(&mut self.proposal.filtered, stage) += 1;
            }
        }
    }

    fn stage_of(&self, segment: &Segment, doc: Doc) -> Stage {
        let Some(Entry { traits, .. }) = segment.entry(doc) else { return Stage::Lifecycle };
        if traits.confidence < self.query.request.min_confidence {
            return Stage::Lifecycle;
        }
        match self.group_stage(traits.scope, traits.kind, traits.authority) {
            Stage::None if !self.carries_tags(segment, doc) => Stage::Request,
            stage => stage,
        }
    }

    fn group_stage(&self, scope: Scope, kind: MemoryType, authority: Authority) -> Stage {
        if !self.query.request.serves(authority) {
            Stage::Purpose
        } else if !self.query.request.passes(scope, kind, authority) {
            Stage::Request
        } else {
            Stage::None
        }
    }

    fn carries_tags(&self, segment: &Segment, doc: Doc) -> bool {
        self.tags.as_ref().is_some_and(|tags| tags.iter().all(|&tag| segment.holds(doc, tag)))
    }
}

fn counter(filtered: &mut Filtered, stage: Stage) -> &mut usize {
    match stage {
        Stage::Lifecycle => &mut filtered.lifecycle,
        Stage::Purpose => &mut filtered.purpose,
        Stage::Request => &mut filtered.request,
        Stage::None => &mut filtered.irrelevant,
    }
}
