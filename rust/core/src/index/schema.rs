//! The tables, their versions, and what is done with a file that has others.

use rusqlite::{Connection, OptionalExtension as _};

use super::log::MOST_BYTES;
use crate::error::{Error, Result};
use crate::tokens::TOKENIZER_VERSION;

/// The schema this version writes; kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: i64 = 1;
/// "mbnd": tells our files from those of other programs; kept in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 0x6d62_6e64;

/// Of a longer token FTS5 keeps so many first bytes, when it is written and when it is asked for.
pub(super) const MOST_TOKEN_BYTES: usize = 32_768;

/// `record.standing` is the group that a record is counted in ([`super::standing`]); `census` counts the groups.
///
/// `search` holds the generated tokens only. The `ascii` tokenizer splits them at spaces and at nothing
/// else: every character beyond ASCII belongs to a token, and `_` is added.
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
    place INTEGER NOT NULL REFERENCES place,
    standing TEXT NOT NULL,
    confidence REAL NOT NULL,
    answers INTEGER NOT NULL,
    authority TEXT NOT NULL CHECK (authority IN ('reference', 'directive')),
    mark TEXT CHECK (mark IN ('deleted', 'disabled', 'superseded')),
    supersedes TEXT,
    updated INTEGER,
    json BLOB NOT NULL
) STRICT;
CREATE INDEX record_census ON record (place, standing, confidence, answers);
CREATE INDEX record_supersedes ON record (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX record_mark ON record (mark) WHERE mark IS NOT NULL;
CREATE INDEX record_directive ON record (place) WHERE authority = 'directive';
CREATE INDEX record_recent ON record (updated DESC, id);
CREATE TABLE census (
    place INTEGER NOT NULL REFERENCES place,
    standing TEXT NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (place, standing)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER record_came AFTER INSERT ON record BEGIN
    INSERT INTO census (place, standing, records) VALUES (new.place, new.standing, 1)
    ON CONFLICT DO UPDATE SET records = records + 1;
END;
CREATE TRIGGER record_went AFTER DELETE ON record BEGIN
    UPDATE census SET records = records - 1 WHERE place = old.place AND standing = old.standing;
END;
CREATE TRIGGER record_moved AFTER UPDATE OF place, standing ON record BEGIN
    UPDATE census SET records = records - 1 WHERE place = old.place AND standing = old.standing;
    INSERT INTO census (place, standing, records) VALUES (new.place, new.standing, 1)
    ON CONFLICT DO UPDATE SET records = records + 1;
END;
CREATE TABLE tag (
    tag TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (tag, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_row ON tag (row);
CREATE VIRTUAL TABLE search USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = \"ascii tokenchars '_'\"
);
";

/// Makes the connection ready to write our tables, creating them in an empty file.
///
/// A file that is not ours to write is refused before anything in it is touched.
pub(super) fn prepare(connection: &Connection, durable: bool) -> Result<()> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let empty: bool =
        connection
            .query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application != APPLICATION_ID && !(empty && version == 0) {
        return Err(Error::IndexForeign { reason: "another program wrote this file".to_owned() });
    }
    if version > SCHEMA_VERSION {
        return Err(Error::IndexNewer { found: version, known: SCHEMA_VERSION });
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "journal_size_limit", MOST_BYTES)?;
    if empty {
        create(connection)?;
    }
    check_versions(connection, if empty { SCHEMA_VERSION } else { version })
}

fn create(connection: &Connection) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have been first.
    let empty: bool =
        connection
            .query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
    if empty {
        connection.execute_batch(TABLES)?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        connection.execute(
            "INSERT INTO meta (name, value) VALUES ('tokenizer', ?1)",
            [TOKENIZER_VERSION],
        )?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}

fn check_versions(connection: &Connection, version: i64) -> Result<()> {
    if version < SCHEMA_VERSION {
        return Err(Error::IndexOutdated { reason: format!("its schema is {version}") });
    }
    let tokenizer: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE name = 'tokenizer'", [], |row| row.get(0))
        .optional()?;
    match tokenizer {
        Some(tokenizer) if tokenizer == TOKENIZER_VERSION => Ok(()),
        found => Err(Error::IndexOutdated {
            reason: format!("its tokenizer is {}", found.as_deref().unwrap_or("unknown")),
        }),
    }
}
