//! The documents that a query for nothing but a kind admits by it, on the path over postings in memory.

use super::lists::{Doc, docs, is_set};
use super::sought::Searched;
use super::weighed::Relevant;
use crate::hints::{Answering, best_answering};
use crate::query::Query;
use crate::relevance::{Held, Scoring};

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
    let mut found = Vec::new();
    for one in searched {
        found.extend(documents(query, one).map(|doc| (one, doc)));
    }
    let traits = |(one, doc): &(&Searched<'a>, Doc)| Some(one.field.segment.entry(*doc)?.traits);
    let best = best_answering(query, found.iter().filter_map(traits));
    let admission = Answering::below(query, best);
    let admits = |one: &(&Searched<'a>, Doc)| {
        traits(one).is_some_and(|traits| admission.admits(&query.score(&traits, 0.0).features))
    };
    let mut held = Held::default();
    let relevant = found.iter().filter(|one| admits(one)).filter_map(|(one, doc)| {
        one.held(*doc, &mut held);
        Relevant::of(one.field.segment, *doc, scoring.lexical(&held))
    });
    ByKind { relevant: relevant.collect(), best }
}

/// The eligible documents of a segment that may answer: of what is not plain, no bit says so.
fn documents(query: &Query<'_>, searched: &Searched<'_>) -> impl Iterator<Item = Doc> {
    let segment = searched.field.segment;
    let answering = segment.answering(query.hints);
    let may_answer = move |&doc: &Doc| is_set(&answering, doc) || !is_set(segment.plain(), doc);
    docs(&searched.field.eligible).filter(may_answer)
}
