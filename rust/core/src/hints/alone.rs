//! A query that asks for nothing but a kind: which of the records that answer it are relevant, words aside.

use crate::features::{Features, Signals};
use crate::query::Query;
use crate::rank::final_score;
use crate::record::Traits;
use crate::relevance::Statistics;

/// Who is admitted by what kind of memory it is.
#[derive(Debug)]
pub(crate) struct Answering<'q> {
    query: &'q Query<'q>,
    /// What the final score needs, without its lexical part.
    level: f64,
}

impl<'q> Answering<'q> {
    /// Holds records against the best of all that answer, as it was counted.
    pub(crate) fn new(query: &'q Query<'q>, statistics: Option<&Statistics>) -> Self {
        Self::below(query, statistics.map_or(0.0, |statistics| statistics.answering))
    }

    /// Holds records against so much.
    pub(crate) fn below(query: &'q Query<'q>, best: f64) -> Self {
        Self { query, level: query.relevance.relative() * best }
    }

    /// Whether a record is relevant by its kind alone.
    pub(crate) fn admits(&self, features: &Features) -> bool {
        score(self.query, features).is_some_and(|score| score >= self.level)
    }
}

/// The best score, words aside, of some eligible records; 0 where the query asks for something else, too.
pub(crate) fn best_answering(query: &Query<'_>, eligible: impl Iterator<Item = Traits>) -> f64 {
    let features = eligible
        .filter(|_| query.kind_alone)
        .map(|one| query.score(&one, Signals::default()).features);
    features.filter_map(|one| score(query, &one)).fold(0.0, f64::max)
}

/// The final score without its lexical part, of a record that answers a query for nothing but a kind.
fn score(query: &Query<'_>, features: &Features) -> Option<f64> {
    let without_words = Features { lexical: 0.0, ..*features };
    let answers = query.kind_alone && features.type_affinity > 0.0;
    answers.then(|| final_score(&without_words, &query.weights))
}
