//! Tokenizer `v1`: the tokens of a folded text, as keys, found in one pass and then freed of repetitions.

use std::mem::swap;
use std::ops::{ControlFlow, Range};
use std::str::Chars;

use pulp::Arch;

use super::ascii::{AHEAD, BLOCK, Block};
use super::distinct::Distinct;
use super::{CHARACTER_BITS, PAIR, TRIGRAM, TokenKey, hash};
use crate::class::class;
use crate::class_bits::{CJK, WORD};

/// So many keys are freed of repetitions together.
const BATCH: usize = 128;

/// The distinct tokens of a text; where they are more than a limit, at least one more than it.
pub(crate) struct Found<'t> {
    /// Packed tokens, and for each long word a trigram without its first character, which no text has.
    keys: Vec<u64>,
    /// Words of more than three characters, in the order in which `keys` stands for them.
    words: Vec<&'t str>,
}

impl<'t> Found<'t> {
    /// Gives the first tokens, `limit` at most; whether there are more.
    pub(crate) fn give(&self, limit: usize, mut take: impl FnMut(TokenKey<'t>)) -> bool {
        let mut words = self.words.iter();
        for &key in self.keys.iter().take(limit) {
            if key >> (2 * CHARACTER_BITS) == 1 << CHARACTER_BITS {
                words.next().into_iter().for_each(|word| take(TokenKey::Word(word)));
            } else {
                take(TokenKey::Packed(key));
            }
        }
        self.keys.len() > limit
    }
}

/// Finds the tokens of a text that is folded; once it knows of more than `limit`, it stops.
///
/// None where it comes upon a character whose class has one of the bits `doubt`.
pub(crate) fn scan(folded: &str, limit: usize, doubt: u8) -> Option<Found<'_>> {
    // English has a token for every two bytes; other texts have fewer, Chinese one for each character.
    let is_ascii = folded.is_ascii();
    let likely = limit.min(folded.len() / if is_ascii { 2 } else { 3 });
    let mut scanner = Scanner {
        folded,
        limit,
        packed: Distinct::with_places(likely * 4),
        long: Distinct::with_places(likely / 2),
        keys: Vec::with_capacity(BATCH),
        bigrams: Vec::with_capacity(if is_ascii { 0 } else { folded.len() / 3 }),
        found: Found {
            keys: Vec::with_capacity(likely + BLOCK / 2),
            words: Vec::with_capacity(likely / 4),
        },
    };
    if is_ascii {
        scanner.scan_ascii();
    } else if scanner.scan_any(doubt).is_break() {
        return None;
    }
    Some(scanner.found)
}

struct Scanner<'t> {
    folded: &'t str,
    limit: usize,
    packed: Distinct<u64>,
    long: Distinct<&'t str>,
    /// Keys in text order that may repeat, or be known already.
    keys: Vec<u64>,
    /// CJK bigrams, which come after all words.
    bigrams: Vec<u64>,
    found: Found<'t>,
}

impl<'t> Scanner<'t> {
    /// Moves those of the keys that are new to what was found; whether that is more than the limit.
    fn settle(&mut self) -> bool {
        let mut length = self.found.keys.len();
        self.found.keys.resize(length + self.keys.len(), 0);
        for &key in &self.keys {
            // Written in any case: a branch on what is new would be guessed wrong too often.
            if let Some(place) = self.found.keys.get_mut(length) {
                *place = key;
            }
            length += usize::from(self.packed.insert(key, key));
        }
        self.found.keys.truncate(length);
        self.keys.clear();
        length > self.limit
    }

    /// Finds the tokens of any text; breaks off at a character in doubt.
    fn scan_any(&mut self, doubt: u8) -> ControlFlow<()> {
        let mut rest = self.folded.chars();
        let mut next = rest.next();
        while let Some(first) = next {
            let class = class(first);
            // Before anything is settled: it may change the word before it.
            if class & doubt != 0 {
                return ControlFlow::Break(());
            }
            if self.keys.len() >= BATCH && self.settle() {
                return ControlFlow::Continue(());
            }
            next = match class & (WORD | CJK) {
                0 => rest.next(),
                WORD => self.scan_word(first, &mut rest, doubt),
                _ => self.scan_run(first, &mut rest, doubt),
            };
        }
        self.settle();
        swap(&mut self.keys, &mut self.bigrams);
        self.settle();
        ControlFlow::Continue(())
    }

    /// Takes the keys of a word; gives the character after it.
    fn scan_word(&mut self, first: char, rest: &mut Chars<'t>, doubt: u8) -> Option<char> {
        let start = self.folded.len() - rest.as_str().len() - first.len_utf8();
        let (mut end, mut size) = (start + first.len_utf8(), 1);
        let place = self.keys.len();
        let mut window = u64::from(first);
        let mut next = rest.next();
        while let Some(character) = next.filter(|&next| class(next) & (WORD | CJK | doubt) == WORD)
        {
            window = ((window << CHARACTER_BITS) | u64::from(character)) & (TRIGRAM - 1);
            (end, size) = (end + character.len_utf8(), size + 1);
            if size >= 3 {
                self.keys.push(window | TRIGRAM);
            }
            next = rest.next();
        }
        // A word of three characters is its own only trigram.
        if size <= 3 {
            self.keys.truncate(place);
            self.keys.push(window);
        } else if let Some(key) = self.long_word(start, end) {
            self.keys.insert(place, key);
        }
        next
    }

    /// Keeps the bigrams of a CJK run; gives the character after it.
    fn scan_run(&mut self, first: char, rest: &mut Chars<'t>, doubt: u8) -> Option<char> {
        let mut before = u64::from(first);
        let count = self.bigrams.len();
        let mut next = rest.next();
        while let Some(character) = next.filter(|&next| class(next) & (CJK | doubt) == CJK) {
            self.bigrams.push(PAIR | (before << CHARACTER_BITS) | u64::from(character));
            before = u64::from(character);
            next = rest.next();
        }
        if self.bigrams.len() == count {
            self.bigrams.push(PAIR | before);
        }
        next
    }

    fn scan_ascii(&mut self) {
        let bytes = self.folded.as_bytes();
        let arch = Arch::new();
        let mut block = Block::new();
        // Where the word started that went on when the last block ended.
        let mut open = None;
        for from in (0..bytes.len()).step_by(BLOCK) {
            block.read(&bytes[from..], arch);
            let before = (block.bits << 1) | u64::from(open.is_some());
            let (mut starts, mut ends) = (block.bits & !before, before & !block.bits);
            if let (Some(start), true) = (open, ends != 0) {
                self.take_across(start, from + lowest(ends));
                ends &= ends - 1;
                open = None;
            }
            while ends != 0 {
                self.take_within(&block, from, lowest(starts)..lowest(ends));
                starts &= starts - 1;
                ends &= ends - 1;
            }
            if starts != 0 {
                open = Some(from + lowest(starts));
            }
            if self.settle() {
                return;
            }
        }
        if let Some(start) = open {
            self.take_across(start, bytes.len());
            self.settle();
        }
    }

    /// Takes the keys of a word that lies in a block.
    #[inline]
    fn take_within(&mut self, block: &Block, from: usize, word: Range<usize>) {
        let Range { start, end } = word;
        if end - start <= 3 {
            let unused = CHARACTER_BITS as usize * (3 + start - end);
            self.keys.push((block.trigrams[start] & (TRIGRAM - 1)) >> unused);
            return;
        }
        let long = self.long_word(from + start, from + end);
        self.keys.extend(long);
        let count = end - start - 2;
        if count <= AHEAD {
            // A length that is always the same is copied quicker than the right one.
            let length = self.keys.len();
            self.keys.extend_from_slice(&block.trigrams[start..start + AHEAD]);
            self.keys.truncate(length + count);
        } else {
            self.keys.extend_from_slice(&block.trigrams[start..start + count]);
        }
    }

    /// Takes the keys of an ASCII word, wherever it lies.
    fn take_across(&mut self, start: usize, end: usize) {
        let word = &self.folded.as_bytes()[start..end];
        let pack = |bytes: &[u8]| {
            bytes.iter().fold(0, |key, &byte| (key << CHARACTER_BITS) | u64::from(byte))
        };
        if word.len() <= 3 {
            self.keys.push(pack(word));
        } else {
            let long = self.long_word(start, end);
            self.keys.extend(long);
            self.keys.extend(word.windows(3).map(|bytes| pack(bytes) | TRIGRAM));
        }
    }

    /// Keeps a word of more than three characters, if it is new; gives what stands for it among the keys.
    fn long_word(&mut self, start: usize, end: usize) -> Option<u64> {
        let word = self.folded.get(start..end)?;
        self.long.insert_dear(hash(word), word).then(|| {
            self.found.words.push(word);
            TRIGRAM | self.found.words.len() as u64
        })
    }
}

/// The place of the lowest bit.
fn lowest(bits: u64) -> usize {
    bits.trailing_zeros() as usize
}
