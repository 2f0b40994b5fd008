//! Rows on other machines: what a worker does with those it has, and the fit that drives workers.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use evenhand::audit::RemoteAuditRows;
use evenhand::correction::{Iteration, Observer, RemoteRows, StoredFit, StoredSettings};
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{Failure, raised};
use crate::model::{Model, search_warning, warnings};
use crate::settings::{Roles, Settings};
use crate::table::Table;
use crate::work::{apart, caught, json};

/// A task for the rows that a worker has.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct RemoteTask {
    inner: evenhand::correction::RemoteTask,
}

#[pymethods]
impl RemoteTask {
    #[new]
    fn new(task: &[u8]) -> PyResult<Self> {
        Ok(Self { inner: evenhand::correction::RemoteTask::new(task).map_err(raised)? })
    }

    /// The columns that it is about; nothing for all of them.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.inner.columns()
    }

    /// What raw rows answer; nothing where no row counts. The table is used up.
    fn on_rows<'py>(&self, py: Python<'py>, table: &Bound<'py, Table>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let answer = apart(py, || self.inner.on_rows(&table))?;
        Ok(answer.map(|answer| PyBytes::new(py, &answer)))
    }

    /// Raw rows as blocks, each with what is known of it. The table is used up.
    fn encode<'py>(&self, py: Python<'py>, table: &Bound<'py, Table>) -> PyResult<Vec<Made<'py>>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let blocks = apart(py, || self.inner.encode(&table))?;
        Ok(made(py, &blocks))
    }

    /// What a block answers.
    fn on_block<'py>(&self, py: Python<'py>, block: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let answers = apart(py, || self.inner.on_block(block))?;
        Ok(answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
    }

    /// What makes blocks in which rows that repeat stand once of those of a part of all rows.
    fn aggregation(&self) -> PyResult<RemoteAggregation> {
        Ok(RemoteAggregation { inner: self.inner.aggregation().map_err(raised)? })
    }

    /// Whether several answers can be one.
    #[getter]
    fn merges(&self) -> bool {
        self.inner.merges()
    }

    /// What several answers are together.
    fn merge<'py>(&self, py: Python<'py>, answers: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = apart(py, || self.inner.merge(&answers))?;
        Ok(PyBytes::new(py, &answer))
    }
}

/// Blocks of a part of all rows on their way to others, in which rows that repeat stand once.
#[pyclass(module = "evenhand._core")]
pub(crate) struct RemoteAggregation {
    inner: evenhand::correction::RemoteAggregation,
}

#[pymethods]
impl RemoteAggregation {
    /// Takes a block; what comes back are blocks to be kept, each with what is known of it.
    fn add<'py>(&mut self, py: Python<'py>, block: &[u8]) -> PyResult<Vec<Made<'py>>> {
        let blocks = apart(py, || self.inner.add(block))?;
        Ok(made(py, &blocks))
    }

    /// The rest of the blocks.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Made<'py>>> {
        let blocks = apart(py, || self.inner.finish())?;
        Ok(made(py, &blocks))
    }
}

/// A block, and what is known of it.
type Made<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn made<'py>(py: Python<'py>, blocks: &[(Vec<u8>, Vec<u8>)]) -> Vec<Made<'py>> {
    blocks.iter().map(|(block, known)| (PyBytes::new(py, block), PyBytes::new(py, known))).collect()
}

/// What a fit to rows on other machines found.
#[pyclass(module = "evenhand._core", frozen, get_all)]
pub(crate) struct RemoteFit {
    model: Py<Model>,
    rows: usize,
    sample_rows: usize,
    /// How many rows were left of all, where those that repeat were kept once.
    distinct_rows: Option<usize>,
    /// How many times all encoded rows were gone through.
    passes: usize,
    /// Without correction, on the same rows, as JSON.
    before: String,
    fits: usize,
    stop: String,
    warnings: Vec<(String, String)>,
}

/// Workers that Python drives: an object with `on_rows`, and for fits `encode`, `aggregate` and `on_blocks`, each from a task to a list of answers.
pub(crate) struct Driver {
    object: Py<PyAny>,
    frequency: Option<String>,
    /// What Python raised; the engine is told that it was interrupted.
    raised: Mutex<Option<PyErr>>,
}

impl Driver {
    pub(crate) fn new(object: Py<PyAny>, roles: &Roles) -> Self {
        Self { object, frequency: roles.frequency.clone(), raised: Mutex::new(None) }
    }

    /// What came of driving them: what Python raised goes before what the engine says of it.
    pub(crate) fn outcome<T>(self, done: std::result::Result<T, Failure>) -> PyResult<T> {
        match self.raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(done?),
        }
    }

    fn call(&self, method: &str, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let called = Python::attach(|py| -> PyResult<Vec<Vec<u8>>> {
            py.check_signals()?;
            self.object.bind(py).call_method1(method, (PyBytes::new(py, task),))?.extract()
        });
        called.map_err(|error| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Interrupted
        })
    }
}

impl RemoteRows for Driver {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.call("on_rows", task)
    }

    fn encode(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.call("encode", task)
    }

    fn on_blocks(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.call("on_blocks", task)
    }

    fn aggregate(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.call("aggregate", task)
    }

    fn frequency(&self) -> Option<&str> {
        self.frequency.as_deref()
    }
}

impl RemoteAuditRows for Driver {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.call("on_rows", task)
    }

    fn frequency(&self) -> Option<&str> {
        self.frequency.as_deref()
    }
}

/// A clock, and nobody to stop for: Python's own signals are looked for whenever workers are asked.
struct Clock(Instant);

impl Observer for Clock {
    fn after(&mut self, _: &Iteration) -> bool {
        true
    }

    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Finds the multipliers for rows on other machines.
#[pyfunction]
#[pyo3(signature = (rows, roles, settings, *, sample_rows=None, seed=0))]
pub(crate) fn fit_remote(
    py: Python<'_>,
    rows: Py<PyAny>,
    roles: &Roles,
    settings: &Settings,
    sample_rows: Option<usize>,
    seed: u64,
) -> PyResult<RemoteFit> {
    let driver = Driver::new(rows, roles);
    let how = StoredSettings { sample_rows, seed, ..StoredSettings::default() };
    let done = py.detach(|| {
        caught(|| {
            let correction = &settings.correction;
            Ok(correction.fit_remote(&driver, &roles.schema, &settings.learner, &how, &mut Clock(Instant::now()))?)
        })
    });
    RemoteFit::new(py, roles, settings, &driver.outcome(done)?)
}

impl RemoteFit {
    fn new(py: Python<'_>, roles: &Roles, settings: &Settings, found: &StoredFit) -> PyResult<Self> {
        let learner = settings.learner;
        let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: learner, model: model.clone() };
        let (correction, fitted) = (&settings.correction, &found.fitted);
        let model = evenhand::Model::of_stored(correction, found, record).map_err(raised)?;
        let model = model.read_as(&roles.reading(), &found.columns);
        let [before, _] = found.evaluated();
        let mut warned = warnings(fitted.warnings());
        warned.extend(search_warning(correction, fitted.solution()));
        Ok(Self {
            model: Py::new(py, Model { inner: model })?,
            rows: found.rows,
            sample_rows: found.sample_rows,
            distinct_rows: found.distinct_rows,
            passes: found.passes,
            before: json(&before.metrics())?,
            fits: fitted.solution().fits,
            stop: fitted.stop().to_string(),
            warnings: warned,
        })
    }
}
