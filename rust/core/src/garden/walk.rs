//! The walk: every Markdown file of a garden, and what tells whether it was changed.

use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use rustix::fd::{AsFd as _, BorrowedFd};
use rustix::fs::{Dir, FileType};
use rustix::io::{Errno, Result as Io};

use super::folder::{self, is_gone};
use crate::error::{Error, Result};

/// So many folders are worth a second thread.
const MANY: usize = 16;

/// A Markdown file as it lies there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// From the root of the garden on.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When what it says was last changed, in nanoseconds.
    pub modified: i64,
    /// When anything of it was last changed, in nanoseconds.
    pub changed: i64,
    /// The file's number.
    pub inode: u64,
}

/// What a walk finds; files and folders by code points of their paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Every Markdown file.
    pub files: Vec<File>,
    /// Every folder, the areas among them.
    pub folders: Vec<String>,
    /// How many names are no UTF-8, and how many files and folders may not be looked at.
    pub left_out: usize,
}

/// Walks some areas of a garden, which are folders in its root; one that is not there is empty.
///
/// Fails where a folder cannot be read for another reason than that it may not be: what it holds is not gone.
pub fn walk(root: &Path, areas: &[String]) -> Result<Found> {
    let opened = match folder::root(root) {
        Err(error) if is_gone(error) => return Ok(Found::default()),
        opened => opened.map_err(|error| failed(root, error))?,
    };
    let mut found = Found::default();
    let mut level = areas.to_vec();
    while !level.is_empty() {
        let mut next = Vec::new();
        for seen in by_two(&level, &|folders| Seen::of(opened.as_fd(), folders)) {
            let seen = seen.map_err(|(path, error)| failed(&root.join(path), error))?;
            found.add(seen.found);
            next.extend(seen.next);
        }
        level = next;
    }
    found.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    found.folders.sort_unstable();
    Ok(found)
}

/// Has two threads do what takes long, each a half of it.
fn by_two<T: Send>(folders: &[String], work: &(impl Fn(&[String]) -> T + Sync)) -> Vec<T> {
    if folders.len() < MANY {
        return vec![work(folders)];
    }
    let (one, other) = folders.split_at(folders.len() / 2);
    thread::scope(|scope| {
        let helper = thread::Builder::new().spawn_scoped(scope, || work(one));
        let other = work(other);
        let one = match helper {
            Ok(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system gives no thread.
            Err(_) => work(one),
        };
        vec![one, other]
    })
}

/// What some folders have, and the folders in them.
#[derive(Default)]
struct Seen {
    found: Found,
    next: Vec<String>,
}

impl Seen {
    fn of(root: BorrowedFd<'_>, folders: &[String]) -> std::result::Result<Self, (String, Errno)> {
        let mut seen = Self::default();
        for path in folders {
            match seen.look(root, path) {
                Ok(()) => seen.found.folders.push(path.clone()),
                Err(error) if is_gone(error) => {}
                Err(Errno::ACCESS | Errno::PERM) => seen.found.left_out += 1,
                Err(error) => return Err((path.clone(), error)),
            }
        }
        Ok(seen)
    }

    fn look(&mut self, root: BorrowedFd<'_>, path: &str) -> Io<()> {
        let mut opened = Dir::new(folder::open(root, path)?)?;
        let listed = folder::list(&mut opened)?;
        self.found.left_out += listed.unreadable;
        self.next.extend(listed.folders.iter().map(|name| format!("{path}/{name}")));
        for name in listed.files {
            match folder::look(opened.fd()?, &name) {
                Ok(found) if FileType::from_raw_mode(found.st_mode).is_file() => {
                    self.found.files.push(File {
                        path: format!("{path}/{name}"),
                        size: whole(found.st_size),
                        modified: nanoseconds(found.st_mtime, found.st_mtime_nsec),
                        changed: nanoseconds(found.st_ctime, found.st_ctime_nsec),
                        inode: whole(found.st_ino),
                    });
                }
                Ok(_) => {}
                Err(error) if is_gone(error) => {}
                Err(Errno::ACCESS | Errno::PERM) => self.found.left_out += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Found {
    fn add(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.folders.append(&mut other.folders);
        self.left_out += other.left_out;
    }
}

// The types of these numbers differ between systems.
fn whole(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

fn nanoseconds(seconds: impl TryInto<i64>, rest: impl TryInto<i64>) -> i64 {
    let seconds = seconds.try_into().unwrap_or(i64::MAX);
    seconds.saturating_mul(1_000_000_000).saturating_add(rest.try_into().unwrap_or(0))
}

fn failed(path: &Path, error: Errno) -> Error {
    Error::Folder { path: path.to_owned(), reason: std::io::Error::from(error).to_string() }
}
