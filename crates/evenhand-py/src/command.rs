//! The command line, run from Python.

use pyo3::prelude::*;

/// Runs `evenhand` with these arguments, the name of the program first, and gives its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| evenhand_cli::run(arguments))
}
