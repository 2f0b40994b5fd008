//! The default against the printed loop with three and more classes: `bench/compare/run classes`.
//!
//! `classes` prints `bench/compare/CLASSES.md`: made-up people of 3 and 5 classes, every notion that has a constraint for each class or for
//! accuracy. The default is asked for nothing, and then for the violation at which the loop ended.

use std::error::Error;

use evenhand::correction::{Silent, Solution, Solver, SqpSettings};
use evenhand::learner::LogisticModel;
use evenhand::{Bound, Correction, Logistic, Notion, Preset, Termination};
use evenhand_datasets::synthetic::People;
use rayon::prelude::*;

const NOTIONS: [&str; 5] =
    ["demographic-parity", "equal-opportunity", "equalized-odds", "predictive-equality", "equal-accuracy"];

/// Classes and seeds.
const POPULATIONS: [(usize, u64); 6] = [(3, 0), (3, 1), (3, 2), (5, 0), (5, 1), (5, 2)];

/// What is no difference: 0.1 points of error and 0.2 of violation, a fifth of a standard error of a group's rate at most.
const SAME: [f64; 2] = [0.001, 0.002];

const HEAD: &str = "\
# Three and more classes: the default and the printed loop

This page compares the default with the paper's printed loop for more than two classes. Written by `bench/compare/run classes`.

The data are 20,000 synthetic people of 3 or 5 classes, in two overlapping groups of 40 and 20 % (`People::of_classes`). The learner is
logistic regression, and errors and violations are those of the training rows, which both solvers use. The loop is Algorithm 1 or 2 as
printed, with 101 fits. The default is run without a bound, and with the loop's own violation as its bound and no margin.

Without a bound the default trades about a point of error for a point of violation, so that the two may stop at different points of the
same trade-off. *Objective* is what the default minimises, except for the size of multipliers: the error, and half of the largest and half
of the mean difference between a group and the others. Where the default stops because of the cost, it reports a fit that went on:
*reported* has that fit, and *found* the result of requesting its violation.

";

type Found = Solution<LogisticModel>;

struct Case {
    name: String,
    printed: Found,
    free: Found,
    bounded: Found,
    /// Where the default stopped for the cost: what it finds if asked to go on.
    further: Option<Found>,
    /// Of the loop's result and of the default's: error and half of what is uneven.
    worth: [f64; 2],
}

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<_> =
        POPULATIONS.iter().flat_map(|&(classes, seed)| NOTIONS.map(|notion| (classes, seed, notion))).collect();
    let cases: Vec<Case> = asked
        .par_iter()
        .map(|&(classes, seed, notion)| case(classes, seed, notion))
        .collect::<evenhand::Result<_>>()?;
    let count = |holds: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| holds(case)).count();
    let as_even = |case: &Case| violation(&case.free) <= violation(&case.printed) + SAME[1];
    println!("{HEAD}| of {} | |\n| --- | --- |", cases.len());
    println!(
        "| without a bound: no more error than the loop | {} |",
        count(&|case| costs_no_more(&case.free, &case.printed))
    );
    println!(
        "| the same, and as even | {} |",
        count(&|case| costs_no_more(&case.free, &case.printed) && as_even(case))
    );
    println!(
        "| less even, where the loop has more error, and the default reports the cost of going on | {} |",
        count(&|case| costs_no_more(&case.free, &case.printed) && !as_even(case) && case.free.trade_off.is_some())
    );
    println!("| objective no worse than the loop's | {} |", count(&|case| case.worth[1] <= case.worth[0] + SAME[0]));
    println!(
        "| with the loop's violation as bound: met, or within half a standard error of it, at no more error | {} |",
        count(&|case| { case.bounded.stop == Termination::Converged && costs_no_more(&case.bounded, &case.printed) })
    );
    println!("\n\"No more\" and \"as even\" allow {} and {} points.\n", 100.0 * SAME[0], 100.0 * SAME[1]);
    println!(
        "| classes, population, notion | loop: error / violation | default | fits | ended | loop minus default: error / violation | objective | with the loop's violation as bound | fits | ended | reported | found |"
    );
    println!("|{}", " --- |".repeat(12));
    for case in &cases {
        println!("{}", case.line());
    }
    Ok(())
}

fn case(classes: usize, seed: u64, notion: &str) -> evenhand::Result<Case> {
    let people = People::of_classes(20_000, classes, &[0.4, 0.2], 1.0, seed);
    let asked: Notion = notion.parse()?;
    let problem = people.problem(&asked)?;
    let solve = |correction: &Correction| correction.solve(&problem, &Logistic::default(), &mut Silent);
    let ours = Solver::Sqp(SqpSettings { margin: 0.0, ..SqpSettings::default() });
    let mut free = Correction::new(asked);
    free.solver = Preset::Paper.solver();
    let printed = solve(&free)?;
    free.solver = ours;
    let mut bounded = free.clone();
    bounded.bounds.push(Bound::MaxViolation(violation(&printed)).into());
    let found = solve(&free)?;
    let further = found.trade_off.map(|trade_off| {
        free.bounds.push(Bound::MaxViolation(trade_off.bound).into());
        solve(&free)
    });
    Ok(Case {
        name: format!("{classes}, {seed}, {notion}"),
        bounded: solve(&bounded)?,
        further: further.transpose()?,
        worth: [&printed, &found].map(|found| worth(found, &people, notion)),
        free: found,
        printed,
    })
}

/// Error and half of the largest and of the mean difference between a group and the others.
fn worth(found: &Found, people: &People, notion: &str) -> f64 {
    let classes = people.labels.iter().max().map_or(0, |largest| largest + 1);
    // Whom a rate conditions on, in the order of constraints: group by group, class by class.
    let labelled = |class: u32| -> Vec<Box<dyn Fn(u32) -> bool>> {
        match notion {
            "equal-opportunity" => vec![Box::new(move |label| label == class)],
            "predictive-equality" => vec![Box::new(move |label| label != class)],
            "equalized-odds" => vec![Box::new(move |label| label == class), Box::new(move |label| label != class)],
            _ => vec![Box::new(|_| true)],
        }
    };
    let of_classes = if notion == "equal-accuracy" { 1 } else { classes };
    let others = people.masks.iter().flat_map(|mask| {
        (0..of_classes).flat_map(&labelled).map(move |labelled| {
            let among = || people.labels.iter().zip(mask).filter(|(label, _)| labelled(**label));
            among().filter(|(_, member)| !**member).count() as f64 / among().count() as f64
        })
    });
    let values = found.train.violations.iter().map(|one| one.value.unwrap_or_default().abs());
    let differences: Vec<f64> = values.zip(others).map(|(violation, others)| violation / others).collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    found.train.error + 0.5 * (differences.iter().fold(0.0, |largest: f64, one| largest.max(*one)) + mean)
}

impl Case {
    fn line(&self) -> String {
        let pair = |found: &Found| format!("{:.4} / {:.4}", found.train.error, violation(found));
        let ended = |found: &Found| format!("{} | {} | {}", pair(found), found.fits, found.stop);
        let (error, less) =
            (self.printed.train.error - self.free.train.error, violation(&self.printed) - violation(&self.free));
        let said =
            self.free.trade_off.map(|one| format!("{:.4} / {:.4}", self.free.train.error + one.cost, one.violation));
        format!(
            "| {} | {} | {} | {error:+.4} / {less:+.4} | {:.4} → {:.4} | {} | {} | {} |",
            self.name,
            pair(&self.printed),
            ended(&self.free),
            self.worth[0],
            self.worth[1],
            ended(&self.bounded),
            said.unwrap_or_default(),
            self.further.as_ref().map(pair).unwrap_or_default(),
        )
    }
}

fn costs_no_more(one: &Found, other: &Found) -> bool {
    one.train.error <= other.train.error + SAME[0]
}

fn violation(found: &Found) -> f64 {
    found.train.violation.unwrap_or_default()
}
