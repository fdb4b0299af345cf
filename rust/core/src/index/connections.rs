//! The connections of an open index, and what becomes of them when the process forks.
//!
//! `SQLite` keeps its locks in the memory of a process, but the operating system keeps them for the process
//! that took them: a child that went on with its parent's connections, or opened the file beside them,
//! would believe in locks that it does not have. So a fork waits until no statement is under way, and the
//! child begins with every inherited connection closed, without touching the file.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak,
};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{BUSY_SECONDS, file};
use crate::error::{Error, Result};

/// Most memory in which a connection keeps pages that it has read, in KiB.
const CACHE_KIB: i64 = 32 * 1024;

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX)
    .union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

static AT_WORK: RwLock<()> = RwLock::new(());
static OPEN: Mutex<Vec<Weak<dyn Abandon>>> = Mutex::new(Vec::new());

thread_local! {
    static FORKING: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// A connection that reads, and what its owner noted of the last snapshot that it had.
#[derive(Debug)]
pub(super) struct Reader<S> {
    pub(super) connection: Connection,
    pub(super) seen: Option<S>,
}

/// One connection that writes, none where a fork took it away, and those that read and are idle.
#[derive(Debug)]
pub(super) struct Connections<S> {
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Reader<S>>>,
    // Told without the writer's lock, for which a reader does not wait.
    abandoned: AtomicBool,
}

impl<S: Send + 'static> Connections<S> {
    pub(super) fn new(writer: Connection) -> Arc<Self> {
        let connections = Arc::new(Self {
            writer: Mutex::new(Some(writer)),
            abandoned: AtomicBool::new(false),
            readers: Mutex::new(Vec::new()),
        });
        let mut open = lock(&OPEN);
        open.retain(|one| one.strong_count() > 0);
        let weak: Weak<Self> = Arc::downgrade(&connections);
        open.push(weak);
        connections
    }

    /// The writing connection, for one thread at a time.
    pub(super) fn write<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let mut writer = lock(&self.writer);
        work(writer.as_mut().ok_or_else(forked)?)
    }

    /// An idle reader, or one over what `connect` gives; one that met an error is closed with it.
    pub(super) fn read<T>(
        &self,
        connect: impl FnOnce() -> Result<Connection>,
        work: impl FnOnce(&mut Reader<S>) -> Result<T>,
    ) -> Result<T> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Err(forked());
        }
        let idle = lock(&self.readers).pop();
        let anew = || connect().map(|connection| Reader { connection, seen: None });
        let mut reader = idle.map_or_else(anew, Ok)?;
        let result = work(&mut reader)?;
        lock(&self.readers).push(reader);
        Ok(result)
    }

    /// Closes all.
    pub(super) fn close(&self) {
        lock(&self.readers).clear();
        lock(&self.writer).take();
    }
}

/// What becomes of connections in the child of a fork.
trait Abandon: Send + Sync {
    /// Closes all without a checkpoint, which would be the parent's to make.
    fn abandon(&self);
}

impl<S: Send> Abandon for Connections<S> {
    fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        let writer = lock(&self.writer).take();
        let readers = std::mem::take(&mut *lock(&self.readers));
        for connection in readers.into_iter().map(|reader| reader.connection).chain(writer) {
            // Should it fail, the connection is left open rather than closed with a checkpoint.
            match connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
                Ok(_) => drop(connection),
                Err(_) => std::mem::forget(connection),
            }
        }
    }
}

/// Held while `SQLite` is at work, so that no fork happens meanwhile.
pub(super) fn at_work() -> RwLockReadGuard<'static, ()> {
    AT_WORK.read().unwrap_or_else(PoisonError::into_inner)
}

/// To be called before a fork, by the thread that forks: waits for the statements under way.
pub fn before_fork() {
    let guard = AT_WORK.write().unwrap_or_else(PoisonError::into_inner);
    FORKING.with(|forking| forking.replace(Some(guard)));
}

/// To be called after a fork, in the parent: statements go on.
pub fn after_fork_in_parent() {
    FORKING.with(RefCell::take);
}

/// To be called after a fork, in the child: the inherited connections are gone, the file is as it was.
pub fn after_fork_in_child() {
    for connections in lock(&OPEN).drain(..) {
        if let Some(connections) = connections.upgrade() {
            connections.abandon();
        }
    }
    FORKING.with(RefCell::take);
}

/// A connection that has read the file, so that its side files are those that lie beside it now.
///
/// Closed as it is, it leaves the file alone: see [`close_with_checkpoint`].
pub(super) fn connect(path: &Path) -> Result<Connection> {
    membound_pages::register()?;
    let connection =
        Connection::open_with_flags_and_vfs(file::real(path)?, FLAGS, membound_pages::VFS)?;
    close_with_checkpoint(&connection, false)?;
    // What another program put into the file is not run: no view, no function that a trigger names.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A plan is the same whatever is bound; else FTS5's own statements are prepared anew for each token.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    membound_pages::reserve(&connection)?;
    connection.busy_timeout(std::time::Duration::from_secs(BUSY_SECONDS.into()))?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "cache_spill", "OFF")?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// A connection to a file whose pages have no checksums, to see what it is.
pub(super) fn look(path: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(file::real(path)?, FLAGS)?;
    close_with_checkpoint(&connection, file::log_length(path) == 0)?;
    connection.busy_timeout(std::time::Duration::from_secs(BUSY_SECONDS.into()))?;
    Ok(connection)
}

/// Whether the last connection moves the log into the file: only where both are known to be ours.
pub(super) fn close_with_checkpoint(connection: &Connection, wanted: bool) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !wanted)?;
    Ok(())
}

fn forked() -> Error {
    let reason = "it was opened before a fork; open it in this process".to_owned();
    Error::IndexUnavailable { reason }
}

/// A panic while the lock was held left at most an unfinished transaction, which its drop rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
