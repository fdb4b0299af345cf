//! One number from 0 to 1 per question the ranker asks of a record.

use serde::Serialize;

use crate::hints::Hints;
use crate::instant::Millis;
use crate::record::Traits;
use crate::scope::Scope;

/// After so long, an observation counts half: 180 days in milliseconds.
const HALF_LIFE: Millis = 15_552_000_000;

/// More than what rounding can take from a freshness.
const ROUNDING: f64 = 1e-12;

/// A record's features, each in `[0,1]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Features {
    /// Query tokens found in the record, as a share of all query tokens.
    pub lexical: f64,
    /// How near the record's scope is: project 1.0, workspace 0.9, user 0.8.
    pub scope_affinity: f64,
    /// 1 when a hint of the query names the record's type or one of its tags.
    pub type_affinity: f64,
    /// 0.5 to the power of age over half-life.
    pub freshness: f64,
    /// The record's importance.
    pub importance: f64,
    /// The record's confidence.
    pub confidence: f64,
}

impl Features {
    /// Measures a record that holds `hits` of `asked` query tokens.
    pub fn measure(traits: &Traits, hits: usize, asked: usize, hints: Hints, now: Millis) -> Self {
        let freshness = freshness(traits.observed, now);
        Self { freshness, ..Self::at_most(traits, hits, asked, hints, now) }
    }

    /// The same but for a freshness that is cheaper, and never less than the exact one.
    pub fn at_most(traits: &Traits, hits: usize, asked: usize, hints: Hints, now: Millis) -> Self {
        Self {
            lexical: coverage(hits, asked),
            scope_affinity: match traits.scope {
                Scope::Project => 1.0,
                Scope::Workspace => 0.9,
                Scope::User => 0.8,
            },
            type_affinity: if traits.answers.meets(hints) { 1.0 } else { 0.0 },
            freshness: freshness_bound(traits.observed, now),
            importance: clamp01(traits.importance),
            confidence: clamp01(traits.confidence),
        }
    }
}

/// `hits` as a share of `asked`; 0 where nothing was asked.
#[expect(clippy::cast_precision_loss, reason = "token counts are at most 128")]
pub(crate) fn coverage(hits: usize, asked: usize) -> f64 {
    if asked == 0 { 0.0 } else { clamp01(hits as f64 / asked as f64) }
}

/// How fresh an observation is at `now`; one without a readable date, or from the future, is fresh.
#[expect(clippy::cast_precision_loss, reason = "ages are below 2^53 milliseconds")]
pub(crate) fn freshness(observed: Option<Millis>, now: Millis) -> f64 {
    clamp01(libm::pow(0.5, age(observed, now) as f64 / HALF_LIFE as f64))
}

/// At least that, and a sixteenth more at most: halved for each whole half-life, and between those on a
/// straight line, which lies above the curve.
#[expect(clippy::cast_precision_loss, reason = "ages are below 2^53 milliseconds")]
fn freshness_bound(observed: Option<Millis>, now: Millis) -> f64 {
    let age = age(observed, now);
    let (halvings, rest) = ((age / HALF_LIFE).min(62), (age % HALF_LIFE) as f64);
    (1.0 - rest / (2 * HALF_LIFE) as f64) / (1_i64 << halvings) as f64 + ROUNDING
}

fn age(observed: Option<Millis>, now: Millis) -> Millis {
    observed.map_or(0, |observed| now.saturating_sub(observed).max(0))
}

/// The class that a context line shows instead of the number.
pub(crate) fn freshness_class(freshness: f64) -> &'static str {
    match freshness {
        value if value >= 0.8 => "fresh",
        value if value >= 0.5 => "recent",
        value if value >= 0.25 => "aging",
        _ => "stale",
    }
}

/// Limits to `[0,1]`; a number that is not finite counts 0.
pub(crate) fn clamp01(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_bound_is_never_less_than_the_freshness_and_little_more(age in 0..100 * HALF_LIFE) {
            let (exact, bound) = (freshness(Some(0), age), freshness_bound(Some(0), age));
            prop_assert!(exact <= bound && bound <= exact * 1.0625 + 2.0 * ROUNDING);
        }
    }
}
