//! Finding the multipliers, and the classifier that goes with them.

use std::sync::Arc;
use std::time::Instant;

use evenhand::correction::{Apply, Observer, Solution};
use evenhand::learner::{Given, Interruptible, LogisticModel, WatchedNetwork};
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Predictor, ReadOptions, Warning};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::binding::{Binding, dataset};
use crate::error::raised;
use crate::fit_state::{Basis, FitState, Found};
use crate::learner::{PythonLearner, PythonPredictor, Raised, Watch};
use crate::model::{Model, search_warning, warnings};
use crate::observer::{iteration_dict, settle, watched};
use crate::settings::{Roles, Settings};
use crate::table::Table;
use crate::tilt::Tilting;
use crate::work::{caught, json};

/// What a fit found.
#[pyclass(module = "evenhand._core", frozen, get_all)]
pub(crate) struct Fitted {
    /// The built-in learner's model.
    model: Option<Py<Model>>,
    /// What `learner` returned for the multipliers found.
    predictor: Option<Py<PyAny>>,
    binding: Py<Binding>,
    /// The names of the classes, the positive of two last.
    classes: Vec<String>,
    sample_weight: Py<PyArray1<f64>>,
    multipliers: Vec<(String, f64)>,
    /// By what the multipliers change the odds of each group; nothing where that would ask an estimator again.
    odds_factors: Vec<(String, Option<f64>)>,
    history: Vec<Py<PyDict>>,
    /// Rates and violations on the training rows, as JSON.
    train: String,
    /// The same on the rows by which multipliers were chosen, where these are others.
    validation: Option<String>,
    /// What the correction changes on the training rows, as JSON.
    effect: Option<String>,
    stop: String,
    /// Violation and cost of going on, where the search stopped for the cost.
    trade_off: Option<(f64, f64, f64)>,
    fits: usize,
    /// How well features tell each group that the learner may not see, where that was modelled, as JSON.
    memberships: Option<String>,
    /// How probabilities of `predictor` are tilted, and the models of membership that this takes.
    tilting: Option<(Py<Tilting>, Vec<Py<PyAny>>)>,
    warnings: Vec<(String, String)>,
    /// For a report.
    state: Py<FitState>,
}

/// Finds the multipliers. The table is used up.
///
/// `learner(weights, rows)` fits and returns what predicts; without one the built-in learner does.
#[pyfunction]
#[pyo3(signature = (table, roles, settings, *, learner=None, callback=None, keep=false))]
pub(crate) fn fit(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    roles: &Roles,
    settings: &Settings,
    learner: Option<Py<PyAny>>,
    callback: Option<Py<PyAny>>,
    keep: bool,
) -> PyResult<Fitted> {
    let data = dataset(table, roles)?;
    let asked = Asked { settings, reading: roles.reading(), callback: callback.as_ref(), keep };
    match learner {
        None if settings.correction.score.is_some() => fit_given(py, data, asked),
        None if settings.network.is_some() => fit_network(py, data, asked),
        None => fit_built_in(py, data, asked),
        Some(learner) => fit_python(py, &data, asked, &learner),
    }
}

/// What is asked of a fit, and who is told of it.
struct Asked<'a> {
    settings: &'a Settings,
    reading: ReadOptions,
    callback: Option<&'a Py<PyAny>>,
    keep: bool,
}

fn fit_built_in(py: Python<'_>, data: Dataset, asked: Asked<'_>) -> PyResult<Fitted> {
    let learner = asked.settings.learner;
    let record = move |model: &LogisticModel| LearnerRecord::Logistic { settings: learner, model: model.clone() };
    let fit = move |correction: &Correction, data: &Dataset, observer: &mut dyn Observer, stop: Stop<'_>| {
        correction.fit_observed(data, &Interruptible { learner, stop }, observer)
    };
    fit_saved(py, data, asked, fit, record, |solution| Found::BuiltIn(Arc::new(solution)))
}

fn fit_network(py: Python<'_>, data: Dataset, asked: Asked<'_>) -> PyResult<Fitted> {
    let network = asked.settings.network.clone().unwrap_or_default();
    let record = LearnerRecord::of_network(&network);
    let fit = move |correction: &Correction, data: &Dataset, observer: &mut dyn Observer, stop: Stop<'_>| {
        correction.fit_observed(data, &WatchedNetwork { learner: &network, watch: &|_, _| stop() }, observer)
    };
    fit_saved(py, data, asked, fit, record, |solution| Found::Network(Arc::new(solution)))
}

/// Corrects scores that are a column of the data.
fn fit_given(py: Python<'_>, data: Dataset, asked: Asked<'_>) -> PyResult<Fitted> {
    let membership = asked.settings.learner;
    let fit = move |correction: &Correction, data: &Dataset, observer: &mut dyn Observer, _: Stop<'_>| {
        correction.fit_observed(data, &Given { membership }, observer)
    };
    let found = |solution| Found::Given(Arc::new(solution));
    fit_saved(py, data, asked, fit, LearnerRecord::of_given(membership), found)
}

/// Whether to stop.
type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// A fit whose classifier a model file can hold.
fn fit_saved<P: Predictor + Send + 'static>(
    py: Python<'_>,
    data: Dataset,
    Asked { settings, reading, callback, keep }: Asked<'_>,
    fit: impl FnOnce(&Correction, &Dataset, &mut dyn Observer, Stop<'_>) -> evenhand::Result<evenhand::Fitted<P>>
    + Send
    + 'static,
    record: impl Fn(&P) -> LearnerRecord + Send + 'static,
    found: impl FnOnce(Solution<P>) -> Found,
) -> PyResult<Fitted> {
    let correction = settings.correction.clone();
    let (fitted, model) = watched(py, callback, keep, move |observer, stop| {
        let fitted = fit(&correction, &data, observer, stop)?;
        let source = (data.digest(), data.rows());
        let model = evenhand::Model::new(&correction, &fitted, record, None, source, None)?;
        let model = model.read_as(&reading, data.table());
        Ok((fitted, model))
    })?;
    let (digest, reading) = (model.provenance.data_sha256.clone(), model.reading.clone());
    let model = Py::new(py, Model { inner: model })?;
    Fitted::new(py, settings, fitted, (digest, reading), (Some(model), None), found)
}

fn fit_python(
    py: Python<'_>,
    data: &Dataset,
    Asked { settings, reading, callback, keep }: Asked<'_>,
    learner: &Py<PyAny>,
) -> PyResult<Fitted> {
    let raised = Raised::default();
    let done = py.detach(|| {
        caught(|| {
            let mut watch = Watch { callback, raised: raised.clone(), started: Instant::now() };
            let learner = PythonLearner { fit: learner, raised: raised.clone() };
            let fitted = settings.correction.fit_observed(data, &learner, &mut watch)?;
            Ok((fitted, data.digest()))
        })
    });
    let (fitted, digest) = settle(py, done, raised.take(), keep)?;
    let object = fitted.predictor().object.clone_ref(py);
    let source = (digest, reading.like(data.table()));
    let tilting = tilting(py, fitted.solution())?;
    let found = |solution| Found::Python(Box::new(solution));
    Ok(Fitted { tilting, ..Fitted::new(py, settings, fitted, source, (None, Some(object)), found)? })
}

/// What tilts probabilities, and the estimators of membership that it takes.
type TiltedBy = (Py<Tilting>, Vec<Py<PyAny>>);

/// What tilts the probabilities of an estimator, and its models of membership.
fn tilting(py: Python<'_>, solution: &Solution<PythonPredictor>) -> PyResult<Option<TiltedBy>> {
    let Some(expected) = solution.expected.as_ref().filter(|_| solution.apply == Apply::Tilt) else { return Ok(None) };
    let models = expected.memberships.iter().map(|one| one.predictor.object.clone_ref(py)).collect();
    let tilting = Tilting { expected: expected.map(|_| ()), multipliers: solution.multipliers.clone() };
    Ok(Some((Py::new(py, tilting)?, models)))
}

impl Fitted {
    fn new<P: Predictor>(
        py: Python<'_>,
        settings: &Settings,
        fitted: evenhand::Fitted<P>,
        (digest, reading): (String, ReadOptions),
        (model, predictor): (Option<Py<Model>>, Option<Py<PyAny>>),
        found: impl FnOnce(Solution<P>) -> Found,
    ) -> PyResult<Self> {
        let solution = fitted.solution();
        let Settings { correction, learner, network } = settings;
        let (inner, threshold) = (fitted.binding().clone(), solution.threshold);
        let binding = Binding { settings: correction.clone(), inner, reading, threshold };
        // What an estimator of another library takes a column for is its own business.
        let is_ours = |warning: &&Warning| predictor.is_none() || !matches!(warning, Warning::PossibleCodes { .. });
        let warned: Vec<Warning> = fitted.warnings().iter().filter(is_ours).cloned().collect();
        let odds_factors = if predictor.is_some() && solution.expected.is_some() {
            Vec::new()
        } else {
            fitted.named_multipliers().map_err(raised)?.into_iter().map(|one| (one.name, one.odds_factor)).collect()
        };
        let (learner, network) = (*learner, network.clone());
        let basis = Basis { correction: correction.clone(), learner, network, digest, warnings: warned.clone() };
        Ok(Self {
            model,
            predictor,
            binding: Py::new(py, binding)?,
            classes: fitted.binding().classes().to_vec(),
            sample_weight: PyArray1::from_vec(py, fitted.weights().to_rows()).unbind(),
            multipliers: fitted.multipliers().map(|(name, value)| (name.to_owned(), value)).collect(),
            odds_factors,
            history: solution
                .trace
                .iter()
                .map(|done| Ok(iteration_dict(py, done)?.unbind()))
                .collect::<PyResult<_>>()?,
            train: json(&solution.train)?,
            validation: solution.validation.as_ref().map(json).transpose()?,
            effect: solution.effect.as_ref().map(json).transpose()?,
            stop: solution.stop.to_string(),
            trade_off: solution.trade_off.map(|one| (one.bound, one.violation, one.cost)),
            fits: solution.fits,
            memberships: solution
                .expected
                .is_some()
                .then(|| json(&solution.memberships(fitted.binding())))
                .transpose()?,
            tilting: None,
            warnings: warnings(&warned).into_iter().chain(search_warning(correction, solution)).collect(),
            state: Py::new(py, FitState { found: found(fitted.into_solution()), basis: Arc::new(basis) })?,
        })
    }
}
