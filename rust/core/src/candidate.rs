//! Candidates: what channels propose, and what it measures.

use crate::features::Signals;
use crate::rank::Key;
use crate::record::{Card, Traits};
use crate::relevance::Statistics;
use crate::trace::{Filtered, Scored};

/// What a path proposes for one query.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// Every record that could be among the best, in no order; the request may have each.
    pub candidates: Vec<Candidate>,
    /// All others, by the stage that drops them.
    pub filtered: Filtered,
    /// Records that are admitted like the candidates, but come after as many of these as were asked for.
    pub outranked: usize,
    /// What was counted to weigh words, where the mode does.
    pub statistics: Option<Statistics>,
}

/// A record that some channel proposes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// The record's id.
    pub id: String,
    /// What ranking reads of it.
    pub traits: Traits,
    /// What channels tell of it.
    pub signals: Signals,
    /// Where to find the whole record.
    pub key: usize,
}

impl Candidate {
    /// The candidate that a record is.
    pub(crate) fn of(card: &Card, signals: Signals, key: usize) -> Self {
        Self { id: card.id.clone(), traits: card.traits(), signals, key }
    }
}

/// A candidate with what it measures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// The candidate.
    pub candidate: Candidate,
    /// Its features and final score.
    pub scored: Scored,
}

impl Measured {
    /// Its place in the total order.
    pub(crate) fn key(&self) -> Key<'_> {
        let Candidate { id, traits, .. } = &self.candidate;
        Key { score: self.scored.final_score, updated: traits.updated, id }
    }
}
