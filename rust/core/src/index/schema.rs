//! The tables, their versions, and what is done with a file that has others.

use std::path::Path;
use std::sync::OnceLock;

use rusqlite::{Connection, OptionalExtension as _};

use super::connections::{at_work, close_with_checkpoint, connect, look};
use super::log::MOST_BYTES;
use super::{Settings, file};
use crate::error::{Error, Result};
use crate::tokens::Tokenizer;

/// The schema this version writes; kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: i64 = 5;
/// "mbnd": tells our files from those of other programs; kept in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 0x6d62_6e64;
/// Where the file's first page keeps the two.
const VERSION_AT: usize = 60;
const APPLICATION_AT: usize = 68;

/// Of a longer token FTS5 keeps so many first bytes, when it is written and when it is asked for.
pub(super) const MOST_TOKEN_BYTES: usize = 32_768;

/// `record.standing` is the group that a record is counted in ([`super::standing`]); `census` counts the groups.
/// `record.length` is how many units it has. The index `record_census` has all that decides whether the request
/// may have a plain record, and how far its words are stretched.
///
/// `search` holds the generated tokens only, and of `v2` the characters of pairs, of each record as it was when
/// they were merged ([`super::words`]). The `ascii` tokenizer splits them at spaces and at nothing else: every
/// character beyond ASCII belongs to a token, and what joins words is added. Its table of postings that are yet
/// to be written is as large as one merge needs.
///
/// For a list of three words `SQLite` makes a table each time that it checks a row against it.
const TABLES: &str = "
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE intent (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE place (
    place INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    key TEXT NOT NULL,
    UNIQUE (agent, key)
) STRICT;
CREATE TABLE record (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    place INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    answers INTEGER NOT NULL,
    directive INTEGER NOT NULL CHECK (directive IN (0, 1)),
    mark TEXT CHECK (mark = 'deleted' OR mark = 'disabled' OR mark = 'superseded'),
    supersedes TEXT,
    updated INTEGER,
    observed INTEGER,
    length INTEGER NOT NULL,
    json BLOB NOT NULL
) STRICT;
CREATE INDEX record_census ON record (place, standing, confidence, answers, length, observed);
CREATE INDEX record_supersedes ON record (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX record_mark ON record (mark) WHERE mark IS NOT NULL;
CREATE INDEX record_directive ON record (place) WHERE directive = 1;
CREATE INDEX record_recent ON record (updated DESC, id);
CREATE TABLE census (
    place INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    records INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (place, standing)
) STRICT, WITHOUT ROWID;
CREATE TABLE tag (
    tag TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (tag, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_row ON tag (row);
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,
    row INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = \"ascii tokenchars '_.-/\\:@#+~'\"
);
INSERT INTO search (search, rank) VALUES ('hashsize', 4194304);
CREATE TABLE words (
    merged INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    counted INTEGER NOT NULL
) STRICT;
INSERT INTO words (merged, newest, counted) VALUES (0, 0, 0);
CREATE TABLE frequent (
    token TEXT PRIMARY KEY,
    records INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE vocabulary (
    head INTEGER PRIMARY KEY,
    words TEXT NOT NULL
) STRICT;
";

/// Makes the connection ready to write our tables, creating them in an empty file; gives their cookie.
///
/// A file that is not ours to write is refused before anything in it is touched.
pub(super) fn prepare(connection: &Connection, settings: Settings) -> Result<i64> {
    let header = Header::read(connection)?;
    header.require()?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    sync(connection, settings.durable)?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "journal_size_limit", MOST_BYTES)?;
    if header.empty {
        create(connection, settings.tokenizer)?;
    }
    require_tables(connection)?;
    require_tokenizer(connection, settings.tokenizer)?;
    cookie(connection)
}

/// Whether the commits to come are synced before they return.
pub(super) fn sync(connection: &Connection, wanted: bool) -> Result<()> {
    let sql = if wanted { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// Fails where the tables are not those that were there when the index was opened.
pub(super) fn require(connection: &Connection, known: i64) -> Result<()> {
    if cookie(connection)? == known { Ok(()) } else { Err(changed()) }
}

/// What to say of a file that cannot be read as ours: what it is, or `error` where it is damaged.
pub(super) fn told(path: &Path, error: Error) -> Error {
    if !matches!(error, Error::IndexCorrupt { .. }) {
        return error;
    }
    match look(path).and_then(|file| Header::read_plain(&file)?.require()) {
        Err(
            other @ (Error::IndexForeign { .. }
            | Error::IndexNewer { .. }
            | Error::IndexOutdated { .. }),
        ) => other,
        _ => error,
    }
}

/// The schema of an older index at the path, all of which is then in its file.
pub(super) fn older(path: &Path) -> Option<i64> {
    file::require_files(path).ok()?;
    let file = look(path).ok()?;
    let header = Header::read_plain(&file).ok()?;
    if !matches!(header.require(), Err(Error::IndexOutdated { .. })) {
        return None;
    }
    // As much as can be kept: where another process holds the log, it stays behind.
    let _ = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    Some(header.version)
}

/// What a file says of itself.
struct Header {
    empty: bool,
    application: i64,
    version: i64,
}

impl Header {
    fn read(connection: &Connection) -> Result<Self> {
        // All of one moment: another process may be making the tables.
        let _snapshot = connection.unchecked_transaction()?;
        let pragma =
            |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        Ok(Self { empty: is_empty(connection)?, application, version })
    }

    /// Of a file without checksums; one that had them before bits turned is damaged, whatever it says.
    fn read_plain(connection: &Connection) -> Result<Self> {
        let ours = [(VERSION_AT, SCHEMA_VERSION), (APPLICATION_AT, APPLICATION_ID)];
        if membound_pages::was_sealed(connection, &ours)? {
            return Err(Error::IndexCorrupt { reason: "its header is damaged".to_owned() });
        }
        Self::read(connection)
    }

    fn require(&self) -> Result<()> {
        if self.application != APPLICATION_ID && !(self.empty && self.version == 0) {
            return Err(Error::IndexForeign {
                reason: "another program wrote this file".to_owned(),
            });
        }
        if self.version > SCHEMA_VERSION {
            return Err(Error::IndexNewer { found: self.version, known: SCHEMA_VERSION });
        }
        if self.version < SCHEMA_VERSION && !self.empty {
            return Err(Error::IndexOutdated { reason: format!("its schema is {}", self.version) });
        }
        Ok(())
    }
}

fn is_empty(connection: &Connection) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

fn create(connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have been first.
    if is_empty(connection)? {
        connection.execute_batch(TABLES)?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        connection.execute(
            "INSERT INTO meta (name, value) VALUES ('tokenizer', ?1)",
            [tokenizer.name()],
        )?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// The tables are ours, word for word, and there is nothing beside them: no view in the place of a table,
/// no trigger of another program.
fn require_tables(connection: &Connection) -> Result<()> {
    static OURS: OnceLock<Vec<[String; 4]>> = OnceLock::new();
    let ours = if let Some(ours) = OURS.get() {
        ours
    } else {
        let fresh = Connection::open_in_memory()?;
        fresh.execute_batch(TABLES)?;
        let made = tables(&fresh)?;
        OURS.get_or_init(|| made)
    };
    if tables(connection)? == *ours { Ok(()) } else { Err(changed()) }
}

fn tables(connection: &Connection) -> Result<Vec<[String; 4]>> {
    let mut all = connection
        .prepare("SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY name")?;
    let rows = all.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The tokenizer that the index at a path was made with; none where there is no index that tells.
///
/// It is read as it is, and nothing is made, mended or brought in.
pub fn noted_tokenizer(path: &Path) -> Option<Tokenizer> {
    file::require_files(path).ok()?;
    let _at_work = at_work();
    let _opening = file::opening(path).ok()?;
    let connection = connect(path).ok()?;
    close_with_checkpoint(&connection, false).ok()?;
    match Header::read(&connection).ok()?.require() {
        Ok(()) | Err(Error::IndexOutdated { .. }) => {
            Tokenizer::named(&tokenizer(&connection).ok()??).ok()
        }
        Err(_) => None,
    }
}

fn tokenizer(connection: &Connection) -> Result<Option<String>> {
    let sql = "SELECT value FROM meta WHERE name = 'tokenizer'";
    Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?)
}

fn require_tokenizer(connection: &Connection, wanted: Tokenizer) -> Result<()> {
    match tokenizer(connection)? {
        Some(tokenizer) if tokenizer == wanted.name() => Ok(()),
        found => Err(Error::IndexOutdated {
            reason: format!("its tokenizer is {}", found.as_deref().unwrap_or("unknown")),
        }),
    }
}

/// The number that `SQLite` changes with each change to the tables.
fn cookie(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0))?)
}

fn changed() -> Error {
    Error::IndexCorrupt { reason: "another program changed its tables".to_owned() }
}
