//! What an index knows of itself: counts, notes, intents and rows.

use rusqlite::{OptionalExtension as _, params};

use super::Index;
use crate::error::Result;
use crate::instant::Millis;
use crate::request::Request;
use crate::retrieve::Query;

/// How many records the index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub all: usize,
    /// Those that carry no mark that ended their life.
    pub unmarked: usize,
    /// Those that were deleted.
    pub deleted: usize,
    /// Directives that carry no mark.
    pub directives: usize,
}

impl Index {
    /// Counts the records.
    pub fn counts(&self) -> Result<Counts> {
        self.read(|connection| {
            let count = |sql: &str| connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
            let all: usize = count("SELECT count(*) FROM record")?;
            let marked: usize = count("SELECT count(*) FROM record WHERE mark IS NOT NULL")?;
            Ok(Counts {
                all,
                unmarked: all - marked,
                deleted: count("SELECT count(*) FROM record WHERE mark = 'deleted'")?,
                directives: count(
                    "SELECT count(*) FROM record WHERE authority = 'directive' AND mark IS NULL",
                )?,
            })
        })
    }

    /// A remembered value.
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        self.read(|connection| {
            let mut find = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
            Ok(find.query_row([name], |row| row.get(0)).optional()?)
        })
    }

    /// Ids whose canonical files were about to change when a writer stopped.
    pub fn intents(&self) -> Result<Vec<String>> {
        self.texts("SELECT id FROM intent ORDER BY id")
    }

    /// The ids of all records, in order.
    pub fn ids(&self) -> Result<Vec<String>> {
        self.texts("SELECT id FROM record ORDER BY id")
    }

    fn texts(&self, sql: &str) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let texts = statement.query_map([], |row| row.get(0))?;
            Ok(texts.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The canonical JSON of each of `ids`, where the index has it.
    pub fn records(&self, ids: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        self.read(|connection| {
            let mut find = connection.prepare_cached("SELECT json FROM record WHERE id = ?1")?;
            ids.iter().map(|id| Ok(find.query_row([id], |row| row.get(0)).optional()?)).collect()
        })
    }

    /// At most `most` records as canonical JSON, last changed first, from behind the cursor on.
    pub fn page(&self, after: Option<(Option<Millis>, &str)>, most: usize) -> Result<Vec<Vec<u8>>> {
        // A date that cannot be read counts as the earliest.
        let earliest = Millis::MIN;
        let (updated, id) = after.unwrap_or((Some(Millis::MAX), ""));
        let updated = updated.unwrap_or(earliest);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT json FROM record
                 WHERE ifnull(updated, ?1) < ?2 OR (ifnull(updated, ?1) = ?2 AND id > ?3)
                 ORDER BY updated DESC, id LIMIT ?4",
            )?;
            let rows =
                statement.query_map(params![earliest, updated, id, most], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Every unmarked directive of the places that a request sees, as canonical JSON.
    pub fn directives(&self, request: &Request) -> Result<Vec<Vec<u8>>> {
        let request = request.in_every_scope();
        let query = Query::new(&request);
        self.read(|connection| {
            let mut find = connection.prepare_cached(
                "SELECT json FROM record INDEXED BY record_directive
                 WHERE authority = 'directive' AND mark IS NULL AND place = ?1 ORDER BY id",
            )?;
            let mut found = Vec::new();
            for place in super::census::places(connection, &query)? {
                let rows = find.query_map([place.row], |row| row.get(0))?;
                found.extend(rows.collect::<rusqlite::Result<Vec<Vec<u8>>>>()?);
            }
            Ok(found)
        })
    }
}
