//! What training rows taught about groups and constraints: enough to evaluate predictions on other rows.

use evenhand::correction::{Problem, decisions};
use evenhand::features::Features;
use evenhand::learner::FnPredictor;
use evenhand::{Correction, Dataset, NotionBound, ReadOptions, Warning};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::raised;
use crate::learner::scores;
use crate::model::{Warnings, warnings};
use crate::pickle::{Reduced, reduced, restored};
use crate::settings::{Limits, limits};
use crate::table::Table;
use crate::work::{apart, json};

/// The settings of a correction, and its groups and constraints as training rows taught them.
#[pyclass(module = "evenhand._core", frozen)]
#[derive(Serialize, Deserialize)]
#[allow(clippy::unsafe_derive_deserialize)] // the unsafe code is that of PyO3's macros
pub(crate) struct Binding {
    pub(crate) settings: Correction,
    pub(crate) inner: evenhand::correction::Binding,
    /// How columns are read, so that what was missing in training is missing here.
    #[serde(default)]
    pub(crate) reading: ReadOptions,
    /// From which probability on the second of two classes is decided for.
    pub(crate) threshold: f64,
}

#[pymethods]
impl Binding {
    /// Rates, violations, verdicts and intervals of scores on labelled rows, as JSON, and warnings. The table is used up. Bounds are those that were
    /// asked for, unless others are given.
    #[pyo3(signature = (table, predictions, confidence, *, max_violation=None, max_difference=None, min_ratio=None))]
    #[allow(clippy::too_many_arguments)] // the bounds, by name
    fn test_bounds(
        &self,
        py: Python<'_>,
        table: &Bound<'_, Table>,
        predictions: &Bound<'_, PyAny>,
        confidence: f64,
        max_violation: Option<Limits>,
        max_difference: Option<Limits>,
        min_ratio: Option<Limits>,
    ) -> PyResult<(String, String, String, Warnings)> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let scores = scores(predictions)?;
        let given = [limits(max_violation), limits(max_difference), limits(min_ratio)];
        let tested = apart(py, || {
            let [violation, difference, ratio] = &given;
            let notions = &self.settings.notions;
            let asked = NotionBound::of_limits(violation, difference, ratio, notions)?;
            let bounds = if asked.is_empty() { &self.settings.bounds } else { &asked };
            let (problem, found) = self.problem(table)?;
            let problem = problem.deciding_at(self.threshold);
            let predictor = FnPredictor::new(self.inner.classes().len(), |_: &Features| Ok(scores.clone()));
            let predictor = predictor.named("the predictions", 0);
            let evaluated = problem.evaluated(&predictor, self.settings.measure)?;
            let tests = evaluated.test_bounds(bounds, confidence)?;
            Ok((evaluated.metrics(), tests, evaluated.estimate(confidence)?, found))
        })?;
        Ok((json(&tested.0)?, json(&tested.1)?, json(&tested.2)?, warnings(&tested.3)))
    }

    /// Decides by probabilities: for the most probable class, or from two by the threshold.
    fn decide<'py>(&self, py: Python<'py>, predictions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let decided = decisions(&scores(predictions)?, self.inner.classes().len(), self.threshold);
        Ok(PyArray1::from_iter(py, decided.iter().map(|class| class as u32)))
    }

    /// From which probability on the second of two classes is decided for.
    #[getter]
    fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The columns that define groups.
    #[getter]
    fn sensitive_columns(&self) -> Vec<String> {
        self.inner.groups().columns().into_iter().map(str::to_owned).collect()
    }

    /// The label's column.
    #[getter]
    fn label(&self) -> &str {
        self.inner.schema().label_column()
    }

    /// The weights' column, if rows were weighted.
    #[getter]
    fn weight(&self) -> Option<&str> {
        self.inner.schema().weight_column()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, &json(self)?)
    }

    /// What pickling made bytes of.
    #[staticmethod]
    fn restore(state: &[u8]) -> PyResult<Self> {
        restored(state)
    }
}

impl Binding {
    /// Rows without features: scores are given.
    fn problem(&self, table: evenhand::Table) -> evenhand::Result<(Problem, Vec<Warning>)> {
        let (classes, positive) = (self.inner.classes(), self.inner.positive());
        let table = table.as_read(&self.reading)?.into_owned();
        let data = Dataset::with_classes(table, self.inner.schema(), classes, positive)?;
        scored(&self.inner, &data, 0)
    }
}

/// Rows without features, for scores that come from elsewhere; they are counted from `first`.
pub(crate) fn scored(
    binding: &evenhand::correction::Binding,
    data: &Dataset,
    first: usize,
) -> evenhand::Result<(Problem, Vec<Warning>)> {
    let places: Vec<usize> = (first..first + data.rows()).collect();
    binding.problem_of(Features::new(first + data.rows(), 0, Vec::new(), Vec::new())?.select(&places), data)
}

/// A table that may have been given, read as the training rows are; it is used up.
pub(crate) fn taken(
    table: Option<&Bound<'_, Table>>,
    roles: &crate::settings::Roles,
) -> PyResult<Option<evenhand::Table>> {
    let Some(table) = table else { return Ok(None) };
    let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
    Ok(Some(table.as_read(&roles.reading()).map_err(raised)?.into_owned()))
}

/// A dataset of a table, which is used up.
pub(crate) fn dataset(table: &Bound<'_, Table>, roles: &crate::settings::Roles) -> PyResult<Dataset> {
    let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
    let mut table = table.as_read(&roles.reading()).map_err(raised)?.into_owned();
    if let Some(column) = &roles.frequency {
        table = table.repeated(column).map_err(raised)?;
    }
    Dataset::new(table, &roles.schema).map_err(raised)
}
