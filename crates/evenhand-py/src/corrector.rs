//! The search for multipliers turned inside out, for people who train elsewhere.
//!
//! The engine calls a learner; here the learner is whoever asks for weights and comes back with
//! predictions. The engine waits meanwhile, on a thread of its own.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use evenhand::correction::{Effect, Iteration, Observer};
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, Training, check_probabilities};
use evenhand::{Correction, Error};
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::binding::{Binding, dataset};
use crate::error::{Failure, raised};
use crate::learner::scores;
use crate::model::{Warnings, search_warning, warnings};
use crate::settings::{Roles, Settings};
use crate::table::Table;
use crate::work::{caught, json};

/// What a search found, without a classifier: that one is the user's.
#[pyclass(module = "evenhand._core", frozen, get_all, skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Found {
    multipliers: Vec<(String, f64)>,
    stop: String,
    /// Violation and cost of going on, where the search stopped for the cost.
    trade_off: Option<(f64, f64, f64)>,
    fits: usize,
    /// Rates and violations on the training rows, as JSON.
    train: String,
    warnings: Warnings,
    /// Which of the predictions belong to the multipliers found.
    best: usize,
}

/// An event of the search: weights to train with, an iteration that is done, or what was found.
enum Event {
    Train(Vec<f64>),
    Iteration(Iteration),
    Found(Box<Result<(Found, Vec<f64>), Failure>>),
}

/// A search that hands out weights and takes predictions.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Corrector {
    state: Mutex<State>,
    binding: Binding,
    classes: Vec<String>,
}

struct State {
    events: Receiver<Event>,
    replies: Option<Sender<Vec<f64>>>,
    thread: Option<JoinHandle<()>>,
    weights: Vec<f64>,
    iterations: Vec<Iteration>,
    found: Option<Found>,
}

#[pymethods]
impl Corrector {
    /// Starts a search. The table is used up.
    #[new]
    fn new(py: Python<'_>, table: &Bound<'_, Table>, roles: &Roles, settings: &Settings) -> PyResult<Self> {
        let data = dataset(table, roles)?;
        let correction = settings.correction.clone();
        let (sender, events) = channel();
        let (replies, predictions) = channel();
        let bound = py.detach(|| caught(|| Ok(evenhand::correction::Binding::new(&correction, &data)?)));
        let (inner, problem, first_warnings) = bound?;
        let binding =
            Binding { settings: correction.clone(), inner, reading: roles.reading(), threshold: problem.threshold() };
        let classes = binding.inner.classes().to_vec();
        drop(data);
        let mut first_warnings = warnings(&first_warnings);
        let names = classes.clone();
        let thread = std::thread::spawn(move || {
            let found = caught(|| {
                let (mut found, weights) = search(&correction, (&problem, &names), &sender, &Mutex::new(predictions))?;
                first_warnings.append(&mut found.warnings);
                found.warnings = first_warnings;
                Ok((found, weights))
            });
            // Nobody may be waiting any more.
            let _ = sender.send(Event::Found(Box::new(found)));
        });
        let mut state = State {
            events,
            replies: Some(replies),
            thread: Some(thread),
            weights: Vec::new(),
            iterations: Vec::new(),
            found: None,
        };
        py.detach(|| state.listen())?;
        Ok(Self { state: Mutex::new(state), binding, classes })
    }

    /// Gives predictions of what was trained with the weights; the search goes on, or ends.
    fn update(&self, py: Python<'_>, predictions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut scores = scores(predictions)?;
        check_probabilities(&mut scores, self.classes.len(), "predictions", |row| row).map_err(raised)?;
        let mut guard = self.state()?;
        let state = &mut *guard;
        match &state.replies {
            Some(replies) if state.found.is_none() && replies.send(scores).is_ok() => {}
            _ => return Err(PyRuntimeError::new_err("the correction is done: there is nothing to update")),
        }
        py.detach(|| state.listen())?;
        Ok(())
    }

    /// The weights to train with next; those found, once it is done.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.state()?.weights))
    }

    /// Whether the search has ended.
    #[getter]
    fn done(&self) -> PyResult<bool> {
        Ok(self.state()?.found.is_some())
    }

    /// The fits so far.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, pyo3::types::PyDict>>> {
        self.state()?.iterations.iter().map(|done| crate::observer::iteration_dict(py, done)).collect()
    }

    /// What was found, once the search has ended.
    #[getter]
    fn found(&self) -> PyResult<Option<Found>> {
        Ok(self.state()?.found.clone())
    }

    /// The names of the classes, the positive of two last: the columns of predictions.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.classes.clone()
    }

    /// What evaluates predictions on other rows.
    #[getter]
    fn binding(&self) -> Binding {
        let Binding { settings, inner, reading, threshold } = &self.binding;
        Binding { settings: settings.clone(), inner: inner.clone(), reading: reading.clone(), threshold: *threshold }
    }
}

impl Corrector {
    fn state(&self) -> PyResult<std::sync::MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| PyRuntimeError::new_err("an earlier update failed"))
    }
}

impl State {
    /// Waits until the search wants something, or has ended.
    fn listen(&mut self) -> Result<(), Failure> {
        loop {
            match self.events.recv() {
                Ok(Event::Iteration(done)) => self.iterations.push(done),
                Ok(Event::Train(weights)) => {
                    self.weights = weights;
                    return Ok(());
                }
                Ok(Event::Found(found)) => {
                    self.replies = None;
                    let (found, weights) = (*found)?;
                    self.weights = weights;
                    self.found = Some(found);
                    return Ok(());
                }
                Err(_) => return Err(Failure::Panic("the search went away".into())),
            }
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // The channel is closed, and the search ends.
        self.replies = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Sends iterations as they come.
struct ChannelObserver<'a>(&'a Sender<Event>);

impl Observer for ChannelObserver<'_> {
    fn after(&mut self, done: &Iteration) -> bool {
        self.0.send(Event::Iteration(done.clone())).is_ok()
    }
}

type Scores = Box<dyn Fn(&Features) -> evenhand::Result<Vec<f64>> + Send + Sync>;

/// What predicts, and the how manieth it is.
struct Numbered {
    number: usize,
    scores: FnPredictor<Scores>,
}

impl evenhand::Predictor for Numbered {
    fn on<'a>(&'a self, features: &'a Features) -> evenhand::Result<evenhand::learner::Scorer<'a>> {
        self.scores.on(features)
    }
}

fn search(
    correction: &Correction,
    (problem, classes): (&evenhand::correction::Problem, &[String]),
    sender: &Sender<Event>,
    predictions: &Mutex<Receiver<Vec<f64>>>,
) -> evenhand::Result<(Found, Vec<f64>)> {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let learner = FnLearner::new(|training: Training<'_>| {
        sender.send(Event::Train(training.weights.to_rows())).map_err(|_| Error::Interrupted)?;
        let scores = predictions.lock().map_err(|_| Error::Interrupted)?.recv().map_err(|_| Error::Interrupted)?;
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let all: Scores = Box::new(move |_| Ok(scores.clone()));
        Ok(Numbered { number, scores: FnPredictor::new(training.classes, all).named("predictions", 0) })
    });
    let solution = correction.solve(problem, &learner, &mut ChannelObserver(sender))?;
    let names = problem.constraints().iter().map(|constraint| constraint.name.clone());
    let mut found_warnings = warnings(&solution.warnings);
    found_warnings.extend(warnings(&solution.effect.iter().flat_map(Effect::warnings).collect::<Vec<_>>()));
    found_warnings.extend(warnings(solution.train.one_decision(classes).as_slice()));
    found_warnings.extend(search_warning(correction, &solution));
    let found = Found {
        multipliers: names.zip(solution.multipliers.iter().copied()).collect(),
        stop: solution.stop.to_string(),
        trade_off: solution.trade_off.map(|one| (one.bound, one.violation, one.cost)),
        fits: solution.fits,
        train: json(&solution.train).unwrap_or_default(),
        warnings: found_warnings,
        best: solution.predictor.number,
    };
    Ok((found, solution.weights(problem)?.to_rows()))
}
