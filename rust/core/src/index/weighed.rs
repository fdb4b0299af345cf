//! The path over the index under `foundation-v2`.
//!
//! ```text
//! eligible  the rows that the request may have
//! matches   which of them match each unit, by postings
//! own       what records match whose words are not merged, or all where they are few, by their own units
//! reached   rows whose matches may add up to the lowest level of admission, which are looked at
//! by kind   rows that answer a query for nothing but a kind, which are looked at too
//! ```

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::candidates::{Fts5, LOOK, damaged, judged, parse};
use super::census::{self, Census, PlaceRow};
use super::eligible::Eligible;
use super::hits::{self, RECORD};
use super::matches::Matches;
use super::row_set::RowSet;
use super::standing::Standing;
use super::{vocabulary, words};
use crate::candidate::{Candidate, Proposal};
use crate::error::Result;
use crate::features::Signals;
use crate::hints::{Answering, best_answering};
use crate::query::Query;
use crate::relevance::{Asked, Held, Scoring, Statistics};

/// More than what rounding can take from a sum of weights, as a share of it.
const ROUNDING: f64 = 1e-4;

/// Proposes every row that is relevant.
pub(super) fn candidates(
    connection: &Connection,
    query: &Query<'_>,
    asked: &Asked,
) -> Result<Proposal> {
    let size = hits::rows(connection)? + 1;
    let places = census::places(connection, query)?;
    let census = Census::take(connection, query.request, &places)?;
    let few = are_few(connection, query, asked, (census.alive(), size))?;
    let eligible = Eligible::of(connection, query, census, size, few)?;
    let Eligible { rows, mut statistics, mut filtered } = eligible;
    let visible = query.kind_alone.then(|| rows.clone());
    let found = Found::of(connection, asked, rows, size, few)?;
    found.count(&mut statistics);
    let scoring = Scoring::new(asked, &statistics);
    let looked = Looked { connection, query, places: &places, found: &found, scoring: &scoring };
    let (mut candidates, needed) = looked.at(found.reached(&scoring, asked, size), asked)?;
    let (by_kind, answering) = looked.by_kind(visible)?;
    statistics.best = candidates.iter().map(|one| one.signals.words).fold(0.0, f64::max);
    statistics.answering = answering;
    candidates.extend(by_kind.into_iter().filter(|one| one.signals.words < needed));
    filtered.irrelevant = statistics.records - candidates.len();
    Ok(Proposal { candidates, filtered, statistics: Some(statistics), outranked: 0 })
}

/// Whether it costs less to look at the records that are alive than to ask for postings.
fn are_few(
    connection: &Connection,
    query: &Query<'_>,
    asked: &Asked,
    (alive, rows): (usize, usize),
) -> Result<bool> {
    // There are about as many words as rows.
    let mut postings = if vocabulary::is_asked(asked) { rows } else { 0 };
    for token in query.texts() {
        postings += hits::cost(connection, token, rows)?;
    }
    Ok(alive.saturating_mul(RECORD) <= postings)
}

/// What eligible rows match.
struct Found {
    /// By their own units.
    own: Vec<(usize, Held)>,
    /// All others, by postings.
    matches: Option<Matches>,
}

/// A row that may be relevant, with what the square of its lexical is not above.
type Reached = (f64, usize);

impl Found {
    fn of(
        connection: &Connection,
        asked: &Asked,
        mut rows: RowSet,
        size: usize,
        few: bool,
    ) -> Result<Self> {
        let (mut own, mut matches) = (Vec::new(), None);
        if !few {
            let tail = words::tail(connection)?.into_iter();
            own = tail.map(|row| usize::try_from(row).map_err(damaged)).collect::<Result<_>>()?;
            own.retain(|row| rows.remove(*row));
            matches = Matches::of(connection, asked, &rows, size)?;
        }
        if matches.is_none() {
            rows.each(|row| own.push(row));
        }
        let mut find = connection.prepare_cached("SELECT json FROM record WHERE row = ?1")?;
        let mut held = Vec::new();
        for row in own {
            // Of numbers that no record has, it is told here only.
            let json: Option<Vec<u8>> =
                find.query_row([row], |columns| columns.get(0)).optional()?;
            if let Some(json) = json {
                held.push((row, asked.held_by(&parse(&json)?)));
            }
        }
        held.sort_unstable_by_key(|(row, _)| *row);
        Ok(Self { own: held, matches })
    }

    /// Counts how many match each unit.
    fn count(&self, statistics: &mut Statistics) {
        for (at, _) in self.own.iter().flat_map(|(_, held)| &held.matches) {
            statistics.holders[*at] += 1;
        }
        if let Some(matches) = &self.matches {
            matches.count(&mut statistics.holders);
        }
    }

    /// The rows that may be relevant, the most promising first.
    fn reached(&self, scoring: &Scoring<'_>, asked: &Asked, size: usize) -> Vec<Reached> {
        let least = squared(asked.levels.lowest());
        let own = self.own.iter();
        let own = own.map(|(row, held)| (squared(scoring.lexical(held)), *row));
        let mut reached: Vec<Reached> = own.collect();
        if let Some(matches) = &self.matches {
            let enough = scoring.enough(least);
            for (row, sum) in matches.sums(scoring, size).into_iter().enumerate() {
                let sum = sum * (1.0 + ROUNDING);
                if sum > 0.0 && sum >= enough {
                    reached.push((scoring.most_squared(sum, 0), row));
                }
            }
        }
        reached.retain(|(most, _)| *most > 0.0 && *most >= least);
        reached.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        reached
    }

    /// The lexical of an eligible row of some length.
    fn lexical(&self, scoring: &Scoring<'_>, row: usize, length: usize) -> f64 {
        if let Ok(at) = self.own.binary_search_by_key(&row, |(row, _)| *row) {
            return scoring.lexical(&self.own[at].1);
        }
        let held = self.matches.as_ref().map(|matches| matches.held(row, length));
        held.map_or(0.0, |held| scoring.lexical(&held))
    }
}

fn squared(lexical: f64) -> f64 {
    lexical * lexical
}

/// Looks at rows.
struct Looked<'a> {
    connection: &'a Connection,
    query: &'a Query<'a>,
    places: &'a [PlaceRow],
    found: &'a Found,
    scoring: &'a Scoring<'a>,
}

impl Looked<'_> {
    /// Those that words admit, and what their lexical has to be.
    fn at(&self, reached: Vec<Reached>, asked: &Asked) -> Result<(Vec<Candidate>, f64)> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut best = 0.0_f64;
        for (most, row) in reached {
            if most < squared(asked.levels.level(best)) {
                break;
            }
            let candidate = self.look(row)?;
            best = best.max(candidate.signals.words);
            candidates.push(candidate);
        }
        let needed = asked.levels.needed(best).unwrap_or(f64::INFINITY);
        candidates.retain(|one| one.signals.words >= needed);
        Ok((candidates, needed))
    }

    /// Those of the eligible rows that a query for nothing but a kind admits by it, and the best score of
    /// all that answer, words aside.
    fn by_kind(&self, eligible: Option<RowSet>) -> Result<(Vec<Candidate>, f64)> {
        let Some(eligible) = eligible else { return Ok((Vec::new(), 0.0)) };
        let rows = Fts5::new(self.connection).without_words(self.query, self.places)?;
        let rows =
            rows.into_iter().map(usize::try_from).collect::<std::result::Result<Vec<_>, _>>();
        let mut rows = rows.map_err(damaged)?;
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|row| eligible.has(*row));
        let mut found = rows.into_iter().map(|row| self.look(row)).collect::<Result<Vec<_>>>()?;
        let best = best_answering(self.query, found.iter().map(|one| one.traits));
        let admission = Answering::below(self.query, best);
        found.retain(|one| {
            admission.admits(&self.query.score(&one.traits, Signals::default()).features)
        });
        Ok((found, best))
    }

    fn look(&self, row: usize) -> Result<Candidate> {
        let mut find = self.connection.prepare_cached(LOOK)?;
        let mut found = find.query([row])?;
        let columns = found.next()?.ok_or_else(|| damaged("a word belongs to no record"))?;
        let lexical = self.found.lexical(self.scoring, row, columns.get(9)?);
        self.candidate(columns, Signals::of_words(lexical), row)
    }

    fn candidate(&self, columns: &Row<'_>, signals: Signals, key: usize) -> Result<Candidate> {
        let place: i64 = columns.get(0)?;
        let place = self.places.iter().find(|one| one.row == place);
        if let (Some(place), Standing::Plain(authority, kind)) = (place, columns.get(1)?) {
            let group = (place.scope, authority, kind);
            if let Some(traits) = judged(self.query.request, group, columns)? {
                return Ok(Candidate { id: columns.get(2)?, traits, signals, key });
            }
        }
        let json = columns.get_ref(8)?.as_blob().map_err(damaged)?;
        Ok(Candidate::of(&parse(json)?.card, signals, key))
    }
}
