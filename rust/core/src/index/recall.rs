//! Recall over the index: from memory where the postings are there, else through the file.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::candidates::Fts5;
use super::connections::{Reader, at_work};
use super::hot::Warmth;
use super::{Index, State, changes, schema};
use crate::error::{Error, Result};
use crate::request::Request;
use crate::retrieve::{Outcome, retrieve};

/// What a recall over the index gives: of each selected record, its canonical JSON.
pub type Recalled = Outcome<Arc<[u8]>>;

/// What a snapshot says of itself, and the version by which the connection tells it from others.
#[derive(Debug)]
pub(super) struct Seen {
    version: i64,
    sequence: i64,
    state: State,
}

impl Index {
    /// Recalls from one snapshot.
    pub fn retrieve(&self, request: &Request) -> Result<Recalled> {
        self.require_tokenizer(request)?;
        self.on_snapshot(|connection, seen| self.recalled(connection, seen, request))
    }

    /// Recalls from one snapshot, through the file whatever is in memory.
    pub fn retrieve_from_file(&self, request: &Request) -> Result<Recalled> {
        self.require_tokenizer(request)?;
        self.read(|connection| retrieve(request, &mut Fts5::new(connection)))
    }

    /// Recalls from one snapshot if it is known to be in line with the files in `folder`: every one was
    /// looked at, the folder is as the index knows it, and no writer is at work. Of a request for another
    /// tokenizer nothing is known.
    pub fn recall(&self, request: &Request, folder: &Path) -> Result<Option<Recalled>> {
        if request.tokenizer != self.settings.tokenizer || !self.is_current() {
            return Ok(None);
        }
        self.on_snapshot(|connection, seen| {
            let State { complete, folder: known, changing } = &seen.state;
            let in_line = *complete && !changing && *known == identity(folder);
            in_line.then(|| self.recalled(connection, seen, request)).transpose()
        })
    }

    fn require_tokenizer(&self, request: &Request) -> Result<()> {
        let (kept, asked) = (self.settings.tokenizer, request.tokenizer);
        if kept == asked {
            return Ok(());
        }
        let reason =
            format!("its tokens are {}'s, and {}'s were asked for", kept.name(), asked.name());
        Err(Error::IndexUnavailable { reason })
    }

    fn recalled(
        &self,
        connection: &Connection,
        seen: &Seen,
        request: &Request,
    ) -> Result<Recalled> {
        match self.memory.retrieve(connection, seen.sequence, request)? {
            Some(outcome) => Ok(outcome),
            None => retrieve(request, &mut Fts5::new(connection)),
        }
    }

    /// Lets the postings in memory take so many bytes; 0 keeps none. What was there is dropped.
    pub fn limit_memory(&self, bytes: usize) {
        self.memory.limit(bytes);
    }

    /// Reads up to `most` more records into memory; whether there is more to do.
    pub fn fill_memory(&self, most: usize) -> Result<bool> {
        self.read(|connection| self.memory.fill(connection, most))
    }

    /// How far the postings in memory are, how many records they have, and the bytes that they take.
    pub fn memory(&self) -> (Warmth, usize, usize) {
        self.memory.state()
    }

    /// Runs `work` in a read transaction, with what its snapshot says of itself.
    fn on_snapshot<T>(&self, work: impl FnOnce(&Connection, &Seen) -> Result<T>) -> Result<T> {
        let _at_work = at_work();
        self.connections.read(
            || self.reader(),
            |Reader { connection, seen }| {
                self.require_sides()?;
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
                let seen = self.seen(&transaction, seen)?;
                let result = work(&transaction, seen);
                transaction.finish()?;
                result
            },
        )
    }

    /// Asks the snapshot only where it is another one than the connection had last.
    fn seen<'s>(&self, connection: &Connection, seen: &'s mut Option<Seen>) -> Result<&'s Seen> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get::<_, i64>(0))?;
        if let Some(known) = seen.take_if(|seen| seen.version == version) {
            return Ok(seen.insert(known));
        }
        schema::require(connection, self.schema)?;
        let (sequence, state) = (changes::sequence(connection)?, State::of(connection)?);
        Ok(seen.insert(Seen { version, sequence, state }))
    }
}

/// Tells a state of a folder from others, as the store notes it in the index; none where there is no folder.
fn identity(folder: &Path) -> Option<String> {
    let found = folder.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    let nanoseconds = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
    Some(format!("{}:{}:{nanoseconds}", found.dev(), found.ino()))
}
