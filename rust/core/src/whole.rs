//! Files read whole: no link is followed, no pipe waited for.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// What is read beyond this is left to another call.
const MOST_BYTES: usize = 8 << 20;

/// Why a file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The system's error, by its number.
    Number(i32),
    /// It is no regular file.
    Irregular,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Number(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// Reads regular files one after the other, and stops where they are too much at once.
pub fn read_many(paths: &[PathBuf]) -> Vec<Result<Vec<u8>, Refusal>> {
    let mut room = MOST_BYTES;
    let mut found = Vec::new();
    for path in paths {
        let one = read(path);
        room = room.saturating_sub(one.as_ref().map_or(0, Vec::len));
        found.push(one);
        if room == 0 {
            break;
        }
    }
    found
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(Refusal::Number(libc::EISDIR));
    }
    if !found.is_file() {
        return Err(Refusal::Irregular);
    }
    let mut data = Vec::new();
    let size = usize::try_from(found.len()).unwrap_or(usize::MAX);
    // One byte more, so that the end is found without more room.
    let room = data.try_reserve_exact(size.saturating_add(1));
    room.map_err(|_| Refusal::Number(libc::ENOMEM))?;
    // `Take`, as `File` itself would ask for the size once more.
    file.take(u64::MAX).read_to_end(&mut data)?;
    Ok(data)
}
