//! The lock that makes one process at a time the writer of a store.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::error::{Error, Result};

/// A held lock; dropping it, or the end of the process, releases it.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
    process: u32,
}

impl WriterLock {
    /// Takes the lock on the file at `path`, creating it; `None` where another holder has it.
    ///
    /// A symbolic link there is not followed, and a pipe is not waited for.
    pub fn try_acquire(path: &Path) -> Result<Option<Self>> {
        let failed = |error: std::io::Error| Error::Lock {
            path: path.to_owned(),
            reason: format!("{error}; {}", advice(&error)),
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file, process: std::process::id() })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

fn advice(error: &std::io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM | libc::EROFS) => "let this user write it",
        Some(libc::ENOSPC | libc::EDQUOT) => "free some space and try again",
        Some(libc::ELOOP | libc::ENXIO | libc::EISDIR) => "no file is there, or a link: remove it",
        _ => "look at the disk and try again",
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // A forked child shares the lock: it must not release it, and keeps it held when the parent only
        // closes its file. So the holder releases it by name; should that fail, closing remains.
        if std::process::id() == self.process {
            let _ = self.file.unlock();
        }
    }
}
