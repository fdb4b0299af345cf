//! The documents that a query for nothing but a kind admits by it, on the path over postings in memory.

use super::lists::{Doc, docs, is_set};
use super::sought::Searched;
use super::weighed::Relevant;
use crate::features::Signals;
use crate::hints::{Answering, best_answering};
use crate::query::Query;
use crate::record::Traits;
use crate::relevance::Scoring;

/// What answers a query by its kind.
#[derive(Default)]
pub(super) struct ByKind<'a> {
    /// The documents, with their exact lexical.
    pub(super) relevant: Vec<Relevant<'a>>,
    /// The best score of all, words aside.
    pub(super) best: f64,
}

/// What answers by its kind; nothing where the query asks for something else, too.
pub(super) fn answering<'a>(
    query: &Query<'_>,
    searched: &[Searched<'a>],
    scoring: &Scoring<'_>,
) -> ByKind<'a> {
    if !query.kind_alone {
        return ByKind::default();
    }
    let found: Vec<(&Searched<'a>, Vec<Doc>)> =
        searched.iter().map(|one| (one, documents(query, one).collect())).collect();
    let traits =
        |one: &Searched<'a>, doc: Doc| one.field.segment.entry(doc).map(|entry| entry.traits);
    let all = found.iter().flat_map(|(one, docs)| docs.iter().filter_map(|&doc| traits(one, doc)));
    let best = best_answering(query, all);
    let admission = Answering::below(query, best);
    let admits =
        |traits: Traits| admission.admits(&query.score(&traits, Signals::default()).features);
    let mut relevant = Vec::new();
    for (one, mut docs) in found {
        docs.retain(|&doc| traits(one, doc).is_some_and(admits));
        one.each_held(&mut docs, |doc, held| {
            relevant.extend(Relevant::of(one.field.segment, doc, scoring.lexical(held)));
        });
    }
    ByKind { relevant, best }
}

/// The eligible documents of a segment that may answer: of what is not plain, no bit says so.
fn documents(query: &Query<'_>, searched: &Searched<'_>) -> impl Iterator<Item = Doc> {
    let segment = searched.field.segment;
    let answering = segment.answering(query.hints);
    let may_answer = move |&doc: &Doc| is_set(&answering, doc) || !is_set(segment.plain(), doc);
    docs(&searched.field.eligible).filter(may_answer)
}
