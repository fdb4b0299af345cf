//! Search tokens, version `v1`: `w…` words, `g…` trigrams, `c…` CJK bigrams.

use std::collections::BTreeSet;

use crate::class_bits::{CASED, RENAMED, UNSETTLED};
use crate::scan::{CHARACTER_BITS, TRIGRAM, scan};
use crate::text::{fold, is_cjk};

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

impl TokenKey<'_> {
    /// The token as text: its kind, then its characters.
    pub fn text(self) -> String {
        let mut text = String::new();
        self.push_to(&mut text);
        text
    }

    /// Adds the token as text: its kind, then its characters.
    pub fn push_to(self, text: &mut String) {
        let packed = match self {
            Self::Word(word) => {
                text.push('w');
                return text.push_str(word);
            }
            Self::Packed(packed) => packed,
        };
        let [first, second, last] = [2, 1, 0].map(|place| {
            let point = packed >> (place * CHARACTER_BITS) & ((1 << CHARACTER_BITS) - 1);
            u32::try_from(point).ok().and_then(char::from_u32).unwrap_or_default()
        });
        text.push(match packed & TRIGRAM {
            0 if is_cjk(last) => 'c',
            0 => 'w',
            _ => 'g',
        });
        for character in [first, second, last] {
            if character != '\0' {
                text.push(character);
            }
        }
    }
}

/// Gives each distinct search token of `text` once, in the order of [`search_tokens`]; whether `limit`
/// cut them.
pub fn each_token(text: &str, limit: usize, take: impl FnMut(TokenKey<'_>)) -> bool {
    let lower = text.to_ascii_lowercase();
    if let Some(found) = scan(&lower, limit, CASED | RENAMED | UNSETTLED) {
        return found.give(limit, take);
    }
    scan(&fold(text), limit, 0).is_some_and(|found| found.give(limit, take))
}

/// Tokenises `text`, stopping at the first new token beyond `limit`.
pub fn search_tokens(text: &str, limit: usize) -> SearchTokens {
    let mut tokens = Vec::new();
    let truncated = each_token(text, limit, |key| tokens.push(key.text()));
    SearchTokens { tokens, truncated }
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
