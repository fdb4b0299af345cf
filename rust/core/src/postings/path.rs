//! The path over postings in memory: every plain record that is admitted is found by counting, and of
//! those no more than the best are measured exactly.

use std::sync::Arc;

use super::Postings;
use super::best::{Best, Scored};
use super::bounds::Bounds;
use super::filters::{Filters, Stage};
use super::lists::Doc;
use super::partition::Partition;
use super::scan::{Scan, Wanted};
use super::segment::{Entry, Segment};
use super::terms::Term;
use super::weighed::weighed;
use crate::candidate::{Candidate, Proposal};
use crate::eligibility::{Unjudged, eligible};
use crate::error::Result;
use crate::query::Query;
use crate::rank::Key;
use crate::relevance::{Relevance, Share};
use crate::retrieve::Path;
use crate::shown::Shown;
use crate::trace::{Channel, Mode};

/// One retrieval over postings; `find` gives the record of a row.
pub(crate) struct Hot<'a, F> {
    pub(crate) postings: &'a Postings,
    pub(crate) find: F,
}

impl<F: FnMut(i64) -> Result<(Arc<Shown>, Arc<[u8]>)>> Path for Hot<'_, F> {
    const MODE: Mode = Mode::Fts5;
    const FROM_MEMORY: bool = true;
    type Origin = Arc<[u8]>;

    fn channel(by_words: bool) -> Channel {
        if by_words { Channel::Fts5 } else { Channel::TypeAffinity }
    }

    fn candidates(&mut self, query: &Query<'_>, most: usize) -> Result<Proposal> {
        thread_local! {
            static SCAN: std::cell::RefCell<Scan> = std::cell::RefCell::default();
        }
        Ok(match &query.relevance {
            Relevance::Share(share) => SCAN
                .with_borrow_mut(|scan| Search::new(self.postings, query, share, most).run(scan)),
            Relevance::Weighed(asked) => weighed(self.postings, query, asked, most),
        })
    }

    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, Arc<[u8]>)> {
        (self.find)(i64::try_from(key).unwrap_or(i64::MAX))
    }
}

type Found<'a> = (&'a Entry, usize);

struct Search<'a, 'q> {
    postings: &'a Postings,
    query: &'q Query<'q>,
    share: &'q Share,
    filters: Filters<'q>,
    best: Best<'a, Found<'a>>,
    bounds: Bounds,
    admitted: usize,
    /// The records that are looked at themselves, each with its hits and its row.
    special: Vec<Unjudged<(usize, usize)>>,
    proposal: Proposal,
}

impl<'a, 'q> Search<'a, 'q> {
    fn new(postings: &'a Postings, query: &'q Query<'q>, share: &'q Share, most: usize) -> Self {
        Self {
            postings,
            query,
            share,
            filters: Filters::new(query, &postings.terms),
            best: Best::new(most),
            bounds: Bounds::new(query, share),
            admitted: 0,
            special: Vec::new(),
            proposal: Proposal::default(),
        }
    }

    fn run(mut self, scan: &mut Scan) -> Proposal {
        let terms: Vec<Term> =
            self.query.keys().filter_map(|key| self.postings.terms.find(key)).collect();
        let fewest = self.share.fewest_hits();
        let wanted = Wanted { terms: &terms, fewest, hints: self.query.hints };
        let mut visible = 0;
        for place in &self.query.places {
            let owner = (self.query.request.owner().to_owned(), place.key());
            if let Some(&number) = self.postings.numbers.get(&owner) {
                let partition = &self.postings.partitions[number as usize];
                visible += partition.len();
                self.filters.count(partition, place.scope(), &mut self.proposal.filtered);
                self.search(partition, wanted, scan);
            }
        }
        self.proposal.filtered.scope = self.postings.records - visible;
        self.proposal.filtered.irrelevant -= self.admitted;
        let special = eligible(self.special, self.query, &mut self.proposal.filtered);
        self.proposal.candidates.extend(
            special
                .into_iter()
                .map(|(card, (hits, row))| Candidate::of(&card, self.share.signals(hits), row)),
        );
        let best = self.best.into_kept();
        self.proposal.outranked = self.admitted - best.len();
        self.proposal.candidates.extend(best.into_iter().map(|one| {
            let (entry, hits) = one.found;
            Candidate {
                id: one.key.id.to_owned(),
                traits: entry.traits,
                signals: self.share.signals(hits),
                key: entry.row as usize,
            }
        }));
        self.proposal
    }

    fn search(&mut self, partition: &'a Partition, wanted: Wanted<'_>, scan: &mut Scan) {
        for (number, segment) in partition.segments.iter().enumerate() {
            let special = || partition.special_in(number);
            let (among, all) = self.filters.considered(segment);
            scan.run(segment, wanted, among, special().map(|(doc, _)| doc));
            for ((_, card), (doc, hits)) in special().zip(&scan.special) {
                let row = segment.entry(*doc).map_or(0, |entry| entry.row as usize);
                self.special.push((Arc::clone(card), (*hits, row)));
            }
            for &(doc, hits) in &scan.hits {
                if all || self.filters.stage_of(segment, doc) == Stage::None {
                    self.admit(segment, doc, hits);
                }
            }
        }
    }

    fn admit(&mut self, segment: &'a Segment, doc: Doc, hits: usize) {
        self.admitted += 1;
        let bound = segment.bound(doc).map_or(f64::INFINITY, |bound| self.bounds.of(bound, hits));
        if self.best.may_take(bound)
            && let Some(entry) = segment.entry(doc)
        {
            let score = self.query.score(&entry.traits, self.share.signals(hits)).final_score;
            let key = Key { score, updated: entry.traits.updated, id: segment.id(doc) };
            self.best.take(Scored { key, found: (entry, hits) });
        }
    }
}
