//! What a query asks for under `foundation-v2`: its units, and what stands in for one that a record lacks.

use std::collections::BTreeSet;

use super::alike::{Trigrams, alike, may_be_enough, trigrams};
use super::levels::Levels;
use super::questions::without_marks;
use super::scoring::APART;
use super::sentences::sentences;
use super::weak::{is_bare, is_stop_word, weak_characters};
use crate::record::Record;
use crate::request::Request;
use crate::text::nfkc;
use crate::tokens::{Token, TokenKey, Tokenizer};

/// How much a stop word, or a pair of weak characters, counts of another one.
const WEAK: f64 = 0.2;
/// How much a pair with one weak character counts of another one.
const HALF_WEAK: f64 = 0.6;

/// What stands in for a unit where a record lacks it.
#[derive(Debug, PartialEq)]
pub(crate) enum BackOff {
    /// Nothing.
    None,
    /// A word that is alike, by these trigrams.
    Alike(Vec<u64>),
    /// Both of a pair's characters, wherever they are in pairs.
    Apart(char, char),
}

/// One unit of a query.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The token that records have.
    pub(crate) token: Token,
    /// How much it counts before its rarity does, up to 1.
    pub(crate) strength: f64,
    /// What stands in for it.
    pub(crate) back_off: BackOff,
}

impl Unit {
    fn of(key: TokenKey<'_>) -> Self {
        let text = key.text();
        let mut body = text.chars();
        let (strength, back_off) = match body.next() {
            Some('w') if is_stop_word(body.as_str()) => (WEAK, BackOff::None),
            Some('w') => (1.0, like(body.as_str())),
            Some('c' | 'k') => pair(body.as_str()),
            _ => (1.0, BackOff::None),
        };
        Self { token: Token::from(key), strength, back_off }
    }

    /// Whether it is no stop word, has at most one weak character, and none that makes no word of a pair.
    fn is_strong(&self) -> bool {
        self.strength > WEAK && !is_bare(&self.token.key().text())
    }

    fn is_by_characters(&self) -> bool {
        self.token.key().is_character() || matches!(self.back_off, BackOff::Apart(..))
    }

    fn trigrams(&self) -> &[u64] {
        match &self.back_off {
            BackOff::Alike(trigrams) => trigrams,
            _ => &[],
        }
    }
}

/// The character of a pair token that stands for one alone.
fn alone(key: TokenKey<'_>) -> Option<char> {
    let mut characters = key.characters();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

fn like(word: &str) -> BackOff {
    match trigrams(word) {
        trigrams if trigrams.is_empty() => BackOff::None,
        trigrams => BackOff::Alike(trigrams),
    }
}

fn pair(pair: &str) -> (f64, BackOff) {
    let strength = match weak_characters(pair) {
        0 => 1.0,
        1 => HALF_WEAK,
        _ => return (WEAK, BackOff::None),
    };
    let mut characters = pair.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(one), Some(two), None) => (strength, BackOff::Apart(one, two)),
        _ => (strength, BackOff::None),
    }
}

/// The units of a query, in its order.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The units, each once.
    pub(crate) units: Vec<Unit>,
    /// Of each sentence, the places of its units, in order; none unless two of them differ.
    pub(crate) sentences: Vec<Vec<usize>>,
    /// Of each unit, in which of the sentences it is.
    pub(crate) among: Vec<Vec<usize>>,
    /// Whether there were more than are used.
    pub(crate) truncated: bool,
    /// From where on the best record, and others, are relevant.
    pub(crate) levels: Levels,
    tokenizer: Tokenizer,
    /// The places of the units, by their tokens.
    order: Vec<usize>,
    /// Whether any unit is matched by characters wherever they stand in pairs.
    by_characters: bool,
    /// All trigrams of words that others may stand in for, by unit.
    trigrams: Trigrams,
}

/// What a record matches of a query.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The places of units that it matches, in order, and how far, above 0 and up to 1.
    pub(crate) matches: Vec<(usize, f64)>,
    /// Its length: how many distinct units it has.
    pub(crate) length: usize,
}

impl Asked {
    /// Reads the words of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let levels = Levels::of(request);
        let tokenizer = request.tokenizer;
        let Reading { units, sentences, truncated } = Reading::of(&request.query, tokenizer);
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_unstable_by(|&one, &other| units[one].token.cmp(&units[other].token));
        let own = units.iter().enumerate();
        let own = own.flat_map(|(at, unit)| unit.trigrams().iter().map(move |one| (*one, at)));
        let trigrams = Trigrams::of(own.collect());
        let by_characters = units.iter().any(Unit::is_by_characters);
        let sentences = if sentences.len() < 2 { BTreeSet::new() } else { sentences };
        let sentences: Vec<Vec<usize>> = sentences.into_iter().collect();
        let mut among = vec![Vec::new(); units.len()];
        for (number, own) in sentences.iter().enumerate() {
            for &at in own {
                among[at].push(number);
            }
        }
        Self {
            units,
            sentences,
            among,
            truncated,
            levels,
            tokenizer,
            order,
            by_characters,
            trigrams,
        }
    }

    /// Whether some unit says something by itself.
    pub(crate) fn is_strong(&self) -> bool {
        self.units.iter().any(Unit::is_strong)
    }

    /// What a record matches, by its own words.
    pub(crate) fn held_by(&self, record: &Record) -> Held {
        let mut matches = vec![0.0_f64; self.units.len()];
        let mut characters = BTreeSet::new();
        let mut length = 0;
        record.each_token(self.tokenizer, |token| {
            length += 1;
            if let Some(at) = self.place(token) {
                matches[at] = 1.0;
            }
            if let TokenKey::Word(word) = token {
                self.each_alike(word, |at, match_| matches[at] = matches[at].max(match_));
            }
            if self.by_characters {
                characters.extend(token.characters());
            }
        });
        for &character in &characters {
            if let Some(at) = self.place(TokenKey::character(character)) {
                matches[at] = 1.0;
            }
        }
        for (unit, match_) in self.units.iter().zip(&mut matches) {
            if let BackOff::Apart(one, two) = &unit.back_off
                && characters.contains(one)
                && characters.contains(two)
            {
                *match_ = match_.max(APART);
            }
        }
        let matches = matches.into_iter().enumerate().filter(|(_, match_)| *match_ > 0.0);
        Held { matches: matches.collect(), length }
    }

    /// Gives the place of each unit that a word of a record may stand in for, and how far.
    pub(crate) fn each_alike(&self, word: &str, mut take: impl FnMut(usize, f64)) {
        let Some(common) = self.trigrams.common(word) else { return };
        let mut its = None;
        for ((at, unit), common) in self.units.iter().enumerate().zip(common) {
            if let BackOff::Alike(mine) = &unit.back_off
                && may_be_enough(common, mine.len())
                && let Some(match_) = alike(mine, its.get_or_insert_with(|| trigrams(word)))
            {
                take(at, match_);
            }
        }
    }

    fn place(&self, token: TokenKey<'_>) -> Option<usize> {
        let found = self.order.binary_search_by(|&at| self.units[at].token.key().cmp(&token));
        found.ok().map(|found| self.order[found])
    }
}

/// A query, as far as it was read.
#[derive(Debug, Default)]
struct Reading {
    units: Vec<Unit>,
    /// The places of each sentence's units, in order: what is said twice counts once.
    sentences: BTreeSet<Vec<usize>>,
    truncated: bool,
}

impl Reading {
    /// Reads a query, as far as it is used.
    fn of(query: &str, tokenizer: Tokenizer) -> Self {
        let mut reading = Self::default();
        for sentence in sentences(query) {
            reading.read(sentence, tokenizer);
            if reading.truncated {
                break;
            }
        }
        reading
    }

    fn read(&mut self, sentence: &str, tokenizer: Tokenizer) {
        let asked = without_marks(&nfkc(sentence));
        let mut own = Vec::new();
        let mut truncated = false;
        let longer = tokenizer.each_token(&asked, tokenizer.query_tokens(), |key| {
            // A character by itself is sought wherever it stands in a pair.
            let key = alone(key).map_or(key, TokenKey::character);
            let known = self.units.iter().position(|unit| unit.token.key() == key);
            match known {
                Some(at) => own.push(at),
                None if self.units.len() < tokenizer.query_tokens() => {
                    own.push(self.units.len());
                    self.units.push(Unit::of(key));
                }
                None => truncated = true,
            }
        });
        self.truncated |= longer || truncated;
        if !own.is_empty() {
            own.sort_unstable();
            self.sentences.insert(own);
        }
    }
}

/// What a query is asked by under `foundation-v2`, in order: words, and pairs of characters.
///
/// Marks of questions and openings are no part of it. The trace counts the holders of each.
pub fn asked_units(query: &str) -> Vec<String> {
    let text = |unit: &Unit| unit.token.key().text().chars().skip(1).collect();
    Reading::of(query, Tokenizer::V2).units.iter().map(text).collect()
}

/// Whether a text has no unit but stop words and pairs of weak characters.
pub(crate) fn says_little(text: &str, tokenizer: Tokenizer) -> bool {
    let mut reading = Reading::default();
    for sentence in sentences(text) {
        reading.read(sentence, tokenizer);
    }
    !reading.truncated && reading.units.iter().all(|unit| unit.strength <= WEAK)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// What a query of words asks for.
    pub(in crate::relevance) fn asked(query: &str) -> Asked {
        let request = serde_json::json!({
            "query": query, "now": 0, "timestamp": "", "purpose": "injection", "limit": 8,
            "policy": {
                "enabled": true, "scopes": ["user"], "maxInjectedRecords": 8,
                "directives": {"enabled": true, "maxRecords": 20, "maxCharacters": 4000},
            },
            "character_budget": 6000, "min_confidence": 0.0, "relevance_mode": "foundation-v2",
            "tokenizer": "v2", "tags": [],
        });
        Asked::of(&Request::parse(request.to_string().as_bytes()).unwrap())
    }

    proptest! {
        #[test]
        fn no_word_that_is_alike_is_passed_over(
            query in vec("[a-cé]{2,9}", 0..6),
            words in vec("[a-cé1]{1,12}", 1..30),
        ) {
            let asked = asked(&query.join(" "));
            for word in words {
                let mut found = Vec::new();
                asked.each_alike(&word, |at, far| found.push((at, far)));
                let mut expected = Vec::new();
                for (at, unit) in asked.units.iter().enumerate() {
                    if let BackOff::Alike(mine) = &unit.back_off {
                        expected.extend(alike(mine, &trigrams(&word)).map(|far| (at, far)));
                    }
                }
                prop_assert_eq!(found, expected);
            }
        }
    }
}
