//! What happens to a file is found when it is read, by what `SQLite` itself would take for an answer.

#![expect(clippy::unwrap_used, reason = "without what it needs a test ends")]

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use membound_pages::{SEAL, VFS, register, reserve, seal, tells_damage, was_sealed};
use rusqlite::{Connection, ErrorCode, OpenFlags, Result};

const PAGE: usize = 4096;

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pages-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("file")
    }

    fn log(&self) -> PathBuf {
        self.0.join("file-wal")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn open(path: &Path) -> Result<Connection> {
    register()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags_and_vfs(path, flags, VFS)?;
    reserve(&connection)?;
    connection.pragma_update(None, "cache_spill", "OFF")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection)
}

fn fill(connection: &Connection) {
    connection
        .execute_batch(
            "CREATE TABLE one (key INTEGER PRIMARY KEY, value BLOB);
             CREATE VIRTUAL TABLE words USING fts5 (text);
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
             INSERT INTO one SELECT n, printf('%.*c', 1 + n * 37 % 9000, char(65 + n % 26)) FROM n;
             INSERT INTO words SELECT 'kiwi w' || key || ' g' || key % 7 FROM one;",
        )
        .unwrap();
}

/// Reads everything there is.
fn read(path: &Path) -> Result<i64> {
    let connection = open(path)?;
    let kiwis: i64 =
        connection.query_row("SELECT count(*) FROM words('kiwi')", [], |row| row.get(0))?;
    let bytes: i64 =
        connection.query_row("SELECT sum(length(hex(value))) FROM one", [], |row| row.get(0))?;
    let verdict: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    // The check reports a page that cannot be read as a row.
    Ok(if verdict == "ok" { kiwis + bytes } else { 0 })
}

fn filled(name: &str) -> (Folder, Vec<u8>, i64) {
    let folder = Folder::new(name);
    fill(&open(&folder.file()).unwrap());
    let right = read(&folder.file()).unwrap();
    let bytes = std::fs::read(folder.file()).unwrap();
    assert!(bytes.len() > 100 * PAGE && right > 0);
    (folder, bytes, right)
}

/// A wrong checksum, or what `SQLite` says of a header or a length before it reads a page.
fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    tells_damage(error)
        || matches!(code, Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn assert_found(folder: &Folder, bytes: &[u8], what: &str) {
    std::fs::write(folder.file(), bytes).unwrap();
    match read(&folder.file()) {
        Ok(answer) => assert_eq!(answer, 0, "{what}: taken for an answer"),
        Err(error) => assert!(is_damage(&error), "{what}: {error}"),
    }
}

#[test]
fn every_page_of_a_file_is_sealed() {
    let (_folder, bytes, _) = filled("sealed");
    assert_eq!(usize::from(bytes[20]), SEAL);
    for (offset, page) in (0..).step_by(PAGE).zip(bytes.chunks(PAGE)) {
        assert_eq!(page[PAGE - SEAL..], seal(page, offset));
    }
}

#[test]
fn every_turned_bit_breaks_the_seal() {
    let (_folder, bytes, _) = filled("bits");
    for (offset, page) in (0..).step_by(PAGE).zip(bytes.chunks(PAGE)) {
        for at in (0..100).chain((100..PAGE - 16).step_by(61)).chain(PAGE - 16..PAGE) {
            for bit in 0..8 {
                let mut page = page.to_vec();
                page[at] ^= 1 << bit;
                assert_ne!(page[PAGE - SEAL..], seal(&page, offset), "byte {at}, bit {bit}");
            }
        }
    }
}

#[test]
fn a_page_that_changed_is_an_error_wherever_it_is() {
    let (folder, bytes, right) = filled("changed");
    for (number, offset) in (0..bytes.len()).step_by(PAGE).enumerate() {
        let mut damaged = bytes.clone();
        damaged[offset + (number * 997 + 100) % PAGE] ^= 1 << (number % 8);
        assert_found(&folder, &damaged, "a bit");
        if number % 5 == 0 {
            damaged.copy_from_slice(&bytes);
            damaged[offset..offset + PAGE].fill(0);
            assert_found(&folder, &damaged, "zeros");
        }
    }
    for pair in [(1, 2), (3, 90), (50, 51)] {
        let mut damaged = bytes.clone();
        let (low, high) = damaged.split_at_mut(pair.1 * PAGE);
        low[pair.0 * PAGE..(pair.0 + 1) * PAGE].swap_with_slice(&mut high[..PAGE]);
        assert_found(&folder, &damaged, "two pages that changed places");
    }
    std::fs::write(folder.file(), &bytes).unwrap();
    assert_eq!(read(&folder.file()).unwrap(), right);
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let (folder, bytes, _) = filled("cut");
    for length in [1, 99, PAGE - 1, PAGE, PAGE + 1, 50 * PAGE, bytes.len() - PAGE, bytes.len() - 1]
    {
        std::fs::write(folder.file(), &bytes[..length]).unwrap();
        assert!(read(&folder.file()).map_or(true, |answer| answer == 0), "{length}");
    }
}

#[test]
fn a_file_that_is_cut_under_an_open_connection_is_an_error() {
    let (folder, bytes, _) = filled("cut-open");
    let connection = open(&folder.file()).unwrap();
    connection.query_row("SELECT 1 FROM one WHERE key = 1", [], |_| Ok(())).unwrap();
    let file = OpenOptions::new().write(true).open(folder.file()).unwrap();
    file.set_len((bytes.len() / PAGE / 2 * PAGE) as u64).unwrap();
    let answer = connection
        .query_row("SELECT sum(length(hex(value))) FROM one", [], |row| row.get::<_, i64>(0));
    // By the header of its first page it is longer than it is.
    let error = answer.unwrap_err();
    assert!(is_damage(&error), "{error}");
}

#[test]
fn a_bit_that_turned_in_the_log_of_an_open_file_is_an_error() {
    let folder = Folder::new("log");
    let writer = open(&folder.file()).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    fill(&writer);
    let right = read(&folder.file()).unwrap();
    let log = OpenOptions::new().read(true).write(true).open(folder.log()).unwrap();
    let frames = (log.metadata().unwrap().len() - 32) / (PAGE as u64 + 24);
    let mut found = 0;
    for frame in 0..frames {
        let at = 32 + frame * (PAGE as u64 + 24) + 24 + (frame * 997) % PAGE as u64;
        let mut byte = [0];
        log.read_exact_at(&mut byte, at).unwrap();
        log.write_all_at(&[byte[0] ^ 4], at).unwrap();
        match read(&folder.file()) {
            // A frame that a later one of the same page has taken the place of is never read.
            Ok(answer) => assert!(answer == right || answer == 0),
            Err(error) => assert!(tells_damage(&error), "{error}"),
        }
        found += u64::from(!matches!(read(&folder.file()), Ok(answer) if answer == right));
        log.write_all_at(&byte, at).unwrap();
    }
    assert!(found * 2 > frames, "{found} of {frames}");
    assert_eq!(read(&folder.file()).unwrap(), right);
}

#[test]
fn pages_that_are_written_often_are_what_their_checksums_say() {
    let folder = Folder::new("often");
    let writer = open(&folder.file()).unwrap();
    for (name, value) in [("cache_size", 10), ("wal_autocheckpoint", 20), ("secure_delete", 1)] {
        writer.pragma_update(None, name, value).unwrap();
    }
    fill(&writer);
    for round in 0..20 {
        writer
            .execute_batch(&format!(
                "BEGIN;
                 UPDATE one SET value = value || 'x' WHERE key % 3 = {round} % 3;
                 DELETE FROM one WHERE key % 50 = {round};
                 UPDATE one SET value = value || 'y' WHERE key % 3 = {round} % 3;
                 INSERT INTO one SELECT key + 1000, value FROM one WHERE key < 40 AND key % 20 > 9
                 ON CONFLICT DO UPDATE SET value = excluded.value;
                 INSERT INTO words (words) VALUES ('optimize');
                 COMMIT;"
            ))
            .unwrap();
        assert_ne!(read(&folder.file()).unwrap(), 0);
    }
}

#[test]
fn a_number_in_the_header_that_turned_is_told_from_one_that_was_written() {
    let (folder, bytes, _) = filled("header");
    let first = |bytes: &[u8]| {
        std::fs::write(folder.file(), bytes).unwrap();
        was_sealed(&Connection::open(folder.file()).unwrap(), &[(60, 0), (68, 0)]).unwrap()
    };
    assert!(first(&bytes));
    let mut turned = bytes.clone();
    turned[62] ^= 1;
    assert!(first(&turned));
    turned[24] ^= 1;
    assert!(!first(&turned));
    assert!(!first(&bytes[..1000]));
}
