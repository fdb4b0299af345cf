//! The words in `search`, which follow the rows in batches.
//!
//! A word costs FTS5 ten times as much alone as among many. So a change writes rows only, and the log of
//! changes tells which of them `search` does not have yet as they are: the *tail*. It is short, and
//! recall counts its records' words from their tokens, whatever `search` says of them. Past a size, it is
//! merged: all its words are written in the transaction that finds it too long.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::changes::{changes, prune, sequence};
use super::vocabulary;
use crate::error::{Error, Result};
use crate::record::Record;
use crate::tokens::{TokenKey, Tokenizer};

/// Most changes that are left in the tail by a commit.
const MOST_CHANGES: i64 = 256;
/// The same where recall does not ask the index, as it is being filled: the more at once, the cheaper.
const MOST_FILLING: i64 = 8_192;
/// Of so many records the tokens are looked at to tell which are frequent.
const SAMPLE: i64 = 512;
/// Of so many records at least one holds a frequent token.
const SELDOM: i64 = 64;

/// Up to which change `search` has the words.
pub(super) fn merged(connection: &Connection) -> Result<i64> {
    of_words(connection, "SELECT merged FROM words")
}

/// The greatest number that a row has, or that `search` has a row by.
pub(super) fn newest(connection: &Connection) -> Result<i64> {
    of_words(connection, "SELECT max(newest, (SELECT ifnull(max(row), 0) FROM record)) FROM words")
}

fn of_words(connection: &Connection, sql: &str) -> Result<i64> {
    let found = connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
    found.ok_or_else(|| damaged("it does not say which words it has"))
}

/// The rows that `search` does not have as they are, in order; some may be gone.
pub(super) fn tail(connection: &Connection) -> Result<Vec<i64>> {
    let rows = changes(connection, merged(connection)?)?;
    rows.ok_or_else(|| damaged("its log of changes does not reach back to its words"))
}

/// Merges the tail where it has become too long; forgets what nobody needs of the log.
pub(super) fn keep_short(connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
    let long = sequence(connection)? - merged(connection)?;
    if long > MOST_CHANGES {
        let asked = is_complete(connection)?;
        if asked || long > MOST_FILLING {
            merge(connection, tokenizer)?;
        }
        if asked {
            count_frequent(connection, tokenizer)?;
        }
    }
    prune(connection, merged(connection)?)
}

fn is_complete(connection: &Connection) -> Result<bool> {
    let mut find =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'complete')")?;
    Ok(find.query_row([], |row| row.get(0))?)
}

/// Merges the tail, then all words into one segment, which is read about twice as fast. Afterwards no
/// table of words has one that no record holds.
pub(super) fn optimize(connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
    merge(connection, tokenizer)?;
    connection.execute("INSERT INTO search (search) VALUES ('optimize')", [])?;
    vocabulary::forget_lost(connection)?;
    connection.execute("DELETE FROM frequent", [])?;
    connection.execute("UPDATE words SET counted = 0", [])?;
    count_frequent(connection, tokenizer)?;
    prune(connection, merged(connection)?)
}

/// Writes the words of the tail.
///
/// Every record has its place in `search`, one that is marked without a word; and no number that
/// `search` was given goes to another record before it has forgotten it. So it is known which it must
/// have, and words that are not accounted for do not stay behind to be found under others.
fn merge(connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
    let rows = tail(connection)?;
    if rows.is_empty() {
        return Ok(());
    }
    let had: i64 = of_words(connection, "SELECT newest FROM words")?;
    let mut forget = connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?;
    let mut find = connection.prepare_cached("SELECT json FROM record WHERE row = ?1")?;
    let mut write =
        connection.prepare_cached("INSERT INTO search (rowid, tokens) VALUES (?1, ?2)")?;
    let mut vocabulary = BTreeSet::new();
    for row in rows {
        if row <= had && forget.execute([row])? != 1 {
            return Err(damaged("a record's words are not accounted for"));
        }
        let mut found = find.query([row])?;
        if let Some(columns) = found.next()? {
            let record = parse(columns.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            let mut words = String::with_capacity(record.content.len());
            each_word(&record, tokenizer, |token| {
                token.push_to(&mut words);
                words.push(' ');
                vocabulary::collect(token, tokenizer, &mut vocabulary);
            });
            write.execute(params![row, words])?;
        }
    }
    vocabulary::add(connection, &vocabulary)?;
    connection
        .prepare_cached("UPDATE words SET merged = ?1, newest = ?2")?
        .execute([sequence(connection)?, newest(connection)?])?;
    Ok(())
}

/// Gives each word by which recall finds a record: of one that is marked, none. Of units, the characters of
/// pairs are words, too, so that two are found wherever they stand.
pub(super) fn each_word(record: &Record, tokenizer: Tokenizer, mut take: impl FnMut(TokenKey<'_>)) {
    if record.card.mark.is_some() {
        return;
    }
    let mut characters = Vec::new();
    record.each_token(tokenizer, |token| {
        take(token);
        if tokenizer == Tokenizer::V2 {
            characters.extend(token.characters());
        }
    });
    characters.sort_unstable();
    characters.dedup();
    characters.into_iter().map(TokenKey::character).for_each(take);
}

/// How many units a record has; 0 where its tokenizer gives none, and nobody asks.
pub(super) fn length(record: &Record, tokenizer: Tokenizer) -> i64 {
    let mut length = 0;
    if tokenizer == Tokenizer::V2 {
        record.each_token(tokenizer, |_| length += 1);
    }
    length
}

fn parse(json: &[u8]) -> Result<Record> {
    Record::parse(json).map_err(|error| damaged(&error.to_string()))
}

/// Takes a sample of how many records hold a token, where the index has grown by half since the last one.
///
/// It tells recall what to ask for first, so it may be wrong and old: no answer depends on it.
fn count_frequent(connection: &Connection, tokenizer: Tokenizer) -> Result<()> {
    let records: i64 = connection
        .prepare_cached("SELECT ifnull(sum(records), 0) FROM census")?
        .query_row([], |row| row.get(0))?;
    let counted = of_words(connection, "SELECT counted FROM words")?;
    if records < SAMPLE || records < counted + counted / 2 {
        return Ok(());
    }
    let tokens = sample(connection, tokenizer)?;
    connection.execute("DELETE FROM frequent", [])?;
    let mut note =
        connection.prepare_cached("INSERT INTO frequent (token, records) VALUES (?1, ?2)")?;
    for same in tokens.chunk_by(|one, next| one == next) {
        let found = i64::try_from(same.len()).unwrap_or(i64::MAX);
        if let Some(token) = same.first().filter(|_| found >= SAMPLE / SELDOM) {
            note.execute(params![token, found * records / SAMPLE])?;
        }
    }
    connection.execute("UPDATE words SET counted = ?1", [records])?;
    Ok(())
}

/// The tokens of records that lie evenly among all, in order.
fn sample(connection: &Connection, tokenizer: Tokenizer) -> Result<Vec<String>> {
    let most = newest(connection)?;
    let mut next = connection
        .prepare_cached("SELECT json FROM record WHERE row >= ?1 ORDER BY row LIMIT 1")?;
    let mut tokens = Vec::new();
    for number in 0..SAMPLE {
        let mut found = next.query([most * number / SAMPLE])?;
        if let Some(columns) = found.next()? {
            let record = parse(columns.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            each_word(&record, tokenizer, |token| tokens.push(token.text()));
        }
    }
    tokens.sort_unstable();
    Ok(tokens)
}

fn damaged(reason: &str) -> Error {
    Error::IndexCorrupt { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::{RELAXED, folder};
    use crate::index::{Change, Index, Settings};

    fn record(number: usize, content: &str) -> String {
        format!(
            r#"{{"id": "k{number}", "content": "{content}", "scope": "user", "type": "fact",
            "authority": "reference", "tags": [], "confidence": 1.0, "importance": 0.5,
            "createdAt": "2026-07-01T12:00:00.000Z", "updatedAt": "2026-07-01T12:00:00.000Z",
            "sources": []}}"#
        )
    }

    fn write(index: &Index, records: &[String]) {
        let records: Vec<&[u8]> = records.iter().map(String::as_bytes).collect();
        index.apply(&Change { records: &records, ..Change::default() }).unwrap();
    }

    fn tail_of(index: &Index) -> usize {
        index.read(tail).unwrap().len()
    }

    #[test]
    fn the_tail_stays_short_once_recall_asks_the_index() {
        let folder = folder("tail");
        let index = Index::open(&folder.join("index.sqlite3"), RELAXED).unwrap();
        for number in 0..300 {
            write(&index, &[record(number, "kiwi")]);
        }
        assert_eq!(tail_of(&index), 300);
        let complete = [("complete".to_owned(), Some("yes".to_owned()))];
        index.apply(&Change { notes: &complete, ..Change::default() }).unwrap();
        assert_eq!(tail_of(&index), 0);
        for number in 300..900 {
            write(&index, &[record(number, "kiwi")]);
            assert!(tail_of(&index) <= 256);
        }
        index.check().unwrap();
        drop(index);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_word_that_many_records_held_is_gone_with_the_last_of_them() {
        for tokenizer in [Tokenizer::V1, Tokenizer::V2] {
            let folder = folder("gone");
            let settings = Settings { tokenizer, ..RELAXED };
            let index = Index::open(&folder.join("index.sqlite3"), settings).unwrap();
            let word = |number| if number % 16 == 0 { "zanzibar" } else { "kiwi" };
            let records: Vec<String> =
                (0..1_000).map(|number| record(number, word(number))).collect();
            write(&index, &records);
            index.optimize().unwrap();
            let known = "SELECT EXISTS (SELECT 1 FROM frequent WHERE token = 'wzanzibar')
                AND (EXISTS (SELECT 1 FROM vocabulary WHERE words = 'zanzibar') OR ?1 = 'v1')";
            let known =
                |now: &Connection| Ok(now.query_row(known, [tokenizer.name()], |row| row.get(0))?);
            assert!(index.read::<bool>(known).unwrap());
            let removed: Vec<String> =
                (0..1_000).step_by(16).map(|number| format!("k{number}")).collect();
            index.apply(&Change { removed: &removed, ..Change::default() }).unwrap();
            assert!(index.scrub().unwrap());
            index.check().unwrap();
            for entry in std::fs::read_dir(&folder).unwrap() {
                let bytes = std::fs::read(entry.unwrap().path()).unwrap();
                // FTS5 keeps of a word what it does not share with the one before it.
                assert!(!bytes.windows(6).any(|some| some == b"anziba"));
            }
            drop(index);
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
}
