//! One folder of a garden: opened without following a link, and what it lists.

use std::path::Path;

use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, Result};

use super::{ENDING, is_hidden};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What a folder has, in the order of the disk.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// The names of what is likely to be a Markdown file.
    pub files: Vec<String>,
    /// The names of its folders.
    pub folders: Vec<String>,
    /// How many other files and folders have names that are no UTF-8.
    pub unreadable: usize,
}

/// Opens a garden's root, which may be reached by links.
pub(super) fn root(path: &Path) -> Result<OwnedFd> {
    openat(CWD, path, FOLDER, Mode::empty())
}

/// Opens a folder of a garden, name by name: none of them may be a link.
pub(super) fn open(root: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let mut folder = openat(root, first, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
    for name in rest.split('/').filter(|name| !name.is_empty()) {
        folder = openat(&folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(folder)
}

/// Lists a folder that was just opened.
pub(super) fn list(folder: &mut Dir) -> Result<Listed> {
    let mut listed = Listed::default();
    while let Some(entry) = folder.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        let kind = match entry.file_type() {
            _ if is_hidden(name) => continue,
            FileType::Unknown => kind(folder, entry.file_name()),
            told => told,
        };
        let names = match kind {
            FileType::Directory => &mut listed.folders,
            FileType::RegularFile if name.ends_with(ENDING.as_bytes()) => &mut listed.files,
            _ => continue,
        };
        match std::str::from_utf8(name) {
            Ok(name) => names.push(name.to_owned()),
            Err(_) => listed.unreadable += 1,
        }
    }
    Ok(listed)
}

/// What a file is where the folder does not tell; unknown where it is gone.
fn kind(folder: &Dir, name: &std::ffi::CStr) -> FileType {
    let found = folder.fd().and_then(|folder| look(folder, name));
    found.map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode))
}

/// Looks at what has a name in a folder, without following a link.
pub(super) fn look(folder: BorrowedFd<'_>, name: impl rustix::path::Arg) -> Result<Stat> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// Whether an error says that there is no such folder, or a link or a file in its place.
pub(super) fn is_gone(error: Errno) -> bool {
    [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].contains(&error)
}
