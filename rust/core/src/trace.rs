//! The bounded account of one retrieval: no content, no query text, no id of an unauthorised record.

use serde::Serialize;

use crate::features::{Features, Weights};

use crate::relevance::RelevanceMode;

/// Most entries of each list in a trace.
pub(crate) const MOST_LISTED: usize = 64;

/// Lists an id, if there is room for one more.
pub(crate) fn list(ids: &mut Vec<String>, id: &str) {
    if ids.len() < MOST_LISTED {
        ids.push(id.to_owned());
    }
}

/// Which path answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Mode {
    /// The index proposed candidates, by its file or by its postings in memory.
    #[serde(rename = "sqlite-fts5")]
    Fts5,
    /// Every record that was handed over was judged.
    #[serde(rename = "filesystem-fallback")]
    Filesystem,
}

/// What proposed a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// Its words, found in the index.
    Fts5,
    /// The canonical files, which propose every record.
    Filesystem,
    /// Its type or a tag alone, found in the index.
    TypeAffinity,
}

/// How many records each stage dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Filtered {
    /// Not the request's to see.
    pub scope: usize,
    /// Not active, not confident enough, or superseded.
    pub lifecycle: usize,
    /// Directives, where the purpose is injection.
    pub purpose: usize,
    /// By the request's own filters.
    pub request: usize,
    /// Not admitted.
    pub irrelevant: usize,
}

/// One admitted candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    /// The record's id.
    pub memory_id: String,
    /// What proposed it.
    pub channel: Channel,
    /// Its features, with the final score.
    pub features: Scored,
    /// Whether it was selected.
    pub selected: bool,
}

/// Features and the final score they add up to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scored {
    /// The features.
    #[serde(flatten)]
    pub features: Features,
    /// Their clamped weighted sum.
    pub final_score: f64,
}

/// What the words of a query were weighed by: counts of eligible records, and the levels of admission.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Weighing {
    /// The eligible records.
    pub records: usize,
    /// Their distinct units together.
    pub units: usize,
    /// Of each unit of the query, in its order, how many match it.
    pub holders: Vec<usize>,
    /// The best lexical of all eligible records; 0 where it does not reach the floor.
    pub best: f64,
    /// What the best lexical has to reach.
    pub floor: f64,
    /// What others need of the best.
    pub relative_floor: f64,
    /// What others need at least, of the floor.
    pub following_floor: f64,
}

/// The account of one retrieval.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// `now`, as it was given.
    pub timestamp: String,
    /// Which path answered.
    pub mode: Mode,
    /// Distinct query tokens used.
    pub query_token_count: usize,
    /// Whether the query had more.
    pub query_tokens_truncated: bool,
    /// Records that were left to be ranked.
    pub candidate_count: usize,
    /// Records that each stage dropped.
    pub filtered: Filtered,
    /// The first admitted candidates, best first.
    pub rankings: Vec<Ranking>,
    /// The selected records, best first.
    pub selected_ids: Vec<String>,
    /// Skipped: equal in content to a selected one.
    pub duplicate_ids: Vec<String>,
    /// Skipped: did not fit the character budget.
    pub excluded_by_prompt_budget: Vec<String>,
    /// Selected with their content cut.
    pub truncated_ids: Vec<String>,
    /// Selected with hidden characters in their content or source.
    pub hidden_text_ids: Vec<String>,
    /// Characters of the context block.
    pub selected_characters: usize,
    /// Most records.
    pub record_limit: u64,
    /// Most characters.
    pub prompt_character_budget: usize,
    /// The weights of the final score.
    pub ranking_weights: Weights,
    /// The named rule of relevance.
    pub relevance_mode: RelevanceMode,
    /// The rules that made the tokens.
    pub tokenizer_version: &'static str,
    /// What the query's words were weighed by, where the mode weighs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighing: Option<Weighing>,
}
