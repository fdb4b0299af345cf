//! Every failure of the core, exhaustive.

use std::fmt;
use std::path::PathBuf;

use serde_json::error::Category;

/// What the core can fail with; the binding maps each variant to one Python exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A record's JSON is not what retrieval reads.
    Record {
        /// What kind of fault it is, and where.
        reason: String,
    },
    /// A request's JSON is not what retrieval reads.
    Request {
        /// What kind of fault it is, and where.
        reason: String,
    },
    /// Another connection holds the index beyond the busy timeout.
    IndexBusy,
    /// The index file is damaged or is no `SQLite` file: only rebuilding helps.
    IndexCorrupt {
        /// What `SQLite` said.
        reason: String,
    },
    /// The file at the index's path is another program's; it is left untouched.
    IndexForeign {
        /// What was found.
        reason: String,
    },
    /// The index was written with an older schema or another tokenizer: it is to be rebuilt.
    IndexOutdated {
        /// What was found.
        reason: String,
    },
    /// The index was written by a newer version of this crate.
    IndexNewer {
        /// The schema version in the file.
        found: i64,
        /// The newest schema version this crate knows.
        known: i64,
    },
    /// The index cannot be used now: read-only folder, full disk, failing device.
    IndexUnavailable {
        /// What `SQLite` said.
        reason: String,
    },
    /// A folder cannot be read.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The lock file cannot be opened or locked.
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
}

/// The core's result.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record { reason } => write!(f, "a record cannot be read: {reason}"),
            Self::Request { reason } => write!(f, "a request cannot be read: {reason}"),
            Self::IndexBusy => write!(f, "the index is locked by another writer"),
            Self::IndexCorrupt { reason } => write!(f, "the index is damaged: {reason}"),
            Self::IndexForeign { reason } => write!(f, "the file is no index of ours: {reason}"),
            Self::IndexOutdated { reason } => write!(f, "the index is outdated: {reason}"),
            Self::IndexNewer { found, known } => {
                write!(f, "the index has schema {found}, newer than {known}")
            }
            Self::IndexUnavailable { reason } => write!(f, "the index cannot be used: {reason}"),
            Self::Folder { path, reason } => {
                write!(f, "the folder {} cannot be read: {reason}", path.display())
            }
            Self::Lock { path, reason } => {
                write!(f, "the lock file {} cannot be used: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}

/// What a parser objects to and where; its own message would quote what stands there.
pub(crate) fn json_fault(error: &serde_json::Error) -> String {
    let fault = match error.classify() {
        Category::Data => "JSON of another shape",
        Category::Syntax | Category::Io => "no JSON",
        Category::Eof => "JSON that ends too early",
    };
    format!("{fault} (line {}, column {})", error.line(), error.column())
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase, Unknown,
        };
        if membound_pages::tells_damage(&error) {
            return Self::IndexCorrupt {
                reason: "a page is not what its checksum says".to_owned(),
            };
        }
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => Self::IndexBusy,
            // No code, or the general one: a statement no longer fits its tables, so they are not ours any more.
            Some(DatabaseCorrupt | NotADatabase | Unknown) | None => Self::IndexCorrupt { reason },
            Some(_) => Self::IndexUnavailable { reason },
        }
    }
}
