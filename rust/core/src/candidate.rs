//! Candidates: what channels propose, and what it measures.

use crate::record::Card;
use crate::trace::Scored;

/// A record that some channel proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What eligibility and ranking read of it.
    pub card: Card,
    /// How many query tokens it holds.
    pub hits: usize,
    /// Where to find the whole record.
    pub key: usize,
}

/// A candidate with what it measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The candidate.
    pub candidate: Candidate,
    /// Its features and final score.
    pub scored: Scored,
}
