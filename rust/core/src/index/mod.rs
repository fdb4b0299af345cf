//! The index: a rebuildable `SQLite` projection of the canonical store. All SQL is in this folder.
//!
//! It may lag behind the files, may be deleted, and is then rebuilt; it is never the truth. Readers work on
//! a snapshot and are not blocked by the one writer.

mod candidates;
mod census;
mod check;
mod connections;
mod file;
mod health;
mod log;
mod schema;
mod standing;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Error, Result};
use crate::request::Request;
use crate::retrieve::{Outcome, retrieve};

use connections::{Connections, at_work, connect};

pub use connections::{after_fork_in_child, after_fork_in_parent, before_fork};
pub use health::{Counts, Page, State};
pub use schema::SCHEMA_VERSION;
pub use write::Change;

/// How long a statement waits for another process's lock.
const BUSY_SECONDS: u32 = 5;

/// An open index, shared by threads: one connection writes, and as many read as there are readers at once.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    file: (u64, u64),
    connections: Arc<Connections>,
    log: log::Bound,
    closed: AtomicBool,
}

impl Index {
    /// Opens the index at `path`, creating an empty one where there is none.
    ///
    /// `durable` asks for commits that survive the loss of power.
    pub fn open(path: &Path, durable: bool) -> Result<Self> {
        let _at_work = at_work();
        let _opening = file::opening(path)?;
        Self::open_here(path, durable)
    }

    /// Removes what lies at `path` and creates an empty index there; others go on with what was there.
    pub fn replace(path: &Path, durable: bool) -> Result<Self> {
        let _at_work = at_work();
        let _replacing = file::replacing(path)?;
        file::remove(path)?;
        Self::open_here(path, durable)
    }

    fn open_here(path: &Path, durable: bool) -> Result<Self> {
        file::create(path)?;
        let file = file::identity(path)?;
        file::only_names(path)?;
        let writer = connect(path)?;
        schema::prepare(&writer, durable)?;
        if file::identity(path)? != file {
            return Err(replaced());
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            connections: Connections::new(writer),
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

    /// Whether the file at the index's path is still the one that was opened.
    pub fn is_current(&self) -> bool {
        file::identity(&self.path).is_ok_and(|file| file == self.file)
    }

    /// Runs the pipeline over one snapshot; a selected record's origin is its canonical JSON.
    pub fn retrieve(&self, request: &Request) -> Result<Outcome<Vec<u8>>> {
        self.read(|connection| retrieve(request, &mut candidates::Fts5::new(connection)))
    }

    /// Runs `work` in a read transaction of a connection of its own.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let _at_work = at_work();
        self.connections.read(
            || self.reader(),
            |connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
                let result = work(&transaction);
                transaction.finish()?;
                result
            },
        )
    }

    fn reader(&self) -> Result<Connection> {
        let _opening = file::opening(&self.path)?;
        if self.is_current() { connect(&self.path) } else { Err(replaced()) }
    }

    /// Runs `work` in the writer's transaction; an error undoes it.
    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let _at_work = at_work();
        self.connections.write(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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

fn replaced() -> Error {
    Error::IndexUnavailable { reason: "its file was replaced meanwhile".to_owned() }
}
