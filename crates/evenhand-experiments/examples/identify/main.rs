//! `bench/identify`: how well a bias that was put into labels is found, and what its correction is worth.
//!
//! Everything is drawn from populations whose truth is known (`evenhand_datasets::synthetic`), and printed as CSV, a line a measurement:
//!
//! `identify coverage ROWS DRAWS RESAMPLES` estimates the bias in samples, with intervals;
//! `identify multiplicity ROWS DRAWS` counts false claims where seven groups have no bias;
//! `identify accuracy ROWS DRAWS` evaluates classifiers by true labels;
//! `identify shift ROWS DRAWS` does so with covariate shift ignored and corrected, in populations that the model cannot describe;
//! `identify withheld ROWS DRAWS` estimates a bias against a group that the model may not see;
//! `identify sensitivity ROWS DRAWS` estimates the bias where groups truly differ, along curves of true differences;
//! `identify notions ROWS DRAWS` estimates the bias for every notion that identifies one.
//!
//! ROWS is a list such as `5000,50000`. The seeds are fixed; draws are made side by side.

mod accuracy;
mod coverage;
mod multiplicity;
mod notions;
mod sample;
mod sensitivity;
mod shift;
mod withheld;

use std::error::Error;

use rayon::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["coverage", rows, draws, resamples] => coverage::run(&listed(rows)?, draws.parse()?, resamples.parse()?),
        ["multiplicity", rows, draws] => multiplicity::run(&listed(rows)?, draws.parse()?),
        ["accuracy", rows, draws] => accuracy::run(&listed(rows)?, draws.parse()?),
        ["shift", rows, draws] => shift::run(&listed(rows)?, draws.parse()?),
        ["sensitivity", rows, draws] => sensitivity::run(&listed(rows)?, draws.parse()?),
        ["notions", rows, draws] => notions::run(&listed(rows)?, draws.parse()?),
        ["withheld", rows, draws] => withheld::run(&listed(rows)?, draws.parse()?),
        _ => Err("see the head of examples/identify/main.rs for the arguments".into()),
    }
}

fn listed(numbers: &str) -> Result<Vec<usize>> {
    Ok(numbers.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?)
}

/// Makes draws on all cores, and prints what they tell in their order.
fn each_draw(draws: u64, tell: impl Fn(u64) -> Result<Vec<String>> + Sync + Send) -> Result<()> {
    // Draw 0 is left to the rows that classifiers are evaluated on.
    let lines = (1..=draws).into_par_iter().map(tell).collect::<Result<Vec<_>>>()?;
    lines.iter().flatten().for_each(|line| print(line));
    Ok(())
}

#[allow(clippy::print_stdout)] // the output of this program
fn print(line: &str) {
    println!("{line}");
}
