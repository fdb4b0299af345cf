//! Candidates: what channels propose, and what it measures.

use std::sync::Arc;

use crate::rank::Key;
use crate::record::{Card, Traits};
use crate::trace::{Filtered, Scored};

/// What a path proposes for one query.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// Every record that could be among the best, in no order.
    pub candidates: Vec<Candidate>,
    /// All others, by the stage that drops them.
    pub filtered: Filtered,
    /// Records that are admitted like the candidates, but come after as many of these as were asked for.
    pub outranked: usize,
}

/// A record that some channel proposes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// The record's id.
    pub id: String,
    /// What ranking reads of it.
    pub traits: Traits,
    /// How many query tokens it holds.
    pub hits: usize,
    /// Where to find the whole record.
    pub key: usize,
    /// What its eligibility is judged by; `None` where the path knows that the request may have it.
    pub unjudged: Option<Arc<Card>>,
}

impl Candidate {
    /// A record of which nothing is known but what it says itself.
    pub(crate) fn unjudged(card: Arc<Card>, hits: usize, key: usize) -> Self {
        Self { id: card.id.clone(), traits: card.traits(), hits, key, unjudged: Some(card) }
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
