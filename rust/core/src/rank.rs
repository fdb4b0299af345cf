//! Weights, final score and total order.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::features::{Features, clamp01};
use crate::instant::Millis;
use crate::relevance::RelevanceMode;
use crate::request::Request;

/// How much each feature counts.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
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

impl Weights {
    /// Those of a request's relevance mode; of `foundation-v2`, what the policy says.
    pub(crate) fn of(request: &Request) -> Self {
        match request.relevance_mode {
            RelevanceMode::FoundationV1 | RelevanceMode::HistoricalV1 => WEIGHTS,
            RelevanceMode::FoundationV2 => request.policy.ranking().weights,
        }
    }
}

/// The weights of `foundation-v2`: what else is known of records orders those that answer about as well.
pub(crate) const WEIGHTS_V2: Weights = Weights {
    lexical: 0.8,
    scope_affinity: 0.06,
    type_affinity: 0.04,
    freshness: 0.04,
    importance: 0.03,
    confidence: 0.03,
};

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

/// What two candidates are ordered by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Key<'a> {
    /// The final score: more comes first.
    pub score: f64,
    /// The last change: later comes first, a date that cannot be read last.
    pub updated: Option<Millis>,
    /// The id: by code point.
    pub id: &'a str,
}

/// The total order of candidates, best first.
pub(crate) fn order(a: Key<'_>, b: Key<'_>) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| b.updated.cmp(&a.updated)).then_with(|| a.id.cmp(b.id))
}
