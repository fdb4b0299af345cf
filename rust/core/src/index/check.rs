//! Checking the whole index against itself: everything in it is what its records' JSON gives.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, params};

use super::schema::MOST_TOKEN_BYTES;
use super::standing::Standing;
use super::{Index, vocabulary, words};
use crate::error::{Error, Result};
use crate::record::{Authority, Card, Mark, Record};
use crate::tokens::Tokenizer;

const SUM_DIFFERS: &str = "SELECT EXISTS (
    SELECT place, standing, records, length FROM census WHERE records <> 0
    EXCEPT SELECT place, standing, count(*), sum(length) FROM record GROUP BY place, standing
) OR EXISTS (
    SELECT place, standing, count(*), sum(length) FROM record GROUP BY place, standing
    EXCEPT SELECT place, standing, records, length FROM census
)";
const PLACES_DIFFER: &str = "SELECT EXISTS (
    SELECT rowid FROM search EXCEPT SELECT row FROM record
    EXCEPT SELECT row FROM change JOIN words ON sequence > merged
) OR EXISTS (
    SELECT row FROM record EXCEPT SELECT rowid FROM search
    EXCEPT SELECT row FROM change JOIN words ON sequence > merged
)";

const NEWER_WORDS: &str = "SELECT newest < (SELECT ifnull(max(rowid), 0) FROM search) FROM words";

impl Index {
    /// Checks the file's structure, then every row, count, tag and word; reads everything once.
    ///
    /// Fails with [`Error::IndexCorrupt`], naming the first difference.
    pub fn check(&self) -> Result<()> {
        self.read(|connection| {
            // Only a query makes FTS5 look whether another connection has merged its segments.
            connection.query_row("SELECT EXISTS (SELECT 1 FROM search)", [], |_| Ok(()))?;
            let verdict: String =
                connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            require(verdict == "ok", &verdict)?;
            let differs = |sql| connection.query_row(sql, [], |row| row.get::<_, bool>(0));
            require(!differs(SUM_DIFFERS)?, "its counts are not those of its records")?;
            require(!differs(PLACES_DIFFER)?, "the words of some records are missing")?;
            require(!differs(NEWER_WORDS)?, "it has words of rows that are yet to come")?;
            let tail = words::tail(connection)?;
            let expected = Expected::of(connection, &tail, self.settings.tokenizer)?;
            let indexed = indexed_words(connection, &tail)?;
            require(expected.words == indexed, "its words are not those of its records")?;
            let known = vocabulary::all(connection)?;
            require(expected.vocabulary.is_subset(&known), "its vocabulary lacks words")?;
            let tags = indexed_tags(connection)?;
            require(expected.tags == tags, "its tags are not those of its records")
        })
    }
}

fn require(holds: bool, reason: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::IndexCorrupt { reason: reason.to_owned() }) }
}

/// A sum over pairs of text and row: equal for equal sets, whatever the order they come in.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum(u64);

impl Sum {
    /// Adds each different text of one row.
    fn add<'t>(&mut self, texts: impl Iterator<Item = &'t [u8]>, row: i64) {
        for text in texts.collect::<BTreeSet<_>>() {
            let mut hasher = DefaultHasher::new();
            (text, row).hash(&mut hasher);
            self.0 = self.0.wrapping_add(hasher.finish());
        }
    }
}

/// What all records give.
#[derive(Default)]
struct Expected {
    words: Sum,
    vocabulary: BTreeSet<String>,
    tags: Sum,
}

impl Expected {
    /// Every column is compared on the way. The words of the tail are counted from its rows.
    fn of(connection: &Connection, tail: &[i64], tokenizer: Tokenizer) -> Result<Self> {
        let mut expected = Self::default();
        let mut all = connection.prepare("SELECT row, json FROM record")?;
        let mut rows = all.query([])?;
        while let Some(columns) = rows.next()? {
            let row = columns.get(0)?;
            let json = columns.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let record = Record::parse(json)
                .map_err(|error| Error::IndexCorrupt { reason: error.to_string() })?;
            let length = words::length(&record, tokenizer);
            let holds = holds(connection, row, &record.card, length)?;
            require(holds, "a row is not what its record gives")?;
            if tail.binary_search(&row).is_err() {
                let mut tokens = Vec::new();
                words::each_word(&record, tokenizer, |token| {
                    tokens.push(token.text());
                    vocabulary::collect(token, tokenizer, &mut expected.vocabulary);
                });
                expected.words.add(tokens.iter().map(|token| term(token)), row);
            }
            expected.tags.add(record.card.tags.iter().map(String::as_bytes), row);
        }
        Ok(expected)
    }
}

/// What FTS5 has of a token.
pub(super) fn term(token: &str) -> &[u8] {
    let bytes = token.as_bytes();
    bytes.get(..MOST_TOKEN_BYTES).unwrap_or(bytes)
}

/// Whether a row's columns are what a card gives; one that was replaced once may stay `special`.
fn holds(connection: &Connection, row: i64, card: &Card, length: i64) -> Result<bool> {
    let superseded = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM record WHERE supersedes = ?1)")?
        .query_row([&card.id], |row| row.get(0))?;
    let mut find = connection.prepare_cached(
        "SELECT EXISTS (
             SELECT 1 FROM record JOIN place USING (place)
             WHERE row = ?1 AND id = ?2 AND agent = ?3 AND key = ?4
             AND (standing = ?5 OR standing = ?12 AND ?5 <> ?13)
             AND confidence = ?6 AND answers = ?7 AND directive = ?8
             AND mark IS ?9 AND supersedes IS ?10 AND updated IS ?11
             AND importance = ?14 AND observed IS ?15 AND length = ?16
         )",
    )?;
    let holds = find.query_row(
        params![
            row,
            card.id,
            card.owner(),
            card.place.key(),
            Standing::of(card, superseded),
            card.confidence,
            card.answers.bits(),
            card.authority == Authority::Directive,
            card.mark.map(Mark::name),
            card.supersedes,
            card.updated,
            Standing::Special,
            Standing::Ended,
            card.importance,
            card.observed,
            length,
        ],
        |row| row.get(0),
    )?;
    Ok(holds)
}

/// Every word is asked for as recall asks for it, so that the way to its records is checked too.
fn indexed_words(connection: &Connection, tail: &[i64]) -> Result<Sum> {
    connection
        .execute_batch("CREATE VIRTUAL TABLE temp.word USING fts5vocab (main, search, row)")?;
    let mut sum = Sum::default();
    let mut words = connection.prepare("SELECT term FROM temp.word")?;
    let mut words = words.query([])?;
    let mut postings = connection.prepare("SELECT rowid FROM search WHERE search MATCH ?1")?;
    while let Some(word) = words.next()? {
        let term = word.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?;
        let phrase = [b"\"", term, b"\""].concat();
        let mut rows = postings.query([ToSqlOutput::Borrowed(ValueRef::Text(&phrase))])?;
        while let Some(row) = rows.next()? {
            let row = row.get(0)?;
            if tail.binary_search(&row).is_err() {
                sum.add([term].into_iter(), row);
            }
        }
    }
    Ok(sum)
}

fn indexed_tags(connection: &Connection) -> Result<Sum> {
    let mut sum = Sum::default();
    let mut tags = connection.prepare("SELECT tag, row FROM tag")?;
    let mut tags = tags.query([])?;
    while let Some(tag) = tags.next()? {
        let text = tag.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?;
        sum.add([text].into_iter(), tag.get(1)?);
    }
    Ok(sum)
}
