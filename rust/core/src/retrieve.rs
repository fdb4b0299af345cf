//! The pipeline: from candidates to a context block and its trace, in the order in which it is described.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{self, Selection, Taken};
use crate::candidate::{Candidate, Measured, Proposal};
use crate::error::Result;
use crate::features::Features;
use crate::hints::Answering;
use crate::query::Query;
use crate::rank;
use crate::relevance::Statistics;
use crate::request::Request;
use crate::shown::Shown;
use crate::trace::{Channel, Filtered, MOST_LISTED, Mode, Ranking, Trace};

/// Where candidates come from.
pub(crate) trait Path {
    /// What the trace calls it.
    const MODE: Mode;

    /// Whether postings in memory propose; the trace does not tell, as that depends on when it is asked.
    const FROM_MEMORY: bool;

    /// What the caller gets to know a selected record by.
    type Origin;

    /// What proposed a candidate, whose words match some of the query's or none.
    fn channel(by_words: bool) -> Channel;

    /// Every eligible record that could be admitted, but those that at least `most` others outrank; and a
    /// count of the rest.
    fn candidates(&mut self, query: &Query<'_>, most: usize) -> Result<Proposal>;

    /// The whole record behind a candidate.
    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, Self::Origin)>;
}

/// What one retrieval found.
#[derive(Debug)]
pub struct Outcome<O> {
    /// The selected records with their content as it was cut, and the context block.
    pub selection: Selection<O>,
    /// Why.
    pub trace: Trace,
    /// Whether postings in memory answered.
    pub from_memory: bool,
}

/// Runs the pipeline over one path; under a disabled policy no record enters it.
pub(crate) fn retrieve<P: Path>(request: &Request, path: &mut P) -> Result<Outcome<P::Origin>> {
    let query = Query::new(request);
    let mut admitted = Admitted::among(path, &query, MOST_LISTED.saturating_add(request.offset))?;
    let mut selection = budget::select(&admitted.best, request, |key| path.record(key))?;
    if admitted.outranked > 0 && !selection.full {
        admitted = Admitted::among(path, &query, usize::MAX)?;
        selection = budget::select(&admitted.best, request, |key| path.record(key))?;
    }
    let trace = account::<P>(&query, admitted, &selection);
    Ok(Outcome { selection, trace, from_memory: P::FROM_MEMORY })
}

/// The relevant records in their total order, from the first one that is not passed over, and a count of all others.
struct Admitted {
    best: Vec<Measured>,
    outranked: usize,
    /// How many records were left to be ranked.
    eligible: usize,
    filtered: Filtered,
    statistics: Option<Statistics>,
}

impl Admitted {
    /// Takes a path's proposal through the stages; of the best, no more than `most` need be there, and those
    /// that are passed over are left out.
    fn among<P: Path>(path: &mut P, query: &Query<'_>, most: usize) -> Result<Self> {
        let enabled = query.request.policy.enabled;
        let proposal = if enabled { path.candidates(query, most)? } else { Proposal::default() };
        let Proposal { candidates, mut filtered, mut outranked, statistics } = proposal;
        let all = candidates.len() + outranked + filtered.irrelevant;
        let by_words = query.relevance.admission(statistics.as_ref());
        let by_kind = Answering::new(query, statistics.as_ref());
        let admits = |features: &Features| by_words.admits(features) || by_kind.admits(features);
        let mut best = admitted(ranked(measured(candidates, query)), admits, &mut filtered);
        if outranked > 0 {
            // What comes after them may come after some that are left out, too.
            outranked += best.len().saturating_sub(most);
            best.truncate(most);
        }
        best.drain(..query.request.offset.min(best.len()));
        Ok(Self { best, outranked, eligible: all, filtered, statistics })
    }
}

/// Gives every candidate its features and final score.
fn measured(candidates: Vec<Candidate>, query: &Query<'_>) -> Vec<Measured> {
    let measure = |candidate: Candidate| {
        let scored = query.score(&candidate.traits, candidate.signals);
        Measured { candidate, scored }
    };
    candidates.into_iter().map(measure).collect()
}

/// Puts the measured in their total order.
fn ranked(mut measured: Vec<Measured>) -> Vec<Measured> {
    measured.sort_by(|a, b| rank::order(a.key(), b.key()));
    measured
}

/// Drops the irrelevant, and adds to their count.
fn admitted(
    mut ranked: Vec<Measured>,
    admits: impl Fn(&Features) -> bool,
    filtered: &mut Filtered,
) -> Vec<Measured> {
    let all = ranked.len();
    ranked.retain(|one| admits(&one.scored.features));
    filtered.irrelevant += all - ranked.len();
    ranked
}

fn account<P: Path>(
    query: &Query<'_>,
    admitted: Admitted,
    selection: &Selection<P::Origin>,
) -> Trace {
    let selected: BTreeSet<&str> = selection.taken.iter().map(Taken::id).collect();
    let ranking = |Measured { candidate, scored }| Ranking {
        channel: P::channel(candidate.signals.words > 0.0),
        features: scored,
        selected: selected.contains(candidate.id.as_str()),
        memory_id: candidate.id,
    };
    Trace {
        timestamp: query.request.timestamp.clone(),
        mode: P::MODE,
        query_token_count: query.asked(),
        query_tokens_truncated: query.relevance.is_truncated(),
        candidate_count: admitted.eligible,
        filtered: admitted.filtered,
        rankings: admitted.best.into_iter().take(MOST_LISTED).map(ranking).collect(),
        selected_ids: selection.ids(|_| true),
        duplicate_ids: selection.duplicates.clone(),
        excluded_by_prompt_budget: selection.excluded.clone(),
        truncated_ids: selection.ids(|taken| taken.cut.is_some()),
        hidden_text_ids: selection.ids(|taken| taken.shown.hides_text),
        selected_characters: selection.characters,
        record_limit: query.request.record_limit(),
        prompt_character_budget: query.request.character_budget,
        ranking_weights: query.weights,
        relevance_mode: query.request.relevance_mode,
        tokenizer_version: query.request.tokenizer.name(),
        weighing: query.relevance.weighing(admitted.statistics),
    }
}
