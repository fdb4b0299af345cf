//! What crosses back to Python.

use std::sync::Arc;

use membound_core::files::Outcome;
use membound_core::trace::Trace;
use membound_core::whole::Refusal;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::{CoreError, CoreResult};

/// A value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> CoreResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(CoreError::Unwritten)
}

/// What a recall found; Python objects are made of what is asked for.
#[pyclass(frozen, module = "membound._core")]
pub(crate) struct Recalled {
    selected: Vec<(Arc<[u8]>, Option<String>)>,
    block: String,
    trace: Trace,
    from_memory: bool,
}

impl Recalled {
    pub(crate) fn new<O>(outcome: Outcome<O>, json: impl Fn(O) -> Arc<[u8]>) -> Self {
        let shown =
            outcome.selection.taken.into_iter().map(|taken| (json(taken.origin), taken.cut));
        Self {
            selected: shown.collect(),
            block: outcome.selection.block,
            trace: outcome.trace,
            from_memory: outcome.from_memory,
        }
    }
}

#[pymethods]
impl Recalled {
    /// The canonical JSON of each selected record, and its content where it was cut.
    fn records<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, Option<&str>)> {
        let selected = self.selected.iter();
        selected.map(|(json, cut)| (PyBytes::new(py, json), cut.as_deref())).collect()
    }

    /// The context block.
    fn context<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.block)
    }

    /// The trace as JSON.
    fn trace<'py>(&self, py: Python<'py>) -> CoreResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &json(&self.trace)?))
    }

    /// Whether postings in memory answered.
    fn is_from_memory(&self) -> bool {
        self.from_memory
    }
}

/// What a file holds, or the number that tells why it cannot be read.
#[derive(IntoPyObject)]
pub(crate) enum Whole<'py> {
    Bytes(Bound<'py, PyBytes>),
    Refused(i32),
}

impl<'py> Whole<'py> {
    pub(crate) fn new(py: Python<'py>, found: Result<Vec<u8>, Refusal>) -> Self {
        match found {
            Ok(bytes) => Self::Bytes(PyBytes::new(py, &bytes)),
            Err(Refusal::Number(number)) => Self::Refused(number),
            Err(Refusal::Irregular) => Self::Refused(0),
        }
    }
}
