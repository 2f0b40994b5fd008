//! Reporting the progress of a run to Python, which may stop it.
//!
//! Signals reach Python's main thread alone, and a learner of ours works for seconds without
//! leaving Rust. So the engine runs on a thread of its own, and the calling one waits for events, looks
//! for Ctrl-C twenty times a second and calls the callback: always on the thread that people expect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use evenhand::correction::{Iteration, Observer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Failure;
use crate::work::caught;

const PATIENCE: Duration = Duration::from_millis(50);

/// How long the engine may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(300);

/// An event on the channel to the calling thread.
enum Event<T> {
    Iteration(Iteration, Sender<bool>),
    Done(Result<T, Failure>),
}

/// Sends every iteration to the calling thread and waits for its answer.
struct ChannelObserver<T> {
    started: Instant,
    events: Sender<Event<T>>,
}

impl<T> Observer for ChannelObserver<T> {
    fn after(&mut self, done: &Iteration) -> bool {
        let (reply, answer) = channel();
        // Without anybody listening there is nobody to work for.
        self.events.send(Event::Iteration(done.clone(), reply)).is_ok() && answer.recv().unwrap_or(false)
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// Runs the engine on a thread of its own. `work` gets an observer, and a question whether to stop.
///
/// After Ctrl-C the engine has [`GRACE`] to end; then it is left to find out by itself, at its next question.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    keep: bool,
    work: impl FnOnce(&mut dyn Observer, &(dyn Fn() -> bool + Sync)) -> evenhand::Result<T> + Send + 'static,
) -> PyResult<T> {
    let (done, raised) = py.detach(|| {
        let stop = Arc::new(AtomicBool::new(false));
        let (events, received) = channel();
        let asked = Arc::clone(&stop);
        std::thread::spawn(move || {
            let mut observer = ChannelObserver { started: Instant::now(), events };
            let done = caught(|| Ok(work(&mut observer, &|| asked.load(Ordering::Relaxed))?));
            // Whoever waited may have left.
            let _ = observer.events.send(Event::Done(done));
        });
        listen(&received, &stop, callback, keep)
    });
    settle(py, done, raised, keep)
}

/// Receives events until the engine is done, and handles signals of Python meanwhile.
fn listen<T>(
    received: &Receiver<Event<T>>,
    stop: &AtomicBool,
    callback: Option<&Py<PyAny>>,
    keep: bool,
) -> (Result<T, Failure>, Option<PyErr>) {
    let mut raised: Option<(PyErr, Instant)> = None;
    let mut halt = |error| {
        stop.store(true, Ordering::Relaxed);
        raised.get_or_insert((error, Instant::now())).1
    };
    let mut since = None;
    let done = loop {
        match received.recv_timeout(PATIENCE) {
            Ok(Event::Done(done)) => break done,
            Ok(Event::Iteration(done, reply)) => {
                let go_on = answer(callback, &done).unwrap_or_else(|error| {
                    since = Some(halt(error));
                    false
                });
                let _ = reply.send(go_on && !stop.load(Ordering::Relaxed));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = signals() {
                    since = Some(halt(error));
                }
                if !keep && since.is_some_and(|since| since.elapsed() > GRACE) {
                    break Err(Failure::Engine(evenhand::Error::Interrupted));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break Err(Failure::Panic("the engine went away".into())),
        }
    };
    (done, raised.map(|(error, _)| error))
}

/// Lets Python handle what was pressed.
#[allow(clippy::redundant_closure_for_method_calls)] // the method alone is not general enough in its lifetime
fn signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// What comes of a run on which something may have been raised.
pub(crate) fn settle<T>(py: Python<'_>, done: Result<T, Failure>, raised: Option<PyErr>, keep: bool) -> PyResult<T> {
    match (raised, done) {
        (Some(error), Ok(done)) if keep && is_interrupt(py, &error) => Ok(done),
        (Some(error), _) => Err(error),
        (None, done) => Ok(done?),
    }
}

pub(crate) fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py)
}

/// Calls the callback with an iteration; whether to go on: unless it answers `False`, or Ctrl-C was pressed.
pub(crate) fn answer(callback: Option<&Py<PyAny>>, done: &Iteration) -> PyResult<bool> {
    Python::attach(|py| {
        py.check_signals()?;
        let Some(callback) = callback else { return Ok(true) };
        let answer = callback.bind(py).call1((iteration_dict(py, done)?,))?;
        Ok(answer.is_none() || answer.is_truthy()?)
    })
}

/// An iteration as a dictionary.
pub(crate) fn iteration_dict<'py>(py: Python<'py>, done: &Iteration) -> PyResult<Bound<'py, PyDict>> {
    let Iteration { number, multipliers, violations, violation, error, loss, seconds, next_multipliers } = done;
    let dict = PyDict::new(py);
    dict.set_item("fit", number)?;
    dict.set_item("violation", violation)?;
    dict.set_item("error", error)?;
    dict.set_item("loss", loss)?;
    dict.set_item("seconds", seconds)?;
    dict.set_item("multipliers", multipliers.clone())?;
    dict.set_item("next_multipliers", next_multipliers.clone())?;
    dict.set_item("violations", violations.clone())?;
    Ok(dict)
}
