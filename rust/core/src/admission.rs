//! Whether a candidate is relevant at all: relevance modes and their floors.

use serde::{Deserialize, Serialize};

use crate::features::{Features, coverage};
use crate::text::is_cjk;

/// A named, versioned rule of admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum RelevanceMode {
    /// Lexical at least 0.4, or 1/3 where the query contains CJK; or any type affinity.
    #[serde(rename = "foundation-v1")]
    FoundationV1,
    /// Any lexical match; or any type affinity.
    #[serde(rename = "historical-v1")]
    HistoricalV1,
}

/// What a request's mode asks of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Admission {
    floor: Option<f64>,
}

impl Admission {
    /// The rule for one query; CJK is looked for in the text as it was typed.
    pub(crate) fn new(mode: RelevanceMode, query: &str) -> Self {
        Self {
            floor: match mode {
                RelevanceMode::FoundationV1 if query.contains(is_cjk) => Some(1.0 / 3.0),
                RelevanceMode::FoundationV1 => Some(0.4),
                RelevanceMode::HistoricalV1 => None,
            },
        }
    }

    /// Whether a candidate is relevant.
    pub(crate) fn admits(&self, features: &Features) -> bool {
        self.admits_words(features.lexical) || features.type_affinity > 0.0
    }

    fn admits_words(&self, lexical: f64) -> bool {
        self.floor.map_or(lexical > 0.0, |floor| lexical >= floor)
    }

    /// The fewest of `asked` query tokens that admit a record by words; `None` where no number does.
    pub(crate) fn fewest_hits(&self, asked: usize) -> Option<usize> {
        (1..=asked).find(|&hits| self.admits_words(coverage(hits, asked)))
    }
}
