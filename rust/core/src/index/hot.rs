//! The index's postings in memory: read from its rows in steps, and kept in line with every snapshot.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::changes;
use super::standing::Standing;
use crate::error::{Error, Result};
use crate::postings::{self, Full, Hot, Postings};
use crate::record::Record;
use crate::request::Request;
use crate::retrieve::{Outcome, retrieve};
use crate::shown::Shown;
use crate::tokens::Tokenizer;

/// More changed rows than this are read by the one who fills, not by a recall.
const FEW: usize = 256;
/// After so many changes the memory is counted anew.
const UNCOUNTED: usize = 1_024;
/// Records that were selected lately are kept as they are shown, so many bytes of JSON in each of two halves.
const RECENT_BYTES: usize = 1 << 20;

/// How far the postings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmth {
    /// None are to be kept.
    Off,
    /// They are being read; recall goes through the file.
    Filling,
    /// They answer.
    Ready,
    /// They would take more memory than they may; recall goes through the file.
    TooLarge,
}

/// The postings of an open index, shared by threads.
#[derive(Debug)]
pub(super) struct Memory {
    tokenizer: Tokenizer,
    limit: AtomicUsize,
    held: RwLock<Held>,
}

/// Postings that show the rows as of a sequence of changes, up to a row.
#[derive(Debug, Default)]
struct Held {
    postings: Postings,
    sequence: i64,
    /// The last row that was read; `None` when all were.
    reading: Option<i64>,
    started: bool,
    too_large: bool,
    bytes: usize,
    uncounted: usize,
    recent: Mutex<Recent>,
}

/// Records by row, the older half forgotten when the newer one is full.
#[derive(Debug, Default)]
struct Recent {
    newer: BTreeMap<i64, Found>,
    older: BTreeMap<i64, Found>,
    bytes: usize,
}

type Found = (Arc<Shown>, Arc<[u8]>);

impl Memory {
    /// Of no postings yet, and for none.
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, limit: AtomicUsize::new(0), held: RwLock::default() }
    }

    /// Lets the postings take so many bytes; 0 keeps none.
    pub(super) fn limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        self.clear();
    }

    /// Drops all that is there; it may be read again.
    pub(super) fn clear(&self) {
        *self.write() = Held::default();
    }

    /// How far the postings are, how many records they have, and the bytes that they take.
    pub(super) fn state(&self) -> (Warmth, usize, usize) {
        let held = self.read();
        (self.warmth(&held), held.postings.records(), held.bytes)
    }

    fn warmth(&self, held: &Held) -> Warmth {
        match held.reading {
            _ if self.limit.load(Ordering::Relaxed) == 0 => Warmth::Off,
            _ if held.too_large => Warmth::TooLarge,
            None if held.started => Warmth::Ready,
            _ => Warmth::Filling,
        }
    }

    /// Reads up to `most` more rows of a snapshot; whether there is more to do.
    pub(super) fn fill(&self, connection: &Connection, most: usize) -> Result<bool> {
        let mut held = self.write();
        if matches!(self.warmth(&held), Warmth::Off | Warmth::TooLarge) {
            return Ok(false);
        }
        if held.started && changes::sequence(connection)? < held.sequence {
            // Another thread has read a newer snapshot meanwhile.
            return Ok(true);
        }
        held.or_nothing(|held| {
            if !held.started || !held.follow(connection, usize::MAX)? {
                held.restart(connection, self.tokenizer)?;
            }
            held.read_more(connection, most)?;
            if held.postings.is_worn() {
                held.restart(connection, self.tokenizer)?;
            }
            held.count();
            Ok(())
        })?;
        self.require_room(&mut held);
        Ok(held.reading.is_some())
    }

    /// Answers from memory, if the postings can be what the snapshot is, whose sequence is known.
    pub(super) fn retrieve(
        &self,
        connection: &Connection,
        sequence: i64,
        request: &Request,
    ) -> Result<Option<Outcome<Arc<[u8]>>>> {
        if !self.follows(connection, sequence)? {
            return Ok(None);
        }
        let Ok(held) = self.held.try_read() else { return Ok(None) };
        if held.sequence != sequence || self.warmth(&held) != Warmth::Ready {
            return Ok(None);
        }
        let find = |row| held.record(connection, row);
        retrieve(request, &mut Hot { postings: &held.postings, find }).map(Some)
    }

    /// Brings ready postings in line with a snapshot, where few rows differ.
    fn follows(&self, connection: &Connection, sequence: i64) -> Result<bool> {
        {
            let Ok(held) = self.held.try_read() else { return Ok(false) };
            if self.warmth(&held) != Warmth::Ready || held.sequence >= sequence {
                return Ok(self.warmth(&held) == Warmth::Ready && held.sequence == sequence);
            }
        }
        let Ok(mut held) = self.held.try_write() else { return Ok(false) };
        if self.warmth(&held) != Warmth::Ready {
            return Ok(false);
        }
        let followed =
            held.or_nothing(|held| Ok(held.sequence >= sequence || held.follow(connection, FEW)?))?;
        if held.uncounted > UNCOUNTED {
            held.count();
        }
        self.require_room(&mut held);
        if !followed || held.postings.is_worn() {
            held.reading.get_or_insert(i64::MAX);
        }
        Ok(self.warmth(&held) == Warmth::Ready)
    }

    /// Drops postings that take more than they may.
    fn require_room(&self, held: &mut Held) {
        if held.bytes > self.limit.load(Ordering::Relaxed) || held.too_large {
            *held = Held { too_large: true, ..Held::default() };
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Does some work on it, and drops what a failure left half done.
    fn or_nothing<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = work(self);
        if result.is_err() {
            *self = Self::default();
        }
        result
    }

    /// Begins to read all rows of a snapshot.
    fn restart(&mut self, connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
        let sequence = changes::sequence(connection)?;
        let postings = Postings::new(tokenizer);
        let reading = Some(i64::MIN);
        *self = Self { postings, sequence, reading, started: true, ..Self::default() };
        Ok(())
    }

    /// Puts in what has changed, if those are at most `most` rows and the log of changes tells all of them.
    fn follow(&mut self, connection: &Connection, most: usize) -> Result<bool> {
        let Some(rows) = changes::changes(connection, self.sequence)? else { return Ok(false) };
        if rows.len() > most {
            return Ok(false);
        }
        let mut find =
            connection.prepare_cached("SELECT row, standing, json FROM record WHERE row = ?1")?;
        for row in rows {
            self.recent.get_mut().unwrap_or_else(PoisonError::into_inner).forget(row);
            if self.reading.is_some_and(|last| last < row) {
                continue;
            }
            self.postings.remove(number(row)?);
            find.query_row([row], |columns| Ok(self.put(columns))).optional()?.transpose()?;
        }
        self.sequence = changes::sequence(connection)?;
        Ok(true)
    }

    fn read_more(&mut self, connection: &Connection, most: usize) -> Result<()> {
        let Some(after) = self.reading else { return Ok(()) };
        let mut next = connection.prepare_cached(
            "SELECT row, standing, json FROM record WHERE row > ?1 ORDER BY row LIMIT ?2",
        )?;
        let mut rows = next.query((after, i64::try_from(most).unwrap_or(i64::MAX)))?;
        let mut read = 0;
        while let Some(columns) = rows.next()? {
            self.put(columns)?;
            self.reading = Some(columns.get(0)?);
            read += 1;
        }
        if read < most {
            self.reading = None;
        }
        Ok(())
    }

    fn put(&mut self, columns: &Row<'_>) -> Result<()> {
        let standing = match columns.get(1)? {
            Standing::Plain(..) => postings::Standing::Plain,
            Standing::Special => postings::Standing::Special,
            Standing::Ended => postings::Standing::Ended,
        };
        let record = parse(columns.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?)?;
        self.uncounted += 1;
        if self.postings.put(number(columns.get(0)?)?, record, standing) == Err(Full) {
            self.too_large = true;
        }
        Ok(())
    }

    fn count(&mut self) {
        self.bytes = self.postings.bytes();
        self.uncounted = 0;
    }

    /// The record of a row, as it was read lately or as it lies in the snapshot.
    fn record(&self, connection: &Connection, row: i64) -> Result<Found> {
        let recent = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = recent().get(row) {
            return Ok(found);
        }
        let mut find = connection.prepare_cached("SELECT json FROM record WHERE row = ?1")?;
        let json: Vec<u8> = find.query_row([row], |columns| columns.get(0))?;
        let found: Found = (Arc::new(Shown::new(parse(&json)?)), json.into());
        recent().keep(row, &found);
        Ok(found)
    }
}

impl Recent {
    fn get(&mut self, row: i64) -> Option<Found> {
        if let Some(found) = self.newer.get(&row) {
            return Some(found.clone());
        }
        let found = self.older.remove(&row)?;
        self.keep(row, &found);
        Some(found)
    }

    fn keep(&mut self, row: i64, found: &Found) {
        if self.bytes + found.1.len() > RECENT_BYTES {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes += found.1.len();
        self.newer.insert(row, found.clone());
    }

    fn forget(&mut self, row: i64) {
        self.newer.remove(&row);
        self.older.remove(&row);
    }
}

/// What a row holds was canonical JSON when it was written.
fn parse(json: &[u8]) -> Result<Record> {
    Record::parse(json).map_err(|error| Error::IndexCorrupt { reason: error.to_string() })
}

fn number(row: i64) -> Result<u32> {
    u32::try_from(row)
        .map_err(|_| Error::IndexCorrupt { reason: "its row numbers are out of range".to_owned() })
}
