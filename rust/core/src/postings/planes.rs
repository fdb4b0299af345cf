//! Sums of many bits at once: of each document, how many of some terms it holds.
//!
//! The sums of 512 documents stand in planes, one for each binary digit. Bits are added as a carry-save
//! adder adds them, eight terms at a time (Harley and Seal; Warren, "Hacker's Delight", section 5-1), with
//! the widest instructions that the machine has.

use pulp::{Arch, Simd, WithSimd};

use super::lists::{Doc, Words};

/// Binary digits of a sum: a query has 128 terms at most.
const DIGITS: usize = 8;
/// Terms that are added in one round.
const ROUND: usize = 8;
/// Sums are compared beforehand for documents to which fewer sparse terms than this add.
pub(super) const REACH: usize = 4;

/// Words of a block.
const LANES: usize = 8;
const NONE: Words = [0; LANES];

/// The sums of a segment's documents, and what they come up to.
#[derive(Debug, Default)]
pub(super) struct Planes {
    sums: Vec<[Words; DIGITS]>,
    /// For 0, 1, 2 and 3 sparse terms, who comes up to the need with so many.
    pub(super) reach: [Vec<Words>; REACH],
}

impl Planes {
    /// Adds the bits of all terms over so many blocks of documents, and compares the sums with a need.
    pub(super) fn add(&mut self, terms: &[&[Words]], need: usize, blocks: usize) {
        self.sums.clear();
        self.sums.resize(blocks, [NONE; DIGITS]);
        for reach in &mut self.reach {
            reach.clear();
            reach.resize(blocks, NONE);
        }
        Arch::new().dispatch(Add { terms, need, planes: self });
    }

    /// How many of the terms a document holds.
    pub(super) fn sum(&self, doc: Doc) -> usize {
        let doc = usize::from(doc);
        let Some(block) = self.sums.get(doc / (64 * LANES)) else { return 0 };
        let (lane, bit) = (doc / 64 % LANES, doc % 64);
        let digits = block.iter().enumerate();
        digits.map(|(digit, plane)| usize::from(plane[lane] >> bit & 1 == 1) << digit).sum()
    }
}

struct Add<'a> {
    terms: &'a [&'a [Words]],
    need: usize,
    planes: &'a mut Planes,
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let adder = Adder(simd);
        let digits = self.terms.len().checked_ilog2().map_or(0, |digit| digit as usize + 1);
        let digits = digits.min(DIGITS);
        for (block, sums) in self.planes.sums.iter_mut().enumerate() {
            for vector in 0..LANES / S::U64_LANES {
                let sum = adder.sum(self.terms, block, vector);
                for (reach, sparse) in self.planes.reach.iter_mut().zip(0..) {
                    let need = self.need.saturating_sub(sparse);
                    if need < 1 << digits {
                        let enough = adder.at_least(&sum[..digits], need);
                        S::as_mut_simd_u64s(&mut reach[block]).0[vector] = enough;
                    }
                }
                for (plane, digit) in sums.iter_mut().zip(sum) {
                    S::as_mut_simd_u64s(plane).0[vector] = digit;
                }
            }
        }
    }
}

/// Arithmetic on one vector of each plane.
#[derive(Clone, Copy)]
struct Adder<S>(S);

impl<S: Simd> Adder<S> {
    /// The digits of the sums, the lowest first.
    #[inline(always)]
    fn sum(self, terms: &[&[Words]], block: usize, vector: usize) -> [S::u64s; DIGITS] {
        let zero = self.0.splat_u64s(0);
        let [mut ones, mut twos, mut fours] = [zero; 3];
        let mut others = [zero; DIGITS - 3];
        for round in terms.chunks(ROUND) {
            let mut bits = [zero; ROUND];
            for (bits, term) in bits.iter_mut().zip(round) {
                if let Some(words) = term.get(block) {
                    *bits = S::as_simd_u64s(words).0[vector];
                }
            }
            let [a, b, c, d, e, f, g, h] = bits;
            let (first, second, third, fourth);
            (ones, first) = self.add(ones, a, b);
            (ones, second) = self.add(ones, c, d);
            (ones, third) = self.add(ones, e, f);
            (ones, fourth) = self.add(ones, g, h);
            let (low, high);
            (twos, low) = self.add(twos, first, second);
            (twos, high) = self.add(twos, third, fourth);
            let mut carry;
            (fours, carry) = self.add(fours, low, high);
            for digit in &mut others {
                (*digit, carry) = (self.0.xor_u64s(*digit, carry), self.0.and_u64s(*digit, carry));
            }
        }
        let [eights, sixteens, b, c, d] = others;
        [ones, twos, fours, eights, sixteens, b, c, d]
    }

    /// A full adder: the sum of three bits, and what is carried.
    #[inline(always)]
    fn add(self, a: S::u64s, b: S::u64s, c: S::u64s) -> (S::u64s, S::u64s) {
        let half = self.0.xor_u64s(a, b);
        let carry = self.0.or_u64s(self.0.and_u64s(a, b), self.0.and_u64s(half, c));
        (self.0.xor_u64s(half, c), carry)
    }

    /// Who has a sum of at least `need`: from the lowest digit to the highest, one that is set where `need`
    /// has none decides for, one that is not set where `need` has one decides against.
    #[inline(always)]
    fn at_least(self, sum: &[S::u64s], need: usize) -> S::u64s {
        let mut enough = self.0.splat_u64s(u64::MAX);
        for (digit, &set) in sum.iter().enumerate() {
            enough = if need >> digit & 1 == 1 {
                self.0.and_u64s(enough, set)
            } else {
                self.0.or_u64s(enough, set)
            };
        }
        enough
    }
}
