//! The lock that makes one process at a time the writer of a store.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::{Error, Result};

/// A held lock; dropping it, or the end of the process, releases it.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock on the file at `path`, creating it; `None` where another holder has it.
    pub fn try_acquire(path: &Path) -> Result<Option<Self>> {
        let failed = |error: std::io::Error| Error::Lock { reason: error.to_string() };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closing the file releases the lock too; a failure here changes nothing.
        let _ = self.file.unlock();
    }
}
