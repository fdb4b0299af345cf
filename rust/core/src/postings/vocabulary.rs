//! The vocabulary by its trigrams: which words are alike to one that is asked for.

use hashbrown::HashTable;

use crate::relevance::{dice, trigrams};

/// The words that may stand in for others, by number.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// Of each trigram, the words that have it, in order.
    words: HashTable<(u64, Vec<u32>)>,
    /// How many distinct trigrams each word has.
    sizes: Vec<u16>,
    /// Bytes of the lists.
    listed: usize,
}

/// Memory that one search leaves to the next.
#[derive(Debug, Default)]
struct Counts {
    /// How many of the trigrams each word has; all 0 between searches.
    common: Vec<u16>,
    /// The words that have any.
    found: Vec<u32>,
}

impl Vocabulary {
    /// Adds a word under its number.
    pub(super) fn add(&mut self, number: u32, word: &str) {
        let trigrams = trigrams(word);
        let at = number as usize;
        if !trigrams.is_empty() && self.sizes.len() <= at {
            self.sizes.resize(at + 1, 0);
        }
        if let Some(size) = self.sizes.get_mut(at) {
            *size = u16::try_from(trigrams.len()).unwrap_or(u16::MAX);
        }
        for trigram in trigrams {
            let entry =
                self.words.entry(hash(trigram), |(one, _)| *one == trigram, |(one, _)| hash(*one));
            let words = &mut entry.or_insert_with(|| (trigram, Vec::new())).into_mut().1;
            let before = words.capacity();
            words.push(number);
            self.listed += (words.capacity() - before) * size_of::<u32>();
        }
    }

    /// Gives each word that is alike to one of such trigrams, with how far, in order of their numbers.
    pub(super) fn each_alike(&self, trigrams: &[u64], mut take: impl FnMut(u32, f64)) {
        thread_local! {
            static COUNTS: std::cell::RefCell<Counts> = std::cell::RefCell::default();
        }
        COUNTS.with_borrow_mut(|Counts { common, found }| {
            common.resize(common.len().max(self.sizes.len()), 0);
            for &trigram in trigrams {
                let listed = self.words.find(hash(trigram), |(one, _)| *one == trigram);
                for &word in listed.map_or(&[][..], |(_, words)| words) {
                    let count = &mut common[word as usize];
                    if *count == 0 {
                        found.push(word);
                    }
                    *count = count.saturating_add(1);
                }
            }
            found.sort_unstable();
            for word in found.drain(..) {
                let count = usize::from(std::mem::take(&mut common[word as usize]));
                let size = usize::from(self.sizes[word as usize]);
                if let Some(alike) = dice(count, trigrams.len() + size) {
                    take(word, alike);
                }
            }
        });
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.words.allocation_size() + self.listed + self.sizes.capacity() * size_of::<u16>()
    }
}

/// As the segments' terms are spread.
fn hash(trigram: u64) -> u64 {
    super::segment::hash(trigram)
}
