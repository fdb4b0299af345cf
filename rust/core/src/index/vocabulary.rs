//! The vocabulary: the words that may stand in for others under `foundation-v2`.
//!
//! They lie together by their first three characters, for a recall reads all of them. A word comes when it is
//! merged, and stays when its last record goes, until all words are put in order: what no record holds stands in
//! for nothing.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::check::term;
use crate::error::Result;
use crate::relevance::{Asked, BackOff, has_trigrams, windows};
use crate::tokens::{TokenKey, Tokenizer};

/// Adds a word that may stand in for others, if a token is one.
pub(super) fn collect(token: TokenKey<'_>, tokenizer: Tokenizer, words: &mut BTreeSet<String>) {
    if let TokenKey::Word(word) = token
        && tokenizer == Tokenizer::V2
        && has_trigrams(word)
        && !words.contains(word)
    {
        words.insert(word.to_owned());
    }
}

/// Adds words that are merged.
pub(super) fn add(connection: &Connection, words: &BTreeSet<String>) -> Result<()> {
    let mut find = connection.prepare_cached("SELECT words FROM vocabulary WHERE head = ?1")?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for alike in words.chunk_by(|one, next| head(one) == head(next)) {
        let Some(head) = alike.first().and_then(|word| head(word)) else { continue };
        let known: Option<String> = find.query_row([head], |row| row.get(0)).optional()?;
        let known: BTreeSet<&str> = known.iter().flat_map(|words| words.split(' ')).collect();
        if !alike.iter().all(|word| known.contains(word)) {
            put(connection, head, known.into_iter().chain(alike.iter().copied()).collect())?;
        }
    }
    Ok(())
}

/// The first three characters of a word, as a number.
fn head(word: &str) -> Option<i64> {
    windows(word).next().and_then(|head| i64::try_from(head).ok())
}

fn put(connection: &Connection, head: i64, words: BTreeSet<&str>) -> Result<()> {
    let words: Vec<&str> = words.into_iter().collect();
    connection
        .prepare_cached(
            "INSERT INTO vocabulary (head, words) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET words = excluded.words",
        )?
        .execute(params![head, words.join(" ")])?;
    Ok(())
}

/// Gives each word that is alike to one that is asked for, with the place of that one and how far.
pub(super) fn each_alike(
    connection: &Connection,
    asked: &Asked,
    mut take: impl FnMut(&str, usize, f64),
) -> Result<()> {
    if is_asked(asked) {
        each(connection, |word| asked.each_alike(word, |unit, far| take(word, unit, far)))?;
    }
    Ok(())
}

/// Whether its words may stand in for any that is asked for.
pub(super) fn is_asked(asked: &Asked) -> bool {
    asked.units.iter().any(|unit| matches!(unit.back_off, BackOff::Alike(_)))
}

/// All of its words.
pub(super) fn all(connection: &Connection) -> Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    each(connection, |word| {
        words.insert(word.to_owned());
    })?;
    Ok(words)
}

/// Forgets the words that no record holds, once `search` has no other ones.
pub(super) fn forget_lost(connection: &Connection) -> Result<()> {
    let held = held(connection)?;
    let known = all(connection)?;
    if known.iter().all(|word| is_held(word, &held)) {
        return Ok(());
    }
    connection.execute("DELETE FROM vocabulary", [])?;
    add(connection, &known.into_iter().filter(|word| is_held(word, &held)).collect())
}

fn is_held(word: &str, held: &BTreeSet<Vec<u8>>) -> bool {
    held.contains(term(&format!("w{word}")))
}

/// The words of `search`, as it has them.
fn held(connection: &Connection) -> Result<BTreeSet<Vec<u8>>> {
    connection
        .execute_batch("CREATE VIRTUAL TABLE temp.merged USING fts5vocab (main, search, row)")?;
    let sql = "SELECT term FROM temp.merged WHERE term >= 'w' AND term < 'x'";
    let held = connection
        .prepare(sql)?
        .query_map([], |row| row.get_ref(0)?.as_bytes().map(<[u8]>::to_vec).map_err(Into::into))?
        .collect::<rusqlite::Result<_>>()?;
    connection.execute_batch("DROP TABLE temp.merged")?;
    Ok(held)
}

fn each(connection: &Connection, mut take: impl FnMut(&str)) -> Result<()> {
    let mut words = connection.prepare_cached("SELECT words FROM vocabulary")?;
    let mut rows = words.query([])?;
    while let Some(row) = rows.next()? {
        row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?.split(' ').for_each(&mut take);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_word_that_was_added_is_there_once(
            batches in vec(btree_set("[aбe]{4,6}", 0..20), 0..5),
        ) {
            let connection = Connection::open_in_memory().unwrap();
            let sql = "CREATE TABLE vocabulary (head INTEGER PRIMARY KEY, words TEXT NOT NULL)";
            connection.execute_batch(sql).unwrap();
            let mut expected = BTreeSet::new();
            for batch in batches {
                add(&connection, &batch).unwrap();
                expected.extend(batch);
            }
            let mut found = Vec::new();
            each(&connection, |word| found.push(word.to_owned())).unwrap();
            prop_assert_eq!(found.len(), expected.len());
            prop_assert_eq!(all(&connection).unwrap(), expected);
        }
    }
}
