//! Bounds: what no final score of a document is above, from eight bytes of it, so that of many that are
//! admitted only the best are measured.

use crate::features::{Weights, affinity, clamp01, freshness_bound};
use crate::hints::Hints;
use crate::instant::Millis;
use crate::query::Query;

use crate::record::Traits;
use crate::relevance::Share;

const DAY: Millis = 86_400_000;
/// More than what rounding can take from a sum of weights.
const ROUNDING: f64 = 1e-6;

/// What a document adds to its score whatever is asked, and the day from which on it ages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    rest: f32,
    day: i32,
}

impl Bound {
    #[expect(clippy::cast_possible_truncation, reason = "what that takes is within the margin")]
    pub(super) fn of(traits: &Traits) -> Self {
        let rest = affinity(traits.scope) * Weights::V1.scope_affinity
            + clamp01(traits.importance) * Weights::V1.importance
            + clamp01(traits.confidence) * Weights::V1.confidence;
        // One that was observed at no readable time is always fresh.
        let day = traits.observed.map_or(i64::from(i32::MAX), |at| at.div_euclid(DAY) + 1);
        Self { rest: (rest + ROUNDING) as f32, day: i32::try_from(day).unwrap_or(i32::MAX) }
    }
}

/// What a query adds, by how many of its terms are held.
#[derive(Debug)]
pub(super) struct Bounds {
    words: Vec<f64>,
    today: i32,
}

impl Bounds {
    pub(super) fn new(query: &Query<'_>, share: &Share) -> Self {
        let hinted = if query.hints == Hints::NONE { 0.0 } else { Weights::V1.type_affinity };
        let words = |hits| share.lexical(hits) * Weights::V1.lexical + hinted + ROUNDING;
        Self {
            words: (0..=query.asked()).map(words).collect(),
            today: i32::try_from(query.request.now.div_euclid(DAY)).unwrap_or(i32::MIN),
        }
    }

    /// A number that the final score of a document is never above.
    pub(super) fn of(&self, bound: Bound, hits: usize) -> f64 {
        let age = self.today.saturating_sub(bound.day).max(0);
        let words = self.words.get(hits).copied().unwrap_or(f64::INFINITY);
        words + f64::from(bound.rest) + freshness_bound(age) * Weights::V1.freshness
    }
}
