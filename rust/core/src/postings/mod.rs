//! Postings in memory: the hot path. Which records hold each term, by the place that they belong to.
//!
//! ```text
//! Postings ─ one Partition for each place and agent   whom a request may see decides what is read at all
//!              ─ Segments of at most 65,536 documents  entries, and for each term the documents that hold it
//! ```
//!
//! A record that changes comes anew, and its former document is taken out of all answers. What lies here
//! was read from the index, and is dropped and read again rather than put in order.

mod answering;
mod best;
mod bounds;
mod fields;
mod filters;
mod lists;
mod partition;
mod path;
mod planes;
mod scan;
mod segment;
mod sought;
mod terms;
#[cfg(test)]
mod tests;
mod texts;
mod vocabulary;
mod weighed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::record::{Card, Record};
use crate::tokens::{TokenKey, Tokenizer};

use partition::Partition;
use segment::Entry;
use terms::Terms;

pub(crate) use path::Hot;

/// More rows than there is room for: their locations alone would take a gigabyte.
const MOST_ROWS: u32 = 1 << 26;
/// Of the tree that finds a partition, for each of them, about.
const NODE_BYTES: usize = 96;

/// What has to be looked at of a record that is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing but the request.
    Plain,
    /// The record itself: time, another record or an agent has a say.
    Special,
    /// Nothing: it can never be active again.
    Ended,
}

/// There is no room for more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Where the record of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    Nowhere,
    In { partition: u32, place: partition::Place },
    Ended { partition: u32 },
}

/// The postings of the records of one index.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    tokenizer: Tokenizer,
    terms: Terms,
    partitions: Vec<Partition>,
    /// The number of each agent's place; nobody is "".
    numbers: BTreeMap<(String, String), u32>,
    locations: Vec<Location>,
    records: usize,
    gone: usize,
}

impl Postings {
    /// Of no records yet.
    pub(crate) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, terms: Terms::new(tokenizer), ..Self::default() }
    }

    /// Puts the record of a row in the place of what the row was before.
    pub(crate) fn put(&mut self, row: u32, record: Record, standing: Standing) -> Result<(), Full> {
        self.remove(row);
        if row >= MOST_ROWS {
            return Err(Full);
        }
        let partition = self.partition(&record.card).ok_or(Full)?;
        let location = if standing == Standing::Ended {
            self.partitions[partition as usize].ended += 1;
            Location::Ended { partition }
        } else {
            let (terms, length) = self.terms_of(&record).ok_or(Full)?;
            let card = Arc::new(record.card);
            let entry = Entry { traits: card.traits(), row };
            let plain = standing == Standing::Plain;
            let into = &mut self.partitions[partition as usize];
            let place = into.push(&card, entry, (&terms, length), plain).ok_or(Full)?;
            Location::In { partition, place }
        };
        let at = row as usize;
        if self.locations.len() <= at {
            self.locations.resize(at + 1, Location::Nowhere);
        }
        self.locations[at] = location;
        self.records += 1;
        Ok(())
    }

    /// Takes out the record of a row, if there is one.
    pub(crate) fn remove(&mut self, row: u32) {
        let Some(location) = self.locations.get_mut(row as usize) else { return };
        match std::mem::replace(location, Location::Nowhere) {
            Location::Nowhere => return,
            Location::In { partition, place } => {
                self.partitions[partition as usize].remove(place);
                self.gone += 1;
            }
            Location::Ended { partition } => self.partitions[partition as usize].ended -= 1,
        }
        self.records -= 1;
    }

    /// Whether so many documents are gone that it is better read anew.
    pub(crate) fn is_worn(&self) -> bool {
        self.gone > self.records.max(4_096)
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// Bytes that it holds; takes a moment.
    pub(crate) fn bytes(&self) -> usize {
        self.terms.bytes()
            + self.partitions.iter().map(Partition::bytes).sum::<usize>()
            + self.partitions.capacity() * size_of::<Partition>()
            + self
                .numbers
                .keys()
                .map(|(agent, key)| agent.len() + key.len() + NODE_BYTES)
                .sum::<usize>()
            + self.locations.capacity() * size_of::<Location>()
    }

    fn partition(&mut self, card: &Card) -> Option<u32> {
        let owner = (card.owner().to_owned(), card.place.key());
        if let Some(&number) = self.numbers.get(&owner) {
            return Some(number);
        }
        let number = u32::try_from(self.partitions.len()).ok()?;
        self.partitions.push(Partition::default());
        self.numbers.insert(owner, number);
        Some(number)
    }

    /// The distinct terms of a record, and how many of them are its search tokens.
    fn terms_of(&mut self, record: &Record) -> Option<(Vec<terms::Term>, u16)> {
        let mut terms = Vec::new();
        let mut characters = BTreeSet::new();
        let mut full = false;
        record.each_token(self.tokenizer, |token| {
            match self.terms.intern(token) {
                Some(term) => terms.push(term),
                None => full = true,
            }
            if self.tokenizer == Tokenizer::V2 {
                characters.extend(token.characters());
            }
        });
        let length = u16::try_from(terms.len()).unwrap_or(u16::MAX);
        for character in characters {
            terms.push(self.terms.intern(TokenKey::character(character))?);
        }
        let tags = record.card.tags.iter().map(|tag| self.terms.intern_tag(tag));
        let mut tags: Vec<terms::Term> = tags.collect::<Option<_>>()?;
        tags.sort_unstable();
        tags.dedup();
        terms.extend(tags);
        (!full).then_some((terms, length))
    }
}
