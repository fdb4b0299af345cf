//! Who may be considered at all: scope, lifecycle, purpose and the request's filters.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lifecycle::{Lifecycle, lifecycle};
use crate::query::Query;
use crate::record::Card;
use crate::trace::Filtered;

/// A record that is judged by its card, with what its path knows of it.
pub(crate) type Unjudged<T> = (Arc<Card>, T);

/// Drops what may not be considered, stage by stage, and adds to the count of each.
///
/// Of a record that replaces another one, and of the one that is replaced, both have to be there.
pub(crate) fn eligible<T>(
    mut records: Vec<Unjudged<T>>,
    query: &Query<'_>,
    filtered: &mut Filtered,
) -> Vec<Unjudged<T>> {
    let request = query.request;
    filtered.scope += drop_unless(&mut records, |card| request.sees(card, &query.places));
    filtered.lifecycle += drop_unless(&mut records, |card| {
        lifecycle(card, request.now) == Lifecycle::Active
            && card.confidence >= request.min_confidence
    });
    let superseded: BTreeSet<String> =
        records.iter().filter_map(|(card, _)| card.supersedes.clone()).collect();
    filtered.lifecycle += drop_unless(&mut records, |card| !superseded.contains(&card.id));
    filtered.purpose += drop_unless(&mut records, |card| request.serves(card.authority));
    filtered.request += drop_unless(&mut records, |card| {
        request.passes(card.place.scope(), card.kind, card.authority)
            && request.spans(card.observed)
            && request.tags.iter().all(|tag| card.tags.contains(tag))
    });
    records
}

fn drop_unless<T>(records: &mut Vec<Unjudged<T>>, keep: impl Fn(&Card) -> bool) -> usize {
    let before = records.len();
    records.retain(|(card, _)| keep(card));
    before - records.len()
}
