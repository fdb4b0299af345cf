//! The index: a rebuildable `SQLite` projection of the canonical store. All SQL is in this folder.
//!
//! It may lag behind the files, may be deleted, and is then rebuilt; it is never the truth. Readers work on
//! a snapshot and are not blocked by the one writer.

mod candidates;
mod census;
mod changes;
mod check;
mod connections;
mod eligible;
#[cfg(test)]
mod exactness;
mod file;
mod health;
mod hits;
mod hot;
mod log;
mod matches;
mod recall;
mod row_set;
mod rows;
mod schema;
mod standing;
mod vocabulary;
mod weighed;
mod words;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Error, Result};
use crate::tokens::Tokenizer;

use connections::{Connections, at_work, close_with_checkpoint, connect};

pub use connections::{after_fork_in_child, after_fork_in_parent, before_fork};
pub use health::{Counts, Page, State};
pub use hot::Warmth;
pub use recall::Recalled;
pub use schema::{SCHEMA_VERSION, noted_tokenizer};
pub use write::Change;

/// How long a statement waits for another process's lock.
const BUSY_SECONDS: u32 = 5;

/// How an index is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Whether commits survive the loss of power.
    pub durable: bool,
    /// What makes its tokens; one of another is not opened.
    pub tokenizer: Tokenizer,
}

/// An open index, shared by threads: one connection writes, and as many read as there are readers at once.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    file: file::Identity,
    sides: [file::Identity; 2],
    schema: i64,
    settings: Settings,
    connections: Arc<Connections<recall::Seen>>,
    memory: hot::Memory,
    log: log::Bound,
    closed: AtomicBool,
}

impl Index {
    /// Opens the index at `path`, creating an empty one where there is none.
    pub fn open(path: &Path, settings: Settings) -> Result<Self> {
        let _at_work = at_work();
        // An empty file becomes an index in one hand: whoever made the same at once would be told that
        // it is busy, without a wait.
        let empty = file::is_empty(path);
        let _lock = if empty { file::replacing(path) } else { file::opening(path) }?;
        Self::open_here(path, settings)
    }

    /// Puts an empty index in the place of what lies at `path`; others go on with what was there.
    ///
    /// An index of an older schema is kept beside it, anything else is removed.
    pub fn replace(path: &Path, settings: Settings) -> Result<Self> {
        let _at_work = at_work();
        let _replacing = file::replacing(path)?;
        if let Some(older) = schema::older(path) {
            file::keep(path, older)?;
        }
        file::remove(path)?;
        Self::open_here(path, settings)
    }

    fn open_here(path: &Path, settings: Settings) -> Result<Self> {
        file::create(path)?;
        file::require_files(path)?;
        if file::lost_its_log(path) {
            return Err(lost_log());
        }
        let file = file::identity(path);
        let writer = connect(path).map_err(|error| schema::told(path, error))?;
        let schema = match schema::prepare(&writer, settings) {
            Ok(schema) => schema,
            Err(error) => {
                // Refused as it is, with its log.
                close_with_checkpoint(&writer, file::log_length(path) == 0)?;
                return Err(error);
            }
        };
        close_with_checkpoint(&writer, true)?;
        if file.is_none() || file::identity(path) != file {
            return Err(replaced());
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            sides: file::sides(path),
            schema,
            settings,
            connections: Connections::new(writer),
            memory: hot::Memory::new(settings.tokenizer),
            log: log::Bound::new(),
            closed: AtomicBool::new(false),
        })
    }

    /// Closes the file; a second call does nothing.
    ///
    /// Only the first one waits for a fork: dropping a closed index never does.
    pub fn close(&self) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        // The last connection makes a checkpoint and removes the log, by name: no fork and no other file
        // meanwhile.
        let _at_work = at_work();
        // Where the folder cannot be locked, it is gone, and the log with it.
        let _opening = file::opening(&self.path);
        self.connections.close();
    }

    /// What makes its tokens.
    pub fn tokenizer(&self) -> Tokenizer {
        self.settings.tokenizer
    }

    /// Whether the file at the index's path is still the one that was opened.
    pub fn is_current(&self) -> bool {
        file::identity(&self.path) == self.file
    }

    /// Fails where the log or the shared memory was taken away: whoever opens the file next would have
    /// others.
    fn require_sides(&self) -> Result<()> {
        if file::sides(&self.path) == self.sides || !self.is_current() {
            return Ok(());
        }
        Err(lost_log())
    }

    /// Runs `work` in a read transaction of a connection of its own.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let _at_work = at_work();
        self.connections.read(
            || self.reader(),
            |reader| {
                self.require_sides()?;
                let transaction =
                    reader.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
                let result =
                    schema::require(&transaction, self.schema).and_then(|()| work(&transaction));
                transaction.finish()?;
                result
            },
        )
    }

    fn reader(&self) -> Result<Connection> {
        let _opening = file::opening(&self.path)?;
        if !self.is_current() {
            return Err(replaced());
        }
        self.require_sides()?;
        let reader = connect(&self.path)?;
        close_with_checkpoint(&reader, true)?;
        Ok(reader)
    }

    /// Runs `work` in the writer's transaction; an error undoes it.
    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.write_as(self.settings.durable, work)
    }

    /// The same, where `synced` says whether the commit is to survive the loss of power.
    fn write_as<T>(&self, synced: bool, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let _at_work = at_work();
        self.connections.write(|connection| {
            self.require_sides()?;
            schema::sync(connection, synced)?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            schema::require(&transaction, self.schema)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            self.log.keep(connection, &self.path)?;
            Ok(result)
        })
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.close();
    }
}

fn lost_log() -> Error {
    Error::IndexCorrupt { reason: "its log was taken away".to_owned() }
}

fn replaced() -> Error {
    Error::IndexUnavailable { reason: "its file was replaced meanwhile".to_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Settings, Tokenizer};

    /// The settings of most tests.
    pub(super) const RELAXED: Settings = Settings { durable: false, tokenizer: Tokenizer::V1 };

    /// An empty folder of one test.
    pub(super) fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("membound-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
}
