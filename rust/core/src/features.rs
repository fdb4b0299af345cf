//! One number from 0 to 1 per question the ranker asks of a record.

use serde::{Deserialize, Serialize};

use crate::hints::Hints;
use crate::instant::Millis;
use crate::record::Traits;
use crate::scope::Scope;

/// After so long, an observation counts half: 180 days in milliseconds.
const HALF_LIFE: f64 = 15_552_000_000.0;
const HALF_LIFE_DAYS: i32 = 180;

/// More than what rounding can take from a freshness.
const ROUNDING: f64 = 1e-12;

/// What channels tell of a candidate, each a number in `[0,1]`: 0 where one tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Signals {
    /// How far its words answer.
    pub(crate) words: f64,
}

impl Signals {
    /// Of a candidate that its words alone propose.
    pub(crate) fn of_words(words: f64) -> Self {
        Self { words }
    }
}

/// What is seen of a candidate when it is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'r> {
    /// What ranking reads of the record.
    pub(crate) traits: &'r Traits,
    /// What channels tell of it.
    pub(crate) signals: Signals,
    /// The hints that the query gives.
    pub(crate) hints: Hints,
    /// When it is asked.
    pub(crate) now: Millis,
}

macro_rules! features {
    ($($(#[doc = $doc:literal])* $name:ident: [$v1:literal, $v2:literal] $measure:expr;)*) => {
        /// A record's features, each in `[0,1]`.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Features { $($(#[doc = $doc])* pub $name: f64,)* }

        /// How much each feature counts.
        #[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Weights { $($(#[doc = $doc])* pub $name: f64,)* }

        impl Features {
            /// Measures a record.
            pub(crate) fn measure(seen: Seen<'_>) -> Self {
                Self { $($name: { let measure: fn(Seen<'_>) -> f64 = $measure; measure(seen) },)* }
            }

            /// The weighed features, added in the order of the list: equal inputs give equal bits.
            pub(crate) fn weighed(&self, weights: &Weights) -> f64 {
                let mut sum = 0.0;
                $(sum += self.$name * weights.$name;)*
                sum
            }
        }

        impl Weights {
            /// Those of `foundation-v1` and `historical-v1`.
            pub(crate) const V1: Self = Self { $($name: $v1,)* };
            /// Those of `foundation-v2`: what else is known of records orders those that answer about as well.
            pub(crate) const V2: Self = Self { $($name: $v2,)* };
        }
    };
}

// Every feature, in the order in which they are added up: its weight in modes of version 1 and of version 2,
// and what measures it.
features! {
    /// How far its words answer the query's: the mode says how that is measured.
    lexical: [0.55, 0.8] |seen| seen.signals.words;
    /// How near the record's scope is: project 1.0, workspace 0.9, user 0.8.
    scope_affinity: [0.1, 0.06] |seen| affinity(seen.traits.scope);
    /// 1 when a hint of the query names the record's type or one of its tags.
    type_affinity: [0.1, 0.04] |seen| f64::from(u8::from(seen.traits.answers.meets(seen.hints)));
    /// 0.5 to the power of age over half-life.
    freshness: [0.1, 0.04] |seen| freshness(seen.traits.observed, seen.now);
    /// The record's importance.
    importance: [0.075, 0.03] |seen| clamp01(seen.traits.importance);
    /// The record's confidence.
    confidence: [0.075, 0.03] |seen| clamp01(seen.traits.confidence);
}

/// How near a scope is.
pub(crate) fn affinity(scope: Scope) -> f64 {
    match scope {
        Scope::Project => 1.0,
        Scope::Workspace => 0.9,
        Scope::User => 0.8,
    }
}

/// `hits` as a share of `asked`; 0 where nothing was asked.
#[expect(clippy::cast_precision_loss, reason = "token counts are at most 255")]
pub(crate) fn coverage(hits: usize, asked: usize) -> f64 {
    if asked == 0 { 0.0 } else { clamp01(hits as f64 / asked as f64) }
}

/// How fresh an observation is at `now`; one without a readable date, or from the future, is fresh.
#[expect(clippy::cast_precision_loss, reason = "ages are below 2^53 milliseconds")]
pub(crate) fn freshness(observed: Option<Millis>, now: Millis) -> f64 {
    let age = observed.map_or(0, |observed| now.saturating_sub(observed).max(0));
    clamp01(libm::pow(0.5, age as f64 / HALF_LIFE))
}

/// At least the freshness of an observation that is so many days old or older, and a sixteenth more of it
/// at most: halved for each whole half-life, and between those on a straight line, which lies above the curve.
pub(crate) fn freshness_bound(days: i32) -> f64 {
    let (halvings, rest) = (days / HALF_LIFE_DAYS, days % HALF_LIFE_DAYS);
    let line = 1.0 - f64::from(rest) / f64::from(2 * HALF_LIFE_DAYS);
    line / f64::from(1_u32 << halvings.clamp(0, 31)) + ROUNDING
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
        fn the_bound_is_never_less_than_the_freshness_and_little_more(days in 0..9_000_i32) {
            let (exact, bound) = (freshness(Some(0), i64::from(days) * 86_400_000), freshness_bound(days));
            prop_assert!(exact <= bound && bound <= exact * 1.0625 + 1e-9);
        }
    }
}
