//! The path over the index: FTS5 proposes by words, the rows by type, tag and standing.
//!
//! Exact without looking at every record: how many of the query's tokens a record holds is counted by
//! postings, as far as that is cheapest ([`super::hits`]), so that a record below the mode's floor is known
//! to be irrelevant by its count alone. What the words cannot tell (a type hint, a validity, a successor, an
//! agent, a change since they were merged) is looked at record by record, and all others are counted in
//! groups. From there on every path runs the same code.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, Row, ToSql};

use super::census::{self, Census, PlaceRow};
use super::hits::{Hits, Plan, QueryTokens};
use super::standing::Standing;
use super::{weighed, words};
use crate::candidate::{Candidate, Proposal};
use crate::eligibility::eligible;
use crate::error::{Error, Result};
use crate::hints::Hints;
use crate::query::Query;
use crate::record::{Authority, MemoryType, Record, Traits};
use crate::relevance::{Relevance, Share};
use crate::request::Request;
use crate::retrieve::Path;
use crate::scope::Scope;
use crate::shown::Shown;
use crate::trace::{Channel, Mode};

/// So many rows of a place are listed in the time in which one row is looked at.
const LISTED: usize = 8;

/// What is looked at of a row.
pub(super) const LOOK: &str =
    "SELECT place, standing, id, confidence, importance, answers, updated, observed, json,
    length FROM record WHERE row = ?1";

/// One retrieval over the snapshot of one connection.
pub(super) struct Fts5<'c> {
    connection: &'c Connection,
}

/// The rows that could be admitted or that have a say in it, in order, and what is known of their words.
struct Proposed {
    rows: Vec<i64>,
    tail: Vec<i64>,
    hits: Hits,
}

impl<'c> Fts5<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    fn proposed(
        &self,
        query: &Query<'_>,
        share: &Share,
        places: &[PlaceRow],
        census: &Census,
    ) -> Result<Proposed> {
        let plan = Plan::new(self.connection, query, share)?;
        let tail = words::tail(self.connection)?;
        if query.request.is_timed() || plan.prefers(census.alive()) {
            let rows = self.alive(places, census)?;
            return Ok(Proposed { rows, tail, hits: Hits::uncounted() });
        }
        let mut rows = self.without_words(query, places)?;
        rows.extend(&tail);
        let hits = plan.count(self.connection, rows.len())?;
        rows.extend(hits.contenders());
        rows.sort_unstable();
        rows.dedup();
        if census.alive() < rows.len() * LISTED {
            let alive = self.alive(places, census)?;
            rows.retain(|row| alive.binary_search(row).is_ok());
        }
        Ok(Proposed { rows, tail, hits })
    }

    /// The rows of the visible places that are not ended, in order.
    fn alive(&self, places: &[PlaceRow], census: &Census) -> Result<Vec<i64>> {
        let mut alive = self
            .connection
            .prepare_cached("SELECT row FROM record WHERE place = ?1 AND standing <> ?2")?;
        let mut rows = Vec::new();
        for place in places {
            collect(&mut alive, &[&place.row, &Standing::Ended], &mut rows)?;
        }
        if rows.len() != census.alive() {
            return Err(damaged("its counts are not those of its records"));
        }
        rows.sort_unstable();
        Ok(rows)
    }

    /// The rows that have a say whatever their words.
    pub(super) fn without_words(&self, query: &Query<'_>, places: &[PlaceRow]) -> Result<Vec<i64>> {
        let mut special = self
            .connection
            .prepare_cached("SELECT row FROM record WHERE place = ?1 AND standing = ?2")?;
        let mut answering = self.connection.prepare_cached(
            "SELECT row FROM record INDEXED BY record_census
             WHERE place = ?1 AND standing <> ?2 AND standing <> ?3 AND answers & ?4 <> 0",
        )?;
        let hints = query.hints.bits();
        let mut rows = Vec::new();
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
        Ok(rows)
    }
}

impl Path for Fts5<'_> {
    const MODE: Mode = Mode::Fts5;
    const FROM_MEMORY: bool = false;
    type Origin = Arc<[u8]>;

    fn channel(by_words: bool) -> Channel {
        if by_words { Channel::Fts5 } else { Channel::TypeAffinity }
    }

    fn candidates(&mut self, query: &Query<'_>, _most: usize) -> Result<Proposal> {
        match &query.relevance {
            Relevance::Share(share) => self.sharing(query, share),
            Relevance::Weighed(asked) => weighed::candidates(self.connection, query, asked),
        }
    }

    fn record(&mut self, key: usize) -> Result<(Arc<Shown>, Arc<[u8]>)> {
        let row = i64::try_from(key).map_err(damaged)?;
        let mut find = self.connection.prepare_cached("SELECT json FROM record WHERE row = ?1")?;
        let json: Vec<u8> = find.query_row([row], |row| row.get(0))?;
        Ok((Arc::new(Shown::new(parse(&json)?)), json.into()))
    }
}

impl Fts5<'_> {
    fn sharing(&self, query: &Query<'_>, share: &Share) -> Result<Proposal> {
        let places = census::places(self.connection, query)?;
        let mut census = Census::take(self.connection, query.request, &places)?;
        let proposed = self.proposed(query, share, &places, &census)?;
        let tokens = QueryTokens::of(query);
        let mut find = self.connection.prepare_cached(LOOK)?;
        let (mut candidates, mut unjudged) = (Vec::new(), Vec::new());
        for row in proposed.rows {
            let in_tail = proposed.tail.binary_search(&row).is_ok();
            let mut found = find.query([row])?;
            let columns = match found.next()? {
                Some(columns) => columns,
                None if in_tail => continue,
                None => return Err(damaged("a word or tag belongs to no record")),
            };
            let (place, standing): (i64, Standing) = (columns.get(0)?, columns.get(1)?);
            let Some(place) = places.iter().find(|one| one.row == place) else { continue };
            let key = usize::try_from(row).map_err(damaged)?;
            let counted =
                proposed.hits.of(key).filter(|_| !in_tail && tokens.is_told_by_postings());
            let confidence = match (standing, counted) {
                (Standing::Ended, _) => continue,
                (Standing::Plain(authority, kind), Some(hits)) if !query.request.picks() => {
                    let group = (place.scope, authority, kind);
                    let Some(traits) = judged(query.request, group, columns)? else { continue };
                    let (id, signals) = (columns.get(2)?, share.signals(hits));
                    candidates.push(Candidate { id, traits, signals, key });
                    traits.confidence
                }
                _ => {
                    let record = parse(columns.get_ref(8)?.as_blob().map_err(damaged)?)?;
                    let hits = counted.unwrap_or_else(|| tokens.held_by(&record));
                    let confidence = record.card.confidence;
                    unjudged.push((Arc::new(record.card), (hits, key)));
                    confidence
                }
            };
            census.release(place.row, standing, confidence >= query.request.min_confidence);
        }
        let mut filtered = census.dropped(query.request);
        let judged = eligible(unjudged, query, &mut filtered);
        candidates.extend(
            judged
                .into_iter()
                .map(|(card, (hits, key))| Candidate::of(&card, share.signals(hits), key)),
        );
        Ok(Proposal { candidates, filtered, ..Proposal::default() })
    }
}

/// A record that its columns tell to be eligible; of any other one the census knows what becomes of it.
pub(super) fn judged(
    request: &Request,
    (scope, authority, kind): (Scope, Authority, MemoryType),
    columns: &Row<'_>,
) -> Result<Option<Traits>> {
    let confidence = columns.get(3)?;
    if confidence < request.min_confidence
        || !request.serves(authority)
        || !request.passes(scope, kind, authority)
    {
        return Ok(None);
    }
    let answers = Hints::of_bits(columns.get(5)?).ok_or_else(|| damaged("an unknown hint"))?;
    let (updated, observed) = (columns.get(6)?, columns.get(7)?);
    let importance = columns.get(4)?;
    Ok(Some(Traits { scope, kind, authority, answers, importance, confidence, updated, observed }))
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
pub(super) fn parse(json: &[u8]) -> Result<Record> {
    Record::parse(json).map_err(damaged)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(super) fn damaged(error: impl ToString) -> Error {
    Error::IndexCorrupt { reason: error.to_string() }
}
