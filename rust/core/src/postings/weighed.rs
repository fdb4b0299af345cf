//! The path over postings in memory under `foundation-v2`.
//!
//! ```text
//! fields   the eligible documents of each visible segment
//! sought   for each unit, the terms that match it, and how far
//! holders  how many eligible documents hold one of a unit's terms: what the unit weighs follows
//! reached  documents whose matches may add up to the lowest level of admission
//! lexical  exact, of those
//! ```
//!
//! A document that only light units reach stays below every level: their postings, which are the longest,
//! propose nothing, and are asked about single documents only.

use std::cell::RefCell;

use super::Postings;
use super::answering::answering;
use super::best::{Best, Scored};
use super::fields::Fields;
use super::lists::{Doc, is_set};
use super::segment::{Entry, Segment};
use super::sought::{Searched, Sought, Source};
use crate::candidate::{Candidate, Proposal};
use crate::features::Signals;
use crate::query::Query;
use crate::rank::Key;
use crate::relevance::{Asked, Scoring};

/// More than what rounding can take from a sum of weights, as a share of it.
const ROUNDING: f64 = 1e-4;
/// More than what rounding can add to lexical.
const DECIMALS: f64 = 1e-9;

/// Proposes every document that is relevant.
pub(super) fn weighed(
    postings: &Postings,
    query: &Query<'_>,
    asked: &Asked,
    most: usize,
) -> Proposal {
    let mut fields = Fields::of(postings, query);
    let sought = asked.units.iter().map(|unit| Sought::of(unit, &postings.terms));
    let sought: Vec<Sought> = sought.collect();
    let searched = fields.all.iter().map(|field| Searched::of(field, &sought));
    let searched: Vec<Searched<'_>> = searched.collect();
    let statistics = &mut fields.statistics;
    statistics.holders = vec![0; sought.len()];
    for one in &searched {
        one.count(&mut statistics.holders);
    }
    let scoring = Scoring::new(asked, statistics);
    let (mut relevant, needed) = Search::new(asked, &scoring, &sought).run(&searched);
    let by_kind = answering(query, &searched, &scoring);
    statistics.best = relevant.iter().map(|one| one.lexical).fold(0.0, f64::max);
    statistics.answering = by_kind.best;
    relevant.extend(by_kind.relevant.into_iter().filter(|one| one.lexical < needed));
    let mut filtered = fields.filtered;
    filtered.irrelevant = statistics.records - relevant.len();
    let outranked = relevant.len().saturating_sub(most);
    let candidates = best(relevant, query, most);
    Proposal { candidates, filtered, outranked, statistics: Some(fields.statistics) }
}

/// The best of all that are relevant, in no order.
fn best(relevant: Vec<Relevant<'_>>, query: &Query<'_>, most: usize) -> Vec<Candidate> {
    let mut best = Best::new(most);
    for found in relevant {
        let score = query.score(&found.entry.traits, Signals::of_words(found.lexical)).final_score;
        let id = found.segment.id(found.doc);
        best.take(Scored { key: Key { score, updated: found.entry.traits.updated, id }, found });
    }
    let candidate = |Scored { key, found }: Scored<'_, Relevant<'_>>| Candidate {
        id: key.id.to_owned(),
        traits: found.entry.traits,
        signals: Signals::of_words(found.lexical),
        key: found.entry.row as usize,
    };
    best.into_kept().into_iter().map(candidate).collect()
}

/// What of each unit is heavy: asked for by its documents.
#[derive(Debug, Clone, Copy, Default)]
struct Heavy {
    /// What a term adds, beyond what its characters apart do.
    terms: bool,
    /// What its characters apart add.
    apart: bool,
}

struct Search<'q> {
    asked: &'q Asked,
    scoring: &'q Scoring<'q>,
    sought: &'q [Sought],
    heavy: Vec<Heavy>,
    /// What all that is light adds at most.
    rest: f64,
}

/// A document with what the square of its lexical is not above.
type Reached<'a, 's> = (f64, &'s Searched<'a>, Doc);

impl<'q> Search<'q> {
    fn new(asked: &'q Asked, scoring: &'q Scoring<'q>, sought: &'q [Sought]) -> Self {
        let mut parts = Vec::new();
        for (unit, (one, weight)) in sought.iter().zip(&scoring.weights).enumerate() {
            let (terms, apart) = one.most();
            parts.extend([(weight * terms, unit, false), (weight * apart, unit, true)]);
        }
        parts.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let (mut heavy, mut rest) = (vec![Heavy::default(); sought.len()], 0.0);
        let mut is_light = true;
        for (gain, unit, is_apart) in parts {
            is_light &=
                scoring.most_squared(above(rest + gain), 0) < squared(asked.levels.lowest());
            if is_light {
                rest += gain;
            } else if let Some(heavy) = heavy.get_mut(unit) {
                heavy.terms |= !is_apart;
                heavy.apart |= is_apart;
            }
        }
        Self { asked, scoring, sought, heavy, rest }
    }

    /// The documents that words admit, with their exact lexical, and what that has to be.
    fn run<'a>(&self, searched: &[Searched<'a>]) -> (Vec<Relevant<'a>>, f64) {
        let mut reached = Vec::new();
        for one in searched {
            self.reach(one, &mut reached);
        }
        let Some(first) = reached.iter().max_by(|(one, ..), (other, ..)| one.total_cmp(other))
        else {
            return (Vec::new(), f64::INFINITY);
        };
        let mut relevant = self.relevant(std::slice::from_ref(first));
        let first = relevant.first().map_or(0.0, |one| one.lexical);
        let level = squared(self.asked.levels.level(first).max(self.asked.levels.lowest()));
        reached.retain(|(most, ..)| *most >= level);
        relevant = self.relevant(&reached);
        let best = relevant.iter().map(|one| one.lexical).fold(0.0, f64::max);
        let needed = self.asked.levels.needed(best).unwrap_or(f64::INFINITY);
        relevant.retain(|one| one.lexical >= needed);
        (relevant, needed)
    }

    /// Documents with their exact lexical.
    fn relevant<'a>(&self, reached: &[Reached<'a, '_>]) -> Vec<Relevant<'a>> {
        let mut relevant = Vec::new();
        for own in reached.chunk_by(|(_, one, _), (_, next, _)| std::ptr::eq(*one, *next)) {
            let Some((_, searched, _)) = own.first() else { continue };
            let mut docs: Vec<Doc> = own.iter().map(|(.., doc)| *doc).collect();
            searched.each_held(&mut docs, |doc, held| {
                let lexical = self.scoring.lexical(held);
                relevant.extend(Relevant::of(searched.field.segment, doc, lexical));
            });
        }
        relevant
    }

    /// Adds the eligible documents of a segment that may be relevant.
    fn reach<'a, 's>(&self, searched: &'s Searched<'a>, reached: &mut Vec<Reached<'a, 's>>) {
        thread_local! {
            static SUMS: RefCell<Sums> = RefCell::default();
        }
        let segment = searched.field.segment;
        let least = squared(self.asked.levels.lowest());
        let enough = self.scoring.enough(least);
        SUMS.with_borrow_mut(|sums| {
            sums.make_room(segment.len());
            for source in &searched.sources {
                if let Some(gain) = self.gain(source) {
                    source.each(|doc| sums.add(doc, gain));
                }
            }
            sums.take(|doc, sum| {
                let matched = above(f64::from(sum) + self.rest);
                if matched < enough || !is_set(&searched.field.eligible, doc) {
                    return;
                }
                let most = self.scoring.most_squared(matched, segment.length(doc));
                if most >= least {
                    reached.push((most, searched, doc));
                }
            });
        });
    }

    /// What a source adds to its documents; `None` where it is light.
    #[expect(clippy::cast_possible_truncation, reason = "what that takes is within the margin")]
    fn gain(&self, source: &Source<'_>) -> Option<f32> {
        let (heavy, sought) = (self.heavy.get(source.unit)?, self.sought.get(source.unit)?);
        let weight = self.scoring.weights.get(source.unit)?;
        let far = if source.is_apart() { source.far } else { source.far - sought.most().1 };
        let is_heavy = if source.is_apart() { heavy.apart } else { heavy.terms };
        is_heavy.then_some((weight * far) as f32)
    }
}

/// The square of what is rounded to this lexical, or of less.
fn squared(lexical: f64) -> f64 {
    let least = f64::max(lexical - DECIMALS, 0.0);
    least * least
}

/// A little more, so that rounding takes nothing from it.
fn above(sum: f64) -> f64 {
    sum * (1.0 + ROUNDING)
}

/// What documents were found to match; memory that one search leaves to the next.
#[derive(Debug, Default)]
struct Sums {
    /// Of each document, all 0 between searches.
    sums: Vec<f32>,
    /// The documents of which something was added.
    found: Vec<Doc>,
}

impl Sums {
    fn make_room(&mut self, size: usize) {
        if self.sums.len() < size {
            self.sums.resize(size, 0.0);
        }
    }

    fn add(&mut self, doc: Doc, gain: f32) {
        if let Some(sum) = self.sums.get_mut(usize::from(doc)) {
            if *sum == 0.0 {
                self.found.push(doc);
            }
            *sum += gain;
        }
    }

    /// Gives each document with its sum, and forgets both.
    fn take(&mut self, mut take: impl FnMut(Doc, f32)) {
        for doc in self.found.drain(..) {
            if let Some(sum) = self.sums.get_mut(usize::from(doc)) {
                take(doc, std::mem::take(sum));
            }
        }
    }
}

/// A document that is relevant.
#[derive(Clone, Copy)]
pub(super) struct Relevant<'a> {
    segment: &'a Segment,
    entry: &'a Entry,
    doc: Doc,
    lexical: f64,
}

impl<'a> Relevant<'a> {
    pub(super) fn of(segment: &'a Segment, doc: Doc, lexical: f64) -> Option<Self> {
        Some(Self { segment, entry: segment.entry(doc)?, doc, lexical })
    }
}
