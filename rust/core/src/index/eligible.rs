//! The rows that a request may have: plain ones by their groups, special ones by their records.
//!
//! Groups of which the request may have all records are listed, or else all others are, whichever is less.

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::{Connection, params};

use super::candidates::{damaged, parse};
use super::census::{Census, Group};
use super::row_set::RowSet;
use super::standing::Standing;
use crate::eligibility::{Unjudged, eligible};
use crate::error::Result;
use crate::query::Query;
use crate::relevance::Statistics;
use crate::trace::Filtered;

/// A group of records: its place and standing.
type Own = (i64, Standing);

/// What a request may have, and the counts of what it may not.
pub(super) struct Eligible {
    /// The rows; and, where the others were listed, numbers that no record has.
    pub(super) rows: RowSet,
    /// Counts of the records.
    pub(super) statistics: Statistics,
    pub(super) filtered: Filtered,
}

impl Eligible {
    /// Of an index without a row from `size` on; where the rows are to be looked at, they are all records.
    pub(super) fn of(
        connection: &Connection,
        query: &Query<'_>,
        mut census: Census,
        size: usize,
        looked_at: bool,
    ) -> Result<Self> {
        let mut found = Self {
            rows: RowSet::up_to(size),
            statistics: Statistics::new(query.asked()),
            filtered: Filtered::default(),
        };
        let request = query.request;
        let groups = census.passing(request);
        let passing: usize = groups.iter().map(|(_, group)| group.confident).sum();
        let chosen = request.picks() || request.min_confidence > 0.0;
        if looked_at || chosen || passing < census.total() / 2 {
            found.list(connection, query, &groups, &mut census)?;
        } else {
            found.rows = RowSet::all_up_to(size);
            found.list_others(connection, &groups, &mut census)?;
        }
        let special = special(connection, query, &mut census)?;
        found.filtered = census.dropped(request);
        for (_, (row, length)) in eligible(special, query, &mut found.filtered) {
            found.add(row, length);
        }
        Ok(found)
    }

    fn list(
        &mut self,
        connection: &Connection,
        query: &Query<'_>,
        groups: &[(Own, Group)],
        census: &mut Census,
    ) -> Result<()> {
        let request = query.request;
        let (tagged, dated) = (tagged(connection, &request.tags)?, request.is_timed());
        let carries = |row| tagged.as_ref().is_none_or(|rows| rows.binary_search(&row).is_ok());
        let mut list = connection.prepare_cached(
            "SELECT row, length, observed FROM record INDEXED BY record_census
             WHERE place = ?1 AND standing = ?2 AND confidence >= ?3",
        )?;
        for ((place, standing), group) in groups {
            let before = self.statistics.records;
            let mut rows = list.query(params![place, standing, request.min_confidence])?;
            while let Some(columns) = rows.next()? {
                let row = columns.get(0)?;
                if carries(row) && (!dated || request.spans(columns.get(2)?)) {
                    self.add(row, columns.get(1)?);
                }
            }
            let listed = self.statistics.records - before;
            if !request.picks() && listed != group.confident {
                return Err(damaged("its counts are not those of its records"));
            }
            census.release_confident((*place, *standing), listed);
        }
        Ok(())
    }

    fn list_others(
        &mut self,
        connection: &Connection,
        groups: &[(Own, Group)],
        census: &mut Census,
    ) -> Result<()> {
        let passing: BTreeSet<Own> = groups.iter().map(|(own, _)| *own).collect();
        let mut list = connection.prepare_cached(
            "SELECT row FROM record INDEXED BY record_census WHERE place = ?1 AND standing = ?2",
        )?;
        let mut all = connection.prepare_cached("SELECT place, standing FROM census")?;
        let mut all = all.query([])?;
        while let Some(own) = all.next()? {
            let own: Own = (own.get(0)?, own.get(1)?);
            if !passing.contains(&own) {
                let mut rows = list.query(params![own.0, own.1])?;
                while let Some(columns) = rows.next()? {
                    self.rows.remove(columns.get(0)?);
                }
            }
        }
        for (own, group) in groups {
            self.statistics.records += group.confident;
            self.statistics.length += group.length;
            census.release_confident(*own, group.confident);
        }
        Ok(())
    }

    fn add(&mut self, row: usize, length: usize) {
        self.rows.add(row);
        self.statistics.records += 1;
        self.statistics.length += length;
    }
}

/// The rows that carry every one of some tags, in order; none where no tag is asked for.
fn tagged(connection: &Connection, tags: &[String]) -> Result<Option<Vec<usize>>> {
    let mut find = connection.prepare_cached("SELECT row FROM tag WHERE tag = ?1 ORDER BY row")?;
    let mut all: Option<Vec<usize>> = None;
    for tag in tags {
        let rows = find.query_map([tag], |row| row.get(0))?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<usize>>>()?;
        if let Some(others) = all {
            rows.retain(|row| others.binary_search(row).is_ok());
        }
        all = Some(rows);
    }
    Ok(all)
}

/// The special records of the visible places, each with its row and length.
fn special(
    connection: &Connection,
    query: &Query<'_>,
    census: &mut Census,
) -> Result<Vec<Unjudged<(usize, usize)>>> {
    let mut list = connection.prepare_cached(
        "SELECT row, length, json FROM record WHERE place = ?1 AND standing = ?2",
    )?;
    let mut unjudged = Vec::new();
    for place in census.special() {
        let mut rows = list.query(params![place, Standing::Special])?;
        while let Some(columns) = rows.next()? {
            let record = parse(columns.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?)?;
            let confident = record.card.confidence >= query.request.min_confidence;
            census.release(place, Standing::Special, confident);
            unjudged.push((Arc::new(record.card), (columns.get(0)?, columns.get(1)?)));
        }
    }
    Ok(unjudged)
}
