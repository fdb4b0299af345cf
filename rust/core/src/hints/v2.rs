//! Hints of `foundation-v2`: a cue where it asks for a kind, and whether nothing else is asked for.
//!
//! ```text
//! "What do I like?"       cue "like" behind "do"; what is left is "What do I", which says little: a kind alone
//! "Which tea do I like?"  the same cue; "tea" is left
//! "What is it like?"      no cue
//! ```

use std::ops::Range;

use super::Hints;
use super::cues::{FILLERS, INNER_FILLERS, STRETCHES, Stretches, WORDS, Words, items};
use super::v1::hinted;
use crate::class::writing;
use crate::class_bits::Writing;
use crate::relevance::{RelevanceMode, says_little};
use crate::request::Request;
use crate::text::fold;
use crate::tokens::Tokenizer;

/// What kind of memory a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wish {
    /// The hints it gives.
    pub(crate) hints: Hints,
    /// Whether it asks for nothing else: its other words say little.
    pub(crate) alone: bool,
}

impl Wish {
    /// Reads the query of a request as its mode does.
    pub(crate) fn of(request: &Request) -> Self {
        match request.relevance_mode {
            RelevanceMode::FoundationV1 | RelevanceMode::HistoricalV1 => {
                Self { hints: hinted(&request.query), alone: false }
            }
            RelevanceMode::FoundationV2 => Self::read(&request.query, request.tokenizer),
        }
    }

    fn read(query: &str, tokenizer: Tokenizer) -> Self {
        let text = Text::new(query);
        let clauses = clauses(&text.folded);
        let mut found = Vec::new();
        for clause in &clauses {
            for words in WORDS {
                find_words(words, clause, &mut found);
            }
        }
        for stretches in STRETCHES {
            text.find_stretches(stretches, &mut found);
        }
        let hints = found.iter().fold(Hints::NONE, |hints, (one, _)| hints.with(*one));
        if found.is_empty() {
            return Self::default();
        }
        let rest = text.without(found.into_iter().map(|(_, at)| at), &clauses);
        Self { hints, alone: says_little(&rest, tokenizer) }
    }
}

/// Most words of a clause: whoever writes more without a sign has a cue looked at in time, too.
const LONGEST_CLAUSE: usize = 64;

/// A cue that was found: what it asks for, and where it stands.
type Found = (Hints, Range<usize>);

/// A word with its place.
type Word<'t> = (Range<usize>, &'t str);

/// A query in two forms, byte under byte, between two spaces.
struct Text {
    /// Folded.
    folded: String,
    /// With a space for each byte of what is neither letter nor number.
    plain: String,
}

impl Text {
    fn new(query: &str) -> Self {
        let folded = format!(" {} ", fold(query).replace('’', "'"));
        let mut plain = String::with_capacity(folded.len());
        for one in folded.chars() {
            if one.is_alphanumeric() {
                plain.push(one);
            } else {
                plain.extend(std::iter::repeat_n(' ', one.len_utf8()));
            }
        }
        Self { folded, plain }
    }

    fn find_stretches(&self, stretches: &Stretches, found: &mut Vec<Found>) {
        if self.plain.is_ascii() {
            return;
        }
        let Stretches { kind, cues, never_behind, never_before } = stretches;
        for cue in items(cues) {
            for (start, _) in self.plain.match_indices(cue) {
                let (before, rest) = (&self.plain[..start], &self.plain[start + cue.len()..]);
                let refused = items(never_behind).any(|one| before.ends_with(one))
                    || items(never_before).any(|one| rest.starts_with(one));
                if !refused {
                    // A Korean word ends as what it does there asks for.
                    let ending = rest.find(|one| writing(one) != Writing::Hangul).unwrap_or(0);
                    found.push((kind.hints(), start..start + cue.len() + ending));
                }
            }
        }
    }

    /// What is left of the query without its cues and what names no subject beside them.
    fn without(
        &self,
        cues: impl Iterator<Item = Range<usize>>,
        clauses: &[Vec<Word<'_>>],
    ) -> String {
        let mut rest = self.folded.clone().into_bytes();
        let words =
            clauses.iter().flatten().filter(|(_, word)| items(FILLERS).any(|one| one == *word));
        let inner = items(INNER_FILLERS).flat_map(|one| {
            self.plain.match_indices(one).map(|(start, one)| start..start + one.len())
        });
        for at in cues.chain(words.map(|(at, _)| at.clone())).chain(inner) {
            if let Some(gone) = rest.get_mut(at) {
                gone.fill(b' ');
            }
        }
        // Whole characters were taken out.
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// The words of each clause of a text that ends with a space: a sign before a space ends one.
fn clauses(text: &str) -> Vec<Vec<Word<'_>>> {
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    let (mut start, mut sign) = (None, false);
    for (at, one) in text.char_indices() {
        if is_of_word(one) {
            start.get_or_insert(at);
            sign = false;
            continue;
        }
        let word = start.take().map(|from| trimmed(text, from..at));
        clause.extend(word.filter(|(_, word)| !word.is_empty()));
        if (sign && one.is_whitespace()) || clause.len() >= LONGEST_CLAUSE {
            clauses.push(std::mem::take(&mut clause));
        }
        sign = matches!(one, '.' | '?' | '!' | ';' | ':' | ',');
    }
    clauses.push(clause);
    clauses
}

fn is_of_word(one: char) -> bool {
    let is_parted =
        || !matches!(writing(one), Writing::Han | Writing::Hiragana | Writing::Katakana);
    matches!(one, '_' | '\'' | '-') || (one.is_alphanumeric() && is_parted())
}

/// A word without the quotes and strokes around it.
fn trimmed(text: &str, at: Range<usize>) -> Word<'_> {
    const AROUND: [char; 2] = ['\'', '-'];
    let whole = &text[at.clone()];
    let start = at.start + whole.len() - whole.trim_start_matches(AROUND).len();
    let word = whole.trim_matches(AROUND);
    (start..start + word.len(), word)
}

fn find_words(words: &Words, clause: &[Word<'_>], found: &mut Vec<Found>) {
    for cue in items(words.cues) {
        let count = cue.split(' ').count();
        for (at, here) in clause.windows(count).enumerate() {
            let (before, rest) = (&clause[..at], &clause[at + count..]);
            if here.iter().zip(cue.split(' ')).all(|((_, word), part)| is(word, part))
                && words.asks(before, rest)
                && let [(first, _), .., (last, _)] | [(first @ last, _)] = here
            {
                found.push((words.kind.hints(), first.start..last.end));
            }
        }
    }
}

fn is(word: &str, part: &str) -> bool {
    part.strip_prefix('*').map_or(word == part, |ending| word.ends_with(ending))
}

impl Words {
    /// Whether a cue asks for its kind between such words.
    fn asks(&self, before: &[Word<'_>], rest: &[Word<'_>]) -> bool {
        let among = |one: Option<&Word<'_>>, words: &'static str| {
            one.is_some_and(|(_, word)| items(words).any(|one| one == *word))
        };
        let near = before.iter().rev().take(self.between.saturating_add(1));
        (self.after.is_empty() || near.into_iter().any(|one| among(Some(one), self.after)))
            && !before.iter().any(|one| among(Some(one), self.never_after))
            && !among(before.last(), self.never_behind)
            && !among(rest.first(), self.never_before)
    }
}

#[cfg(test)]
mod tests;
