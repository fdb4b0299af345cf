//! Tokenizer `v2`: the units of a text, in its order, whatever its writings.
//!
//! ```text
//! NFKC, what shows nothing taken out ─▶ runs of one kind of character ─▶ lowercase ─▶ each unit once
//! CJK and other unspaced writings: pairs        all others: words, and compounds whole and by their parts
//! ```

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::distinct::Distinct;
use super::{PAIR, TRIGRAM, TokenKey, hash, pack};
use crate::class::class_v2;
use crate::class_bits::v2::{CJK, MARK, NOTHING, UNSPACED, WORD};

/// Longer compounds are known by their parts only.
const MOST_COMPOUND: usize = 64;
/// The longest trigram or short word, in characters.
const SHORT: usize = 3;

/// What one unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word, with its trigrams.
    Word,
    /// Words joined to one: no trigrams, for those of its parts tell as much.
    Compound,
    /// Two characters of an unspaced writing that stand beside each other, or a single one.
    Pair,
}

/// The units of a text, repetitions not yet taken out.
#[derive(Debug, Default)]
struct Units {
    folded: String,
    list: Vec<(Kind, Range<usize>)>,
}

/// Gives each distinct token of `text` once: every unit at its first place, a word's trigrams behind it;
/// whether more than `limit` were there.
pub(super) fn each_token(text: &str, limit: usize, mut take: impl FnMut(TokenKey<'_>)) -> bool {
    let units = Units::of(text);
    let mut seen = Seen::with_room(limit.min(units.folded.len()), units.list.len());
    let mut count = 0;
    for (kind, range) in &units.list {
        let Some(unit) = units.folded.get(range.clone()) else { continue };
        let unit_key = key(*kind, unit);
        let trigrams = (*kind == Kind::Word).then(|| trigrams(unit)).into_iter().flatten();
        for token in [unit_key].into_iter().chain(trigrams) {
            if !seen.insert(token) {
                continue;
            }
            count += 1;
            if count > limit {
                return true;
            }
            take(token);
        }
    }
    false
}

/// The tokens that came before.
struct Seen<'t> {
    packed: Distinct<u64>,
    /// Whether it is a pair, and its text.
    long: Distinct<(bool, &'t str)>,
}

impl<'t> Seen<'t> {
    fn with_room(packed: usize, long: usize) -> Self {
        Self { packed: Distinct::with_places(packed * 2), long: Distinct::with_places(long * 2) }
    }

    /// Adds a token; whether it was new.
    fn insert(&mut self, token: TokenKey<'t>) -> bool {
        match token {
            TokenKey::Packed(key) => self.packed.insert(key, key),
            TokenKey::Word(word) => self.long.insert_dear(hash(word), (false, word)),
            TokenKey::Pair(pair) => self.long.insert_dear(hash(pair), (true, pair)),
        }
    }
}

/// The key of a unit: of a long one, its text.
fn key(kind: Kind, unit: &str) -> TokenKey<'_> {
    let is_short = unit.chars().nth(SHORT).is_none();
    match kind {
        Kind::Pair if unit.chars().nth(2).is_none() => TokenKey::Packed(PAIR | pack(unit.chars())),
        Kind::Pair => TokenKey::Pair(unit),
        _ if is_short => TokenKey::Packed(pack(unit.chars())),
        _ => TokenKey::Word(unit),
    }
}

/// Every three characters of a word of more than three.
fn trigrams(word: &str) -> impl Iterator<Item = TokenKey<'_>> {
    let is_long = word.chars().nth(SHORT).is_some();
    let ends = word.char_indices().map(|(at, _)| at).chain([word.len()]);
    let spans = ends.clone().zip(ends.skip(SHORT)).filter(move |_| is_long);
    spans.map(|(start, end)| {
        let three = word.get(start..end).unwrap_or_default();
        TokenKey::Packed(TRIGRAM | pack(three.chars()))
    })
}

impl Units {
    fn of(text: &str) -> Self {
        let normal: Vec<char> = if text.is_ascii() {
            text.chars().collect()
        } else {
            text.nfkc().filter(|&one| class_v2(one) & NOTHING == 0).nfc().collect()
        };
        let mut units = Self { folded: String::with_capacity(text.len()), list: Vec::new() };
        let mut rest = normal.as_slice();
        while let Some(&first) = rest.first() {
            let taken = match class_v2(first) {
                CJK => units.run(rest, CJK),
                UNSPACED => units.run(rest, UNSPACED),
                WORD => units.compound(rest),
                _ => 1,
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        units
    }

    /// Takes the pairs of a run of an unspaced writing; how long it is. A mark goes with its letter.
    fn run(&mut self, rest: &[char], kind: u8) -> usize {
        let length = length_of(rest, kind | MARK);
        let mut before: Option<&[char]> = None;
        let mut pairs = 0;
        for letter in rest[..length].chunk_by(|_, &next| class_v2(next) == MARK) {
            if let Some(before) = before {
                pairs += 1;
                self.push(Kind::Pair, before.iter().chain(letter));
            }
            before = Some(letter);
        }
        if pairs == 0 {
            self.push(Kind::Pair, rest[..length].iter());
        }
        length
    }

    /// Takes a word, or words that are joined, first all as one and then each; how long that is.
    fn compound(&mut self, rest: &[char]) -> usize {
        let mut parts = Vec::new();
        let mut end = 0;
        loop {
            let part = end..end + length_of(&rest[end..], WORD | MARK);
            end = part.end;
            parts.push(part);
            match joint(&rest[end..]) {
                0 => break,
                joint => end += joint,
            }
        }
        end += suffix(&rest[..end], &rest[end..]);
        if parts.first().is_some_and(|first| first.end < end) && end <= MOST_COMPOUND {
            self.push(Kind::Compound, rest[..end].iter());
        }
        for part in parts {
            self.word(&rest[part]);
        }
        end
    }

    /// Takes a word, and the words that capital letters begin in it.
    fn word(&mut self, word: &[char]) {
        let humps = humps(word);
        self.push(Kind::Word, word.iter());
        if humps.len() > 1 {
            for hump in humps {
                self.push(Kind::Word, hump.iter());
            }
        }
    }

    fn push<'c>(&mut self, kind: Kind, characters: impl Iterator<Item = &'c char>) {
        let start = self.folded.len();
        characters.for_each(|&character| fold(character, &mut self.folded));
        self.list.push((kind, start..self.folded.len()));
    }
}

/// Adds the small form of a character: one for both small sigmas, and `i` for a capital one with a dot.
fn fold(character: char, folded: &mut String) {
    match character {
        'ς' => folded.push('σ'),
        'İ' => folded.push('i'),
        _ if character.is_ascii() => folded.push(character.to_ascii_lowercase()),
        _ => folded.extend(character.to_lowercase()),
    }
}

/// How many of the first characters are of some kinds.
fn length_of(rest: &[char], kinds: u8) -> usize {
    rest.iter().take_while(|&&one| class_v2(one) & kinds != 0).count()
}

/// How long what joins the word before to the one behind it is; 0 where none does.
fn joint(rest: &[char]) -> usize {
    let begins_word = |at: usize| rest.get(at).is_some_and(|&one| class_v2(one) == WORD);
    match rest {
        [':', ':', ..] if begins_word(2) => 2,
        ['_' | '.' | '-' | '/' | '\\' | ':' | '@' | '#' | '+' | '~', ..] if begins_word(1) => 1,
        _ => 0,
    }
}

/// How long the signs behind a name such as `C++` or `F#` are; 0 where it has none.
fn suffix(before: &[char], rest: &[char]) -> usize {
    let length = match rest {
        ['+', '+', ..] => 2,
        ['#', ..] => 1,
        _ => return 0,
    };
    let is_name = before.last().is_some_and(char::is_ascii_alphabetic);
    let goes_on = rest.get(length).is_some_and(|&next| matches!(next, '+' | '#'));
    if is_name && !goes_on { length } else { 0 }
}

/// The words that capitals begin: `getURLParts` has three, `PDFs` one. A digit belongs to what stands before it.
fn humps(word: &[char]) -> Vec<&[char]> {
    let mut humps = Vec::new();
    let mut start = 0;
    for at in 1..word.len() {
        let [before, here] = [word[at - 1], word[at]];
        let begins_small = match word.get(at + 1..) {
            None | Some([] | ['s']) => false,
            Some([next, ..]) => next.is_lowercase(),
        };
        if here.is_uppercase() && (!before.is_uppercase() || begins_small) {
            humps.push(&word[start..at]);
            start = at;
        }
    }
    humps.push(&word[start..]);
    humps
}
