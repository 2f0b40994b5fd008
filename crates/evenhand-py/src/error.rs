//! Errors of the engine as Python exceptions.
//!
//! The classes are defined in `evenhand._exceptions`; each carries the engine's message, and its
//! slug as `code`. Rows are counted from 0 here, as Python counts them, and messages say so.

use evenhand::Error;
use evenhand::format::clean_lines;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// What a call into the engine can end with: an error of its own, or one that Python raised on the way.
pub(crate) enum Failure {
    Engine(Error),
    Python(PyErr),
    /// A bug of ours, caught before it could cross into Python.
    Panic(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<evenhand_report::Error> for Failure {
    fn from(error: evenhand_report::Error) -> Self {
        match error {
            evenhand_report::Error::Engine(error) => Self::Engine(error),
            evenhand_report::Error::Format { found } => {
                Self::Engine(Error::setting("path", format!("`{found}`"), "a name that ends with .html, .md or .txt"))
            }
            other => Self::Panic(other.to_string()),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Engine(Error::Interrupted) => PyKeyboardInterrupt::new_err(()),
            Failure::Engine(mut error) => {
                let message = worded(&mut error);
                exception(class_of(&error), &message, error.code())
            }
            Failure::Panic(message) => {
                let message = format!("a bug in evenhand, please report it: {message}");
                exception("EvenhandInternalError", &message, "internal")
            }
        }
    }
}

/// The exception for an error of the engine.
pub(crate) fn raised(error: Error) -> PyErr {
    Failure::Engine(error).into()
}

/// The engine's message, with what would move a cursor shown escaped; a row in it is message to be counted from 0.
fn worded(error: &mut Error) -> String {
    let message = clean_lines(&error.to_string());
    let Some(row) = error.row_mut() else { return message };
    let shown = format!("row {row}");
    message.replacen(&shown, &format!("{shown} (counted from 0)"), 1)
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Io { .. } | Error::NoTemporary { .. } | Error::PartlyWritten { .. } => "EvenhandFileError",
        Error::Learner { .. } | Error::NoProbabilities { .. } | Error::NotAgreed { .. } | Error::Score { .. } => {
            "EvenhandLearnerError"
        }
        _ => "EvenhandError",
    }
}

/// An exception of `evenhand._exceptions`.
pub(crate) fn exception(class: &str, message: &str, code: &str) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("evenhand._exceptions")
            .and_then(|module| module.getattr(class))
            .and_then(|class| class.call1((message, code)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
