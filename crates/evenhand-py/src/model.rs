//! A corrected classifier of the built-in learners: what the model file holds.

use std::path::PathBuf;

use evenhand::correction::{Solution, Solver};
use evenhand::format::clean;
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Predictor, Termination, Warning};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::binding::Binding;
use crate::error::raised;
use crate::pickle::{Reduced, reduced};
use crate::table::Table;
use crate::work::{apart, json};

/// A model, as the command line saves and reads it.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Model {
    pub(crate) inner: evenhand::Model,
}

/// Slug and text of each.
pub(crate) type Warnings = Vec<(String, String)>;

/// Scores row by row, decisions, and warnings.
type Predicted<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<u32>>, Warnings);

#[pymethods]
impl Model {
    /// Scores and decides rows.
    fn predict<'py>(&self, py: Python<'py>, table: &Bound<'py, Table>) -> PyResult<Predicted<'py>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let found = apart(py, || self.inner.predict(&table))?;
        let scores = PyArray1::from_vec(py, found.scores).reshape([table.rows(), found.classes])?;
        let decisions = PyArray1::from_iter(py, found.decisions.iter().map(|class| class as u32));
        let shown: Vec<_> = found.warnings.into_iter().filter(|one| !is_expected(one)).collect();
        Ok((scores, decisions, warnings(&shown)))
    }

    /// Computes the model again from the rows it came from: what matches, as JSON. The table is used up.
    fn verify(&self, py: Python<'_>, table: &Bound<'_, Table>) -> PyResult<String> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let found = apart(py, || {
            let table = table.as_read(&self.inner.reading_all())?.into_owned();
            self.inner.verify(table)
        })?;
        Ok(json(&found)?)
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        apart(py, || self.inner.save(&path))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { inner: apart(py, || evenhand::Model::load(&path))? })
    }

    /// The body of the model file.
    fn to_json(&self) -> PyResult<String> {
        self.inner.to_json().map_err(raised)
    }

    /// What evaluates predictions on other rows.
    #[getter]
    fn binding(&self) -> Binding {
        let (reading, threshold) = (self.inner.reading.clone(), self.inner.threshold);
        Binding { settings: self.inner.settings.clone(), inner: self.inner.binding.clone(), reading, threshold }
    }

    /// The names of the classes, the positive of two last.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.inner.binding.classes().to_vec()
    }

    /// The columns that features are made of, in order.
    #[getter]
    fn columns(&self) -> Vec<(String, &'static str)> {
        let kind = |code: &evenhand::features::Code| match code {
            evenhand::features::Code::OneHot { .. } => "categorical",
            _ => "numeric",
        };
        self.inner.binding.encoding().columns().iter().map(|one| (one.column.clone(), kind(&one.code))).collect()
    }

    /// The names of the features.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.inner.binding.feature_names()
    }

    /// How well features tell each group that the learner may not see, where that was modelled, as JSON.
    #[getter]
    fn memberships(&self) -> PyResult<Option<String>> {
        Ok(self.inner.expected.as_ref().map(|_| json(&self.inner.memberships())).transpose()?)
    }

    /// The columns that a row's groups are told by, where they are needed to decide.
    #[getter]
    fn groups_needed(&self) -> Vec<String> {
        self.inner.groups_needed.clone()
    }

    /// One row of coefficients a margin, the intercept last; `None` for a learner that is a program or a network.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let LearnerRecord::Logistic { model, .. } = &self.inner.learner else { return Ok(None) };
        let width = self.inner.binding.width() + 1;
        let all = PyArray1::from_slice(py, model.coefficients());
        Ok(Some(all.reshape([model.coefficients().len() / width, width])?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, &self.to_json()?)
    }

    /// What pickling made bytes of.
    #[staticmethod]
    fn restore(state: &[u8]) -> PyResult<Self> {
        let body = String::from_utf8_lossy(state);
        Ok(Self { inner: evenhand::Model::from_json(&body).map_err(raised)? })
    }
}

/// Whether new rows are only as training rows were: numbers were missing there too, and an indicator column says so.
fn is_expected(warning: &Warning) -> bool {
    matches!(warning, Warning::MissingFilled { indicator: true, .. })
}

/// Warnings as slug and text.
pub(crate) fn warnings(warnings: &[Warning]) -> Warnings {
    warnings.iter().map(|warning| (slug(warning), clean(&warning.to_string()))).collect()
}

/// A warning where a search ended short of what was asked or stopped for the cost, or where bounds were not searched for.
pub(crate) fn search_warning<P: Predictor>(
    correction: &Correction,
    solution: &Solution<P>,
) -> Option<(String, String)> {
    let explained = solution.explain(correction);
    if let Some(trade_off) = &solution.trade_off {
        let message = format!("{explained}; max_violation={:.3} searches for it anew", trade_off.bound);
        return Some(("too-costly".to_owned(), message));
    }
    let searched = correction.method.is_correction() && matches!(correction.solver, Solver::Sqp(_));
    let (code, missed) = match correction.bounds.as_slice() {
        // What a correction does not search for has a warning of its own.
        [_, ..] if solution.stop == Termination::NotSearched && !searched => ("not-searched", "was not searched for"),
        _ if !solution.stop.is_short() => return None,
        _ if searched => ("not-converged", "was not reached"),
        [] => return None,
        _ => ("bound-not-reached", "was not reached"),
    };
    let bound = |asked: &evenhand::NotionBound| {
        let (name, limit) = (asked.bound.name().replace('-', "_"), asked.bound.limit());
        match &asked.notion {
            Some(notion) => format!("{name}={{\"{notion}\": {limit}}}"),
            None => format!("{name}={limit}"),
        }
    };
    let bounds: Vec<String> = correction.bounds.iter().map(bound).collect();
    let asked = if bounds.is_empty() { "evenness".to_owned() } else { bounds.join(", ") };
    let violation = solution.train.violation.map_or_else(|| "not known".to_owned(), |value| format!("{value:.4}"));
    let message = format!(
        "{asked} {missed} ({explained}): the largest |overall - group| rate in training is {violation}; see `test_bounds`"
    );
    Some((code.to_owned(), message))
}

/// The slug of a warning is the tag of its JSON.
fn slug(warning: &Warning) -> String {
    let json = serde_json::to_value(warning).unwrap_or_default();
    json.get("code").and_then(|code| code.as_str()).unwrap_or_default().to_owned()
}
