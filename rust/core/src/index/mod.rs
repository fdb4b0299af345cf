//! The index: a rebuildable `SQLite` projection of the canonical store. All SQL is in this folder.
//!
//! It may lag behind the files, may be deleted, and is then rebuilt; it is never the truth. Readers work on
//! a snapshot and are not blocked by the one writer.

mod candidates;
mod census;
mod check;
mod health;
mod schema;
mod standing;
mod write;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::{Error, Result};
use crate::request::Request;
use crate::retrieve::{Outcome, retrieve};

pub use health::Counts;
pub use schema::SCHEMA_VERSION;
pub use write::Change;

/// How long a statement waits for another process's lock.
pub const BUSY_SECONDS: u32 = 5;

/// Most memory in which a connection keeps pages that it has read, in KiB.
const CACHE_KIB: i64 = 32 * 1024;

/// An open index, shared by threads: one connection writes, and as many read as there are readers at once.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    file: (u64, u64),
    process: u32,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl Index {
    /// Opens the index at `path`, creating an empty one where there is none.
    ///
    /// `durable` asks for commits that survive the loss of power.
    pub fn open(path: &Path, durable: bool) -> Result<Self> {
        schema::create_file(path)?;
        let writer = connect(path)?;
        schema::prepare(&writer, durable)?;
        Ok(Self {
            path: path.to_owned(),
            file: identity(path)?,
            process: std::process::id(),
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
        })
    }

    /// Whether the file at the index's path is still the one that was opened.
    pub fn is_current(&self) -> bool {
        identity(&self.path).is_ok_and(|file| file == self.file)
    }

    /// Runs the pipeline over one snapshot; a selected record's origin is its canonical JSON.
    pub fn retrieve(&self, request: &Request) -> Result<Outcome<Vec<u8>>> {
        self.read(|connection| retrieve(request, &mut candidates::Fts5::new(connection)))
    }

    /// Runs `work` in a read transaction of a connection of its own.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = lock(&self.readers).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => connect(&self.path)?,
        };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let result = work(&transaction);
        transaction.finish()?;
        // A connection that met an error is closed with it.
        if result.is_ok() {
            lock(&self.readers).push(connection);
        }
        result
    }

    /// Runs `work` in the writer's transaction; an error undoes it.
    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut connection = lock(&self.writer);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        if std::process::id() == self.process {
            return;
        }
        // Closing a connection that a fork inherited could checkpoint and delete the parent's log. The
        // locks are not taken: a thread that held one at the fork does not live here.
        let readers = self.readers.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(readers));
        if let Ok(stand_in) = Connection::open_in_memory() {
            let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(writer, stand_in));
        }
    }
}

/// A panic while the lock was held left at most an unfinished transaction, which its drop rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(BUSY_SECONDS.into()))?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn identity(path: &Path) -> Result<(u64, u64)> {
    let metadata = std::fs::metadata(path)
        .map_err(|error| Error::IndexUnavailable { reason: error.to_string() })?;
    Ok((metadata.dev(), metadata.ino()))
}
