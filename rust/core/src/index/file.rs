//! The index's file: which one lies there, and a new one in its place while nobody opens it.
//!
//! A connection finds the log and the shared memory of its file by name. Were the file replaced between
//! the opening of one and of the other, it would read the new file's log over the old file's pages; and
//! the last one to close its file removes the log that has its name. So whoever opens or closes holds a
//! lock that others may share, and whoever replaces holds it alone.

use std::fs::{File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const LOG: &str = "-wal";
const SHARED_MEMORY: &str = "-shm";
const FILES: [&str; 3] = ["", LOG, SHARED_MEMORY];

/// What tells a file from another one at the same path; none where there is no file.
pub(super) type Identity = Option<(u64, u64)>;

/// Held while the file is opened or closed.
pub(super) fn opening(path: &Path) -> Result<File> {
    let folder = folder(path)?;
    folder.lock_shared().map_err(unavailable)?;
    Ok(folder)
}

/// Held while the file is made, or replaced.
pub(super) fn replacing(path: &Path) -> Result<File> {
    let folder = folder(path)?;
    folder.lock().map_err(unavailable)?;
    Ok(folder)
}

/// The folder is what is locked: it is there before the file, and can be locked where it is read-only.
fn folder(path: &Path) -> Result<File> {
    File::open(folder_of(path)).map_err(unavailable)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Creates an empty file that only its owner reads, where there is none.
pub(super) fn create(path: &Path) -> Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(unavailable(error)),
        _ => Ok(()),
    }
}

/// Whether there is no file, or nothing in it yet.
pub(super) fn is_empty(path: &Path) -> bool {
    std::fs::symlink_metadata(path).map_or(true, |found| found.len() == 0)
}

/// Takes the file away; whoever has it open goes on with what was there.
pub(super) fn remove(path: &Path) -> Result<()> {
    for ending in FILES {
        match std::fs::remove_file(beside(path, ending)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let reason = format!("its file cannot be removed: {error}");
                return Err(Error::IndexUnavailable { reason });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Keeps a file of an older schema beside the one that takes its place, instead of one kept before.
pub(super) fn keep(path: &Path, schema: i64) -> Result<()> {
    let former = path.with_extension(match path.extension() {
        Some(ending) => format!("schema-{schema}.{}", ending.display()),
        None => format!("schema-{schema}"),
    });
    std::fs::rename(path, &former).map_err(unavailable)?;
    std::fs::set_permissions(&former, Permissions::from_mode(0o600)).map_err(unavailable)
}

/// Refuses what is no file, or has another name too: `SQLite` would wait for a pipe, follow a link, and
/// write in place.
pub(super) fn require_files(path: &Path) -> Result<()> {
    for ending in FILES {
        match std::fs::symlink_metadata(beside(path, ending)) {
            Ok(found) if found.is_file() && found.nlink() == 1 => {}
            Ok(found) if ending.is_empty() && (found.is_dir() || found.is_symlink()) => {
                let reason = "a link or a folder has its place: remove it".to_owned();
                return Err(Error::IndexUnavailable { reason });
            }
            Ok(_) => {
                let reason = "one of its files is none, or has another name too".to_owned();
                return Err(Error::IndexCorrupt { reason });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(unavailable(error)),
        }
    }
    Ok(())
}

/// Which file lies at the path; a link is not followed.
pub(super) fn identity(path: &Path) -> Identity {
    std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Which log and which shared memory lie beside it; both do from an opening to the last closing.
pub(super) fn sides(path: &Path) -> [Identity; 2] {
    [LOG, SHARED_MEMORY].map(|ending| identity(&beside(path, ending)))
}

/// Whether a process that was killed left a log, and somebody took it away: a closing removes it last.
pub(super) fn lost_its_log(path: &Path) -> bool {
    let lost = || matches!(sides(path), [None, Some(_)]);
    lost() && lost()
}

/// Bytes of the log; none where there is no log.
pub(super) fn log_length(path: &Path) -> u64 {
    std::fs::metadata(beside(path, LOG)).map_or(0, |found| found.len())
}

/// The path without links in it, as far as the folder: `SQLite` is then told to follow none.
pub(super) fn real(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default();
    Ok(folder_of(path).canonicalize().map_err(unavailable)?.join(name))
}

/// A file that SQLite keeps beside the index's.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn unavailable(error: std::io::Error) -> Error {
    Error::IndexUnavailable { reason: error.to_string() }
}
