//! A record as a reference block shows it: what depends on the record alone, worked out once.

use crate::context::{characters, freshness_label, line_head, line_tail};
use crate::instant::Millis;
use crate::record::Record;
use crate::text::label;

/// A record with the parts of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The record.
    pub record: Record,
    /// Whether its content or its source hides text.
    pub hides_text: bool,
    /// The form in which its content counts as equal to another.
    label: String,
    head: String,
    tail: String,
    characters: usize,
}

impl Shown {
    /// Works out a record's line.
    pub fn new(record: Record) -> Self {
        let (head, tail) = (line_head(&record), line_tail(&record, &record.content));
        Self {
            hides_text: record.hides_text(),
            label: label(&record.content),
            characters: characters(&head) + characters(&tail),
            head,
            tail,
            record,
        }
    }

    /// Whether its content counts as equal to another's.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.label == other.label
    }

    /// The characters of its line.
    pub(crate) fn characters(&self, now: Millis) -> usize {
        self.characters + freshness_label(&self.record.card, now).len()
    }

    /// Its line.
    pub(crate) fn line(&self, now: Millis) -> String {
        [&self.head, freshness_label(&self.record.card, now), &self.tail].concat()
    }
}
