//! The log of changes: which rows changed, in the order in which they did.
//!
//! What is derived from the rows follows by it: the words in `search`, and another process's memory of the
//! index. The sequence of its entries grows for ever, so that equal ones mean that nothing changed.

use rusqlite::{Connection, params};

use crate::error::Result;

/// So many of its last entries the log keeps.
pub(super) const LOG_KEPT: i64 = 4_096;

/// Notes that a row came, changed or went.
pub(super) const NOTE: &str = "INSERT INTO change (row) VALUES (?1)";

/// The sequence of the last change; 0 before the first.
pub(super) fn sequence(connection: &Connection) -> Result<i64> {
    let mut last = connection.prepare_cached("SELECT ifnull(max(sequence), 0) FROM change")?;
    Ok(last.query_row([], |row| row.get(0))?)
}

/// The rows that changed after `since`, each once, in order; none where the log does not tell.
pub(super) fn changes(connection: &Connection, since: i64) -> Result<Option<Vec<i64>>> {
    let first: Option<i64> = connection
        .prepare_cached("SELECT min(sequence) FROM change")?
        .query_row([], |row| row.get(0))?;
    if since < first.unwrap_or(1) - 1 || since > sequence(connection)? {
        return Ok(None);
    }
    let mut rows = connection
        .prepare_cached("SELECT DISTINCT row FROM change WHERE sequence > ?1 ORDER BY row")?;
    let rows = rows.query_map([since], |row| row.get(0))?;
    Ok(Some(rows.collect::<rusqlite::Result<_>>()?))
}

/// Forgets the entries that are not kept; of those after `needed` none.
pub(super) fn prune(connection: &Connection, needed: i64) -> Result<()> {
    let until = needed.min(sequence(connection)? - LOG_KEPT);
    connection
        .prepare_cached("DELETE FROM change WHERE sequence <= ?1")?
        .execute(params![until])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::index::{Change, Index};

    fn log() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE change (sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL)",
            )
            .unwrap();
        connection
    }

    #[test]
    fn an_empty_log_tells_that_nothing_happened_and_nothing_else() {
        let log = log();
        assert_eq!(sequence(&log).unwrap(), 0);
        assert_eq!(changes(&log, 0).unwrap(), Some(vec![]));
        assert_eq!(changes(&log, 1).unwrap(), None);
    }

    /// A record of a few, that may be marked and may replace another one.
    fn record((id, content, marked, replaces): (u8, u8, bool, Option<u8>)) -> String {
        let marked = if marked { r#""disabledAt": "2026-07-01T12:00:00.000Z","# } else { "" };
        let replaces = replaces.map_or_else(String::new, |id| format!(r#""supersedes": "k{id}","#));
        format!(
            r#"{{"id": "k{id}", "content": "kiwi {content}", {marked} {replaces} "scope": "user",
            "type": "fact", "authority": "reference", "tags": [], "confidence": 1.0, "importance": 0.5,
            "createdAt": "2026-07-01T12:00:00.000Z", "updatedAt": "2026-07-01T12:00:00.000Z",
            "sources": [], "schemaVersion": 2}}"#
        )
    }

    type Rows = BTreeMap<i64, (i64, Vec<u8>)>;

    fn rows(connection: &Connection) -> Result<Rows> {
        let mut all = connection.prepare("SELECT row, standing, json FROM record")?;
        let all = all.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        Ok(all.collect::<rusqlite::Result<_>>()?)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_row_that_differs_is_noted(
            batches in prop::collection::vec(
                (
                    prop::collection::btree_map(0_u8..6, (0_u8..2, any::<bool>(), prop::option::of(0_u8..6)), 0..4),
                    prop::collection::btree_set(0_u8..6, 0..2),
                ),
                1..8,
            )
        ) {
            let folder = crate::index::tests::folder("changes");
            let index = Index::open(&folder.join("index.sqlite3"), crate::index::tests::RELAXED).unwrap();
            for (records, removed) in batches {
                let (since, before) = index.read(|now| Ok((sequence(now)?, rows(now)?))).unwrap();
                let records: Vec<String> =
                    records.into_iter().map(|(id, (content, marked, replaces))| record((id, content, marked, replaces))).collect();
                let records: Vec<&[u8]> = records.iter().map(String::as_bytes).collect();
                let removed: Vec<String> = removed.iter().map(|id| format!("k{id}")).collect();
                index.apply(&Change { records: &records, removed: &removed, ..Change::default() }).unwrap();
                let (noted, after) = index.read(|now| Ok((changes(now, since)?, rows(now)?))).unwrap();
                let differs = |row: &&i64| before.get(row) != after.get(row);
                let all: BTreeSet<&i64> = before.keys().chain(after.keys()).collect();
                let noted: BTreeSet<i64> = noted.unwrap().into_iter().collect();
                for row in all.into_iter().filter(differs) {
                    prop_assert!(noted.contains(row), "{row} is not noted");
                }
                index.check().unwrap();
            }
            drop(index);
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_log_tells_all_that_it_still_has_and_says_where_it_does_not(
            batches in prop::collection::vec((prop::collection::vec(0_i64..9, 0..3_000), 0_i64..9_000), 1..6)
        ) {
            let log = log();
            let mut all = Vec::new();
            let mut needed = 0;
            for (rows, merged) in batches {
                for row in &rows {
                    log.execute(NOTE, [row]).unwrap();
                }
                all.extend(rows);
                let last = i64::try_from(all.len()).unwrap();
                needed = last.min(merged).max(needed);
                prune(&log, needed).unwrap();
                prop_assert_eq!(sequence(&log).unwrap(), last);
                for since in [needed, last - LOG_KEPT, last - 1, last] {
                    let Ok(from) = usize::try_from(since) else { continue };
                    let mut expected = all[from..].to_vec();
                    expected.sort_unstable();
                    expected.dedup();
                    prop_assert_eq!(changes(&log, since).unwrap(), Some(expected));
                }
                prop_assert_eq!(changes(&log, last + 1).unwrap(), None);
            }
        }
    }
}
