//! Weights, final score and total order.

use std::cmp::Ordering;

use serde::Serialize;

use crate::features::{Features, clamp01};
use crate::record::Card;

/// How much each feature counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Weights {
    /// Of the lexical feature.
    pub lexical: f64,
    /// Of scope affinity.
    pub scope_affinity: f64,
    /// Of type affinity.
    pub type_affinity: f64,
    /// Of freshness.
    pub freshness: f64,
    /// Of importance.
    pub importance: f64,
    /// Of confidence.
    pub confidence: f64,
}

/// The weights of relevance modes `foundation-v1` and `historical-v1`.
pub(crate) const WEIGHTS: Weights = Weights {
    lexical: 0.55,
    scope_affinity: 0.1,
    type_affinity: 0.1,
    freshness: 0.1,
    importance: 0.075,
    confidence: 0.075,
};

/// The clamped weighted sum, added in this order: equal inputs give equal bits.
pub(crate) fn final_score(features: &Features, weights: &Weights) -> f64 {
    clamp01(
        features.lexical * weights.lexical
            + features.scope_affinity * weights.scope_affinity
            + features.type_affinity * weights.type_affinity
            + features.freshness * weights.freshness
            + features.importance * weights.importance
            + features.confidence * weights.confidence,
    )
}

/// Final score descending, then last change descending (a date that cannot be read comes last), then id.
pub(crate) fn order(a: (&Card, f64), b: (&Card, f64)) -> Ordering {
    b.1.total_cmp(&a.1)
        .then_with(|| b.0.updated.cmp(&a.0.updated))
        .then_with(|| a.0.id.cmp(&b.0.id))
}
