//! What is sought: the terms that match each unit of a query, and the documents that hold them.

use std::cell::RefCell;

use super::fields::Field;
use super::lists::{Doc, Read, Words, intersect, unite};
use super::terms::{Term, Terms};
use crate::relevance::{APART, BackOff, Held, Unit};

/// Of so many documents, what they match is known at once.
const AT_ONCE: usize = 1 << 12;

/// The terms that match one unit.
pub(super) struct Sought {
    /// Each with how far, the farthest first.
    terms: Vec<(Term, f64)>,
    /// Two characters that match it together.
    apart: Option<(Term, Term)>,
}

impl Sought {
    pub(super) fn of(unit: &Unit, terms: &Terms) -> Self {
        let mut found: Vec<(Term, f64)> =
            terms.find(unit.token.key()).map(|term| (term, 1.0)).into_iter().collect();
        let mut apart = None;
        match &unit.back_off {
            BackOff::None => {}
            BackOff::Alike(trigrams) => {
                let own = found.first().map(|(term, _)| *term);
                terms.each_alike(trigrams, |term, alike| {
                    if Some(term) != own {
                        found.push((term, alike));
                    }
                });
                found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            }
            BackOff::Apart(one, two) => {
                apart = terms.find_character(*one).zip(terms.find_character(*two));
            }
        }
        Self { terms: found, apart }
    }

    /// How far any document matches it but by its characters apart, and how far by those alone.
    pub(super) fn most(&self) -> (f64, f64) {
        let apart = if self.apart.is_some() { APART } else { 0.0 };
        (self.terms.first().map_or(0.0, |(_, far)| far - apart), apart)
    }
}

/// Documents of a segment that match a unit.
pub(super) struct Source<'a> {
    pub(super) unit: usize,
    pub(super) far: f64,
    holds: Read<'a>,
    /// They hold this, too.
    and: Option<Read<'a>>,
}

impl Source<'_> {
    /// Whether it matches by two characters apart.
    pub(super) fn is_apart(&self) -> bool {
        self.and.is_some()
    }

    /// Gives each of its documents.
    pub(super) fn each(&self, mut take: impl FnMut(Doc)) {
        match &self.and {
            None => self.holds.each(take),
            Some(and) => self.holds.each(|doc| {
                if and.has(doc) {
                    take(doc);
                }
            }),
        }
    }

    /// Gives the place of each of some documents, in order, that is one of its own.
    fn each_of(&self, asked: &[Doc], mut take: impl FnMut(usize)) {
        match (&self.holds, &self.and) {
            (Read::Docs(docs), None) if docs.len() < asked.len() => {
                docs.iter().filter_map(|doc| asked.binary_search(doc).ok()).for_each(take);
            }
            _ => {
                for (at, doc) in asked.iter().enumerate() {
                    if self.has(*doc) {
                        take(at);
                    }
                }
            }
        }
    }

    fn has(&self, doc: Doc) -> bool {
        self.holds.has(doc) && self.and.as_ref().is_none_or(|and| and.has(doc))
    }
}

/// A field with what there is in it of each unit, in their order, the farthest matches first.
pub(super) struct Searched<'a> {
    pub(super) field: &'a Field<'a>,
    pub(super) sources: Vec<Source<'a>>,
}

impl<'a> Searched<'a> {
    pub(super) fn of(field: &'a Field<'a>, sought: &[Sought]) -> Self {
        let segment = field.segment;
        let mut sources = Vec::new();
        for (unit, one) in sought.iter().enumerate() {
            for &(term, far) in &one.terms {
                let found = segment.read(term);
                sources.extend(found.map(|holds| Source { unit, far, holds, and: None }));
            }
            let both = one.apart.map(|(one, two)| (segment.read(one), segment.read(two)));
            if let Some((Some(one), Some(two))) = both {
                let (holds, and) =
                    if matches!(one, Read::Docs(_)) { (one, two) } else { (two, one) };
                sources.push(Source { unit, far: APART, holds, and: Some(and) });
            }
        }
        Self { field, sources }
    }

    /// Adds how many eligible documents match each unit.
    pub(super) fn count(&self, holders: &mut [usize]) {
        let eligible = &*self.field.eligible;
        for sources in self.sources.chunk_by(|one, next| one.unit == next.unit) {
            let found = match sources {
                [Source { unit, holds, and: None, .. }] => (*unit, holds.count(eligible)),
                [first, ..] => (first.unit, united(sources, eligible)),
                [] => continue,
            };
            if let Some(holders) = holders.get_mut(found.0) {
                *holders += found.1;
            }
        }
    }

    /// Gives each of some documents with what it matches. Of a source, its documents are looked for among those
    /// asked about, or those among its own, whichever are fewer: there may be as many sources as words.
    pub(super) fn each_held(&self, asked: &mut [Doc], mut take: impl FnMut(Doc, &Held)) {
        asked.sort_unstable();
        let mut held = Vec::new();
        for asked in asked.chunks(AT_ONCE) {
            held.resize_with(asked.len().max(held.len()), Held::default);
            for (held, doc) in held.iter_mut().zip(asked) {
                held.matches.clear();
                held.length = self.field.segment.length(*doc);
            }
            for source in &self.sources {
                source.each_of(asked, |at| {
                    let Some(held) = held.get_mut(at) else { return };
                    if held.matches.last().is_none_or(|(unit, _)| *unit != source.unit) {
                        held.matches.push((source.unit, source.far));
                    }
                });
            }
            asked.iter().zip(&held).for_each(|(doc, held)| take(*doc, held));
        }
    }
}

/// How many of some documents are in any of the sources.
fn united(sources: &[Source<'_>], eligible: &[Words]) -> usize {
    thread_local! {
        static UNION: RefCell<[Vec<Words>; 2]> = RefCell::default();
    }
    UNION.with_borrow_mut(|[union, both]| {
        clear_to(union, eligible.len());
        for source in sources {
            if let Some(and) = &source.and {
                clear_to(both, eligible.len());
                source.holds.add_to(both);
                and.keep_in(both);
                unite(union, both);
            } else {
                source.holds.add_to(union);
            }
        }
        intersect(union, eligible);
        union.as_flattened().iter().map(|word| word.count_ones() as usize).sum()
    })
}

fn clear_to(words: &mut Vec<Words>, length: usize) {
    words.clear();
    words.resize(length, Words::default());
}
