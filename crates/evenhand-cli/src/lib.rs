//! `evenhand`: train even-handed classifiers from biased labels, from the command line.
//!
//! Reads arguments, calls the library and chooses the exit code. Every subcommand is a file;
//! none holds a formula. A library with one function, [`run`], which the program calls, and the Python package.

// A build without reports or downloads leaves some of what they share unused.
#![cfg_attr(not(all(feature = "download", feature = "report")), allow(dead_code, unused_imports))]

mod args;
mod audit;
mod bounds;
mod columns;
mod data;
mod demo;
mod evaluate;
mod failure;
mod figure;
mod files;
mod fit;
mod frontier;
mod help;
mod identify;
mod inject;
mod many_rows;
mod memberships;
mod memory;
mod origin;
mod output;
mod output_rows;
mod outputs;
mod page;
mod paper;
mod predict;
mod progress;
mod reference;
#[cfg(test)]
mod schemas;
mod shell;
mod signals;
mod signature;
mod sweep;
mod text;
mod training;
mod verify;
mod version;
mod weight_table;
mod wide_columns;

use std::ffi::OsString;

use args::{Cli, Command};
use evenhand::scratch;
use failure::Running;

/// How a command that ran to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// All is as asked: exit code 0.
    Fine,
    /// A bound was not met, or a check does not match: exit code 1.
    Missed,
}

/// Runs the command that these arguments say, the name of the program first, and gives its exit code.
pub fn run(arguments: Vec<OsString>) -> u8 {
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    signals::watch();
    scratch::sweep(&std::env::temp_dir());
    let (running, json) = (Running::from(&cli.command), cli.command.json());
    let ended = failure::guarded(|| match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Fit(args) => fit::run(*args),
        Command::Correct(args) => fit::run_correct(*args),
        Command::Frontier(args) => frontier::run(*args),
        Command::Identify(args) => identify::run(&args),
        Command::Paper(args) => paper::run(*args),
        Command::Sweep(args) => sweep::run(*args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Inject(args) => inject::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    });
    if ended.is_err() {
        scratch::wait_if_abandoned();
    }
    match ended {
        Ok(Ending::Fine) => 0,
        Ok(Ending::Missed) => 1,
        Err(error) => failure::report(&error, running, json),
    }
}
