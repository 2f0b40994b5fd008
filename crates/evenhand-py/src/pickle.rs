//! Values through a pickle: as JSON, and what makes them of it again.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::DeserializeOwned;

use crate::error::Failure;

/// What `__reduce__` returns: a function, and what it is called with.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// The `restore` of a class, and the JSON that it takes.
pub(crate) fn reduced<'py, T: PyTypeInfo>(py: Python<'py>, json: &str) -> PyResult<Reduced<'py>> {
    Ok((py.get_type::<T>().getattr("restore")?, (PyBytes::new(py, json.as_bytes()),)))
}

/// What pickling made JSON of.
pub(crate) fn restored<T: DeserializeOwned>(state: &[u8]) -> PyResult<T> {
    serde_json::from_slice(state).map_err(|error| {
        Failure::Engine(evenhand::Error::ModelFormat { path: "(pickled)".into(), source: error.into() }).into()
    })
}
