//! Statistics of what the request may see, and of nothing else: nobody learns from a score what others have.

use super::asked::Held;

/// Counts over the eligible records.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Statistics {
    /// How many they are.
    pub(crate) records: usize,
    /// Their lengths together, each the number of its distinct units.
    pub(crate) length: usize,
    /// Of each unit of the query, how many match it.
    pub(crate) holders: Vec<usize>,
    /// The best lexical of all; 0 where it does not reach the floor.
    pub(crate) best: f64,
    /// The best score, words aside, of those that answer a query for nothing but a kind; 0 for any other.
    pub(crate) answering: f64,
}

impl Statistics {
    /// Of no records yet, for a query of so many units.
    pub(crate) fn new(units: usize) -> Self {
        Self { holders: vec![0; units], ..Self::default() }
    }

    /// Counts one more record.
    pub(crate) fn add(&mut self, held: &Held) {
        self.records += 1;
        self.length += held.length;
        for &(at, _) in &held.matches {
            self.holders[at] += 1;
        }
    }
}
