//! The path over the index: FTS5 proposes by words, the rows by type, tag and standing.
//!
//! Exact without looking at every record: each query token's postings add to a count per record, so a
//! record below the mode's floor is known to be irrelevant by its count alone. What the words cannot tell
//! (a type hint, a validity, a successor, an agent) is looked at record by record, and all others are
//! counted in groups. From there on every path runs the same code.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, ToSql, params};

use super::census::{self, Census, PlaceRow};
use super::schema::MOST_TOKEN_BYTES;
use super::standing::Standing;
use crate::candidate::{Candidate, Proposal};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::record::Record;
use crate::retrieve::Path;
use crate::shown::Shown;
use crate::tokens::matched;
use crate::trace::{Channel, Mode};

/// More rows than any index of ours has: a file that says so is damaged, and is not given the memory.
const MOST_ROWS: usize = 1 << 28;

/// One retrieval over the snapshot of one connection.
pub(super) struct Fts5<'c> {
    connection: &'c Connection,
}

impl<'c> Fts5<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// How many of the query tokens each row holds, by row number.
    fn hits(&self, query: &Query<'_>) -> Result<Vec<u8>> {
        let most: Option<usize> = self
            .connection
            .prepare_cached("SELECT max(row) FROM record")?
            .query_row([], |row| row.get(0))?;
        let count = most.map_or(0, |most| most.saturating_add(1));
        if count > MOST_ROWS {
            return Err(damaged("its row numbers are out of range"));
        }
        let mut hits = vec![0_u8; count];
        let mut postings =
            self.connection.prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1")?;
        for token in query.texts() {
            let mut rows = postings.query([phrase(token)])?;
            while let Some(row) = rows.next()? {
                let count = hits
                    .get_mut(row.get::<_, usize>(0)?)
                    .ok_or_else(|| damaged("a word belongs to no record"))?;
                *count = count.saturating_add(1);
            }
        }
        Ok(hits)
    }

    /// The rows that could be admitted or that have a say in it.
    fn proposed(&self, query: &Query<'_>, places: &[PlaceRow], hits: &[u8]) -> Result<Vec<i64>> {
        let mut rows = Vec::new();
        if let Some(fewest) = query.admission.fewest_hits(query.asked()) {
            let enough = |(_, count): &(i64, &u8)| usize::from(**count) >= fewest;
            rows.extend((0_i64..).zip(hits).filter(enough).map(|(row, _)| row));
        }
        let mut special = self
            .connection
            .prepare_cached("SELECT row FROM record WHERE place = ?1 AND standing = ?2")?;
        let mut answering = self.connection.prepare_cached(
            "SELECT row FROM record INDEXED BY record_census
             WHERE place = ?1 AND standing <> ?2 AND standing <> ?3 AND answers & ?4 <> 0",
        )?;
        let hints = query.hints.bits();
        for place in places {
            collect(&mut special, &[&place.row, &Standing::Special], &mut rows)?;
            if hints != 0 {
                let values: [&dyn ToSql; 4] =
                    [&place.row, &Standing::Special, &Standing::Ended, &hints];
                collect(&mut answering, &values, &mut rows)?;
            }
        }
        if let Some(tag) = query.request.tags.first() {
            let mut tagged =
                self.connection.prepare_cached("SELECT row FROM tag WHERE tag = ?1")?;
            collect(&mut tagged, &[tag], &mut rows)?;
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }
}

impl Path for Fts5<'_> {
    const MODE: Mode = Mode::Fts5;
    type Origin = Arc<[u8]>;

    fn channel(hits: usize) -> Channel {
        if hits > 0 { Channel::Fts5 } else { Channel::TypeAffinity }
    }

    fn candidates(&mut self, query: &Query<'_>, _most: usize) -> Result<Proposal> {
        let places = census::places(self.connection, query)?;
        let mut census = Census::take(self.connection, query.request, &places)?;
        let hits = self.hits(query)?;
        let mut find = self
            .connection
            .prepare_cached("SELECT place, standing, json FROM record WHERE row = ?1")?;
        let mut candidates = Vec::new();
        for row in self.proposed(query, &places, &hits)? {
            let mut found = find.query(params![row])?;
            let columns =
                found.next()?.ok_or_else(|| damaged("a word or tag belongs to no record"))?;
            let place: i64 = columns.get(0)?;
            let standing: Standing = columns.get(1)?;
            if !places.iter().any(|one| one.row == place) || standing == Standing::Ended {
                continue;
            }
            let record = parse(columns.get_ref(2)?.as_blob().map_err(damaged)?)?;
            census.release(place, standing, record.card.confidence >= query.request.min_confidence);
            let key = usize::try_from(row).map_err(damaged)?;
            let hits = count(&record, query, hits.get(key).copied().unwrap_or_default());
            candidates.push(Candidate::unjudged(Arc::new(record.card), hits, key));
        }
        Ok(Proposal { candidates, filtered: census.dropped(query.request), outranked: 0 })
    }

    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, Arc<[u8]>)> {
        let row = i64::try_from(key).map_err(damaged)?;
        let mut find = self.connection.prepare_cached("SELECT json FROM record WHERE row = ?1")?;
        let json: Vec<u8> = find.query_row([row], |row| row.get(0))?;
        Ok((Arc::new(Shown::new(parse(&json)?)), json.into()))
    }
}

/// The exact number of query tokens in a record, of which `hits` is what the postings say: more, where a
/// token is as long as one that was cut.
fn count(record: &Record, query: &Query<'_>, hits: u8) -> usize {
    if query.texts().iter().any(|token| token.len() >= MOST_TOKEN_BYTES) {
        return matched(query.texts(), &record.search_tokens().tokens);
    }
    usize::from(hits)
}

/// One token as an FTS5 string: whatever it holds, it is no syntax.
fn phrase(token: &str) -> String {
    format!("\"{}\"", token.replace('"', "\"\""))
}

fn collect(
    statement: &mut CachedStatement<'_>,
    values: &[&dyn ToSql],
    into: &mut Vec<i64>,
) -> Result<()> {
    let mut rows = statement.query(values)?;
    while let Some(row) = rows.next()? {
        into.push(row.get(0)?);
    }
    Ok(())
}

/// What a row holds was canonical JSON when it was written.
fn parse(json: &[u8]) -> Result<Record> {
    Record::parse(json).map_err(damaged)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn damaged(error: impl ToString) -> Error {
    Error::IndexCorrupt { reason: error.to_string() }
}
