//! The rows of one transaction's records: written, and counted in the census.

use std::collections::BTreeMap;

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, params};

use super::standing::Standing;
use super::{changes, words};
use crate::error::Result;
use crate::record::{Authority, Card, Mark, Record};
use crate::tokens::Tokenizer;

/// What the index has of an id.
struct Known {
    row: i64,
    place: i64,
    standing: Standing,
    length: i64,
    /// Whether it is what is to be written.
    same: bool,
}

/// Writes rows; what many records have in common is asked for once, and counted at the end.
pub(super) struct Rows<'c> {
    connection: &'c Connection,
    tokenizer: Tokenizer,
    find: CachedStatement<'c>,
    superseded: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    tag: CachedStatement<'c>,
    note: CachedStatement<'c>,
    next: i64,
    /// No record has an id beyond this one, so that those that come in order are not looked for.
    last: String,
    /// Whether any record says that it replaces another one.
    replacing: bool,
    places: BTreeMap<(String, String), i64>,
    /// How many records each group gets, and how many units they have.
    census: BTreeMap<(i64, Standing), (i64, i64)>,
}

impl<'c> Rows<'c> {
    pub(super) fn new(connection: &'c Connection, tokenizer: Tokenizer) -> Result<Self> {
        Ok(Self {
            connection,
            tokenizer,
            find: connection.prepare_cached(
                "SELECT row, place, standing, length, json = ?2 FROM record WHERE id = ?1",
            )?,
            superseded: connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM record WHERE supersedes = ?1)")?,
            insert: connection.prepare_cached(
                "INSERT INTO record
                 (row, id, place, standing, confidence, importance, answers, directive, mark,
                 supersedes, updated, observed, json, length)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                 ON CONFLICT (row) DO UPDATE SET
                 place = ?3, standing = ?4, confidence = ?5, importance = ?6, answers = ?7,
                 directive = ?8, mark = ?9, supersedes = ?10, updated = ?11, observed = ?12,
                 json = ?13, length = ?14",
            )?,
            tag: connection
                .prepare_cached("INSERT OR IGNORE INTO tag (tag, row) VALUES (?1, ?2)")?,
            note: connection.prepare_cached(changes::NOTE)?,
            next: words::newest(connection)? + 1,
            last: of_all(connection, "SELECT ifnull(max(id), '') FROM record")?,
            replacing: of_all(
                connection,
                "SELECT EXISTS (SELECT 1 FROM record WHERE supersedes IS NOT NULL)",
            )?,
            places: BTreeMap::new(),
            census: BTreeMap::new(),
        })
    }

    /// Writes one record; whether it differs from what was there.
    pub(super) fn upsert(&mut self, json: &[u8]) -> Result<bool> {
        let record = Record::parse(json)?;
        let known = self.known(&record.card.id, json)?;
        if known.as_ref().is_some_and(|known| known.same) {
            return Ok(false);
        }
        let length = words::length(&record, self.tokenizer);
        let card = record.card;
        let superseded =
            self.replacing && self.superseded.query_row([&card.id], |row| row.get(0))?;
        let (place, standing) = (self.place(&card)?, Standing::of(&card, superseded));
        let row = match known {
            Some(known) => {
                self.uncount(&known);
                forget_tags(self.connection, known.row)?;
                known.row
            }
            None => self.next,
        };
        self.next = self.next.max(row + 1);
        self.insert.execute(params![
            row,
            card.id,
            place,
            standing,
            card.confidence,
            card.importance,
            card.answers.bits(),
            card.authority == Authority::Directive,
            card.mark.map(Mark::name),
            card.supersedes,
            card.updated,
            card.observed,
            json,
            length
        ])?;
        self.count(place, standing, (1, length));
        self.note.execute([row])?;
        card.tags.iter().try_for_each(|tag| self.tag.execute(params![tag, row]).map(drop))?;
        if let Some(id) = &card.supersedes {
            self.replacing = true;
            self.replaced(id)?;
        }
        if card.id > self.last {
            self.last = card.id;
        }
        Ok(true)
    }

    /// Removes one record; whether there was one.
    pub(super) fn remove(&mut self, id: &str) -> Result<bool> {
        let Some(known) = self.known(id, &[])? else { return Ok(false) };
        self.connection
            .prepare_cached("DELETE FROM record WHERE row = ?1")?
            .execute([known.row])?;
        forget_tags(self.connection, known.row)?;
        self.uncount(&known);
        self.note.execute([known.row])?;
        Ok(true)
    }

    /// Brings the census in line.
    pub(super) fn finish(self) -> Result<()> {
        let mut count = self.connection.prepare_cached(
            "INSERT INTO census (place, standing, records, length) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET records = records + ?3, length = length + ?4",
        )?;
        for ((place, standing), more) in self.census {
            if more != (0, 0) {
                count.execute(params![place, standing, more.0, more.1])?;
            }
        }
        Ok(())
    }

    fn count(&mut self, place: i64, standing: Standing, (records, length): (i64, i64)) {
        let counted = self.census.entry((place, standing)).or_default();
        counted.0 += records;
        counted.1 += length;
    }

    fn uncount(&mut self, known: &Known) {
        self.count(known.place, known.standing, (-1, -known.length));
    }

    fn known(&mut self, id: &str, json: &[u8]) -> Result<Option<Known>> {
        if *id > *self.last {
            return Ok(None);
        }
        let known = self.find.query_row(params![id, json], |row| {
            Ok(Known {
                row: row.get(0)?,
                place: row.get(1)?,
                standing: row.get(2)?,
                length: row.get(3)?,
                same: row.get(4)?,
            })
        });
        Ok(known.optional()?)
    }

    /// A record that another one replaces is looked at itself from now on.
    fn replaced(&mut self, id: &str) -> Result<()> {
        let Some(known) = self.known(id, &[])? else { return Ok(()) };
        if let Standing::Plain(..) = known.standing {
            self.connection
                .prepare_cached("UPDATE record SET standing = ?1 WHERE row = ?2")?
                .execute(params![Standing::Special, known.row])?;
            self.uncount(&known);
            self.count(known.place, Standing::Special, (1, known.length));
            self.note.execute([known.row])?;
        }
        Ok(())
    }

    fn place(&mut self, card: &Card) -> Result<i64> {
        let place = (card.owner().to_owned(), card.place.key());
        if let Some(row) = self.places.get(&place) {
            return Ok(*row);
        }
        let (agent, key) = &place;
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO place (agent, key) VALUES (?1, ?2)")?
            .execute([agent, key])?;
        let row = self
            .connection
            .prepare_cached("SELECT place FROM place WHERE agent = ?1 AND key = ?2")?
            .query_row([agent, key], |row| row.get(0))?;
        self.places.insert(place, row);
        Ok(row)
    }
}

fn of_all<T: FromSql>(connection: &Connection, sql: &str) -> Result<T> {
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

fn forget_tags(connection: &Connection, row: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM tag WHERE row = ?1")?.execute([row])?;
    Ok(())
}
