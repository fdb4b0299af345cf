//! Counting held against a look at every document, over segments small and large.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::lists::Doc;
use super::scan::{Scan, Wanted};
use super::segment::{Entry, Segment};
use super::terms::Term;
use crate::hints::{Hints, hinted};
use crate::record::{Authority, MemoryType, Traits};
use crate::scope::Scope;

/// A document as it was put in, and what became of it.
#[derive(Debug)]
struct Written {
    terms: BTreeSet<Term>,
    answers: Hints,
    plain: bool,
    gone: bool,
}

const QUERIES: [&str; 3] = ["kiwi", "what do I like", "my profile, and what was decided: decision"];

fn entry(row: u32, answers: Hints) -> Entry {
    let traits = Traits {
        scope: Scope::User,
        kind: MemoryType::Fact,
        authority: Authority::Reference,
        answers,
        importance: 0.5,
        confidence: 1.0,
        updated: None,
        observed: None,
    };
    Entry { traits, row }
}

/// `SplitMix64`: a seed gives the same numbers everywhere.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A term: the lower, the oftener, as words are.
    fn term(&mut self, vocabulary: u64) -> Term {
        let most = self.below(vocabulary) + 1;
        self.below(most) + 1
    }
}

/// A segment whose terms shift as it grows, so that frequent ones become rare, and all that is in it.
fn segment(chance: &mut Chance, size: usize) -> (Segment, Vec<Written>) {
    let mut segment = Segment::default();
    let mut all = Vec::new();
    for number in 0..size {
        let shift = if number * 8 < size { 10_000 } else { 0 };
        let terms: BTreeSet<Term> =
            (0..chance.below(12)).map(|_| chance.term(600) + shift).collect();
        let answers = QUERIES.map(hinted)[usize::try_from(chance.below(40).min(2)).unwrap()];
        let answers = if chance.below(8) == 0 { answers } else { Hints::NONE };
        let plain = chance.below(20) != 0;
        let listed: Vec<Term> = terms.iter().copied().collect();
        let row = u32::try_from(number).unwrap();
        let doc =
            segment.push(&format!("k{number}"), entry(row, answers), (&listed, 1), plain).unwrap();
        assert_eq!(usize::from(doc), number);
        all.push(Written { terms, answers, plain, gone: false });
        if chance.below(10) == 0 {
            let place = usize::try_from(chance.below(number as u64 + 1)).unwrap();
            segment.remove(Doc::try_from(place).unwrap());
            all[place].gone = true;
        }
    }
    (segment, all)
}

fn check(chance: &mut Chance, segment: &Segment, all: &[Written], scan: &mut Scan) {
    let mut terms: Vec<Term> = (0..chance.below(40)).map(|_| chance.term(620)).collect();
    terms.extend((0..chance.below(4)).map(|_| chance.term(600) + 10_000));
    terms.sort_unstable();
    terms.dedup();
    let hints = hinted(QUERIES[usize::try_from(chance.below(3)).unwrap()]);
    let fewest = usize::try_from(chance.below(6)).unwrap();
    let wanted = Wanted { terms: &terms, fewest: (fewest > 0).then_some(fewest), hints };
    let specials: Vec<Doc> = (0..=Doc::MAX)
        .zip(all)
        .filter(|(_, one)| !one.plain && !one.gone)
        .map(|(doc, _)| doc)
        .filter(|_| chance.below(4) != 0)
        .collect();
    scan.run(segment, wanted, segment.plain(), specials.iter().copied());

    let count = |doc: Doc| all[usize::from(doc)].terms.iter().filter(|t| terms.contains(t)).count();
    let admitted = |(doc, one): &(Doc, &Written)| {
        let enough = wanted.fewest.is_some_and(|fewest| count(*doc) >= fewest);
        one.plain && !one.gone && (enough || one.answers.meets(hints))
    };
    let expected: Vec<(Doc, usize)> =
        (0..=Doc::MAX).zip(all).filter(admitted).map(|(doc, _)| (doc, count(doc))).collect();
    let mut found = scan.hits.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
    let special: Vec<(Doc, usize)> = specials.iter().map(|&doc| (doc, count(doc))).collect();
    assert_eq!(scan.special, special);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_scan_finds_what_a_look_at_every_document_finds(
        seed: u64,
        size in prop_oneof![0_usize..80, 500_usize..600, 1_000_usize..5_000],
    ) {
        let mut chance = Chance(seed);
        let (segment, all) = segment(&mut chance, size);
        let mut scan = Scan::default();
        for _ in 0..12 {
            check(&mut chance, &segment, &all, &mut scan);
        }
    }
}

#[test]
fn a_full_segment_is_counted_to_its_last_document() {
    let mut chance = Chance(7);
    let (segment, all) = segment(&mut chance, super::segment::MOST_DOCS);
    assert!(segment.is_full());
    let mut scan = Scan::default();
    for _ in 0..6 {
        check(&mut chance, &segment, &all, &mut scan);
    }
}
