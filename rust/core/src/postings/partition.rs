//! A partition: the records of one place and one agent, or of none.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lists::Doc;
use super::segment::{Entry, MOST_DOCS, Segment};
use super::terms::Term;
use crate::record::{Authority, Card, MemoryType};

/// A document of a partition, by its number there.
pub(super) type Place = u32;

/// Plain records that are alike in what filters ask, counted.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Group {
    pub(super) records: usize,
    /// Their search tokens together.
    pub(super) length: usize,
}

/// Segments, and what is known of their records beside the postings.
#[derive(Debug, Default)]
pub(super) struct Partition {
    pub(super) segments: Vec<Segment>,
    /// The records that are looked at themselves, by number.
    pub(super) special: BTreeMap<Place, Arc<Card>>,
    /// The plain records of each authority and type.
    pub(super) plain: BTreeMap<(Authority, MemoryType), Group>,
    /// How many records can never be active again; they are in no segment.
    pub(super) ended: usize,
}

impl Partition {
    /// All records, the ended ones included.
    pub(super) fn len(&self) -> usize {
        self.ended
            + self.special.len()
            + self.plain.values().map(|group| group.records).sum::<usize>()
    }

    /// Adds a record that needs no look of its own, or has to be looked at; `None` where there is no room.
    pub(super) fn push(
        &mut self,
        card: &Arc<Card>,
        entry: Entry,
        (terms, length): (&[Term], u16),
        plain: bool,
    ) -> Option<Place> {
        if self.segments.last().is_none_or(Segment::is_full) {
            // Most partitions never have another one.
            self.segments.reserve_exact(1);
            self.segments.push(Segment::default());
        }
        let segment = self.segments.len() - 1;
        let doc = self.segments.last_mut()?.push(&card.id, entry, (terms, length), plain)?;
        let place = u32::try_from(segment * MOST_DOCS).ok()? + u32::from(doc);
        if plain {
            let group = self.plain.entry((card.authority, card.kind)).or_default();
            group.records += 1;
            group.length += usize::from(length);
        } else {
            self.special.insert(place, Arc::clone(card));
        }
        Some(place)
    }

    /// Takes a record out of all answers.
    pub(super) fn remove(&mut self, place: Place) {
        let (segment, doc) = parts(place);
        let Some(segment) = self.segments.get_mut(segment) else { return };
        segment.remove(doc);
        if self.special.remove(&place).is_some() {
            return;
        }
        let length = segment.length(doc);
        let Some(&Entry { traits, .. }) = segment.entry(doc) else { return };
        if let Some(group) = self.plain.get_mut(&(traits.authority, traits.kind)) {
            group.records = group.records.saturating_sub(1);
            group.length = group.length.saturating_sub(length);
        }
    }

    /// The special documents of a segment, with what they are judged by.
    pub(super) fn special_in(&self, segment: usize) -> impl Iterator<Item = (Doc, &Arc<Card>)> {
        let first = u32::try_from(segment * MOST_DOCS).unwrap_or(u32::MAX);
        let last = first.saturating_add(u32::from(Doc::MAX));
        self.special.range(first..=last).map(|(&place, card)| (parts(place).1, card))
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        // Of a card and its texts, about; there are few.
        const CARD: usize = size_of::<Card>() + 512;
        // Of the small trees, and of what an allocator adds to a dozen small pieces.
        const REST: usize = 128;
        let segments = self.segments.iter().map(Segment::bytes).sum::<usize>();
        let own = self.segments.capacity() * size_of::<Segment>();
        segments + own + REST + self.special.len() * CARD
    }
}

/// The segment and the number in it.
pub(super) fn parts(place: Place) -> (usize, Doc) {
    let doc = Doc::try_from(place % (1 << Doc::BITS)).unwrap_or_default();
    ((place >> Doc::BITS) as usize, doc)
}
