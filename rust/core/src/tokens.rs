//! Search tokens, version `v1`: `w…` words, `g…` trigrams, `c…` CJK bigrams.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::distinct::Distinct;
use crate::text::{fold, is_cjk, is_word, runs};

/// The name under which an index remembers which rules made its tokens.
pub const TOKENIZER_VERSION: &str = "v1";
/// Most tokens taken from a record.
pub const RECORD_TOKENS: usize = 512;
/// Most tokens taken from a query.
pub const QUERY_TOKENS: usize = 128;

/// The distinct search tokens of a text, each at its first place, and whether a budget cut them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchTokens {
    /// Words with their trigrams in text order, then CJK bigrams in text order.
    pub tokens: Vec<String>,
    /// Whether at least one more distinct token was left out.
    pub truncated: bool,
}

/// A search token without its text's allocation; equal keys are equal tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKey<'t> {
    /// A token of at most three characters, exactly: 21 bits a character, the last one lowest, and the
    /// top bit for a trigram. Never 0. What is no trigram is a CJK bigram if its characters are CJK.
    Packed(u64),
    /// A word of more than three characters, folded.
    Word(&'t str),
}

const CHARACTER_BITS: u32 = 21;
const TRIGRAM: u64 = 1 << (3 * CHARACTER_BITS);

impl TokenKey<'_> {
    /// The token as text: its kind, then its characters.
    pub fn text(self) -> String {
        let packed = match self {
            Self::Word(word) => return ["w", word].concat(),
            Self::Packed(packed) => packed,
        };
        let characters = [2, 1, 0].map(|place| {
            let point = packed >> (place * CHARACTER_BITS) & ((1 << CHARACTER_BITS) - 1);
            u32::try_from(point)
                .ok()
                .and_then(char::from_u32)
                .filter(|&character| character != '\0')
        });
        let characters = characters.into_iter().flatten();
        let kind = if packed & TRIGRAM != 0 {
            'g'
        } else if characters.clone().any(is_cjk) {
            'c'
        } else {
            'w'
        };
        std::iter::once(kind).chain(characters).collect()
    }
}

/// Gives each distinct search token of `text` once, in the order of [`search_tokens`]; whether `limit`
/// cut them.
pub fn each_token(text: &str, limit: usize, take: impl FnMut(TokenKey<'_>)) -> bool {
    let folded = fold(text);
    // A text has no more tokens than bytes.
    let room = limit.min(folded.len());
    let mut scanner = Scanner {
        left: limit,
        packed: Distinct::with_room(room),
        words: Distinct::with_room(room.min(folded.len() / 4)),
        take,
    };
    // A full list stays full: nothing after the first overflow can add a token.
    scanner.take_all(&folded).is_break()
}

/// Tokenises `text`, stopping at the first new token beyond `limit`.
pub fn search_tokens(text: &str, limit: usize) -> SearchTokens {
    let mut tokens = Vec::new();
    let truncated = each_token(text, limit, |token| tokens.push(token.text()));
    SearchTokens { tokens, truncated }
}

struct Scanner<'t, F> {
    left: usize,
    packed: Distinct<u64>,
    words: Distinct<&'t str>,
    take: F,
}

impl<'t, F: FnMut(TokenKey<'t>)> Scanner<'t, F> {
    fn take_all(&mut self, folded: &'t str) -> ControlFlow<()> {
        for word in runs(folded, |character| is_word(character) && !is_cjk(character)) {
            // A word of three characters is its own only trigram.
            if word.chars().nth(3).is_none() {
                self.take_packed(word.chars().fold(0, packed_with))?;
                continue;
            }
            self.take_word(word)?;
            let mut key = 0;
            for (place, character) in word.chars().enumerate() {
                key = packed_with(key, character) & (TRIGRAM - 1);
                if place >= 2 {
                    self.take_packed(key | TRIGRAM)?;
                }
            }
        }
        for run in runs(folded, is_cjk) {
            let mut characters = run.chars();
            let mut before = characters.next().map_or(0, u64::from);
            if run.chars().nth(1).is_none() {
                self.take_packed(before)?;
            }
            for character in characters {
                self.take_packed(packed_with(before, character))?;
                before = u64::from(character);
            }
        }
        ControlFlow::Continue(())
    }

    fn take_packed(&mut self, key: u64) -> ControlFlow<()> {
        if self.packed.insert(key, key) {
            return self.give(TokenKey::Packed(key));
        }
        ControlFlow::Continue(())
    }

    fn take_word(&mut self, word: &'t str) -> ControlFlow<()> {
        let hash = word
            .bytes()
            .fold(0_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        if self.words.insert(hash, word) {
            return self.give(TokenKey::Word(word));
        }
        ControlFlow::Continue(())
    }

    fn give(&mut self, token: TokenKey<'t>) -> ControlFlow<()> {
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        (self.take)(token);
        ControlFlow::Continue(())
    }
}

fn packed_with(key: u64, character: char) -> u64 {
    key << CHARACTER_BITS | u64::from(character)
}

/// How many of `query` occur among `record`'s tokens; duplicates in `query` count each.
pub fn matched(query: &[String], record: &[String]) -> usize {
    let record: BTreeSet<&str> = record.iter().map(String::as_str).collect();
    query.iter().filter(|token| record.contains(token.as_str())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        search_tokens(text, RECORD_TOKENS).tokens
    }

    #[test]
    fn words_come_with_their_trigrams_and_before_cjk() {
        assert_eq!(
            tokens("数据库 Port_1"),
            ["wport_1", "gpor", "gort", "grt_", "gt_1", "c数据", "c据库"]
        );
        assert_eq!(tokens("我 and"), ["wand", "c我"]);
    }

    #[test]
    fn the_first_token_beyond_the_limit_ends_the_list_and_a_repeated_one_does_not() {
        let found = search_tokens("abc abc def", 1);
        assert_eq!(
            (found.tokens.as_slice(), found.truncated),
            (["wabc".to_owned()].as_slice(), true)
        );
        assert!(!search_tokens("abc abc", 1).truncated);
        assert!(search_tokens("a", 0).truncated);
    }
}
