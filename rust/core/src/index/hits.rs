//! How many of a query's tokens each record holds: counted by postings as far as that is cheapest.
//!
//! A record that its words admit holds at least t of the n tokens. So it holds one of *any* n - t + 1 of
//! them: were it none of these, only t - 1 tokens were left for it to hold. The rarest are asked for first.
//! Each further token raises by one what a record must have had by then, and leaves fewer *contenders*;
//! whose own tokens are counted as soon as that is less work than the postings that are left.

use rusqlite::{Connection, OptionalExtension as _};

use super::schema::MOST_TOKEN_BYTES;
use super::words;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::record::Record;
use crate::relevance::Share;
use crate::tokens::{TokenKey, Tokenizer};

/// So many postings are read in the time in which one record is read, parsed and tokenised: by a process
/// that has just started, which finds no page of the file in its memory yet.
pub(super) const RECORD: usize = 200;
/// So many postings are read in the time in which a token's first one is found.
const TOKEN: usize = 60;
/// A token that is not known as frequent is in one record of so many, as a rule.
const SELDOM: usize = 256;
/// More rows than any index of ours has: a file that says so is damaged, and is not given the memory.
const MOST_ROWS: usize = 1 << 28;

/// The tokens of one query, rarest first, each with the postings that it costs.
pub(super) struct Plan<'q> {
    tokens: Vec<(usize, &'q str)>,
    fewest: usize,
    rows: usize,
}

impl<'q> Plan<'q> {
    pub(super) fn new(
        connection: &Connection,
        query: &'q Query<'_>,
        share: &Share,
    ) -> Result<Self> {
        let rows = rows(connection)?;
        let mut tokens = Vec::new();
        for token in query.texts() {
            tokens.push((cost(connection, token, rows)?, token.as_str()));
        }
        // Which comes first among equals decides no answer, only its cost.
        tokens.sort_by_key(|(cost, _)| *cost);
        let asked = tokens.len();
        let fewest = share.fewest_hits().unwrap_or(asked + 1);
        Ok(Self { tokens, fewest, rows })
    }

    /// Whether it costs less to look at so many records than to begin to count.
    pub(super) fn prefers(&self, records: usize) -> bool {
        let needed = (self.tokens.len() + 1).saturating_sub(self.fewest);
        let postings: usize = self.tokens.iter().take(needed).map(|(cost, _)| cost).sum();
        records.saturating_mul(RECORD) <= postings
    }

    /// Reads postings, where `others` records are looked at anyway, until their tokens and those of the
    /// contenders cost less to count.
    pub(super) fn count(&self, connection: &Connection, others: usize) -> Result<Hits> {
        let mut hits = Hits { counts: vec![0; self.rows + 1], least: usize::MAX, exact: true };
        let mut postings =
            connection.prepare_cached("SELECT rowid FROM search WHERE search MATCH ?1")?;
        let mut cost: usize = self.tokens.iter().map(|(cost, _)| cost).sum();
        for (number, (own, token)) in self.tokens.iter().enumerate() {
            let left = self.tokens.len() - number;
            if let Some(least) = self.fewest.checked_sub(left).filter(|least| *least > 0) {
                hits.least = least;
                let looked_at = hits.contending().saturating_add(others);
                if looked_at.saturating_mul(RECORD) <= cost {
                    hits.exact = false;
                    return Ok(hits);
                }
            }
            cost -= own;
            let mut rows = postings.query([phrase(token)])?;
            while let Some(row) = rows.next()? {
                hits.add(row.get(0)?)?;
            }
        }
        hits.least = self.fewest.max(1);
        Ok(hits)
    }
}

/// The tokens of each row that were counted.
pub(super) struct Hits {
    counts: Vec<u8>,
    least: usize,
    exact: bool,
}

impl Hits {
    /// Of rows whose tokens are all counted one by one.
    pub(super) fn uncounted() -> Self {
        Self { counts: Vec::new(), least: usize::MAX, exact: false }
    }

    fn add(&mut self, row: usize) -> Result<()> {
        let count =
            self.counts.get_mut(row).ok_or_else(|| damaged("a word belongs to no record"))?;
        *count = count.saturating_add(1);
        Ok(())
    }

    /// The rows that were not shown to hold too few.
    pub(super) fn contenders(&self) -> impl Iterator<Item = i64> {
        let least = self.least();
        (0_i64..).zip(&self.counts).filter(move |(_, count)| **count >= least).map(|(row, _)| row)
    }

    /// How many they are: added up in bytes, of which the processor adds many at once.
    fn contending(&self) -> usize {
        let least = self.least();
        let few = |some: &[u8]| some.iter().map(|count| u8::from(*count >= least)).sum::<u8>();
        self.counts.chunks(usize::from(u8::MAX)).map(|some| usize::from(few(some))).sum()
    }

    fn least(&self) -> u8 {
        u8::try_from(self.least).unwrap_or(u8::MAX)
    }

    /// How many tokens a row holds, as `search` has it; none where not all were counted.
    pub(super) fn of(&self, row: usize) -> Option<usize> {
        let count = self.counts.get(row).filter(|_| self.exact)?;
        Some(usize::from(*count))
    }
}

/// The tokens of a query, in order, to be looked for in a record's.
pub(super) struct QueryTokens<'q> {
    tokenizer: Tokenizer,
    keys: Vec<TokenKey<'q>>,
}

impl<'q> QueryTokens<'q> {
    pub(super) fn of(query: &'q Query<'_>) -> Self {
        let mut keys: Vec<_> = query.keys().collect();
        keys.sort_unstable();
        Self { tokenizer: query.request.tokenizer, keys }
    }

    /// How many of them a record holds, by its own tokens.
    pub(super) fn held_by(&self, record: &Record) -> usize {
        let mut held = 0;
        record.each_token(self.tokenizer, |token| {
            held += usize::from(self.keys.binary_search(&token).is_ok());
        });
        held
    }

    /// Whether postings tell exactly what a record holds: more, where a token is as long as one that was cut.
    pub(super) fn is_told_by_postings(&self) -> bool {
        self.keys.iter().copied().all(is_whole)
    }
}

/// The greatest number that a row has.
pub(super) fn rows(connection: &Connection) -> Result<usize> {
    let rows = usize::try_from(words::newest(connection)?).unwrap_or(usize::MAX);
    if rows > MOST_ROWS {
        return Err(damaged("its row numbers are out of range"));
    }
    Ok(rows)
}

/// So many postings are read in the time in which those of a token are, where there are so many rows.
pub(super) fn cost(connection: &Connection, token: &str, rows: usize) -> Result<usize> {
    let mut find = connection.prepare_cached("SELECT records FROM frequent WHERE token = ?1")?;
    let records: Option<usize> = find.query_row([token], |row| row.get(0)).optional()?;
    Ok(TOKEN + records.unwrap_or(rows / SELDOM))
}

/// Whether FTS5 has all of a token: one that is as long may be the beginning of others.
pub(super) fn is_whole(token: TokenKey<'_>) -> bool {
    match token {
        TokenKey::Packed(_) => true,
        TokenKey::Word(text) | TokenKey::Pair(text) => text.len() + 1 < MOST_TOKEN_BYTES,
    }
}

/// One token as an FTS5 string: whatever it holds, it is no syntax.
pub(super) fn phrase(token: &str) -> String {
    format!("\"{}\"", token.replace('"', "\"\""))
}

fn damaged(reason: &str) -> Error {
    Error::IndexCorrupt { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    const TOKENS: [&str; 8] = ["wa", "wb", "wc", "wd", "we", "wf", "wg", "wh"];

    fn search(rows: &[BTreeSet<usize>]) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let sql = "CREATE VIRTUAL TABLE search USING fts5 (tokens, content = '', detail = none)";
        connection.execute_batch(sql).unwrap();
        let mut insert =
            connection.prepare("INSERT INTO search (rowid, tokens) VALUES (?1, ?2)").unwrap();
        for (row, tokens) in (0_i64..).zip(rows) {
            let tokens: Vec<&str> = tokens.iter().map(|token| TOKENS[*token]).collect();
            insert.execute((row, tokens.join(" "))).unwrap();
        }
        drop(insert);
        connection
    }

    proptest! {
        #[test]
        fn whatever_is_believed_of_costs_no_row_with_enough_tokens_is_left_out(
            rows in vec(btree_set(0_usize..8, 0..8), 1..60),
            asked in vec(0_usize..5_000, 8),
            fewest in 1_usize..9,
            others in 0_usize..20,
        ) {
            let tokens = asked.iter().copied().zip(TOKENS).collect();
            let plan = Plan { tokens, fewest, rows: rows.len() };
            let hits = plan.count(&search(&rows), others).unwrap();
            let contenders: BTreeSet<i64> = hits.contenders().collect();
            prop_assert_eq!(hits.contending(), contenders.len());
            for (row, held) in rows.iter().enumerate() {
                if held.len() >= fewest {
                    prop_assert!(contenders.contains(&i64::try_from(row).unwrap()));
                }
                prop_assert!(hits.of(row).is_none_or(|count| count == held.len()));
            }
        }
    }
}
