//! Relevance: how far a record's words answer a query's, and from when on it is admitted.
//!
//! ```text
//! foundation-v1, historical-v1   share       the share of the query's tokens that a record holds, and its floor
//! foundation-v2                  asked       the query's units, with what stands in for one that a record lacks
//!                                statistics  how many of the eligible records match each unit
//!                                scoring     lexical of a record, by what it matches and its length
//!                                levels      whether the best is relevant, and who else is
//! ```

mod alike;
mod asked;
mod levels;
mod questions;
mod scoring;
mod sentences;
mod share;
mod statistics;
mod weak;

use serde::{Deserialize, Serialize};

pub(crate) use alike::{dice, has_trigrams, trigrams, windows};
pub use asked::asked_units;
pub(crate) use asked::{Asked, BackOff, Held, Unit, says_little};
pub use levels::{Floors, floor_of};
pub(crate) use scoring::{APART, Scoring, weighed};
pub(crate) use share::Share;
pub(crate) use statistics::Statistics;

use crate::features::Features;
use crate::request::Request;
use crate::tokens::{Token, TokenKey};
use crate::trace::Weighing;

/// A named, versioned rule of relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum RelevanceMode {
    /// Lexical at least 0.4, or 1/3 where the query contains CJK; or any type affinity.
    #[serde(rename = "foundation-v1")]
    FoundationV1,
    /// Units weighed by how few of the eligible records match them; the best has to reach a floor, others
    /// to come near it. Of tokenizer `v2` only.
    #[serde(rename = "foundation-v2")]
    FoundationV2,
    /// Any lexical match; or any type affinity.
    #[serde(rename = "historical-v1")]
    HistoricalV1,
}

/// What a request's mode asks of records.
#[derive(Debug)]
pub(crate) enum Relevance {
    /// A share of the query's tokens.
    Share(Share),
    /// What its units weigh.
    Weighed(Asked),
}

impl Relevance {
    /// Reads the words of a request as its mode does.
    pub(crate) fn of(request: &Request) -> Self {
        match request.relevance_mode {
            RelevanceMode::FoundationV1 | RelevanceMode::HistoricalV1 => {
                Self::Share(Share::of(request))
            }
            RelevanceMode::FoundationV2 => Self::Weighed(Asked::of(request)),
        }
    }

    /// How many distinct search tokens the query has.
    pub(crate) fn asked(&self) -> usize {
        match self {
            Self::Share(share) => share.tokens.len(),
            Self::Weighed(asked) => asked.units.len(),
        }
    }

    /// Its search token at a place.
    pub(crate) fn key(&self, at: usize) -> Option<TokenKey<'_>> {
        match self {
            Self::Share(share) => share.tokens.get(at).map(Token::key),
            Self::Weighed(asked) => asked.units.get(at).map(|unit| unit.token.key()),
        }
    }

    /// Whether the query has more than are used.
    pub(crate) fn is_truncated(&self) -> bool {
        match self {
            Self::Share(share) => share.truncated,
            Self::Weighed(asked) => asked.truncated,
        }
    }

    /// What admits a record, where so much was counted.
    pub(crate) fn admission(&self, statistics: Option<&Statistics>) -> Admission<'_> {
        match self {
            Self::Share(share) => Admission::Share(share),
            Self::Weighed(asked) => {
                let best = statistics.map_or(0.0, |statistics| statistics.best);
                Admission::Needed(asked.levels.needed(best))
            }
        }
    }

    /// What a record needs of the best, where those are compared.
    pub(crate) fn relative(&self) -> f64 {
        match self {
            Self::Share(_) => 1.0,
            Self::Weighed(asked) => asked.levels.relative,
        }
    }

    /// What the words were weighed by, where they were.
    pub(crate) fn weighing(&self, statistics: Option<Statistics>) -> Option<Weighing> {
        let Self::Weighed(Asked { levels, units, .. }) = self else { return None };
        let statistics = statistics.unwrap_or_else(|| Statistics::new(units.len()));
        let Statistics { records, length, holders, best, .. } = statistics;
        Some(Weighing {
            records,
            units: length,
            holders,
            best,
            floor: levels.floor,
            relative_floor: levels.relative,
            following_floor: levels.following,
        })
    }
}

/// What a record needs to be relevant.
#[derive(Debug)]
pub(crate) enum Admission<'q> {
    /// A share of the tokens, or type affinity.
    Share(&'q Share),
    /// Some lexical, and so much of it, if any is enough.
    Needed(Option<f64>),
}

impl Admission<'_> {
    /// Whether a candidate is relevant.
    pub(crate) fn admits(&self, features: &Features) -> bool {
        match self {
            Self::Share(share) => share.admits(features),
            Self::Needed(needed) => needed.is_some_and(|needed| features.lexical >= needed),
        }
    }
}
