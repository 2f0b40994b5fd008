//! The program `evenhand`: all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(evenhand_cli::run(std::env::args_os().collect()))
}
