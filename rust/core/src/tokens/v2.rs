//! Tokenizer `v2`: the units of a text, in its order, whatever its writings.
//!
//! ```text
//! NFKC, what shows nothing taken out ─▶ dates, and runs of one kind of character ─▶ lowercase ─▶ each unit once
//! CJK and other unspaced writings: pairs        all others: words, and compounds whole and by their parts
//! ```

use std::iter::once;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::dates::{Date, dates};
use super::distinct::Distinct;
use super::{PAIR, TokenKey, hash, pack};
use crate::class::{class, class_v2};
use crate::class_bits::v2::{CJK, MARK, NOTHING, UNSPACED, WORD};
use crate::class_bits::{BLANK, RENAMED, UNSETTLED};

/// Longer compounds are known by their parts only.
const MOST_COMPOUND: usize = 64;
/// The longest word that is packed, in characters.
const SHORT: usize = 3;

/// One unit; what it is made of stands in the folded text.
#[derive(Debug)]
enum Unit {
    /// A word, or words joined to one.
    Word(Range<usize>),
    /// Two characters of an unspaced writing that stand beside each other, or a single one.
    Pair(Range<usize>),
    Month(u64),
    Day(u64, u64),
}

/// The units of a text, repetitions not yet taken out.
#[derive(Debug, Default)]
struct Units {
    folded: String,
    list: Vec<Unit>,
}

/// Gives each distinct unit of `text` once, at its first place; whether more than `limit` were there.
pub(super) fn each_token(text: &str, limit: usize, mut take: impl FnMut(TokenKey<'_>)) -> bool {
    let units = Units::of(text);
    let mut seen = Seen::with_room(units.list.len());
    let mut count = 0;
    for token in units.list.iter().map(|unit| units.key(unit)) {
        if !seen.insert(token) {
            continue;
        }
        count += 1;
        if count > limit {
            return true;
        }
        take(token);
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
    fn with_room(units: usize) -> Self {
        Self { packed: Distinct::with_places(units * 2), long: Distinct::with_places(units * 2) }
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

impl Units {
    fn of(text: &str) -> Self {
        let normal = normal(text);
        let mut units = Self { folded: String::with_capacity(text.len()), list: Vec::new() };
        let mut from = 0;
        for date in dates(&normal) {
            units.take(&normal[from..date.span.start]);
            units.date(&normal, &date);
            from = date.span.end;
        }
        units.take(&normal[from..]);
        units
    }

    /// The key of a unit: of a long one, its text.
    fn key(&self, unit: &Unit) -> TokenKey<'_> {
        let text = |range: &Range<usize>| self.folded.get(range.clone()).unwrap_or_default();
        let is_within = |text: &str, most: usize| text.chars().nth(most).is_none();
        match unit {
            Unit::Word(range) => match text(range) {
                word if is_within(word, SHORT) => TokenKey::Packed(pack(word.chars())),
                word => TokenKey::Word(word),
            },
            Unit::Pair(range) => match text(range) {
                pair if is_within(pair, 2) => TokenKey::Packed(PAIR | pack(pair.chars())),
                pair => TokenKey::Pair(pair),
            },
            Unit::Month(month) => TokenKey::month(*month),
            Unit::Day(month, day) => TokenKey::day(*month, *day),
        }
    }

    /// Takes year, month and day, as far as a date tells them.
    fn date(&mut self, text: &[char], date: &Date) {
        if let Some(year) = &date.year {
            self.word(text[year.clone()].iter());
        }
        self.list.push(Unit::Month(date.month));
        self.list.extend(date.day.map(|day| Unit::Day(date.month, day)));
    }

    /// Takes a text without dates.
    fn take(&mut self, mut rest: &[char]) {
        while let Some(&first) = rest.first() {
            let taken = match class_v2(first) {
                CJK => self.run(rest, CJK),
                UNSPACED => self.run(rest, UNSPACED),
                WORD => self.compound(rest),
                _ => 1,
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Takes the pairs of a run of an unspaced writing; how long it is. A mark goes with its letter.
    fn run(&mut self, rest: &[char], kind: u8) -> usize {
        let length = length_of(rest, kind | MARK);
        let mut before: Option<&[char]> = None;
        let mut pairs = 0;
        for letter in rest[..length].chunk_by(|_, &next| class_v2(next) == MARK) {
            if let Some(before) = before {
                pairs += 1;
                self.pair(before.iter().chain(letter));
            }
            before = Some(letter);
        }
        if pairs == 0 {
            self.pair(rest[..length].iter());
        }
        length
    }

    /// Takes a word, or words that are joined, first all as one and then each; how long that is.
    fn compound(&mut self, rest: &[char]) -> usize {
        let first = length_of(rest, WORD | MARK);
        let mut end = first;
        loop {
            match joint(&rest[end..]) {
                0 => break,
                joint => end += joint + length_of(&rest[end + joint..], WORD | MARK),
            }
        }
        end += suffix(&rest[..end], &rest[end..]);
        if end == first {
            self.identifier(&rest[..end]);
            return end;
        }
        if end <= MOST_COMPOUND {
            self.word(rest[..end].iter());
        }
        let words = rest[..end].split(|&one| class_v2(one) & (WORD | MARK) == 0);
        for word in words.filter(|word| !word.is_empty()) {
            self.identifier(word);
        }
        end
    }

    /// Takes a word whole, and then its parts if it has several.
    fn identifier(&mut self, word: &[char]) {
        self.word(word.iter());
        if word.iter().all(char::is_ascii_lowercase) {
            return;
        }
        let mut from = 0;
        for at in borders(word) {
            self.word(word[from..at].iter());
            from = at;
        }
        if from > 0 {
            self.word(word[from..].iter());
        }
    }

    fn word<'c>(&mut self, characters: impl Iterator<Item = &'c char>) {
        let range = self.folded(characters);
        self.list.push(Unit::Word(range));
    }

    fn pair<'c>(&mut self, characters: impl Iterator<Item = &'c char>) {
        let range = self.folded(characters);
        self.list.push(Unit::Pair(range));
    }

    /// Adds characters to the folded text; where they stand there.
    fn folded<'c>(&mut self, characters: impl Iterator<Item = &'c char>) -> Range<usize> {
        let start = self.folded.len();
        characters.for_each(|&character| fold(character, &mut self.folded));
        start..self.folded.len()
    }
}

/// The text in NFKC, without what tells no words apart, composed again.
fn normal(text: &str) -> Vec<char> {
    if text.is_ascii() {
        return text.chars().collect();
    }
    let is_something = |&one: &char| class_v2(one) & NOTHING == 0;
    let mut normal = Vec::with_capacity(text.len());
    for character in text.chars() {
        match class(character) & (RENAMED | BLANK | UNSETTLED) {
            0 => normal.extend(Some(character).filter(is_something)),
            UNSETTLED => return text.nfkc().filter(is_something).nfc().collect(),
            // Neither it nor what it becomes has to do with what stands beside it.
            _ => normal.extend(once(character).nfkc().filter(is_something)),
        }
    }
    normal
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

/// Where the second part of a word and those behind it begin, of which `getURLParts2` has four, and `PDFs` one.
fn borders(word: &[char]) -> impl Iterator<Item = usize> {
    let mut before = word.first().copied();
    let letters = word.iter().enumerate().skip(1).filter(|&(_, &one)| class_v2(one) != MARK);
    letters.filter_map(move |(at, &here)| {
        let last = before.replace(here)?;
        begins_part(last, here, &word[at + 1..]).then_some(at)
    })
}

/// Whether a part begins between letters and digits, or with a capital: behind what is none, or before a
/// small letter, but for an `s` that is the last one.
fn begins_part(before: char, here: char, behind: &[char]) -> bool {
    if before.is_numeric() || here.is_numeric() {
        return before.is_numeric() != here.is_numeric();
    }
    let begins_small = match behind {
        [] | ['s'] => false,
        ['s', next, ..] if next.is_numeric() => false,
        [next, ..] => next.is_lowercase(),
    };
    here.is_uppercase() && (!before.is_uppercase() || begins_small)
}
