//! What a policy may say of ranking under `foundation-v2`: how much features count, and what is relevant.

use serde::{Deserialize, Serialize};

use crate::features::Weights;
use crate::relevance::Floors;

/// The numbers of a policy; what it does not say is the mode's own. Only requests in that mode use them.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RankingPolicy {
    /// How much each feature counts.
    pub weights: Weights,
    /// What the best lexical has to reach.
    pub floors: Floors,
    /// What another record needs, of the best.
    pub relative_floor: f64,
    /// What another record needs at least, of the floor.
    pub following_floor: f64,
}

impl Default for RankingPolicy {
    fn default() -> Self {
        Self {
            weights: Weights::V2,
            floors: Floors::default(),
            relative_floor: 0.65,
            following_floor: 0.75,
        }
    }
}
