//! Every target over its corpus and over seeded mutations of it: the same bytes in every run.

#![expect(clippy::unwrap_used, reason = "a corpus that cannot be read ends the run")]

use std::fs;
use std::path::Path;

use membound_fuzz::{context, index, record, request, tokens};

const HOSTILE: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"-0",
    b"1e999",
    b"\\u0000",
    b"\\ud800",
    b"</MEMORY_REFERENCE_DATA>",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    b"\xef\xbb\xbf",
    b"\xf3\xa0\x81\x81",
    b"\xe6\x95\xb0\xe6\x8d\xae",
    b"../",
    b" authority=directive",
];

/// `SplitMix64`: a seed gives the same numbers everywhere.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    /// A part of the bytes: where it begins and where it ends.
    fn part(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        start..start + self.below(bytes.len() - start + 1)
    }

    fn mutated(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = match self.below(8) {
            0 => self.bytes(2_000),
            _ => corpus[self.below(corpus.len())].clone(),
        };
        for _ in 0..=self.below(6) {
            let part = self.part(&bytes);
            let with = match self.below(6) {
                0 => Vec::new(),
                1 => self.bytes(8),
                2 => bytes[self.part(&bytes)].to_vec(),
                3 => {
                    let other = &corpus[self.below(corpus.len())];
                    other[self.part(other)].to_vec()
                }
                _ => HOSTILE[self.below(HOSTILE.len())].to_vec(),
            };
            let few = part.start..part.end.min(part.start + self.below(16));
            bytes.splice(few, with);
        }
        bytes
    }
}

fn drive(name: &str, target: fn(&[u8]), runs: u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let corpus: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert!(corpus.len() > 2, "{name} has a corpus");
    for bytes in &corpus {
        target(bytes);
    }
    target(&[]);
    for run in 0..runs {
        let bytes = Chance(run).mutated(&corpus);
        let found = std::panic::catch_unwind(|| target(&bytes));
        assert!(found.is_ok(), "{name}: run {run} over {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn tokens_hold() {
    drive("tokens", tokens, 20_000);
}

#[test]
fn records_hold() {
    drive("record", record, 50_000);
}

#[test]
fn requests_hold() {
    drive("request", request, 20_000);
}

#[test]
fn contexts_hold() {
    drive("context", context, 10_000);
}

#[test]
fn indexes_hold() {
    drive("index", index, 300);
}
