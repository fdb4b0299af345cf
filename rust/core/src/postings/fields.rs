//! Fields: the visible segments, and which documents of each a request may have.

use std::borrow::Cow;
use std::sync::Arc;

use super::Postings;
use super::filters::{Filters, Stage};
use super::lists::{Doc, Words, docs, set};
use super::partition::Partition;
use super::segment::Segment;
use crate::eligibility::{Unjudged, eligible};
use crate::query::Query;
use crate::relevance::Statistics;
use crate::scope::Scope;
use crate::trace::Filtered;

/// A segment, and who of it is eligible.
pub(super) struct Field<'a> {
    pub(super) segment: &'a Segment,
    pub(super) eligible: Cow<'a, [Words]>,
}

/// All that the request may have, and the counts of what it may not.
pub(super) struct Fields<'a> {
    pub(super) all: Vec<Field<'a>>,
    pub(super) filtered: Filtered,
    pub(super) statistics: Statistics,
}

impl<'a> Fields<'a> {
    pub(super) fn of(postings: &'a Postings, query: &Query<'_>) -> Self {
        let filters = Filters::new(query, &postings.terms);
        let (filtered, statistics) = (Filtered::default(), Statistics::new(0));
        let mut fields = Self { all: Vec::new(), filtered, statistics };
        let mut special = Vec::new();
        let mut visible = 0;
        for place in &query.places {
            let owner = (query.request.owner().to_owned(), place.key());
            if let Some(&number) = postings.numbers.get(&owner) {
                let partition = &postings.partitions[number as usize];
                visible += partition.len();
                fields.add(partition, place.scope(), &filters, &mut special);
            }
        }
        fields.filtered.scope = postings.records - visible;
        for (_, (field, doc)) in eligible(special, query, &mut fields.filtered) {
            fields.add_special(field, doc);
        }
        fields
    }

    fn add(
        &mut self,
        partition: &'a Partition,
        scope: Scope,
        filters: &Filters<'_>,
        special: &mut Vec<Unjudged<(usize, Doc)>>,
    ) {
        filters.count(partition, scope, &mut self.filtered);
        if !filters.looks_at_each() {
            for (&(authority, kind), group) in &partition.plain {
                if filters.group_stage(scope, kind, authority) == Stage::None {
                    self.statistics.records += group.records;
                    self.statistics.length += group.length;
                }
            }
        }
        for (number, segment) in partition.segments.iter().enumerate() {
            let cards = partition.special_in(number);
            special.extend(cards.map(|(doc, card)| (Arc::clone(card), (self.all.len(), doc))));
            let (among, all) = filters.considered(segment);
            let eligible =
                if all { Cow::Borrowed(among) } else { passing(filters, segment).into() };
            if filters.looks_at_each() {
                for doc in docs(&eligible) {
                    self.statistics.records += 1;
                    self.statistics.length += segment.length(doc);
                }
            }
            self.all.push(Field { segment, eligible });
        }
    }

    fn add_special(&mut self, field: usize, doc: Doc) {
        if let Some(field) = self.all.get_mut(field) {
            set_in(&mut field.eligible, doc);
            self.statistics.records += 1;
            self.statistics.length += field.segment.length(doc);
        }
    }
}

fn set_in(eligible: &mut Cow<'_, [Words]>, doc: Doc) {
    let mut words = std::mem::take(eligible).into_owned();
    set(&mut words, doc);
    *eligible = Cow::Owned(words);
}

/// The plain documents that the request's filters pass, each as a bit.
fn passing(filters: &Filters<'_>, segment: &Segment) -> Vec<Words> {
    let mut passing = Vec::new();
    for doc in docs(segment.plain()).filter(|&doc| filters.stage_of(segment, doc) == Stage::None) {
        set(&mut passing, doc);
    }
    passing
}
