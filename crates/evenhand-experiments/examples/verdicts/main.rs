//! `bench/verdicts`: how often a bound is said to be met that is not.
//!
//! `verdicts SETS` draws so many test sets of every scenario (`scenario`), tests a classifier whose true rates are known
//! by bounds just inside the truth, and prints as CSV how often each verdict was given. Every "met" is wrong.
//! Training rows lack groups as scenarios say: what they teach goes through the same code as in a fit. The seeds are fixed.

mod scenario;

use std::error::Error;

use evenhand::Verdict;
use rayon::prelude::*;
use scenario::{Scenario, all};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let sets: u64 = std::env::args().nth(1).ok_or("how many test sets of each scenario?")?.parse()?;
    print("scenario,notion,rows,bound,limit,sets,met,not_met,too_few_rows,cannot_tell");
    for scenario in all() {
        test(&scenario, sets)?;
    }
    Ok(())
}

/// Tests test sets of a scenario, and prints a line for every bound.
fn test(scenario: &Scenario, sets: u64) -> Result<()> {
    let (binding, bounds) = (scenario.binding()?, scenario.bounds());
    let verdicts = (1..=sets).into_par_iter().map(|seed| scenario.verdicts(&binding, seed));
    let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
    for (at, bound) in bounds.iter().enumerate() {
        let times = |verdict: Verdict| verdicts.iter().filter(|found| found[at] == verdict).count();
        print(&format!(
            "{},{},{},{},{:.4},{sets},{},{},{},{}",
            scenario.name,
            scenario.notion,
            scenario.rows,
            bound.name(),
            bound.limit(),
            times(Verdict::Met),
            times(Verdict::NotMet),
            times(Verdict::TooFewRows),
            times(Verdict::CannotTell)
        ));
    }
    Ok(())
}

#[allow(clippy::print_stdout)] // the output of this program
fn print(line: &str) {
    println!("{line}");
}
