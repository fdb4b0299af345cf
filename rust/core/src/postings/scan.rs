//! Counting: how many of a query's terms each document of a segment holds.
//!
//! Terms of few documents add to a counter for each. Terms of many have a bit for each document, and are
//! added 512 documents at a time. Neither kind of adding branches on what a document holds.

use super::lists::{Doc, Read, Words, clear, docs, intersect, is_set, unite};
use super::planes::Planes;
use super::segment::Segment;
use super::terms::Term;
use crate::hints::Hints;

/// What a query asks of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Those of its terms that are known.
    pub(super) terms: &'a [Term],
    /// The fewest that admit a document by words; `None` where no number does.
    pub(super) fewest: Option<usize>,
    /// Whoever answers one of these is admitted too.
    pub(super) hints: Hints,
}

/// A document, and how many of the terms it holds.
pub(super) type Hit = (Doc, usize);

/// Memory that one scan leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// How many sparse terms each document holds; all 0 between scans.
    counts: Vec<u8>,
    planes: Planes,
    /// What the present scan found.
    pub(super) hits: Vec<Hit>,
    /// How many terms each of the documents holds that were to be looked at whatever they hold.
    pub(super) special: Vec<Hit>,
}

impl Scan {
    /// Finds the documents of `among` that are admitted, and counts the terms of `special` ones.
    pub(super) fn run(
        &mut self,
        segment: &Segment,
        wanted: Wanted<'_>,
        among: &[Words],
        special: impl Iterator<Item = Doc>,
    ) {
        let found = wanted.terms.iter().filter_map(|&term| segment.read(term));
        let (mut sparse, mut dense) = (Vec::new(), Vec::new());
        for posting in found {
            match posting {
                Read::Docs(docs) => sparse.push(docs),
                Read::Bits(bits) => dense.push(bits),
            }
        }
        self.hits.clear();
        self.special.clear();
        self.special.extend(special.map(|doc| (doc, 0)));
        let answering = segment.answering(wanted.hints);
        // More than there are terms: no document is admitted by words.
        let fewest = wanted.fewest.unwrap_or(usize::MAX);
        let few = dense.len() < fewest && self.special.is_empty() && answering.is_empty();
        if few && sparse.len() + dense.len() < fewest {
            return;
        }
        self.count(&sparse, segment.len());
        if few && self.few(&sparse, &dense, fewest, among) {
            return;
        }
        for (doc, hits) in &mut self.special {
            *hits = usize::from(self.counts[usize::from(*doc)]);
        }
        self.planes.add(&dense, fewest, segment.len().div_ceil(512));
        self.special.iter_mut().for_each(|(doc, hits)| *hits += self.planes.sum(*doc));
        self.collect(&sparse, fewest, among, &answering);
    }

    /// Adds the sparse terms.
    fn count(&mut self, sparse: &[&[Doc]], size: usize) {
        if self.counts.len() < size {
            self.counts.resize(size, 0);
        }
        for docs in sparse {
            for &doc in *docs {
                self.counts[usize::from(doc)] += 1;
            }
        }
    }

    /// Finds the hits where so few documents hold enough sparse terms that the dense ones are better asked
    /// about each; whether that is so.
    fn few(
        &mut self,
        sparse: &[&[Doc]],
        dense: &[&[Words]],
        fewest: usize,
        among: &[Words],
    ) -> bool {
        let least = fewest - dense.len();
        let most = among.len() * 8;
        for &doc in sparse.iter().copied().flatten() {
            let count = usize::from(self.counts[usize::from(doc)]);
            if count >= least {
                if self.hits.len() > most {
                    self.hits.clear();
                    return false;
                }
                self.hits.push((doc, count));
            }
        }
        for docs in sparse {
            docs.iter().for_each(|&doc| self.counts[usize::from(doc)] = 0);
        }
        self.hits.sort_unstable();
        self.hits.dedup();
        for (doc, hits) in &mut self.hits {
            *hits += dense.iter().filter(|bits| is_set(bits, *doc)).count();
        }
        self.hits.retain(|&(doc, hits)| hits >= fewest && is_set(among, doc));
        true
    }

    /// Takes what is admitted, first among the documents that hold sparse terms, then among the others.
    fn collect(&mut self, sparse: &[&[Doc]], fewest: usize, among: &[Words], answering: &[Words]) {
        let mut others = self.planes.reach[0].clone();
        unite(&mut others, answering);
        intersect(&mut others, among);
        for docs in sparse {
            for &doc in *docs {
                let count = usize::from(std::mem::take(&mut self.counts[usize::from(doc)]));
                if count == 0 {
                    continue;
                }
                clear(&mut others, doc);
                let enough = self.planes.reach.get(count).is_none_or(|reach| is_set(reach, doc));
                if !is_set(among, doc) || !(enough || is_set(answering, doc)) {
                    continue;
                }
                let hits = count + self.planes.sum(doc);
                if hits >= fewest || is_set(answering, doc) {
                    self.hits.push((doc, hits));
                }
            }
        }
        self.hits.extend(docs(&others).map(|doc| (doc, self.planes.sum(doc))));
    }
}
