//! Search tokens: `w…` words, `g…` trigrams of words, `c…` pairs of CJK characters, `m…` months, `d…` days.

mod ascii;
mod dates;
mod distinct;
mod owned;
mod v1;
mod v2;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::class_bits::{CASED, RENAMED, UNSETTLED};
use crate::error::{Error, Result};
use crate::text::fold;

pub(crate) use owned::Token;

/// Bits that a character takes in a packed token.
pub(crate) const CHARACTER_BITS: u32 = 21;
/// The mark of a packed trigram.
const TRIGRAM: u64 = 1 << (3 * CHARACTER_BITS);
/// What is lowest in a packed token: a character.
const LAST: u64 = (1 << CHARACTER_BITS) - 1;
/// The mark of a packed pair, where a first of three characters would be, and no character is.
const PAIR: u64 = LAST << (2 * CHARACTER_BITS);
/// The mark of a month, as that of a pair; behind it comes its number.
const MONTH: u64 = (LAST - 1) << (2 * CHARACTER_BITS);
/// The mark of a day, as that of a pair; behind it come the numbers of month and day.
const DAY: u64 = (LAST - 2) << (2 * CHARACTER_BITS);
/// The mark of a character that stands for itself, as that of a pair.
const CHARACTER: u64 = (LAST - 3) << (2 * CHARACTER_BITS);

/// The rules that make tokens; an index remembers which made its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Words first, then pairs of the basic plane's CJK; a type is a word, and a mark ends one.
    #[default]
    V1,
    /// Text order, every writing, identifiers whole and by their parts.
    V2,
}

impl Tokenizer {
    /// Its name in an index, a request and a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }

    /// The tokenizer of that name.
    pub fn named(name: &str) -> Result<Self> {
        let found = [Self::V1, Self::V2].into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| Error::Request { reason: "its tokenizer is unknown".to_owned() })
    }

    /// Most tokens taken from a record.
    pub fn record_tokens(self) -> usize {
        match self {
            Self::V1 => 512,
            Self::V2 => 2_048,
        }
    }

    /// Most tokens taken from a query.
    pub fn query_tokens(self) -> usize {
        match self {
            Self::V1 => 128,
            // The postings count them in a byte.
            Self::V2 => 255,
        }
    }

    /// Gives each distinct search token of `text` once, at its first place; whether `limit` cut them.
    pub fn each_token(self, text: &str, limit: usize, take: impl FnMut(TokenKey<'_>)) -> bool {
        match self {
            Self::V1 => each_token_v1(text, limit, take),
            Self::V2 => v2::each_token(text, limit, take),
        }
    }

    /// Tokenises `text`, stopping at the first new token beyond `limit`.
    pub fn search_tokens(self, text: &str, limit: usize) -> SearchTokens {
        let mut tokens = Vec::new();
        let truncated = self.each_token(text, limit, |key| tokens.push(key.text()));
        SearchTokens { tokens, truncated }
    }
}

fn each_token_v1(text: &str, limit: usize, take: impl FnMut(TokenKey<'_>)) -> bool {
    let lower = text.to_ascii_lowercase();
    if let Some(found) = v1::scan(&lower, limit, CASED | RENAMED | UNSETTLED) {
        return found.give(limit, take);
    }
    v1::scan(&fold(text), limit, 0).is_some_and(|found| found.give(limit, take))
}

/// The distinct search tokens of a text, each at its first place, and whether a budget cut them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchTokens {
    /// The tokens, in the tokenizer's order.
    pub tokens: Vec<String>,
    /// Whether at least one more distinct token was left out.
    pub truncated: bool,
}

/// A search token without its text's allocation; equal keys are equal tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKey<'t> {
    /// A token of at most three characters or of numbers, exactly: 21 bits for each, the last one lowest;
    /// the top bit marks a trigram, and bits above two characters all that is no word. Never 0.
    Packed(u64),
    /// A word of more than three characters, folded.
    Word(&'t str),
    /// A pair of letters that have marks, folded: more than two characters.
    Pair(&'t str),
}

impl<'t> TokenKey<'t> {
    /// The token of a character by itself, which no tokenizer gives.
    pub fn character(character: char) -> Self {
        Self::Packed(CHARACTER | u64::from(character))
    }

    /// Whether it is that of a character by itself.
    pub(crate) fn is_character(self) -> bool {
        matches!(self, Self::Packed(packed) if packed & TRIGRAM == 0 && packed & PAIR == CHARACTER)
    }

    /// The token of a month, by its number.
    fn month(month: u64) -> Self {
        Self::Packed(MONTH | month)
    }

    /// The token of a day of the year, by the numbers of its month and of itself.
    fn day(month: u64, day: u64) -> Self {
        Self::Packed(DAY | month << CHARACTER_BITS | day)
    }

    /// The characters of a pair; of other tokens none.
    pub fn characters(self) -> impl Iterator<Item = char> + use<'t> {
        let (packed, text) = match self {
            Self::Packed(packed) if packed & PAIR == PAIR => (packed & !PAIR, ""),
            Self::Pair(pair) => (0, pair),
            _ => (0, ""),
        };
        unpack(packed).chain(text.chars())
    }

    /// The token as text: its kind, then its characters.
    pub fn text(self) -> String {
        let mut text = String::new();
        self.push_to(&mut text);
        text
    }

    /// Adds the token as text: its kind, then its characters.
    pub fn push_to(self, text: &mut String) {
        let (kind, packed) = match self {
            Self::Word(word) => {
                text.push('w');
                return text.push_str(word);
            }
            Self::Pair(pair) => {
                text.push('c');
                return text.push_str(pair);
            }
            Self::Packed(packed) if packed & TRIGRAM != 0 => ('g', packed),
            Self::Packed(packed) => match packed & PAIR {
                MONTH => return push_numbers(text, 'm', &[packed & LAST]),
                DAY => {
                    let month = packed >> CHARACTER_BITS & LAST;
                    return push_numbers(text, 'd', &[month, packed & LAST]);
                }
                PAIR => ('c', packed & !PAIR),
                CHARACTER => ('k', packed & LAST),
                _ => ('w', packed),
            },
        };
        text.push(kind);
        text.extend(unpack(packed));
    }
}

fn push_numbers(text: &mut String, kind: char, numbers: &[u64]) {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    text.push(kind);
    text.push_str(&numbers.join("-"));
}

/// Characters in 21 bits each, the last one lowest.
fn pack(characters: impl Iterator<Item = char>) -> u64 {
    characters.fold(0, |key, one| (key << CHARACTER_BITS) | u64::from(one))
}

/// The characters that are packed, without what marks them.
fn unpack(packed: u64) -> impl Iterator<Item = char> {
    let points = [2, 1, 0].map(|place| packed >> (place * CHARACTER_BITS) & LAST);
    let packed = points.into_iter().filter(|&point| point != 0);
    packed.filter_map(|point| u32::try_from(point).ok().and_then(char::from_u32))
}

/// A hash of a word of at least four bytes: of its length, its ends and its middle.
fn hash(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let four =
        |bytes: Option<&[u8; 4]>| u64::from(bytes.map_or(0, |&four| u32::from_le_bytes(four)));
    let middle = bytes.get(bytes.len() / 2 - 2..).and_then(<[u8]>::first_chunk);
    let ends = (four(bytes.first_chunk()) << 32) | four(bytes.last_chunk());
    ends ^ (four(middle) << 17) ^ ((bytes.len() as u64) << 56)
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
        Tokenizer::V1.search_tokens(text, 512).tokens
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
    fn a_pair_has_characters_and_each_is_a_token_of_its_own() {
        let mut found = Vec::new();
        Tokenizer::V2.each_token(
            "野 人々 ก\u{e33}ล\u{e31}ง May 8, 2023 of use_utf8",
            255,
            |key| {
                found.extend(key.characters());
            },
        );
        let together: String = found.iter().collect();
        assert_eq!(together, "野人々ก\u{e4d}าาล\u{e31}ล\u{e31}ง");
        let keys = found.iter().map(|&one| TokenKey::character(one));
        assert!(keys.zip(&found).all(|(key, one)| key.text() == format!("k{one}")));
        assert_eq!(TokenKey::character('野').characters().count(), 0);
    }

    #[test]
    fn the_first_token_beyond_the_limit_ends_the_list_and_a_repeated_one_does_not() {
        let found = Tokenizer::V1.search_tokens("abc abc def", 1);
        assert_eq!(
            (found.tokens.as_slice(), found.truncated),
            (["wabc".to_owned()].as_slice(), true)
        );
        assert!(!Tokenizer::V1.search_tokens("abc abc", 1).truncated);
        assert!(Tokenizer::V1.search_tokens("a", 0).truncated);
    }
}
