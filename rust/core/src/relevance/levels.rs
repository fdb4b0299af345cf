//! Admission of `foundation-v2`, on two levels: the best record has to reach a floor, and others to come near it.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::class::writing;
use crate::class_bits::Writing;
use crate::request::Request;
use crate::text::nfkc;

/// The floor of the best record's lexical, by the writing of the query. A character has more of a query in it
/// than a letter has, and a Vietnamese syllable less than a word of other languages.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Floors {
    /// Of a query with Hangul.
    pub hangul: f64,
    /// Of any other with kana.
    pub kana: f64,
    /// Of any other with ideographs.
    pub han: f64,
    /// Of any other with letters that Vietnamese alone has.
    pub vietnamese: f64,
    /// Of any other.
    pub other: f64,
}

/// As they were chosen on the development halves of the data sets: `docs/ranking.md`.
impl Default for Floors {
    fn default() -> Self {
        Self { hangul: 0.4, kana: 0.42, han: 0.47, vietnamese: 0.52, other: 0.395 }
    }
}

impl Floors {
    /// The floor for a query, and its name.
    fn of(self, query: &str) -> (&'static str, f64) {
        let text = nfkc(query);
        let has = |wanted: &[Writing]| text.chars().any(|one| wanted.contains(&writing(one)));
        if has(&[Writing::Hangul]) {
            ("hangul", self.hangul)
        } else if has(&[Writing::Hiragana, Writing::Katakana]) {
            ("kana", self.kana)
        } else if has(&[Writing::Han]) {
            ("han", self.han)
        } else if !text.is_ascii() && is_vietnamese(&text) {
            ("vietnamese", self.vietnamese)
        } else {
            ("other", self.other)
        }
    }
}

/// The name of the floor that a query's best record has to reach.
pub fn floor_of(query: &str) -> &'static str {
    Floors::default().of(query).0
}

/// Whether a text has letters that no other Latin alphabet in use has: đ, ơ, ư, hooks, dots, two marks.
fn is_vietnamese(text: &str) -> bool {
    let apart: Vec<char> = text.to_lowercase().nfd().collect();
    apart.contains(&'đ') || apart.windows(2).any(two_marked) || apart.windows(3).any(three_marked)
}

fn two_marked(two: &[char]) -> bool {
    matches!(
        two,
        ['o' | 'u', '\u{31b}'] | ['a' | 'e' | 'i' | 'o' | 'u' | 'y', '\u{309}' | '\u{323}']
    )
}

fn three_marked(three: &[char]) -> bool {
    matches!(
        three,
        [
            'a' | 'e' | 'i' | 'o' | 'u' | 'y',
            '\u{302}' | '\u{306}' | '\u{31b}',
            '\u{309}' | '\u{323}'
        ] | ['a' | 'e' | 'o', '\u{302}' | '\u{306}', '\u{300}' | '\u{301}' | '\u{303}']
    )
}

/// What the lexical of records is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Levels {
    /// What the best has to reach.
    pub(crate) floor: f64,
    /// What another one needs, of the best.
    pub(crate) relative: f64,
    /// What another one needs at least, of the floor.
    pub(crate) following: f64,
}

impl Levels {
    /// The levels for a request's query.
    pub(crate) fn of(request: &Request) -> Self {
        let ranking = request.policy.ranking();
        Self {
            floor: ranking.floors.of(&request.query).1,
            relative: ranking.relative_floor,
            following: ranking.following_floor,
        }
    }

    /// What a record needs, where the best has so much; `None` where that does not reach the floor.
    pub(crate) fn needed(&self, best: f64) -> Option<f64> {
        // Whatever the levels are, a record without a word of the query is admitted by none.
        (best > 0.0 && best >= self.floor).then(|| self.level(best).max(f64::MIN_POSITIVE))
    }

    /// What others need beside such a one, if it reaches the floor; more for a better one.
    pub(crate) fn level(&self, best: f64) -> f64 {
        f64::max(self.relative * best, self.following * self.floor).min(best)
    }

    /// What no admitted record is below, whatever the best has.
    pub(crate) fn lowest(&self) -> f64 {
        f64::max(self.relative, self.following).min(1.0) * self.floor
    }
}
