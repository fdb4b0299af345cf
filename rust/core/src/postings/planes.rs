//! Sums of many bits at once: of each document, how many of some terms it holds.
//!
//! The sums of 512 documents stand in planes, one for each binary digit. Bits are added as a carry-save
//! adder adds them, eight terms at a time (Harley and Seal; Warren, "Hacker's Delight", section 5-1), with
//! the widest instructions that the machine has.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the machine at hand"
)]

use pulp::{Arch, Simd, WithSimd};

use super::lists::{Doc, Words};

/// Binary digits of a sum: a query has 255 terms at most.
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
        let Planes { sums, reach } = self.planes;
        // One round at a time over all documents: so few terms are read from memory ahead of need.
        for round in self.terms.chunks(ROUND) {
            for (block, sums) in sums.iter_mut().enumerate() {
                for vector in 0..LANES / S::U64_LANES {
                    adder.add_round(sums, round, block, vector);
                }
            }
        }
        let digits = self.terms.len().checked_ilog2().map_or(0, |digit| digit as usize + 1);
        for (reach, sparse) in reach.iter_mut().zip(0..) {
            let need = self.need.saturating_sub(sparse);
            if need < 1 << digits.min(DIGITS) {
                for (reach, sums) in reach.iter_mut().zip(sums.iter()) {
                    adder.compare(reach, &sums[..digits.min(DIGITS)], need);
                }
            }
        }
    }
}

/// Arithmetic on one vector of each plane.
#[derive(Clone, Copy)]
struct Adder<S>(S);

impl<S: Simd> Adder<S> {
    /// Adds the bits of a round of terms to the sums of a block.
    #[inline(always)]
    fn add_round(
        self,
        sums: &mut [Words; DIGITS],
        round: &[&[Words]],
        block: usize,
        vector: usize,
    ) {
        let mut bits = [self.0.splat_u64s(0); ROUND];
        for (bits, term) in bits.iter_mut().zip(round) {
            if let Some(words) = term.get(block) {
                *bits = S::as_simd_u64s(words).0[vector];
            }
        }
        let [ones, twos, fours, others @ ..] = sums;
        let digit = |plane: &Words| S::as_simd_u64s(plane).0[vector];
        let (sum, first) = self.add(digit(ones), bits[0], bits[1]);
        let (sum, second) = self.add(sum, bits[2], bits[3]);
        let (sum, third) = self.add(sum, bits[4], bits[5]);
        let (sum, fourth) = self.add(sum, bits[6], bits[7]);
        S::as_mut_simd_u64s(ones).0[vector] = sum;
        let (sum, low) = self.add(digit(twos), first, second);
        let (sum, high) = self.add(sum, third, fourth);
        S::as_mut_simd_u64s(twos).0[vector] = sum;
        let (sum, mut carry) = self.add(digit(fours), low, high);
        S::as_mut_simd_u64s(fours).0[vector] = sum;
        for plane in others {
            let sum = digit(plane);
            S::as_mut_simd_u64s(plane).0[vector] = self.0.xor_u64s(sum, carry);
            carry = self.0.and_u64s(sum, carry);
        }
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
    fn compare(self, reach: &mut Words, sums: &[Words], need: usize) {
        for (vector, reach) in S::as_mut_simd_u64s(reach).0.iter_mut().enumerate() {
            let mut enough = self.0.splat_u64s(u64::MAX);
            for (digit, plane) in sums.iter().enumerate() {
                let set = S::as_simd_u64s(plane).0[vector];
                enough = if need >> digit & 1 == 1 {
                    self.0.and_u64s(enough, set)
                } else {
                    self.0.or_u64s(enough, set)
                };
            }
            *reach = enough;
        }
    }
}
