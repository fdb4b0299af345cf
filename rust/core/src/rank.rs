//! The weights of a request, final score and total order.

use std::cmp::Ordering;

use crate::features::{Features, Weights, clamp01};
use crate::instant::Millis;
use crate::relevance::RelevanceMode;
use crate::request::Request;

impl Weights {
    /// Those of a request's relevance mode; of `foundation-v2`, what the policy says.
    pub(crate) fn of(request: &Request) -> Self {
        match request.relevance_mode {
            RelevanceMode::FoundationV1 | RelevanceMode::HistoricalV1 => Self::V1,
            RelevanceMode::FoundationV2 => request.policy.ranking().weights,
        }
    }
}

/// The clamped weighted sum.
pub(crate) fn final_score(features: &Features, weights: &Weights) -> f64 {
    clamp01(features.weighed(weights))
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
