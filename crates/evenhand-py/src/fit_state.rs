//! What a fit leaves behind for its report: the solution, but not the rows, which are handed in again.

use std::sync::Arc;
use std::time::Instant;

use evenhand::correction::{Binding, Observer, Problem, Solution};
use evenhand::learner::{Given, GivenModel, Interruptible, LogisticModel, Network, NetworkModel, WatchedNetwork};
use evenhand::{Correction, Dataset, Learner, Logistic, Warning};
use evenhand_report::{FEW_STRENGTHS, FitResult, Record, STRENGTHS, Trained, built_in};
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
    Given(Arc<Solution<GivenModel>>),
    Network(Arc<Solution<NetworkModel>>),
    Python(Box<Solution<PythonPredictor>>),
}

/// What was asked, of which rows.
pub(crate) struct Basis {
    pub(crate) correction: Correction,
    pub(crate) learner: Logistic,
    pub(crate) network: Option<Network>,
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
            test: taken(test, roles)?,
            confidence,
        };
        let inner = match (&self.found, learner) {
            (Found::BuiltIn(solution), _) => {
                let solution = Arc::clone(solution);
                watched(py, None, false, move |observer, stop| {
                    let learner = Interruptible { learner: request.basis.learner, stop };
                    let name = built_in(&learner.learner);
                    let rows = request.prepare(Binding::problem);
                    Ok(rows
                        .and_then(|rows| report(&rows, &learner, &solution, (&name, &STRENGTHS), identify, observer)))
                })?
            }
            (Found::Given(solution), _) => {
                let solution = Arc::clone(solution);
                watched(py, None, false, move |observer, _| {
                    let learner = Given { membership: request.basis.learner };
                    let name = json!({ "kind": "given", "settings": learner.membership });
                    let rows = request.prepare(Binding::problem);
                    Ok(rows
                        .and_then(|rows| report(&rows, &learner, &solution, (&name, &STRENGTHS), identify, observer)))
                })?
            }
            (Found::Network(solution), _) => {
                let solution = Arc::clone(solution);
                watched(py, None, false, move |observer, stop| {
                    let network = request.basis.network.clone().unwrap_or_default();
                    let name = json!({ "kind": "network", "settings": network });
                    let learner = WatchedNetwork { learner: &network, watch: &|_, _| stop() };
                    let rows = request.prepare(Binding::problem);
                    Ok(rows.and_then(|rows| {
                        report(&rows, &learner, &solution, (&name, &FEW_STRENGTHS), identify, observer)
                    }))
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
                        let other_rows = |binding: &Binding, test: &Dataset| scored(binding, test, first);
                        let rows = request.prepare(other_rows);
                        Ok(rows.and_then(|rows| {
                            report(&rows, &learner, solution, (&record, &FEW_STRENGTHS), identify, &mut watch)
                        }))
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
pub(crate) struct Request {
    pub(crate) basis: Arc<Basis>,
    pub(crate) train: Dataset,
    pub(crate) test: Option<evenhand::Table>,
    pub(crate) confidence: f64,
}

/// The rows of a request, made ready.
pub(crate) struct Prepared<'a> {
    request: &'a Request,
    binding: Binding,
    trained_on: Problem,
    test: Option<(Dataset, Problem)>,
    warnings: Vec<Warning>,
}

impl Request {
    /// Makes rows ready, if they are still those of the fit. `other_rows` does so for test rows.
    pub(crate) fn prepare(
        &self,
        other_rows: impl Fn(&Binding, &Dataset) -> evenhand::Result<(Problem, Vec<Warning>)>,
    ) -> Result<Prepared<'_>, Failure> {
        let Basis { correction, digest, warnings, .. } = &*self.basis;
        if self.train.digest() != *digest {
            return Err(changed());
        }
        let (binding, trained_on, _) = Binding::new(correction, &self.train)?;
        let mut warnings = warnings.clone();
        let test = match &self.test {
            Some(table) => {
                let test = self.train.like(table.clone())?;
                let (problem, of_test) = other_rows(&binding, &test)?;
                warnings.extend(of_test);
                Some((test, problem))
            }
            None => None,
        };
        Ok(Prepared { request: self, binding, trained_on, test, warnings })
    }
}

impl Prepared<'_> {
    /// What a report is made of; `name` says who learned.
    pub(crate) fn trained<'a, L: Learner>(&'a self, learner: &'a L, name: &Value) -> Trained<'a, L> {
        let Request { basis, train, confidence, .. } = self.request;
        let record = Record::new(basis.digest.clone(), train.rows(), &basis.correction, name);
        Trained {
            correction: &basis.correction,
            learner,
            binding: &self.binding,
            trained_on: &self.trained_on,
            train,
            test: self.test.as_ref().map(|(test, problem)| (test, problem)),
            confidence: *confidence,
            warnings: self.warnings.clone(),
            record: record.tested_on(self.test.as_ref().map(|(test, _)| test.digest())),
        }
    }
}

/// The report of a fit on rows that are ready.
fn report<L: Learner>(
    prepared: &Prepared<'_>,
    learner: &L,
    found: &Solution<L::Predictor>,
    (name, strengths): (&Value, &[f64]),
    identify: bool,
    observer: &mut dyn Observer,
) -> Result<evenhand_report::Report, Failure> {
    let mut trained = prepared.trained(learner, name);
    trained.warnings.extend(trained.test.and_then(|(_, problem)| found.unseen(problem)));
    let fit = FitResult { trained, found, evaluated: None, identify, strengths };
    Ok(evenhand_report::Report::from_fit(&fit, observer)?)
}

/// Rows that are not those of the fit any more.
fn changed() -> Failure {
    let message = "the rows were changed since they were fitted to; fit again, then report";
    Failure::Python(exception("EvenhandError", message, "rows-changed"))
}
