//! The start of a search whose learner has many minima, such as a network: multipliers that make the weighted labels themselves even.
//!
//! A network that is trained again with slightly different weights makes decisions that differ by more than the change of weights explains, so that small steps from no
//! correction measure noise. What weights do to labels is known without training: rows in the same groups have label shares q(y), and once
//! weighted the shares p(y) ∝ q(y)·w(y), which a learner of probabilities follows. [Jiang & Nachum 2019, Cor. 1, for the shares of labels] The multipliers at which these shares
//! are even are found by damped Gauss-Newton steps; one training then tells whether the decisions are even too.

use std::collections::BTreeMap;

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use crate::constraint::{Measure, TiltTable, WeightRule};
use crate::correction::problem::Problem;
use crate::kernel::CellSums;

/// The most Gauss-Newton steps; where weights can make the labels even, a handful is enough.
const STEPS: usize = 40;

/// Violations of labels whose norm is below this count as zero.
const EVEN: f64 = 1e-9;

/// The step of central differences.
const REACH: f64 = 1e-5;

/// With more multipliers than this no start is sought: the cost of a Gauss-Newton step grows with their square.
const MOST_MULTIPLIERS: usize = 64;

/// The multipliers that make labels even; `None` where there are too many of them, or where what was found leaves half of the violation of the labels or more.
pub(super) fn even_labels(problem: &Problem, rule: WeightRule, max_exponent: f64) -> Option<Vec<f64>> {
    let labels = Labels { problem, table: problem.label_table(rule), patterns: patterns(problem) };
    let count = labels.table.multipliers();
    if count == 0 || count > MOST_MULTIPLIERS {
        return None;
    }
    let mut here = vec![0.0; count];
    let mut violations = labels.violations(&here);
    let first = norm(&violations);
    for _ in 0..STEPS {
        if norm(&violations) < EVEN {
            break;
        }
        let step = labels.step(&here, &violations)?;
        let shorter = (0..10).find_map(|halvings| {
            let by = 0.5_f64.powi(halvings);
            let there: Vec<f64> = here.iter().zip(&step).map(|(one, step)| one + by * step).collect();
            let found = labels.violations(&there);
            let allowed = labels.table.mean_square(&there).sqrt() <= max_exponent;
            (allowed && norm(&found) < norm(&violations)).then_some((there, found))
        });
        let Some(shorter) = shorter else { break };
        (here, violations) = shorter;
    }
    (norm(&violations) < 0.5 * first).then_some(here)
}

/// The labels by pattern of groups, which weights change.
struct Labels<'a> {
    problem: &'a Problem,
    table: TiltTable,
    /// The pattern of groups of each cell.
    patterns: Vec<usize>,
}

impl Labels<'_> {
    /// The violations of decisions that are made at random by the shares of the weighted labels.
    fn violations(&self, multipliers: &[f64]) -> Vec<f64> {
        let (cells, classes) = (self.problem.cells(), self.problem.classes());
        let weights = self.table.weights(multipliers);
        // Per pattern and class.
        let count = self.patterns.iter().max().map_or(0, |last| last + 1);
        let mut shares = vec![0.0; count * classes];
        for (cell, pattern) in self.patterns.iter().enumerate() {
            let label = cells.label(cell);
            shares[pattern * classes + label] += cells.weight(cell) * weights[cell * classes + label];
        }
        let decided = self.patterns.iter().enumerate().flat_map(|(cell, pattern)| {
            let shares = &shares[pattern * classes..][..classes];
            let total: f64 = shares.iter().sum();
            let weight = if total > 0.0 { cells.weight(cell) / total } else { 0.0 };
            shares.iter().map(move |share| share * weight)
        });
        let sums = CellSums::of_decisions(classes, decided.collect::<Vec<_>>().into_iter());
        self.problem.violations(&sums, Measure::Decisions)
    }

    /// The Gauss-Newton step, damped so that directions in which no violation changes take no step.
    fn step(&self, here: &[f64], violations: &[f64]) -> Option<Vec<f64>> {
        let count = here.len();
        let slope = |at: usize| -> Vec<f64> {
            let moved = |by: f64| {
                let mut there = here.to_vec();
                there[at] += by;
                self.violations(&there)
            };
            moved(REACH).iter().zip(moved(-REACH)).map(|(one, other)| (one - other) / (2.0 * REACH)).collect()
        };
        let jacobian: Vec<Vec<f64>> = (0..count).map(slope).collect();
        let product = |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
        let largest = jacobian.iter().map(|row| product(row, row)).fold(0.0, f64::max);
        let damping = 1e-6 * largest + f64::MIN_POSITIVE;
        let matrix = Mat::from_fn(count, count, |row, column| {
            product(&jacobian[row], &jacobian[column]) + if row == column { damping } else { 0.0 }
        });
        let right = Mat::from_fn(count, 1, |row, _| -product(&jacobian[row], violations));
        let solved = Llt::new(matrix.as_ref(), Side::Lower).ok()?.solve(&right);
        let step: Vec<f64> = (0..count).map(|row| solved[(row, 0)]).collect();
        step.iter().all(|one| one.is_finite()).then_some(step)
    }
}

/// For each cell the number of the pattern of groups that its rows have.
fn patterns(problem: &Problem) -> Vec<usize> {
    let cells = problem.cells();
    let mut known: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let pattern = |cell: usize| {
        let next = known.len();
        *known.entry(cells.groups(cell).collect()).or_insert(next)
    };
    (0..cells.len()).map(pattern).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
