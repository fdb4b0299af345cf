//! What crosses back to Python.

use membound_core::budget::Taken;

use crate::error::{CoreError, CoreResult};

/// A selected record's origin, and its content as the block shows it, where it is not the record's own.
pub(crate) fn shown<O>(taken: Taken<O>) -> (O, Option<String>) {
    (taken.origin, taken.cut.then_some(taken.record.content))
}

/// A value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> CoreResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(CoreError::Unwritten)
}
