//! Writing: intents before a canonical file changes, rows after it has.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Index;
use super::connections::at_work;
use super::standing::Standing;
use super::{changes, log};
use crate::error::{Error, Result};
use crate::record::{Card, Mark, Record};

/// From so many records on, a change is worth putting the whole of the words in order.
const MANY: usize = 1_000;
/// How long a purge waits for readers: other writers wait meanwhile, and shall not give up.
const SCRUB_PATIENCE: Duration = Duration::from_secs(1);

/// What one transaction changes.
#[derive(Debug, Default)]
pub struct Change<'a> {
    /// Records to write, as canonical JSON.
    pub records: &'a [&'a [u8]],
    /// Ids of records to remove.
    pub removed: &'a [String],
    /// Ids whose intents are settled.
    pub settled: &'a [String],
    /// Values to remember.
    pub notes: &'a [(String, String)],
}

impl Index {
    /// Notes that the canonical files of `ids` are about to change; committed when it returns.
    pub fn intend(&self, ids: &[String]) -> Result<()> {
        self.write(|connection| {
            let mut insert =
                connection.prepare_cached("INSERT OR IGNORE INTO intent (id) VALUES (?1)")?;
            ids.iter().try_for_each(|id| insert.execute([id]).map(drop))?;
            Ok(())
        })
    }

    /// Puts the words in order, as is worth it after many changes.
    pub fn optimize(&self) -> Result<()> {
        self.write(optimize)
    }

    /// Erases from the file what removed records left in it; whether all of it is gone.
    ///
    /// Words of a removed record stay in their segment until it is merged, and former pages stay in the log
    /// until it is cut, which a reader of an older snapshot prevents.
    pub fn scrub(&self) -> Result<bool> {
        self.optimize()?;
        let _at_work = at_work();
        self.connections.write(|connection| log::cut(connection, SCRUB_PATIENCE))
    }

    /// Applies a change, all or nothing; how many records really differed.
    pub fn apply(&self, change: &Change<'_>) -> Result<usize> {
        self.write(|connection| {
            let mut changed = 0;
            for json in change.records {
                changed += usize::from(upsert(connection, json)?);
            }
            for id in change.removed {
                changed += usize::from(remove(connection, id)?);
            }
            changes::prune(connection, changes::sequence(connection)?)?;
            if change.records.len() >= MANY {
                optimize(connection)?;
            }
            let mut settle = connection.prepare_cached("DELETE FROM intent WHERE id = ?1")?;
            change.settled.iter().try_for_each(|id| settle.execute([id]).map(drop))?;
            let mut note = connection.prepare_cached(
                "INSERT INTO meta (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?;
            change
                .notes
                .iter()
                .try_for_each(|(name, value)| note.execute([name, value]).map(drop))?;
            Ok(changed)
        })
    }
}

/// Merges all words into one segment, which is read about twice as fast.
fn optimize(connection: &Connection) -> Result<()> {
    connection.execute("INSERT INTO search (search) VALUES ('optimize')", [])?;
    Ok(())
}

/// Writes one record; whether it differs from what was there.
fn upsert(connection: &Connection, json: &[u8]) -> Result<bool> {
    let record = Record::parse(json)?;
    let existing: Option<(i64, bool, bool)> = connection
        .prepare_cached("SELECT row, mark IS NULL, json = ?2 FROM record WHERE id = ?1")?
        .query_row(params![record.card.id, json], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    match existing {
        Some((_, _, true)) => return Ok(false),
        Some((row, unmarked, false)) => forget_words(connection, row, unmarked)?,
        None => {}
    }
    let row = write_row(connection, &record.card, json)?;
    changes::note(connection, row)?;
    write_words(connection, row, &record)?;
    if let Some(superseded) = &record.card.supersedes {
        mark_special(connection, superseded)?;
    }
    Ok(true)
}

/// A record that another one replaces is looked at itself from now on.
fn mark_special(connection: &Connection, id: &str) -> Result<()> {
    let row = connection
        .prepare_cached(
            "UPDATE record SET standing = ?1 WHERE id = ?2 AND standing NOT IN (?1, ?3) RETURNING row",
        )?
        .query_row(params![Standing::Special, id, Standing::Ended], |row| row.get(0))
        .optional()?;
    row.map_or(Ok(()), |row| changes::note(connection, row))
}

fn write_row(connection: &Connection, card: &Card, json: &[u8]) -> Result<i64> {
    let place = place_row(connection, card)?;
    let row = connection
        .prepare_cached(
            "INSERT INTO record
             (id, place, standing, confidence, answers, authority, mark, supersedes, updated, json)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (id) DO UPDATE SET
             place = excluded.place, standing = excluded.standing, confidence = excluded.confidence,
             answers = excluded.answers, authority = excluded.authority, mark = excluded.mark,
             supersedes = excluded.supersedes, updated = excluded.updated, json = excluded.json
             RETURNING row",
        )?
        .query_row(
            params![
                card.id,
                place,
                Standing::of(connection, card)?,
                card.confidence,
                card.answers.bits(),
                card.authority.name(),
                card.mark.map(Mark::name),
                card.supersedes,
                card.updated,
                json
            ],
            |row| row.get(0),
        )?;
    Ok(row)
}

fn place_row(connection: &Connection, card: &Card) -> Result<i64> {
    let agent = card.owner();
    let key = card.place.key();
    connection
        .prepare_cached("INSERT OR IGNORE INTO place (agent, key) VALUES (?1, ?2)")?
        .execute([agent, &key])?;
    let place = connection
        .prepare_cached("SELECT place FROM place WHERE agent = ?1 AND key = ?2")?
        .query_row([agent, &key], |row| row.get(0))?;
    Ok(place)
}

fn write_words(connection: &Connection, row: i64, record: &Record) -> Result<()> {
    if record.card.mark.is_none() {
        connection
            .prepare_cached("INSERT INTO search (rowid, tokens) VALUES (?1, ?2)")?
            .execute(params![row, record.search_tokens().tokens.join(" ")])?;
    }
    let mut insert =
        connection.prepare_cached("INSERT OR IGNORE INTO tag (tag, row) VALUES (?1, ?2)")?;
    record.card.tags.iter().try_for_each(|tag| insert.execute(params![tag, row]).map(drop))?;
    Ok(())
}

/// Removes the words and tags of a row; only an unmarked one has words.
fn forget_words(connection: &Connection, row: i64, unmarked: bool) -> Result<()> {
    let gone = connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([row])?;
    if gone != usize::from(unmarked) {
        // Left in the postings, they would be found under the row's next words.
        return Err(Error::IndexCorrupt {
            reason: "a record's words are not accounted for".into(),
        });
    }
    connection.prepare_cached("DELETE FROM tag WHERE row = ?1")?.execute([row])?;
    Ok(())
}

/// Removes one record; whether there was one.
fn remove(connection: &Connection, id: &str) -> Result<bool> {
    let row: Option<(i64, bool)> = connection
        .prepare_cached("DELETE FROM record WHERE id = ?1 RETURNING row, mark IS NULL")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((row, unmarked)) = row else { return Ok(false) };
    changes::note(connection, row)?;
    forget_words(connection, row, unmarked)?;
    Ok(true)
}
