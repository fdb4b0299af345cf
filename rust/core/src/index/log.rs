//! The write-ahead log, kept short also where somebody is always reading.
//!
//! `SQLite` begins its log anew only at a moment when nobody reads from it. Where one recall always begins
//! before another ends there is no such moment, and the log would grow for ever. So a writer that finds it
//! long waits for those who read from it, for a short time; who begins to read meanwhile is not held up.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;

use super::{BUSY_SECONDS, file};
use crate::error::Result;

/// The size that the log's file keeps when it begins anew, and beyond which a writer makes it do so.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// How much longer it may get where it could not: so seldom does a writer wait for one long reader.
const STEP_BYTES: u64 = 4 * 1024 * 1024;
/// How long a writer waits for readers of a long log.
const PATIENCE: Duration = Duration::from_millis(200);

/// The size beyond which the log is next to be shortened.
#[derive(Debug)]
pub(super) struct Bound(AtomicU64);

impl Bound {
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(MOST_BYTES))
    }

    /// Shortens the log of the index at `path` where it is long, after a commit.
    pub(super) fn keep(&self, connection: &Connection, path: &Path) -> Result<()> {
        if size(path) <= self.0.load(Ordering::Relaxed) {
            return Ok(());
        }
        let next = if cut(connection, PATIENCE)? { MOST_BYTES } else { size(path) + STEP_BYTES };
        self.0.store(next, Ordering::Relaxed);
        Ok(())
    }
}

/// Writes the log back and empties it; whether no reader of an older snapshot prevented that.
///
/// `patience` is how long to wait for readers, at each of the two locks that this needs.
pub(super) fn cut(connection: &Connection, patience: Duration) -> Result<bool> {
    connection.busy_timeout(patience)?;
    let busy =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(Duration::from_secs(BUSY_SECONDS.into()))?;
    Ok(!busy?)
}

/// A log that is not there is empty.
fn size(path: &Path) -> u64 {
    std::fs::metadata(file::beside(path, "-wal")).map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread::JoinHandle;

    use super::*;
    use crate::index::tests::{RELAXED, folder};
    use crate::index::{Change, Index};

    fn record(number: usize) -> String {
        let long = "x".repeat(200_000);
        format!(
            r#"{{"id": "k{number}", "content": "kiwi", "x-long": "{long}", "scope": "user", "type": "fact",
            "authority": "reference", "tags": [], "confidence": 1.0, "importance": 0.5,
            "createdAt": "2026-07-01T12:00:00.000Z", "updatedAt": "2026-07-01T12:00:00.000Z",
            "observedAt": "2026-07-01T12:00:00Z", "sources": [], "schemaVersion": 2}}"#
        )
    }

    /// So many threads that one of them is always reading.
    fn always_reading(index: &Arc<Index>, done: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
        let reader = |_| {
            let (index, done) = (Arc::clone(index), Arc::clone(done));
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let read = index.read(|connection| {
                        connection
                            .query_row("SELECT count(*) FROM record", [], |_| Ok(()))
                            .map(|()| std::thread::sleep(Duration::from_millis(10)))
                            .map_err(Into::into)
                    });
                    read.unwrap();
                }
            })
        };
        (0..4).map(reader).collect()
    }

    #[test]
    fn the_log_stays_short_though_somebody_always_reads() {
        let folder = folder("log");
        let path = folder.join("index.sqlite3");
        let index = Arc::new(Index::open(&path, RELAXED).unwrap());
        let done = Arc::new(AtomicBool::new(false));
        let readers = always_reading(&index, &done);
        let mut most = 0;
        for number in 0..250 {
            let json = record(number);
            let records = [json.as_bytes()];
            index.apply(&Change { records: &records, ..Change::default() }).unwrap();
            most = most.max(size(&path));
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
        drop(index);
        std::fs::remove_dir_all(folder).unwrap();
        assert!(most > MOST_BYTES / 2, "too little was written: {most}");
        assert!(most < MOST_BYTES + 2 * STEP_BYTES, "{most}");
    }
}
