//! Running the engine with the interpreter let go.
//!
//! A panic is caught here: it is a bug of ours, and still no reason to end somebody's notebook.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::error::Failure;

/// Runs work of the engine while other Python threads run theirs.
pub(crate) fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> evenhand::Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| caught(|| work().map_err(Failure::from)));
    Ok(done?)
}

/// Runs work; a panic becomes a failure.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|&message| message.to_owned()));
        Err(Failure::Panic(message.unwrap_or_default()))
    })
}

/// A value of the engine as JSON, for Python to make dictionaries of.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Panic(error.to_string()))
}
