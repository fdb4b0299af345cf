//! The path over postings in memory: every plain record that is admitted is found by counting, and of
//! those no more than the best are measured exactly.

use std::sync::Arc;

use super::Postings;
use super::best::{Best, Scored};
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
    const MODE: Mode = Mode::Postings;
    type Origin = Arc<[u8]>;

    fn channel(hits: usize) -> Channel {
        if hits > 0 { Channel::Postings } else { Channel::TypeAffinity }
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
            scan.run(segment, wanted, special().map(|(doc, _)| doc));
            for ((_, card), (doc, hits)) in special().zip(&scan.special) {
                let row = segment.entry(*doc).map_or(0, |entry| entry.row as usize);
                self.proposal.candidates.push(Candidate::unjudged(Arc::clone(card), *hits, row));
            }
            for &(doc, hits) in &scan.hits {
                if let Some(entry) = segment.entry(doc)
                    && self.stage(entry, || self.carries_tags(segment, doc)) == Stage::None
                {
                    self.admit(segment.id(doc), entry, hits);
                }
            }
        }
    }

    fn admit(&mut self, id: &'a str, entry: &'a Entry, hits: usize) {
        self.admitted += 1;
        let traits = &entry.traits;
        if self.best.may_take(self.query.score_bound(traits, hits)) {
            let score = self.query.score(traits, hits).final_score;
            let key = Key { score, updated: traits.updated, id };
            self.best.take(Scored { key, found: (entry, hits) });
        }
    }

    /// Counts a partition's ended and plain records by the stage that drops them, as if none were admitted.
    fn count(&mut self, partition: &Partition, scope: Scope) {
        self.proposal.filtered.lifecycle += partition.ended;
        if self.query.request.min_confidence > 0.0 || !self.query.request.tags.is_empty() {
            return self.count_each(partition);
        }
        for (&(authority, kind), &records) in &partition.plain {
            let stage = self.group_stage(scope, kind, authority);
            *counter(&mut self.proposal.filtered, stage) += records;
        }
    }

    fn count_each(&mut self, partition: &Partition) {
        for segment in &partition.segments {
            for doc in super::lists::docs(segment.plain()) {
                let Some(entry) = segment.entry(doc) else { continue };
                let stage = self.stage(entry, || self.carries_tags(segment, doc));
                *counter(&mut self.proposal.filtered, stage) += 1;
            }
        }
    }

    fn stage(&self, entry: &Entry, carries_tags: impl FnOnce() -> bool) -> Stage {
        let traits = &entry.traits;
        if traits.confidence < self.query.request.min_confidence {
            return Stage::Lifecycle;
        }
        match self.group_stage(traits.scope, traits.kind, traits.authority) {
            Stage::None if !carries_tags() => Stage::Request,
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

    fn carries_tags(&self, segment: &Segment, doc: super::lists::Doc) -> bool {
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
