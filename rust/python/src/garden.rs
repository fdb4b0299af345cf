//! A garden's walk, and the handle of its watch.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use membound_core::garden;
use pyo3::prelude::*;

use crate::error::CoreResult;

/// Path, size, times of the last change of content and of anything in nanoseconds, and inode.
type File = (String, u64, i64, i64, u64);

/// The Markdown files of a garden's areas, their folders, and how many names were left out.
#[pyfunction]
pub(crate) fn walk(
    py: Python<'_>,
    root: PathBuf,
    areas: Vec<String>,
) -> CoreResult<(Vec<File>, Vec<String>, usize)> {
    let found = py.detach(|| garden::walk(&root, &areas))?;
    let files = found.files.into_iter();
    let files = files.map(|one| (one.path, one.size, one.modified, one.changed, one.inode));
    Ok((files.collect(), found.folders, found.left_out))
}

/// A watched garden; any thread may ask.
#[pyclass(frozen, module = "membound._core")]
pub(crate) struct Watch(Mutex<garden::Watch>);

#[pymethods]
impl Watch {
    /// Watches some areas from now on; None where the system cannot tell all that happens there.
    #[staticmethod]
    fn start(py: Python<'_>, root: PathBuf, areas: Vec<String>) -> Option<Self> {
        py.detach(|| garden::Watch::start(&root, &areas)).map(|watch| Self(Mutex::new(watch)))
    }

    /// The files touched since the last call, and the folders with a `/` at the end; None where that is not known.
    fn changed(&self, py: Python<'_>) -> Option<Vec<String>> {
        py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).changed())
    }
}
