//! Which rows match each unit of a query: by the postings of its own word, of those that are alike, and of a
//! pair's characters.

use std::collections::BTreeMap;

use rusqlite::{CachedStatement, Connection};

use super::candidates::damaged;
use super::hits::{is_whole, phrase};
use super::row_set::RowSet;
use super::vocabulary;
use crate::error::Result;
use crate::relevance::{APART, Asked, BackOff, Held, Scoring};
use crate::tokens::TokenKey;

/// The eligible rows that match each unit, in the units' order.
pub(super) struct Matches {
    units: Vec<Matched>,
}

/// The rows that match one unit, each once.
#[derive(Default)]
struct Matched {
    /// Those that hold it.
    whole: RowSet,
    /// Others that hold a word that is alike, in order, with how far.
    alike: Vec<(usize, f64)>,
    /// Others that hold both of its characters.
    apart: RowSet,
}

impl Matches {
    /// Of some rows, where none has a number from `size` on; `None` where postings do not tell exactly.
    pub(super) fn of(
        connection: &Connection,
        asked: &Asked,
        among: &RowSet,
        size: usize,
    ) -> Result<Option<Self>> {
        let mut words: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
        let mut told = asked.units.iter().all(|unit| is_whole(unit.token.key()));
        vocabulary::each_alike(connection, asked, |word, unit, far| {
            told &= is_whole(TokenKey::Word(word));
            if asked.units[unit].token.key() != TokenKey::Word(word) {
                match words.last_mut() {
                    Some((last, units)) if last.strip_prefix('w') == Some(word) => {
                        units.push((unit, far));
                    }
                    _ => words.push((format!("w{word}"), vec![(unit, far)])),
                }
            }
        })?;
        if !told {
            return Ok(None);
        }
        let mut search = Search::new(connection, among, size)?;
        let wholes = asked.units.iter().map(|unit| search.rows(unit.token.key()));
        let wholes = wholes.collect::<Result<Vec<_>>>()?;
        let alike = search.alike(&words, &wholes)?;
        let mut units = Vec::new();
        for ((unit, whole), alike) in asked.units.iter().zip(wholes).zip(alike) {
            let apart = match unit.back_off {
                BackOff::Apart(one, other) => search.apart(one, other, &whole)?,
                _ => RowSet::default(),
            };
            units.push(Matched { whole, alike, apart });
        }
        Ok(Some(Self { units }))
    }

    /// Adds how many rows match each unit.
    pub(super) fn count(&self, holders: &mut [usize]) {
        for (holders, unit) in holders.iter_mut().zip(&self.units) {
            *holders += unit.whole.count() + unit.alike.len() + unit.apart.count();
        }
    }

    /// What the matches of each row weigh together, by its number.
    pub(super) fn sums(&self, scoring: &Scoring<'_>, size: usize) -> Vec<f64> {
        let mut sums = vec![0.0; size];
        let mut add = |row: usize, gain| {
            if let Some(sum) = sums.get_mut(row) {
                *sum += gain;
            }
        };
        for (unit, weight) in self.units.iter().zip(&scoring.weights) {
            unit.whole.each(|row| add(row, *weight));
            unit.alike.iter().for_each(|(row, far)| add(*row, weight * far));
            unit.apart.each(|row| add(row, weight * APART));
        }
        sums
    }

    /// What a row of some length matches.
    pub(super) fn held(&self, row: usize, length: usize) -> Held {
        let matches = self.units.iter().enumerate();
        let matches = matches.filter_map(|(at, unit)| Some((at, unit.far(row)?)));
        Held { matches: matches.collect(), length }
    }
}

impl Matched {
    fn far(&self, row: usize) -> Option<f64> {
        if self.whole.has(row) {
            return Some(1.0);
        }
        if self.apart.has(row) {
            return Some(APART);
        }
        let found = self.alike.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        self.alike.get(found).map(|(_, far)| *far)
    }
}

/// Asks `search` for the rows of tokens.
struct Search<'a> {
    postings: CachedStatement<'a>,
    among: &'a RowSet,
    size: usize,
    characters: BTreeMap<char, RowSet>,
}

impl<'a> Search<'a> {
    fn new(connection: &'a Connection, among: &'a RowSet, size: usize) -> Result<Self> {
        let postings =
            connection.prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1")?;
        Ok(Self { postings, among, size, characters: BTreeMap::new() })
    }

    /// Gives each row that holds a token and is asked about.
    fn each(&mut self, token: &str, mut take: impl FnMut(usize)) -> Result<()> {
        let mut rows = self.postings.query([phrase(token)])?;
        while let Some(columns) = rows.next()? {
            let row = columns.get(0)?;
            if row >= self.size {
                return Err(damaged("a word belongs to no record"));
            }
            if self.among.has(row) {
                take(row);
            }
        }
        Ok(())
    }

    fn rows(&mut self, token: TokenKey<'_>) -> Result<RowSet> {
        let mut rows = RowSet::up_to(self.size);
        self.each(&token.text(), |row| rows.add(row))?;
        Ok(rows)
    }

    /// Of each unit, the rows that hold one of the tokens that are alike to it, in order, with the farthest of
    /// each; but those that hold it. A token is asked for once, however many units it is alike to.
    fn alike(
        &mut self,
        tokens: &[(String, Vec<(usize, f64)>)],
        wholes: &[RowSet],
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        let mut found = vec![Vec::new(); wholes.len()];
        for (token, units) in tokens {
            self.each(token, |row| {
                for &(unit, far) in units {
                    if !wholes[unit].has(row) {
                        found[unit].push((row, far));
                    }
                }
            })?;
        }
        for rows in &mut found {
            rows.sort_unstable_by(|(row, far): &(usize, f64), (other, less)| {
                row.cmp(other).then(less.total_cmp(far))
            });
            rows.dedup_by_key(|(row, _)| *row);
        }
        Ok(found)
    }

    /// The rows that hold two characters, but some others.
    fn apart(&mut self, one: char, other: char, but: &RowSet) -> Result<RowSet> {
        for character in [one, other] {
            if !self.characters.contains_key(&character) {
                let rows = self.rows(TokenKey::character(character))?;
                self.characters.insert(character, rows);
            }
        }
        let both = self.characters.get(&one).zip(self.characters.get(&other));
        Ok(both.map_or_else(RowSet::default, |(one, other)| one.both(other, but)))
    }
}
