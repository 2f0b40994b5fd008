//! Looks for inputs on which evenhand panics, aborts, takes too much, or says something false.
//!
//! `fuzz [--minutes N] [--turns N] [--seed N] [TARGET…]` puts the inputs that are kept under `corpus/` to their targets, and
//! then goes on with new ones, in a child process that may take two gigabytes, and twenty seconds of processor time an input.
//! A turn is a number of inputs of each target; so many turns from one seed are the same inputs on every machine.
//! `fuzz replay TARGET FILE…` puts files to a target; `fuzz replay TARGET SEED` makes the input of a seed again, keeps it
//! as a file and puts it to the target. Ends with 1 if anything was found.
//!
//! `targets` are what is tried, each with a maker of inputs and with what must hold of them; `ground` is what they stand
//! on; `mutate` damages bytes; `child` runs inputs, `parent` watches over it.
#![allow(clippy::print_stdout)] // a program of its own

mod child;
mod ground;
mod mutate;
mod parent;
mod targets;

use std::process::ExitCode;

const USAGE: &str =
    "usage: fuzz [--minutes N] [--turns N] [--seed N] [TARGET...]\n       fuzz replay TARGET FILE|SEED...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["replay", target, inputs @ ..] if !inputs.is_empty() => child::replay(target, inputs),
        ["child", seed, seconds, turns, folder, targets @ ..] => child::run([seed, seconds, turns], folder, targets),
        other => parent::Asked::read(other).and_then(|asked| parent::run(&asked)),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
