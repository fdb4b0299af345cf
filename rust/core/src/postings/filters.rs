//! Which plain documents a request may have, and the stages that drop the others.

use super::lists::{Doc, Words, docs};
use super::partition::Partition;
use super::segment::{Entry, Segment};
use super::terms::{Term, Terms};
use crate::query::Query;
use crate::record::{Authority, MemoryType};
use crate::scope::Scope;
use crate::trace::Filtered;

/// The stage that drops a plain record, besides relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Lifecycle,
    Purpose,
    Request,
    None,
}

/// What a request asks of plain documents, besides its words.
pub(super) struct Filters<'q> {
    query: &'q Query<'q>,
    /// The terms of the tags asked for; `None` where no record carries one of them.
    tags: Option<Vec<Term>>,
}

impl<'q> Filters<'q> {
    pub(super) fn new(query: &'q Query<'q>, terms: &Terms) -> Self {
        let tags = query.request.tags.iter().map(|tag| terms.find_tag(tag)).collect();
        Self { query, tags }
    }

    /// The documents among which to search, and whether the request may have all of them.
    pub(super) fn considered<'a>(&self, segment: &'a Segment) -> (&'a [Words], bool) {
        let request = self.query.request;
        let filters =
            [request.scopes.is_some(), request.types.is_some(), request.authorities.is_some()];
        if self.looks_at_each() || filters.contains(&true) {
            (segment.plain(), false)
        } else if request.serves(Authority::Directive) {
            (segment.plain(), true)
        } else {
            (segment.evidence(), true)
        }
    }

    /// Whether the request asks for what only the records themselves tell.
    pub(super) fn looks_at_each(&self) -> bool {
        self.query.request.min_confidence > 0.0 || self.query.request.picks()
    }

    /// Counts a partition's ended and plain records by the stage that drops them, as if none were admitted.
    pub(super) fn count(&self, partition: &Partition, scope: Scope, filtered: &mut Filtered) {
        filtered.lifecycle += partition.ended;
        if self.looks_at_each() {
            return self.count_each(partition, filtered);
        }
        for (&(authority, kind), group) in &partition.plain {
            let stage = self.group_stage(scope, kind, authority);
            *counter(filtered, stage) += group.records;
        }
    }

    fn count_each(&self, partition: &Partition, filtered: &mut Filtered) {
        for segment in &partition.segments {
            for doc in docs(segment.plain()) {
                let stage = self.stage_of(segment, doc);
                *counter(filtered, stage) += 1;
            }
        }
    }

    /// The stage that drops a plain document.
    pub(super) fn stage_of(&self, segment: &Segment, doc: Doc) -> Stage {
        let Some(Entry { traits, .. }) = segment.entry(doc) else { return Stage::Lifecycle };
        if traits.confidence < self.query.request.min_confidence {
            return Stage::Lifecycle;
        }
        match self.group_stage(traits.scope, traits.kind, traits.authority) {
            Stage::None if !self.query.request.spans(traits.observed) => Stage::Request,
            Stage::None if !self.carries_tags(segment, doc) => Stage::Request,
            stage => stage,
        }
    }

    /// The stage that drops plain records of such a kind, for all that their tags, time and confidence say.
    pub(super) fn group_stage(
        &self,
        scope: Scope,
        kind: MemoryType,
        authority: Authority,
    ) -> Stage {
        if !self.query.request.serves(authority) {
            Stage::Purpose
        } else if !self.query.request.passes(scope, kind, authority) {
            Stage::Request
        } else {
            Stage::None
        }
    }

    fn carries_tags(&self, segment: &Segment, doc: Doc) -> bool {
        self.tags.as_ref().is_some_and(|tags| tags.iter().all(|&tag| segment.holds(doc, tag)))
    }
}

fn counter(filtered: &mut Filtered, stage: Stage) -> &mut usize {
    match stage {
        Stage::Lifecycle => &mut filtered.lifecycle,
        Stage::Purpose => &mut filtered.purpose,
        Stage::Request => &mut filtered.request,
        Stage::None => &mut filtered.irrelevant,
    }
}
