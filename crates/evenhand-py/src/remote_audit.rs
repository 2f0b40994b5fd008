//! Audits of rows on other machines: what a worker does with those it has, and the audit that drives workers.

use std::sync::{Mutex, PoisonError};

use evenhand::audit::{AuditOptions, RemoteAuditRows, ScoreColumn};
use evenhand::{Audit, Error, GroupSpec, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::audit::options;
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::settings::Roles;
use crate::table::Table;
use crate::work::{self, apart, caught};

/// A task of an audit for the rows that a worker has.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct AuditTask {
    inner: evenhand::audit::AuditTask,
}

#[pymethods]
impl AuditTask {
    #[new]
    fn new(task: &[u8]) -> PyResult<Self> {
        Ok(Self { inner: evenhand::audit::AuditTask::new(task).map_err(raised)? })
    }

    /// What rows answer. The table is used up.
    fn on_rows<'py>(&self, py: Python<'py>, table: &Bound<'py, Table>) -> PyResult<Bound<'py, PyBytes>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let answer = apart(py, || self.inner.on_rows(&table))?;
        Ok(PyBytes::new(py, &answer))
    }

    /// What several answers are together.
    fn merge<'py>(&self, py: Python<'py>, answers: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = apart(py, || self.inner.merge(&answers))?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// Workers that Python drives: an object with `on_rows`, from a task to a list of answers.
struct Driver {
    object: Py<PyAny>,
    /// What Python raised; the engine is told that it was interrupted.
    raised: Mutex<Option<PyErr>>,
}

impl RemoteAuditRows for Driver {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let called = Python::attach(|py| -> PyResult<Vec<Vec<u8>>> {
            py.check_signals()?;
            self.object.bind(py).call_method1("on_rows", (PyBytes::new(py, task),))?.extract()
        });
        called.map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Interrupted
        })
    }
}

/// An audit of rows on other machines, as JSON and as text, and its warnings.
#[pyfunction]
#[pyo3(signature = (rows, roles, *, groups, predictions=None, confidence=0.95, intersections=true, small_group=30, notions=None, max_violation=None, max_difference=None, min_ratio=None, score=None, threshold=0.5, unlabelled=false))]
#[allow(clippy::too_many_arguments)] // the settings, by name
pub(crate) fn audit_remote(
    py: Python<'_>,
    rows: Py<PyAny>,
    roles: &Roles,
    groups: Vec<String>,
    predictions: Option<&str>,
    confidence: f64,
    intersections: bool,
    small_group: usize,
    notions: Option<Vec<String>>,
    max_violation: Option<f64>,
    max_difference: Option<f64>,
    min_ratio: Option<f64>,
    score: Option<String>,
    threshold: f64,
    unlabelled: bool,
) -> PyResult<(String, String, Warnings)> {
    let specs: Vec<GroupSpec> =
        groups.iter().map(|group| group.parse()).collect::<evenhand::Result<_>>().map_err(raised)?;
    let options = options(confidence, intersections, small_group, notions, [max_violation, max_difference, min_ratio])?;
    let score = score.map(|column| ScoreColumn { column, threshold });
    let options = AuditOptions { score, unlabelled, ..options };
    let driver = Driver { object: rows, raised: Mutex::new(None) };
    let done = py.detach(|| caught(|| Ok(Audit::of_remote(&driver, &roles.schema, &specs, predictions, &options)?)));
    let audit = match driver.raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => return Err(error),
        None => done?,
    };
    Ok((work::json(&audit)?, audit.to_string(), warnings(&audit.warnings)))
}
