//! What a fit leaves behind for its report: the solution, but not the rows, which are handed in again.

use std::sync::Arc;
use std::time::Instant;

use evenhand::correction::{Binding, Observer, Problem, Solution};
use evenhand::learner::{Interruptible, LogisticModel};
use evenhand::{Correction, Dataset, Learner, Logistic, Warning};
use evenhand_report::{FEW_STRENGTHS, FitResult, Record, STRENGTHS, built_in};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::binding::{dataset, scored, taken};
use crate::error::{Failure, exception};
use crate::learner::{PythonLearner, PythonPredictor, Raised, Watch};
use crate::observer::{settle, watched};
use crate::report::Report;
use crate::settings::Roles;
use crate::table::Table;
use crate::work::caught;

/// What a fit found, and by which settings.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct FitState {
    pub(crate) found: Found,
    pub(crate) basis: Arc<Basis>,
}

/// By whom it was found.
pub(crate) enum Found {
    BuiltIn(Arc<Solution<LogisticModel>>),
    Python(Box<Solution<PythonPredictor>>),
}

/// What was asked, of which rows.
pub(crate) struct Basis {
    pub(crate) correction: Correction,
    pub(crate) learner: Logistic,
    pub(crate) digest: String,
    pub(crate) warnings: Vec<Warning>,
}

#[pymethods]
impl FitState {
    /// The report of the fit on its training rows, or on others. Both tables are used up.
    ///
    /// `learner` is the one that was given to `fit`, and `name` what it is called; `identify` whether the
    /// bias in labels is identified.
    #[pyo3(signature = (table, roles, *, test=None, learner=None, name=None, identify=true, confidence=0.95))]
    #[allow(clippy::too_many_arguments)] // the settings, by name
    fn report(
        &self,
        py: Python<'_>,
        table: &Bound<'_, Table>,
        roles: &Roles,
        test: Option<&Bound<'_, Table>>,
        learner: Option<Py<PyAny>>,
        name: Option<String>,
        identify: bool,
        confidence: f64,
    ) -> PyResult<Report> {
        let request = Request {
            basis: Arc::clone(&self.basis),
            train: dataset(table, roles)?,
            test: taken(test)?,
            identify,
            confidence,
        };
        let inner = match (&self.found, learner) {
            (Found::BuiltIn(solution), _) => {
                let solution = Arc::clone(solution);
                watched(py, None, false, move |observer, stop| {
                    let logistic = request.basis.learner;
                    let learner = Interruptible { learner: logistic, stop };
                    Ok(request.report(
                        &learner,
                        &solution,
                        &STRENGTHS,
                        &built_in(&logistic),
                        Binding::problem,
                        observer,
                    ))
                })?
            }
            (Found::Python(solution), Some(learner)) => {
                let raised = Raised::default();
                let done = py.detach(|| {
                    caught(|| {
                        let mut watch = Watch { callback: None, raised: raised.clone(), started: Instant::now() };
                        let learner = PythonLearner { fit: &learner, raised: raised.clone() };
                        let record = json!({ "kind": "python", "name": name });
                        // Test rows are counted on from the training rows.
                        let first = request.train.rows();
                        let other_rows =
                            |binding: &Binding, test: &Dataset| Ok((scored(binding, test, first)?, Vec::new()));
                        Ok(request.report(&learner, solution, &FEW_STRENGTHS, &record, other_rows, &mut watch))
                    })
                });
                settle(py, done, raised.take(), false)?
            }
            (Found::Python(_), None) => Err(Failure::Panic("a report without its learner".into())),
        };
        Ok(Report { inner: inner? })
    }
}

/// A request for a report, with the rows it is of.
struct Request {
    basis: Arc<Basis>,
    train: Dataset,
    test: Option<evenhand::Table>,
    identify: bool,
    confidence: f64,
}

impl Request {
    /// `other_rows` makes test rows ready.
    fn report<L: Learner>(
        &self,
        learner: &L,
        solution: &Solution<L::Predictor>,
        strengths: &[f64],
        named: &Value,
        other_rows: impl Fn(&Binding, &Dataset) -> evenhand::Result<(Problem, Vec<Warning>)>,
        observer: &mut dyn Observer,
    ) -> Result<evenhand_report::Report, Failure> {
        let Basis { correction, digest, warnings, .. } = &*self.basis;
        let train = &self.train;
        if train.digest() != *digest {
            return Err(changed());
        }
        let (binding, trained_on, _) = Binding::new(correction, train)?;
        let mut warnings = warnings.clone();
        let test = self.test.clone().map(|table| train.like(table)).transpose()?;
        let tested_on = match &test {
            Some(test) => {
                let (problem, more) = other_rows(&binding, test)?;
                warnings.extend(more.into_iter().chain(solution.unseen(&problem)));
                Some(problem)
            }
            None => None,
        };
        let record = Record::new(digest.clone(), train.rows(), correction, named);
        let fit = FitResult {
            correction,
            learner,
            binding: &binding,
            trained_on: &trained_on,
            found: solution,
            train,
            test: test.as_ref().zip(tested_on.as_ref()),
            evaluated: None,
            identify: self.identify,
            strengths,
            confidence: self.confidence,
            warnings,
            record: record.tested_on(test.as_ref().map(Dataset::digest)),
        };
        Ok(evenhand_report::Report::from_fit(&fit, observer)?)
    }
}

/// Rows that are not those of the fit any more.
pub(crate) fn changed() -> Failure {
    let message = "the rows were changed since they were fitted to; fit again, then report";
    Failure::Python(exception("EvenhandError", message, "rows-changed"))
}
