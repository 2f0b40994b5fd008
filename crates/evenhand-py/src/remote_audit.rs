//! Audits of rows on other machines: what a worker does with those it has, and the audit that drives workers.

use evenhand::Audit;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::audit::{AuditSettings, texts};
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::remote::Driver;
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

    /// The columns that it is about; nothing for all of them.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.inner.columns()
    }

    /// What rows answer; nothing where no row counts. The table is used up.
    fn on_rows<'py>(&self, py: Python<'py>, table: &Bound<'py, Table>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let answer = apart(py, || self.inner.on_rows(&table))?;
        Ok(answer.map(|answer| PyBytes::new(py, &answer)))
    }

    /// What several answers are together.
    fn merge<'py>(&self, py: Python<'py>, answers: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = apart(py, || self.inner.merge(&answers))?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// An audit of rows on other machines, as JSON, as a summary and as text with everything, and its warnings.
#[pyfunction]
#[pyo3(signature = (rows, roles, **settings))]
pub(crate) fn audit_remote(
    py: Python<'_>,
    rows: Py<PyAny>,
    roles: &Roles,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, (String, String), Warnings)> {
    let settings = AuditSettings::of(py, settings)?;
    let AuditSettings { specs, predictions, options } = settings.get();
    let (driver, predictions) = (Driver::new(rows, roles), predictions.as_deref());
    let done = py.detach(|| caught(|| Ok(Audit::of_remote(&driver, &roles.schema, specs, predictions, options)?)));
    let audit = driver.outcome(done)?;
    Ok((work::json(&audit)?, texts(&audit), warnings(&audit.warnings)))
}
