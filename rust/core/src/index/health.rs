//! What an index knows of itself: counts, notes, intents and rows.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Index;
use crate::error::Result;
use crate::instant::Millis;
use crate::query::Query;
use crate::request::Request;

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

/// Records as canonical JSON, and the cursor behind the last one.
pub type Page = (Vec<Vec<u8>>, Option<(Option<Millis>, String)>);

/// How far the index is with the files, by its notes `complete` and `folder` and by its intents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Whether every file was looked at since it was made.
    pub complete: bool,
    /// The state of the folder that it knows.
    pub folder: Option<String>,
    /// Whether a writer is at work, or has died at work.
    pub changing: bool,
}

impl State {
    /// What a snapshot says.
    pub(super) fn of(connection: &Connection) -> Result<Self> {
        let mut find = connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'complete'),
             (SELECT value FROM meta WHERE name = 'folder'),
             EXISTS (SELECT 1 FROM intent)",
        )?;
        Ok(find.query_row([], |row| {
            Ok(Self { complete: row.get(0)?, folder: row.get(1)?, changing: row.get(2)? })
        })?)
    }
}

impl Index {
    /// How far the index is with the files, in one snapshot.
    pub fn state(&self) -> Result<State> {
        self.read(State::of)
    }

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
                    "SELECT count(*) FROM record WHERE directive = 1 AND mark IS NULL",
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

    /// The remembered values whose names start with `prefix`, each with its name, by code points of the names.
    pub fn notes(&self, prefix: &str) -> Result<Vec<(String, String)>> {
        self.read(|connection| {
            let mut find = connection
                .prepare_cached("SELECT name, value FROM meta WHERE name >= ?1 ORDER BY name")?;
            let mut rows = find.query([prefix])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                if !name.starts_with(prefix) {
                    break;
                }
                found.push((name, row.get(1)?));
            }
            Ok(found)
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

    /// The ids of the records that say that they replace `id`, whatever their marks, in order.
    pub fn successors(&self, id: &str) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut find = connection
                .prepare_cached("SELECT id FROM record WHERE supersedes = ?1 ORDER BY id")?;
            let ids = find.query_map([id], |row| row.get(0))?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
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

    /// At most `most` records as canonical JSON, last changed first, from behind the cursor on; and the
    /// cursor of the last one, by its row.
    pub fn page(&self, after: Option<(Option<Millis>, &str)>, most: usize) -> Result<Page> {
        // A date that cannot be read counts as the earliest.
        let earliest = Millis::MIN;
        let (updated, id) = after.unwrap_or((Some(Millis::MAX), ""));
        let updated = updated.unwrap_or(earliest);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT json, updated, id FROM record
                 WHERE ifnull(updated, ?1) < ?2 OR (ifnull(updated, ?1) = ?2 AND id > ?3)
                 ORDER BY updated DESC, id LIMIT ?4",
            )?;
            let mut rows = statement.query(params![earliest, updated, id, most])?;
            let (mut records, mut last) = (Vec::new(), None);
            while let Some(row) = rows.next()? {
                records.push(row.get(0)?);
                last = Some((row.get(1)?, row.get(2)?));
            }
            Ok((records, last))
        })
    }

    /// Every unmarked directive of the places that a request sees, as canonical JSON.
    pub fn directives(&self, request: &Request) -> Result<Vec<Vec<u8>>> {
        let request = request.in_every_scope();
        let query = Query::new(&request);
        self.read(|connection| {
            let mut find = connection.prepare_cached(
                "SELECT json FROM record INDEXED BY record_directive
                 WHERE directive = 1 AND mark IS NULL AND place = ?1 ORDER BY id",
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
