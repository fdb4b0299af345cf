//! The pipeline: from candidates to a context block and its trace, in the order in which it is described.

use std::collections::BTreeSet;

use crate::admission::Admission;
use crate::budget::{self, Selection};
use crate::candidate::{Candidate, Measured};
use crate::error::Result;
use crate::features::Features;
use crate::hints::{self, Hints};
use crate::lifecycle::{Lifecycle, lifecycle};
use crate::rank::{self, WEIGHTS};
use crate::record::{Card, Record};
use crate::request::Request;
use crate::scope::Place;
use crate::tokens::{QUERY_TOKENS, SearchTokens, TOKENIZER_VERSION, search_tokens};
use crate::trace::{Channel, Filtered, MOST_LISTED, Mode, Ranking, Scored, Trace};

/// A request with everything that follows from it alone.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    /// The request.
    pub request: &'a Request,
    /// Its search tokens.
    pub tokens: SearchTokens,
    /// The hints it gives.
    pub hints: Hints,
    /// Its rule of admission.
    pub admission: Admission,
    /// The places it may see.
    pub places: Vec<Place>,
}

impl<'a> Query<'a> {
    /// Reads the request's words and scope once.
    pub(crate) fn new(request: &'a Request) -> Self {
        Self {
            request,
            tokens: search_tokens(&request.query, QUERY_TOKENS),
            hints: hints::hinted(&request.query),
            admission: Admission::new(request.relevance_mode, &request.query),
            places: request.places(),
        }
    }
}

/// Where candidates come from.
pub(crate) trait Path {
    /// Which path it is.
    const MODE: Mode;

    /// What the caller gets to know a selected record by.
    type Origin;

    /// What proposed a candidate that holds `hits` query tokens.
    fn channel(hits: usize) -> Channel;

    /// Every record that could be admitted, and a count of all others by the stage that drops them.
    fn candidates(&mut self, query: &Query<'_>) -> Result<(Vec<Candidate>, Filtered)>;

    /// The whole record behind a candidate.
    fn record(&mut self, key: usize) -> Result<(Record, Self::Origin)>;
}

/// What one retrieval found.
#[derive(Debug)]
pub struct Outcome<O> {
    /// The selected records with their content as it was cut, and the context block.
    pub selection: Selection<O>,
    /// Why.
    pub trace: Trace,
}

/// Runs the pipeline over one path; under a disabled policy no record enters it.
pub(crate) fn retrieve<P: Path>(request: &Request, path: &mut P) -> Result<Outcome<P::Origin>> {
    let query = Query::new(request);
    let (candidates, uncounted) =
        if request.policy.enabled { path.candidates(&query)? } else { Default::default() };
    let (eligible, mut filtered) = eligible(candidates, &query, uncounted);
    let candidate_count = eligible.len() + filtered.irrelevant;
    let ranked = ranked(measured(eligible, &query));
    let admitted = admitted(ranked, &query, &mut filtered);
    let selection = budget::select(&admitted, request, |key| path.record(key))?;
    let trace = account::<P>(&query, candidate_count, filtered, &admitted, &selection);
    Ok(Outcome { selection, trace })
}

/// Drops what may not be considered, stage by stage, and adds to the count of each.
fn eligible(
    mut candidates: Vec<Candidate>,
    query: &Query<'_>,
    mut filtered: Filtered,
) -> (Vec<Candidate>, Filtered) {
    let request = query.request;
    filtered.scope += drop_unless(&mut candidates, |card| request.sees(card, &query.places));
    filtered.lifecycle += drop_unless(&mut candidates, |card| {
        lifecycle(card, request.now) == Lifecycle::Active
            && card.confidence >= request.min_confidence
    });
    let superseded: BTreeSet<String> =
        candidates.iter().filter_map(|candidate| candidate.card.supersedes.clone()).collect();
    filtered.lifecycle += drop_unless(&mut candidates, |card| !superseded.contains(&card.id));
    filtered.purpose += drop_unless(&mut candidates, |card| request.serves(card.authority));
    filtered.request += drop_unless(&mut candidates, |card| {
        request.passes(card.place.scope(), card.kind, card.authority)
            && request.tags.iter().all(|tag| card.tags.contains(tag))
    });
    (candidates, filtered)
}

fn drop_unless(candidates: &mut Vec<Candidate>, keep: impl Fn(&Card) -> bool) -> usize {
    let before = candidates.len();
    candidates.retain(|candidate| keep(&candidate.card));
    before - candidates.len()
}

/// Gives every candidate its features and final score.
fn measured(candidates: Vec<Candidate>, query: &Query<'_>) -> Vec<Measured> {
    let asked = query.tokens.tokens.len();
    let measure = |candidate: Candidate| {
        let (card, now) = (&candidate.card, query.request.now);
        let features = Features::measure(card, candidate.hits, asked, query.hints, now);
        let scored = Scored { features, final_score: rank::final_score(&features, &WEIGHTS) };
        Measured { candidate, scored }
    };
    candidates.into_iter().map(measure).collect()
}

/// Puts the measured in their total order.
fn ranked(mut measured: Vec<Measured>) -> Vec<Measured> {
    measured.sort_by(|a, b| {
        let key = |one: &Measured| one.scored.final_score;
        rank::order((&a.candidate.card, key(a)), (&b.candidate.card, key(b)))
    });
    measured
}

/// Drops the irrelevant, and adds to their count.
fn admitted(
    mut ranked: Vec<Measured>,
    query: &Query<'_>,
    filtered: &mut Filtered,
) -> Vec<Measured> {
    let all = ranked.len();
    ranked.retain(|one| query.admission.admits(&one.scored.features));
    filtered.irrelevant += all - ranked.len();
    ranked
}

fn account<P: Path>(
    query: &Query<'_>,
    candidate_count: usize,
    filtered: Filtered,
    admitted: &[Measured],
    selection: &Selection<P::Origin>,
) -> Trace {
    let selected: BTreeSet<&str> =
        selection.taken.iter().map(|taken| taken.record.card.id.as_str()).collect();
    let ranking = |one: &Measured| Ranking {
        memory_id: one.candidate.card.id.clone(),
        channel: P::channel(one.candidate.hits),
        features: one.scored,
        selected: selected.contains(one.candidate.card.id.as_str()),
    };
    Trace {
        timestamp: query.request.timestamp.clone(),
        mode: P::MODE,
        query_token_count: query.tokens.tokens.len(),
        query_tokens_truncated: query.tokens.truncated,
        candidate_count,
        filtered,
        rankings: admitted.iter().take(MOST_LISTED).map(ranking).collect(),
        selected_ids: selection.taken.iter().map(|taken| taken.record.card.id.clone()).collect(),
        duplicate_ids: selection.duplicates.clone(),
        excluded_by_prompt_budget: selection.excluded.clone(),
        truncated_ids: selection.ids(|taken| taken.cut),
        hidden_text_ids: selection.ids(|taken| taken.hides_text),
        selected_characters: selection.characters,
        record_limit: query.request.record_limit(),
        prompt_character_budget: query.request.character_budget,
        ranking_weights: WEIGHTS,
        relevance_mode: query.request.relevance_mode,
        tokenizer_version: TOKENIZER_VERSION,
    }
}
