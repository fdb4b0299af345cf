//! One match from the core's errors to the exceptions of `membound.errors`.

use std::path::Path;
use std::time::Duration;

use membound_core::error::Error;
use pyo3::prelude::*;

mod exceptions {
    use pyo3::import_exception;
    import_exception!(membound.errors, CanonicalFileError);
    import_exception!(membound.errors, IndexDamagedError);
    import_exception!(membound.errors, IndexSchemaError);
    import_exception!(membound.errors, IndexUnavailableError);
    import_exception!(membound.errors, InternalError);
    import_exception!(membound.errors, InvalidRecordError);
    import_exception!(membound.errors, StoreBusyError);
}

/// An error on its way to Python.
pub(crate) enum CoreError {
    /// The core's.
    Core(Error),
    /// The core's, of an index that was waited for in vain.
    Busy(Duration),
    /// A trace or a selection cannot be written as JSON.
    Unwritten(serde_json::Error),
}

impl From<Error> for CoreError {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<CoreError> for PyErr {
    fn from(error: CoreError) -> Self {
        use exceptions as to;
        let error = match error {
            CoreError::Core(error) => error,
            CoreError::Busy(waited) => return to::StoreBusyError::new_err(waited.as_secs_f64()),
            CoreError::Unwritten(error) => {
                return to::InternalError::new_err(format!("an answer cannot be written: {error}"));
            }
        };
        match error {
            Error::Record { reason } => {
                to::InvalidRecordError::new_err(("record", "a record's canonical JSON", reason))
            }
            Error::Request { reason } => {
                to::InternalError::new_err(format!("a request cannot be read: {reason}"))
            }
            Error::IndexBusy => to::StoreBusyError::new_err(0.0),
            Error::IndexCorrupt { reason } | Error::IndexOutdated { reason } => {
                to::IndexDamagedError::new_err(reason)
            }
            Error::IndexForeign { reason } | Error::IndexUnavailable { reason } => {
                to::IndexUnavailableError::new_err(reason)
            }
            Error::IndexNewer { found, known } => to::IndexSchemaError::new_err((found, known)),
            Error::Folder { path, reason } => file_error(&path, "read", reason),
            Error::Lock { path, reason } => file_error(&path, "lock", reason),
        }
    }
}

fn file_error(path: &Path, action: &str, reason: String) -> PyErr {
    let path = path.to_string_lossy().into_owned();
    exceptions::CanonicalFileError::new_err((path, action.to_owned(), reason))
}

/// The binding's result.
pub(crate) type CoreResult<T> = Result<T, CoreError>;
