//! Counting: how many of a query's terms each document of a segment holds.
//!
//! Terms of few documents add to a counter for each. Terms of many have a bit for each document, and are
//! added 512 documents at a time: the sums stand in planes, one for each binary digit, as a carry-save
//! adder has them. Nothing in it branches on what a document holds.

use pulp::Arch;

use super::lists::{Doc, Read, clear, docs, is_set};
use super::segment::Segment;
use super::terms::Term;
use crate::hints::Hints;

/// Words of bits in a block.
const LANES: usize = 8;
/// Binary digits of a sum: a query has 128 terms at most.
const DIGITS: usize = 8;
/// Sums are compared beforehand for documents that fewer sparse terms than this add to.
const REACH: usize = 4;

type Words = [u64; LANES];

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
    planes: Vec<[Words; DIGITS]>,
    /// Whether the dense terms alone bring a document up to what it needs, by how many sparse ones it holds.
    reach: [Vec<Words>; REACH],
    /// What the present scan found.
    pub(super) hits: Vec<Hit>,
    /// How many terms each of the documents holds that were to be looked at whatever they hold.
    pub(super) special: Vec<Hit>,
}

impl Scan {
    /// Finds the plain documents that are admitted, and counts the terms of `special` ones.
    pub(super) fn run(
        &mut self,
        segment: &Segment,
        wanted: Wanted<'_>,
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
        self.count(&sparse, segment.len());
        let counts = &self.counts;
        self.special.extend(special.map(|doc| (doc, usize::from(counts[usize::from(doc)]))));
        let answering = segment.answering(wanted.hints);
        // More than there are terms: no document is admitted by words.
        let fewest = wanted.fewest.unwrap_or(usize::MAX);
        let few = dense.len() < fewest && self.special.is_empty() && answering.is_empty();
        if few && self.few(&sparse, &dense, fewest, segment) {
            return;
        }
        Arch::new().dispatch(|| self.add(&dense, fewest, segment.len()));
        self.special.iter_mut().for_each(|(doc, hits)| *hits += sum(&self.planes, *doc));
        self.collect(&sparse, fewest, segment.plain(), &answering);
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
        dense: &[&[u64]],
        fewest: usize,
        segment: &Segment,
    ) -> bool {
        let least = fewest - dense.len();
        let most = segment.len() / 64;
        if sparse.len() >= least {
            for docs in sparse {
                for &doc in *docs {
                    if usize::from(self.counts[usize::from(doc)]) >= least {
                        if self.hits.len() > most {
                            self.hits.clear();
                            return false;
                        }
                        self.hits.push((doc, usize::from(self.counts[usize::from(doc)])));
                    }
                }
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
        self.hits.retain(|&(doc, hits)| hits >= fewest && is_set(segment.plain(), doc));
        true
    }

    /// Adds the dense terms, and compares their sums with what is needed beside 0, 1, 2 and 3 sparse ones.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "only what is inlined is compiled for the machine at hand"
    )]
    fn add(&mut self, dense: &[&[u64]], fewest: usize, size: usize) {
        let blocks = size.div_ceil(64 * LANES);
        self.planes.clear();
        self.reach.iter_mut().for_each(Vec::clear);
        for block in 0..blocks {
            let planes = added(dense, block * LANES);
            for (sparse, reach) in self.reach.iter_mut().enumerate() {
                reach.push(at_least(&planes, fewest.saturating_sub(sparse)));
            }
            self.planes.push(planes);
        }
    }

    /// Takes what is admitted, first among the documents that hold sparse terms, then among the others.
    fn collect(&mut self, sparse: &[&[Doc]], fewest: usize, plain: &[u64], answering: &[u64]) {
        let mut others: Vec<u64> = self.reach[0].as_flattened().to_vec();
        others.resize(plain.len().max(others.len()), 0);
        others.iter_mut().zip(answering).for_each(|(all, docs)| *all |= docs);
        for (word, plain) in
            others.iter_mut().zip(plain.iter().copied().chain(std::iter::repeat(0)))
        {
            *word &= plain;
        }
        for docs in sparse {
            for &doc in *docs {
                let count = usize::from(std::mem::take(&mut self.counts[usize::from(doc)]));
                if count == 0 {
                    continue;
                }
                clear(&mut others, doc);
                let may =
                    self.reach.get(count).is_none_or(|reach| is_set(reach.as_flattened(), doc));
                if !may && !is_set(answering, doc) || !is_set(plain, doc) {
                    continue;
                }
                let hits = count + sum(&self.planes, doc);
                if hits >= fewest || is_set(answering, doc) {
                    self.hits.push((doc, hits));
                }
            }
        }
        self.hits.extend(docs(&others).map(|doc| (doc, sum(&self.planes, doc))));
    }
}

/// The sums of a block of all dense terms.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the machine at hand"
)]
fn added(dense: &[&[u64]], start: usize) -> [Words; DIGITS] {
    let mut planes = [[0; LANES]; DIGITS];
    for (added, bits) in dense.iter().enumerate() {
        let mut carry = [0; LANES];
        match bits.get(start..start + LANES) {
            Some(words) => carry.copy_from_slice(words),
            None => {
                let words = bits.get(start..).unwrap_or_default();
                carry[..words.len()].copy_from_slice(words);
            }
        }
        // The sum so far has no more digits than this.
        let digits = (added + 1).ilog2() as usize + 1;
        for plane in planes.iter_mut().take(digits) {
            for (digit, carry) in plane.iter_mut().zip(&mut carry) {
                (*digit, *carry) = (*digit ^ *carry, *digit & *carry);
            }
        }
    }
    planes
}

/// The documents whose sum is at least `need`: from the lowest digit to the highest, one that is set where
/// `need` has none decides for, one that is not set where `need` has one decides against.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the machine at hand"
)]
fn at_least(planes: &[Words; DIGITS], need: usize) -> Words {
    if need >= 1 << DIGITS {
        return [0; LANES];
    }
    let mut enough = [u64::MAX; LANES];
    for (digit, plane) in planes.iter().enumerate() {
        let needed = need >> digit & 1 == 1;
        for (enough, sum) in enough.iter_mut().zip(plane) {
            *enough = if needed { *enough & sum } else { *enough | sum };
        }
    }
    enough
}

/// How many dense terms a document holds.
fn sum(planes: &[[Words; DIGITS]], doc: Doc) -> usize {
    let doc = usize::from(doc);
    let Some(block) = planes.get(doc / (64 * LANES)) else { return 0 };
    let (lane, bit) = (doc / 64 % LANES, doc % 64);
    let digits = block.iter().enumerate();
    digits.map(|(digit, plane)| usize::from(plane[lane] >> bit & 1 == 1) << digit).sum()
}
