//! Any sequence of changes to an index, compared with the records at hand; then damage.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use arbitrary::{Result, Unstructured};
use membound_core::error::Error;
use membound_core::files::retrieve_records;
use membound_core::index::{Change, Index, Recalled, Settings, Warmth};
use membound_core::request::Request;
use membound_core::tokens::Tokenizer;

use crate::context::check_outcome;
use crate::hostile;

const MOST_STEPS: usize = 10;
const PAGE: [u8; 4096] = [0; 4096];

type Records = BTreeMap<String, String>;

/// Reads the bytes as changes and recalls, then as damage to the file.
pub fn index(data: &[u8]) {
    let folder = Folder::new();
    let path = folder.0.join("index.sqlite3");
    let mut choices = Unstructured::new(data);
    // Too few bytes for a choice end the run.
    let _ = run(&mut choices, &path);
}

fn run(choices: &mut Unstructured<'_>, path: &Path) -> Result<()> {
    let tokenizer = *choices.choose(&[Tokenizer::V1, Tokenizer::V2, Tokenizer::V2])?;
    let mut records = Records::new();
    let mut index = open(path, tokenizer).expect("an empty place takes an index");
    let notes = [("complete".to_owned(), Some("1".to_owned()))];
    index.apply(&Change { notes: &notes, ..Change::default() }).expect("a note is written");
    for _ in 0..choices.int_in_range(1..=MOST_STEPS)? {
        if choices.ratio(1, 8)? {
            drop(index);
            index = open(path, tokenizer).expect("an index of ours is opened");
        } else if choices.ratio(1, 4)? {
            index.optimize().expect("words are put in order");
        } else {
            change(choices, &index, &mut records)?;
        }
        compare(choices, &index, tokenizer, &records)?;
    }
    compare_rows(&index, &records);
    index.check().expect("what was written by us is sound");
    drop(index);
    damaged(choices, path, tokenizer, &records)
}

fn open(path: &Path, tokenizer: Tokenizer) -> membound_core::error::Result<Index> {
    let index = Index::open(path, Settings { durable: false, tokenizer })?;
    index.limit_memory(1 << 30);
    Ok(index)
}

/// Writes some records and removes some, in one transaction.
fn change(choices: &mut Unstructured<'_>, index: &Index, records: &mut Records) -> Result<()> {
    let mut written = Vec::new();
    for _ in 0..choices.int_in_range(0..=3)? {
        let id = hostile::id(choices)?;
        written.push((id, hostile::record(choices, id)?));
    }
    let mut removed = Vec::new();
    for _ in 0..choices.int_in_range(0..=2)? {
        removed.push(hostile::id(choices)?.to_owned());
    }
    let json: Vec<&[u8]> = written.iter().map(|(_, json)| json.as_bytes()).collect();
    index.intend(&removed).expect("intents are written");
    let change = Change { records: &json, removed: &removed, settled: &removed, notes: &[] };
    index.apply(&change).expect("what the schema lets through is written");
    for (id, json) in written {
        records.insert(id.to_owned(), json);
    }
    records.retain(|id, _| !removed.contains(id));
    assert_eq!(index.intents(), Ok(Vec::new()));
    Ok(())
}

/// Asks the index, its postings in memory and the records one question: one answer.
fn compare(
    choices: &mut Unstructured<'_>,
    index: &Index,
    tokenizer: Tokenizer,
    records: &Records,
) -> Result<()> {
    let request = hostile::request(choices, tokenizer)?;
    let request = Request::parse(request.as_bytes()).expect("a request of ours is one");
    let found = index.retrieve_from_file(&request).expect("a sound index answers");
    assert_same(&found, records, &request);
    if index.memory().0 != Warmth::Ready || choices.ratio(1, 8)? {
        while index.fill_memory(choices.int_in_range(1..=3)?).expect("a sound index is read") {}
    }
    let found = index.retrieve(&request).expect("a sound index answers");
    assert!(found.from_memory);
    assert_same(&found, records, &request);
    Ok(())
}

fn assert_same(found: &Recalled, records: &Records, request: &Request) {
    check_outcome(found, request);
    let expected = retrieve_records(request, records.values().map(String::as_bytes))
        .expect("the records are good");
    assert_eq!(found.selection.block, expected.selection.block);
    let mut trace = found.trace.clone();
    trace.mode = expected.trace.mode;
    for (mine, theirs) in trace.rankings.iter_mut().zip(&expected.trace.rankings) {
        mine.channel = theirs.channel;
    }
    assert_eq!(trace, expected.trace);
    for taken in &found.selection.taken {
        assert_eq!(*records[taken.id()].as_bytes(), *taken.origin);
    }
}

fn compare_rows(index: &Index, records: &Records) {
    let ids: Vec<String> = records.keys().cloned().collect();
    assert_eq!(index.ids().as_ref(), Ok(&ids));
    let rows: Vec<Option<Vec<u8>>> =
        records.values().map(|json| Some(json.clone().into_bytes())).collect();
    assert_eq!(index.records(&ids), Ok(rows));
    assert_eq!(index.counts().map(|counts| counts.all), Ok(ids.len()));
    let (page, _) = index.page(None, ids.len() + 1).expect("a sound index is listed");
    assert_eq!(page.len(), ids.len());
}

/// After any damage the file is refused, or found damaged, or answers as before; it may know fewer records
/// only where it says that it is not complete, and others only where its rows say so.
fn damaged(
    choices: &mut Unstructured<'_>,
    path: &Path,
    tokenizer: Tokenizer,
    records: &Records,
) -> Result<()> {
    let request = hostile::request(choices, tokenizer)?;
    let request = Request::parse(request.as_bytes()).expect("a request of ours is one");
    damage(choices, path)?;
    let index = match open(path, tokenizer) {
        Ok(index) => index,
        Err(Error::IndexUnavailable { reason }) => panic_busy(&reason),
        Err(_) => return Ok(()),
    };
    let found = index.retrieve(&request);
    let complete = index.state().is_ok_and(|state| state.complete);
    let ids: Vec<String> = records.keys().cloned().collect();
    let rows = index.records(&ids);
    let _ = (index.ids(), index.counts(), index.page(None, 100), index.directives(&request));
    let whole = rows.is_ok_and(|rows| {
        rows.iter().zip(records.values()).all(|(row, json)| row.as_deref() == Some(json.as_bytes()))
    });
    if complete && whole && index.check().is_ok() && index.ids().as_ref() == Ok(&ids) {
        assert_same(&found.expect("what is sound answers"), records, &request);
    }
    let first = records.values().next().map(String::as_bytes);
    let change = Change { records: first.as_slice(), removed: &ids, ..Change::default() };
    // It may fail; it must end.
    let _ = index.apply(&change);
    Ok(())
}

/// Damage is no reason to call an index unavailable: that would be tried again for ever.
fn panic_busy(reason: &str) -> ! {
    unreachable!("a damaged file is told as damaged, not as unavailable: {reason}")
}

/// Puts bytes over a part of the file, over a page, in the place of its end, of its log or of all of it.
fn damage(choices: &mut Unstructured<'_>, path: &Path) -> Result<()> {
    let kind = choices.int_in_range(0..=5)?;
    let length = fs::metadata(path).expect("the file is there").len();
    let at = choices.int_in_range(0..=length)?;
    let page = at - at % PAGE.len() as u64;
    let bytes = choices.bytes(choices.len())?;
    let file = OpenOptions::new().write(true).open(path).expect("the file is ours");
    match kind {
        0 => fs::write(path, bytes),
        1 => file.set_len(at),
        2 => file.write_all_at(&PAGE, page),
        3 => file.write_all_at(bytes, page),
        4 => fs::write(path.with_extension("sqlite3-wal"), bytes),
        _ => file.write_all_at(bytes, at),
    }
    .expect("the damage is done");
    Ok(())
}

/// A folder of one run, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("membound-fuzz-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).expect("a temporary folder can be made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
