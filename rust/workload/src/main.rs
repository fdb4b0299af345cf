//! A fixed workload over the core: `prepare FOLDER` fills an index there, `measure FOLDER` does what is counted.
//!
//! Filling is the longer work, and is done outside of callgrind. `measure` tells which instructions the core
//! makes use of, then each part and how often it did its work.
#![forbid(unsafe_code)]

mod chance;
mod corpus;
mod parts;

use std::io::{Write as _, stdout};
use std::path::Path;

use membound_core::error::Result;
use membound_core::index::{Change, Index, Settings};
use membound_core::relevance::RelevanceMode;
use membound_core::request::Request;
use membound_core::tokens::Tokenizer;

use corpus::Corpus;

const SETTINGS: Settings = Settings { durable: false, tokenizer: Tokenizer::V1 };
const UNITS: Settings = Settings { durable: false, tokenizer: Tokenizer::V2 };
const RECORDS: usize = 4_000;
const WRITTEN: usize = 500;
const REQUESTS: usize = 200;
// A recall through the file takes many times what one from memory does.
const REQUESTS_TO_FILE: usize = 40;
const TEXTS: usize = 400;
const WORDS: usize = 20;
const MEMORY_BYTES: usize = 1 << 30;

type Done = std::result::Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "prepare", folder] => prepare(Path::new(folder)),
        [_, "measure", folder] => measure(Path::new(folder)),
        _ => Err("expected: prepare FOLDER, or measure FOLDER".into()),
    }
}

fn filled(folder: &Path) -> Result<Index> {
    Index::open(&folder.join("filled.sqlite3"), SETTINGS)
}

/// The same records by their units.
fn filled_with_units(folder: &Path) -> Result<Index> {
    Index::open(&folder.join("units.sqlite3"), UNITS)
}

/// The same requests under `foundation-v2`.
fn weighed(requests: &[Request]) -> Vec<Request> {
    let weighed = |request: &Request| Request {
        tokenizer: Tokenizer::V2,
        relevance_mode: RelevanceMode::FoundationV2,
        ..request.clone()
    };
    requests.iter().map(weighed).collect()
}

fn prepare(folder: &Path) -> Done {
    fill(&filled(folder)?)?;
    fill(&filled_with_units(folder)?)
}

fn fill(index: &Index) -> Done {
    parts::write_many(index, &Corpus::new().records("m", RECORDS))?;
    index.optimize()?;
    // As a store says when it has looked at every file: from then on words follow rows soon.
    let notes = [("complete".to_owned(), Some("1".to_owned()))];
    index.apply(&Change { notes: &notes, ..Change::default() })?;
    Ok(())
}

fn measure(folder: &Path) -> Done {
    let mut corpus = Corpus::new();
    let english: Vec<String> = (0..TEXTS).map(|_| corpus.english(WORDS)).collect();
    let chinese: Vec<String> = (0..TEXTS).map(|_| corpus.chinese(WORDS)).collect();
    let requests = corpus.requests(REQUESTS)?;
    let few = &requests[..REQUESTS_TO_FILE];
    let written = corpus.records("n", WRITTEN);
    let (filled, empty) = (filled(folder)?, Index::open(&folder.join("empty.sqlite3"), SETTINGS)?);
    let units = filled_with_units(folder)?;
    let weighed = weighed(&requests);
    let few_weighed = &weighed[..REQUESTS_TO_FILE];
    filled.limit_memory(MEMORY_BYTES);
    units.limit_memory(MEMORY_BYTES);

    writeln!(stdout(), "{}", vectors())?;
    part("token keys, English", &mut || Ok(parts::token_keys(&english, Tokenizer::V1)))?;
    part("token keys, Chinese", &mut || Ok(parts::token_keys(&chinese, Tokenizer::V1)))?;
    part("units, English", &mut || Ok(parts::token_keys(&english, Tokenizer::V2)))?;
    part("units, Chinese", &mut || Ok(parts::token_keys(&chinese, Tokenizer::V2)))?;
    part("token texts", &mut || Ok(parts::token_texts(&english)))?;
    part("recall from the file", &mut || parts::recall_from_file(&filled, few))?;
    part("fill the memory", &mut || parts::fill_memory(&filled))?;
    part("recall from memory", &mut || parts::recall_from_memory(&filled, &requests))?;
    part("weighed recall from the file", &mut || parts::recall_from_file(&units, few_weighed))?;
    part("fill the memory with units", &mut || parts::fill_memory(&units))?;
    part("weighed recall from memory", &mut || parts::recall_from_memory(&units, &weighed))?;
    part("write one record", &mut || parts::write_one(&filled, &written))?;
    part("recall after writes", &mut || parts::recall_from_file(&filled, few))?;
    part("write many records", &mut || parts::write_many(&empty, &written))?;
    part("write their words", &mut || empty.optimize().map(|()| WRITTEN))
}

/// The instruction set that the core takes for vectors, found out at run time.
fn vectors() -> String {
    let set = format!("{:?}", pulp::Arch::new());
    set.split('(').next().unwrap_or_default().to_owned()
}

/// Does what is counted, and tells how often.
fn part(name: &str, work: &mut dyn FnMut() -> Result<usize>) -> Done {
    let done = counted(work)?;
    if done == 0 {
        return Err(format!("{name}: nothing was done").into());
    }
    Ok(writeln!(stdout(), "{name}: {done}")?)
}

/// Callgrind counts what is done in here, and writes a profile at each return.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> Result<usize>) -> Result<usize> {
    work()
}
