//! The two open handles that cross the border: an index and a held lock.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use membound_core::error::Error;
use membound_core::index::{self, Settings, Warmth};
use membound_core::instant::Millis;
use membound_core::lock;
use membound_core::request::Request;
use membound_core::tokens::Tokenizer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::convert::Recalled;
use crate::error::{CoreError, CoreResult};

/// An open index; any thread may use it.
#[pyclass(frozen, module = "membound._core")]
pub(crate) struct Index(index::Index);

fn settings(durable: bool, tokenizer: &str) -> CoreResult<Settings> {
    Ok(Settings { durable, tokenizer: Tokenizer::named(tokenizer)? })
}

fn recalled(found: index::Recalled) -> Recalled {
    Recalled::new(found, |json| json)
}

/// When a record was last changed, if that can be read, and its id.
type Cursor = (Option<Millis>, String);

#[pymethods]
impl Index {
    /// Opens the index at a path, creating an empty one where there is none.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, durable: bool, tokenizer: &str) -> CoreResult<Self> {
        let settings = settings(durable, tokenizer)?;
        Ok(Self(apart(py, || index::Index::open(&path, settings))?))
    }

    /// Removes what lies at a path and creates an empty index there.
    #[staticmethod]
    fn replace(py: Python<'_>, path: PathBuf, durable: bool, tokenizer: &str) -> CoreResult<Self> {
        let settings = settings(durable, tokenizer)?;
        Ok(Self(apart(py, || index::Index::replace(&path, settings))?))
    }

    /// Whether every file was looked at; the state of the folder it knows; whether a change is open.
    fn state(&self, py: Python<'_>) -> CoreResult<(bool, Option<String>, bool)> {
        let state = apart(py, || self.0.state())?;
        Ok((state.complete, state.folder, state.changing))
    }

    /// What makes its tokens.
    fn tokenizer(&self) -> &'static str {
        self.0.tokenizer().name()
    }

    /// Whether the file at the index's path is still the one that was opened.
    fn is_current(&self) -> bool {
        self.0.is_current()
    }

    /// Runs the pipeline over one snapshot.
    fn retrieve(&self, py: Python<'_>, request: PyBackedBytes) -> CoreResult<Recalled> {
        apart(py, || self.0.retrieve(&Request::parse(&request)?)).map(recalled)
    }

    /// Runs the pipeline over one snapshot; None where it is not known to be in line with a folder.
    fn recall(
        &self,
        py: Python<'_>,
        request: PyBackedBytes,
        folder: PathBuf,
    ) -> CoreResult<Option<Recalled>> {
        let found = apart(py, || self.0.recall(&Request::parse(&request)?, &folder))?;
        Ok(found.map(recalled))
    }

    /// Lets the postings in memory take so many bytes; 0 keeps none.
    fn limit_memory(&self, py: Python<'_>, bytes: usize) {
        py.detach(|| self.0.limit_memory(bytes));
    }

    /// Reads up to `most` more records into memory; whether there is more to do.
    fn fill_memory(&self, py: Python<'_>, most: usize) -> CoreResult<bool> {
        apart(py, || self.0.fill_memory(most))
    }

    /// How far the postings in memory are, how many records they have, and the bytes that they take.
    fn memory(&self, py: Python<'_>) -> (&'static str, usize, usize) {
        let (warmth, records, bytes) = py.detach(|| self.0.memory());
        let name = match warmth {
            Warmth::Off => "off",
            Warmth::Filling => "filling",
            Warmth::Ready => "ready",
            Warmth::TooLarge => "too-large",
        };
        (name, records, bytes)
    }

    /// Every unmarked directive of the places that a request sees, as canonical JSON.
    fn directives<'py>(
        &self,
        py: Python<'py>,
        request: PyBackedBytes,
    ) -> CoreResult<Vec<Bound<'py, PyBytes>>> {
        let records =
            apart(py, || Request::parse(&request).and_then(|request| self.0.directives(&request)))?;
        Ok(records.iter().map(|record| PyBytes::new(py, record)).collect())
    }

    /// Notes that the canonical files of some records are about to change.
    fn intend(&self, py: Python<'_>, ids: Vec<String>) -> CoreResult<()> {
        apart(py, || self.0.intend(&ids))
    }

    /// Applies a change, all or nothing; how many records really differed. A note of None is forgotten.
    #[pyo3(signature = (*, records, removed, settled, notes))]
    fn apply(
        &self,
        py: Python<'_>,
        records: Vec<PyBackedBytes>,
        removed: Vec<String>,
        settled: Vec<String>,
        notes: Vec<(String, Option<String>)>,
    ) -> CoreResult<usize> {
        apart(py, || {
            let records: Vec<&[u8]> = records.iter().map(|json| &**json).collect();
            self.0.apply(&index::Change {
                records: &records,
                removed: &removed,
                settled: &settled,
                notes: &notes,
            })
        })
    }

    /// Puts the words in order, as is worth it after many changes.
    fn optimize(&self, py: Python<'_>) -> CoreResult<()> {
        apart(py, || self.0.optimize())
    }

    /// Erases from the file what removed records left in it; whether all of it is gone.
    fn scrub(&self, py: Python<'_>) -> CoreResult<bool> {
        apart(py, || self.0.scrub())
    }

    /// All, unmarked and deleted records, and unmarked directives.
    fn counts(&self, py: Python<'_>) -> CoreResult<(usize, usize, usize, usize)> {
        let counts = apart(py, || self.0.counts())?;
        Ok((counts.all, counts.unmarked, counts.deleted, counts.directives))
    }

    /// A remembered value.
    fn note(&self, py: Python<'_>, name: &str) -> CoreResult<Option<String>> {
        apart(py, || self.0.note(name))
    }

    /// The remembered values whose names start with a prefix, each with its name, in order.
    fn notes(&self, py: Python<'_>, prefix: &str) -> CoreResult<Vec<(String, String)>> {
        apart(py, || self.0.notes(prefix))
    }

    /// Ids whose canonical files were about to change when a writer stopped.
    fn intents(&self, py: Python<'_>) -> CoreResult<Vec<String>> {
        apart(py, || self.0.intents())
    }

    /// The ids of all records, in order.
    fn ids(&self, py: Python<'_>) -> CoreResult<Vec<String>> {
        apart(py, || self.0.ids())
    }

    /// The ids of the records that say that they replace an id, whatever their marks, in order.
    fn successors(&self, py: Python<'_>, id: &str) -> CoreResult<Vec<String>> {
        apart(py, || self.0.successors(id))
    }

    /// The canonical JSON of each id, where the index has it.
    fn records<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<String>,
    ) -> CoreResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let records = apart(py, || self.0.records(&ids))?;
        let to_bytes = |json: Vec<u8>| PyBytes::new(py, &json);
        Ok(records.into_iter().map(|record| record.map(to_bytes)).collect())
    }

    /// At most `most` records, last changed first, from behind the cursor (milliseconds or None, id) on,
    /// and the cursor behind the last one.
    #[pyo3(signature = (after, most))]
    fn page<'py>(
        &self,
        py: Python<'py>,
        after: Option<Cursor>,
        most: usize,
    ) -> CoreResult<(Vec<Bound<'py, PyBytes>>, Option<Cursor>)> {
        let after = after.as_ref().map(|(updated, id)| (*updated, id.as_str()));
        let (records, last) = apart(py, || self.0.page(after, most))?;
        Ok((records.iter().map(|record| PyBytes::new(py, record)).collect(), last))
    }

    /// Checks the file's structure, and every row, count, tag and word against its records' JSON.
    fn check(&self, py: Python<'_>) -> CoreResult<()> {
        apart(py, || self.0.check())
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        // Closing may write back a whole log: others run meanwhile. An interpreter that ends has no others.
        Python::try_attach(|py| py.detach(|| self.0.close()));
    }
}

/// Runs the core without the interpreter; a busy index comes with the time for which it was waited for.
#[expect(clippy::disallowed_methods, reason = "an error tells how long was really waited")]
fn apart<T: Send, E: Into<CoreError> + Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> CoreResult<T> {
    let began = Instant::now();
    py.detach(work).map_err(|error| match error.into() {
        CoreError::Core(Error::IndexBusy) => CoreError::Busy(began.elapsed()),
        error => error,
    })
}

/// A held writer's lock.
#[pyclass(frozen, module = "membound._core")]
pub(crate) struct WriterLock(Mutex<Option<lock::WriterLock>>);

#[pymethods]
impl WriterLock {
    /// Takes the lock on the file at a path; None where another holder has it.
    #[staticmethod]
    fn try_acquire(path: PathBuf) -> CoreResult<Option<Self>> {
        let held = lock::WriterLock::try_acquire(&path)?;
        Ok(held.map(|held| Self(Mutex::new(Some(held)))))
    }

    /// Releases it; a second call does nothing.
    fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
