//! Terms: a number for each search token and tag, never the same one for two of them.

use hashbrown::HashTable;
use twox_hash::XxHash3_64;

use super::texts::Texts;
use super::vocabulary::Vocabulary;
use crate::tokens::{TokenKey, Tokenizer};

/// A search token or a tag as a number.
pub(super) type Term = u64;

/// What stands before a tag in the vocabulary, and in no word.
const TAG: char = '#';
/// What stands before a pair there, and before letters of its writing in no word.
const PAIR: char = '&';

/// The terms of one index: short tokens are their own number, words and tags get one when they first come.
#[derive(Debug, Default)]
pub(super) struct Terms {
    texts: Texts,
    numbers: HashTable<u32>,
    /// Of tokenizer `v2`, by which words are found that are alike.
    vocabulary: Option<Vocabulary>,
}

impl Terms {
    /// Of no texts yet.
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        let vocabulary = (tokenizer == Tokenizer::V2).then(Vocabulary::default);
        Self { vocabulary, ..Self::default() }
    }

    /// The term of a search token, where there is one.
    pub(super) fn find(&self, token: TokenKey<'_>) -> Option<Term> {
        match token {
            TokenKey::Packed(key) => Some(key),
            TokenKey::Word(word) => self.number(word).map(numbered),
            TokenKey::Pair(pair) => self.number(&format!("{PAIR}{pair}")).map(numbered),
        }
    }

    /// The term of a single character, where some pair has it.
    pub(super) fn find_character(&self, character: char) -> Option<Term> {
        self.find(TokenKey::character(character))
    }

    /// The term of a search token; `None` where there is no room for more of them.
    pub(super) fn intern(&mut self, token: TokenKey<'_>) -> Option<Term> {
        match token {
            TokenKey::Packed(key) => Some(key),
            TokenKey::Word(word) => self.add_word(word),
            TokenKey::Pair(pair) => self.add(&format!("{PAIR}{pair}")),
        }
    }

    /// The term of a tag, where there is one.
    pub(super) fn find_tag(&self, tag: &str) -> Option<Term> {
        self.number(&format!("{TAG}{tag}")).map(numbered)
    }

    /// The term of a tag; `None` where there is no room for more of them.
    pub(super) fn intern_tag(&mut self, tag: &str) -> Option<Term> {
        self.add(&format!("{TAG}{tag}"))
    }

    /// Gives the terms of words that are alike to one of such trigrams, with how far.
    pub(super) fn each_alike(&self, trigrams: &[u64], mut take: impl FnMut(Term, f64)) {
        if let Some(vocabulary) = &self.vocabulary {
            vocabulary.each_alike(trigrams, |number, alike| take(numbered(number), alike));
        }
    }

    fn add_word(&mut self, word: &str) -> Option<Term> {
        if let Some(number) = self.number(word) {
            return Some(numbered(number));
        }
        let number = self.push(word)?;
        if let Some(vocabulary) = &mut self.vocabulary {
            vocabulary.add(number, word);
        }
        Some(numbered(number))
    }

    fn number(&self, text: &str) -> Option<u32> {
        self.numbers.find(hash(text), |&number| self.texts.get(number) == text).copied()
    }

    fn add(&mut self, text: &str) -> Option<Term> {
        if let Some(number) = self.number(text) {
            return Some(numbered(number));
        }
        self.push(text).map(numbered)
    }

    fn push(&mut self, text: &str) -> Option<u32> {
        let number = self.texts.push(text)?;
        let texts = &self.texts;
        self.numbers.insert_unique(hash(text), number, |&number| hash(texts.get(number)));
        Some(number)
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let vocabulary = self.vocabulary.as_ref().map_or(0, Vocabulary::bytes);
        self.texts.bytes() + self.numbers.allocation_size() + vocabulary
    }
}

fn hash(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// Counted down from the highest number, which no packed token comes near.
fn numbered(number: u32) -> Term {
    Term::MAX - Term::from(number)
}
