//! The command line inside the extension module: one compiled engine for `import evenhand` and for the program `evenhand`.

use std::ffi::OsString;
use std::io::Write as _;

use pyo3::prelude::*;

/// Runs the command line with these arguments, the name of the program first, and gives its exit code.
///
/// Signals are the command line's from here on, as in the program: a Ctrl-C ends the process. Nothing may stay in a buffer, since
/// an extension module is not told when the interpreter ends.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = evenhand_cli::run(arguments);
        // A reader that went away has what it wanted.
        let _ = std::io::stdout().flush();
        code
    })
}
