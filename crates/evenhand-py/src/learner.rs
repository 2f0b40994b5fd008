//! A learner that is a Python object.
//!
//! Python keeps the rows in a form of its own; the engine hands over weights, and which rows. Everything
//! runs on the calling thread, so that Ctrl-C reaches the estimator in the middle of its fit.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use evenhand::correction::{Iteration, Observer};
use evenhand::features::Features;
use evenhand::learner::{FnPredictor, Learner, Scorer, Training};
use evenhand::{Error, Predictor, Result};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::observer::{answer, is_interrupt};

/// Calls `fit(weights, rows, members)`, which returns what predicts: a function of `rows`.
///
/// `rows` are `None` for all, else their numbers; `members` is `None`, or who is in a group, to be fitted in place of labels.
pub(crate) struct PythonLearner<'a> {
    pub(crate) fit: &'a Py<PyAny>,
    pub(crate) raised: Raised,
}

/// What Python raised in the middle of a run, to be raised again.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps the first of what is raised, and says so to the engine.
    fn keep(&self, error: PyErr) -> Error {
        let interrupted = Python::attach(|py| is_interrupt(py, &error));
        let detail = error.to_string();
        if let Ok(mut raised) = self.0.lock() {
            raised.get_or_insert(error);
        }
        if interrupted { Error::Interrupted } else { Error::learner(detail) }
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().ok()?.take()
    }
}

/// What fitting returned.
pub(crate) struct PythonPredictor {
    pub(crate) object: Py<PyAny>,
    scores: FnPredictor<Scores>,
}

type Scores = Box<dyn Fn(&Features) -> Result<Vec<f64>> + Send + Sync>;

impl Learner for PythonLearner<'_> {
    type Predictor = PythonPredictor;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<PythonPredictor> {
        self.fit_to(training, None)
    }

    fn fit_membership(&self, training: Training<'_>, (): &mut ()) -> Result<PythonPredictor> {
        self.fit_to(training, Some(training.labels.iter().map(|class| class == 1).collect()))
    }
}

impl PythonLearner<'_> {
    /// Fits labels, which Python has, or who is in a group.
    fn fit_to(&self, training: Training<'_>, members: Option<Vec<bool>>) -> Result<PythonPredictor> {
        let fitted = Python::attach(|py| -> PyResult<Py<PyAny>> {
            let weights = PyArray1::from_vec(py, training.weights.to_rows());
            let members = members.map(|members| PyArray1::from_vec(py, members));
            let fitted = self.fit.bind(py).call1((weights, rows(py, training.features), members))?;
            Ok(fitted.unbind())
        });
        let object = fitted.map_err(|error| self.raised.keep(error))?;
        let (scorer, classes) = (Python::attach(|py| object.clone_ref(py)), training.classes);
        let raised = self.raised.clone();
        let scores: Scores = Box::new(move |features| {
            Python::attach(|py| scores(&scorer.bind(py).call1((rows(py, features),))?))
                .map_err(|error: PyErr| raised.keep(error))
        });
        let name = Python::attach(|py| name(object.bind(py)));
        Ok(PythonPredictor { object, scores: FnPredictor::new(classes, scores).named(name, 0) })
    }
}

impl Predictor for PythonPredictor {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        self.scores.on(features)
    }
}

fn rows<'py>(py: Python<'py>, features: &Features) -> Option<Bound<'py, PyArray1<usize>>> {
    features.places().map(|places| PyArray1::from_slice(py, places))
}

/// What messages call an estimator: its class.
fn name(predictor: &Bound<'_, PyAny>) -> String {
    let estimator = predictor.getattr("estimator").unwrap_or_else(|_| predictor.clone());
    estimator.get_type().name().map_or_else(|_| "the estimator".to_owned(), |name| format!("`{name}`"))
}

/// Class probabilities, row by row.
pub(crate) fn scores(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array: PyReadonlyArray2<'_, f64> = array.extract()?;
    Ok(array.as_array().iter().copied().collect())
}

/// Watches a run on the calling thread.
pub(crate) struct Watch<'a> {
    pub(crate) callback: Option<&'a Py<PyAny>>,
    pub(crate) raised: Raised,
    pub(crate) started: Instant,
}

impl Observer for Watch<'_> {
    fn after(&mut self, done: &Iteration) -> bool {
        answer(self.callback, done).unwrap_or_else(|error| {
            self.raised.keep(error);
            false
        })
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
