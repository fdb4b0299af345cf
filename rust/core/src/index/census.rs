//! Counting the records that need no look of their own, by the stage that drops them.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::standing::Standing;
use crate::error::Result;
use crate::query::Query;
use crate::request::Request;
use crate::scope::Scope;
use crate::trace::Filtered;

/// A place that a request sees, as the index numbers it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceRow {
    pub(super) row: i64,
    pub(super) scope: Scope,
}

/// The places that the request sees and the index knows.
pub(super) fn places(connection: &Connection, query: &Query<'_>) -> Result<Vec<PlaceRow>> {
    let agent = query.request.owner();
    let mut find =
        connection.prepare_cached("SELECT place FROM place WHERE agent = ?1 AND key = ?2")?;
    let mut found = Vec::new();
    for place in &query.places {
        let row: Option<i64> =
            find.query_row([agent, &place.key()], |row| row.get(0)).optional()?;
        found.extend(row.map(|row| PlaceRow { row, scope: place.scope() }));
    }
    Ok(found)
}

/// Counts of records of one standing in one place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Group {
    all: usize,
    pub(super) confident: usize,
    /// The units of all.
    pub(super) length: usize,
}

/// How many records of each standing each visible place has.
#[derive(Debug)]
pub(super) struct Census {
    elsewhere: usize,
    groups: BTreeMap<(i64, Standing), (Scope, Group)>,
}

impl Census {
    /// Reads the counts; only a least confidence makes it look at the rows.
    pub(super) fn take(
        connection: &Connection,
        request: &Request,
        places: &[PlaceRow],
    ) -> Result<Self> {
        let total: usize = connection
            .prepare_cached("SELECT ifnull(sum(records), 0) FROM census")?
            .query_row([], |row| row.get(0))?;
        let mut census = Self { elsewhere: total, groups: BTreeMap::new() };
        let mut count = connection
            .prepare_cached("SELECT standing, records, length FROM census WHERE place = ?1")?;
        for place in places {
            let mut rows = count.query([place.row])?;
            while let Some(row) = rows.next()? {
                let all = row.get(1)?;
                census.elsewhere = census.elsewhere.saturating_sub(all);
                let group = Group { all, confident: all, length: row.get(2)? };
                census.groups.insert((place.row, row.get(0)?), (place.scope, group));
            }
        }
        if request.min_confidence > 0.0 {
            census.count_confident(connection, request.min_confidence)?;
        }
        Ok(census)
    }

    fn count_confident(&mut self, connection: &Connection, least: f64) -> Result<()> {
        let mut count = connection.prepare_cached(
            "SELECT count(*) FROM record INDEXED BY record_census
             WHERE place = ?1 AND standing = ?2 AND confidence >= ?3",
        )?;
        for ((place, standing), (_, group)) in &mut self.groups {
            group.confident = count.query_row(params![place, standing, least], |row| row.get(0))?;
        }
        Ok(())
    }

    /// How many records of the visible places are not ended.
    pub(super) fn alive(&self) -> usize {
        let alive = |&(&(_, standing), _): &(&(i64, Standing), _)| standing != Standing::Ended;
        self.groups.iter().filter(alive).map(|(_, (_, group))| group.all).sum()
    }

    /// The special records of the visible places: where they are counted.
    pub(super) fn special(&self) -> Vec<i64> {
        let special = self.groups.keys().filter(|(_, standing)| *standing == Standing::Special);
        special.map(|(place, _)| *place).collect()
    }

    /// The groups of plain records that the request may have, their tags, time and confidence aside.
    pub(super) fn passing(&self, request: &Request) -> Vec<((i64, Standing), Group)> {
        let passes = |standing, scope| match standing {
            Standing::Plain(authority, kind) => {
                request.serves(authority) && request.passes(scope, kind, authority)
            }
            _ => false,
        };
        let groups =
            self.groups.iter().filter(|((_, standing), (scope, _))| passes(*standing, *scope));
        groups.map(|(own, (_, group))| (*own, *group)).collect()
    }

    /// How many records there are, in places that the request does not see too.
    pub(super) fn total(&self) -> usize {
        self.elsewhere + self.groups.values().map(|(_, group)| group.all).sum::<usize>()
    }

    /// Takes out so many confident records of a group, which are looked at themselves.
    pub(super) fn release_confident(&mut self, group: (i64, Standing), records: usize) {
        if let Some((_, group)) = self.groups.get_mut(&group) {
            group.all = group.all.saturating_sub(records);
            group.confident = group.confident.saturating_sub(records);
        }
    }

    /// Takes out a record that is looked at itself.
    pub(super) fn release(&mut self, place: i64, standing: Standing, confident: bool) {
        if let Some((_, group)) = self.groups.get_mut(&(place, standing)) {
            group.all = group.all.saturating_sub(1);
            group.confident = group.confident.saturating_sub(usize::from(confident));
        }
    }

    /// The stage that drops each record that is left: none of them is admitted.
    pub(super) fn dropped(&self, request: &Request) -> Filtered {
        let mut filtered = Filtered { scope: self.elsewhere, ..Filtered::default() };
        for ((_, standing), (scope, group)) in &self.groups {
            let Standing::Plain(authority, kind) = *standing else {
                filtered.lifecycle += group.all;
                continue;
            };
            filtered.lifecycle += group.all.saturating_sub(group.confident);
            if !request.serves(authority) {
                filtered.purpose += group.confident;
            } else if request.picks() || !request.passes(*scope, kind, authority) {
                // Whatever carries the tags and has the time asked for was looked at itself.
                filtered.request += group.confident;
            } else {
                filtered.irrelevant += group.confident;
            }
        }
        filtered
    }
}
