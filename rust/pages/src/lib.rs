//! Checksums on the pages of a `SQLite` file, so that bits that turned are an error and never an answer.
//!
//! The file system that is registered as [`VFS`] is `SQLite`'s own, byte for byte in its handles, locks and
//! shared memory; three of its functions are ours:
//!
//! - a page that is written to a database file is *sealed*: its last [`SEAL`] bytes, which the file
//!   [reserves](reserve), hold a checksum of the others and of the page's number;
//! - a page that is read from a database file must be whole and sealed;
//! - a page that is read from the write-ahead log must be what its frame's checksum says. `SQLite` looks at
//!   those itself, but only when it recovers a log.
//!
//! What is not gives `SQLITE_IOERR_DATA`, the code that `SQLite` has for this. A connection must not spill
//! pages into the log before it commits (`PRAGMA cache_spill = OFF`): a frame that it writes twice has a
//! stale checksum until then.

#![allow(unsafe_code, reason = "a VFS is a table of C functions")]
#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

mod frame;
mod vfs;

use std::ffi::{CStr, c_int};

use rusqlite::{Connection, Error, ffi};
use twox_hash::XxHash3_64;

/// The name to open connections with, once it is [registered](register).
pub const VFS: &CStr = c"membound";
/// Bytes at the end of each page that hold its checksum.
pub const SEAL: usize = 8;

/// Makes [`VFS`] known to `SQLite`; further calls do nothing.
pub fn register() -> rusqlite::Result<()> {
    vfs::register().map_err(|code| failed(code, "the file system cannot be registered"))
}

/// Has a new, empty file keep room for seals; of no effect on one that has pages.
pub fn reserve(connection: &Connection) -> rusqlite::Result<()> {
    let mut bytes: c_int = 8;
    // SAFETY: the handle is open for as long as `connection` is borrowed, and this operation takes a
    // pointer to an int, which it reads and writes before it returns.
    let code = unsafe {
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_RESERVE_BYTES,
            (&raw mut bytes).cast(),
        )
    };
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(failed(code, "no room for checksums")) }
}

/// Whether the first page of a file would be sealed with other numbers, of four bytes, in these places.
pub fn was_sealed(connection: &Connection, numbers: &[(usize, i64)]) -> rusqlite::Result<bool> {
    let Some(mut page) = vfs::first_page(connection)? else { return Ok(false) };
    for (at, number) in numbers {
        let bytes = number.to_be_bytes();
        if let (Some(place), Some(low)) = (page.get_mut(*at..*at + 4), bytes.get(4..)) {
            place.copy_from_slice(low);
        }
    }
    Ok(is_sealed(&page, 0))
}

/// Whether an error says that a page was not what its checksum says.
pub fn tells_damage(error: &Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA)
}

/// The seal of a page at an offset of the file; of zeros it is not zero.
pub fn seal(page: &[u8], offset: u64) -> [u8; SEAL] {
    let body = page.get(..page.len().saturating_sub(SEAL)).unwrap_or_default();
    let number = offset.checked_div(page.len() as u64).unwrap_or_default();
    XxHash3_64::oneshot_with_seed(number, body).to_le_bytes()
}

/// Whether a page holds its seal.
fn is_sealed(page: &[u8], offset: u64) -> bool {
    page.ends_with(&seal(page, offset))
}

fn failed(code: c_int, what: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(what.to_owned()))
}
