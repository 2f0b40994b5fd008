//! The starts of a search for tilts: the best decisions by expected rates and errors, which are the solutions of a convex problem.
//!
//! Of all decisions that depend on x alone, those of least expected error whose expected rates differ by at most ε are a linear
//! programme. Its dual is convex: with `p_y` the probability of a class and `t_ky` what multiplier k adds to it,
//!
//! ```text
//! minimise over μ   E max_y (p_y + Σ_k μ_k t_ky) + Σ_k ε_k |μ_k|
//! ```
//!
//! so that it has no local optimum but its minimum. [Menon & Williamson 2018; Boyd & Vandenberghe 2004, ch. 5] The maximum is smoothed, and the problem
//! solved for a path of ε, each from the one before, by proximal Newton steps [Lee, Sun & Saunders 2014]. Probabilities are then added to, not multiplied;
//! close to a tie of two classes, where decisions are made, that is a tilt of about 2μ. A sample of rows is enough to start from.

use super::row_sample::RowSample;
use super::smooth_maximum::{SmoothMaximum, Value};
use crate::constraint::Functional;
use crate::correction::evaluation::TiltedRows;
use crate::correction::problem::Problem;
use crate::{Result, parallel};

/// How many values of ε there are, and how far each is below the one before: the last is about a hundredth of the violation there was.
const PATH: usize = 10;
const FACTOR: f64 = 0.65;

/// The most Newton steps for one ε; the search for the next ε begins where these end.
const STEPS: usize = 5;

/// A step that gains less than this, as a share of rows decided as labelled, is not worth a pass over the rows.
const GAIN: f64 = 1e-6;

/// With more multipliers than this no start is sought: their products over rows cost more than a search from no correction does.
const MOST_MULTIPLIERS: usize = 64;

/// The multipliers for each ε, from weak tilts to strong ones; none where there are too many multipliers.
///
/// # Errors
/// Where rows weigh nothing.
pub(super) fn path(problem: &Problem, rows: &TiltedRows, basis: &[usize]) -> Result<Vec<Vec<f64>>> {
    if basis.is_empty() || basis.len() > MOST_MULTIPLIERS {
        return Ok(Vec::new());
    }
    let sample = RowSample::of(rows, problem.cells())?;
    let (scales, targets) = (scales(problem, basis), targets(problem, basis));
    let dual = Dual { maximum: SmoothMaximum::new(&sample, basis), scales, targets };
    let full = |found: Vec<f64>| {
        let mut multipliers = vec![0.0; problem.constraints().len()];
        for (&place, by) in basis.iter().zip(&found) {
            multipliers[place] = 2.0 * by;
        }
        multipliers
    };
    Ok(parallel::inside(|| dual.path()).into_iter().map(full).collect())
}

/// The share of the rows that each multiplier's rate conditions on, or is compared with: the gradient in it is the violation times that share.
fn scales(problem: &Problem, basis: &[usize]) -> Vec<f64> {
    let share = |functional: &Functional| functional.base_share().max(f64::MIN_POSITIVE);
    basis.iter().map(|&at| problem.functionals()[at].as_ref().map_or(1.0, share)).collect()
}

/// The rates that were asked for as numbers; zero for those that are compared with everyone's.
fn targets(problem: &Problem, basis: &[usize]) -> Vec<f64> {
    basis.iter().map(|&at| problem.functionals()[at].as_ref().map_or(0.0, Functional::target)).collect()
}

struct Dual {
    maximum: SmoothMaximum,
    scales: Vec<f64>,
    targets: Vec<f64>,
}

impl Dual {
    /// The minimisers for each ε of the path.
    fn path(&self) -> Vec<Vec<f64>> {
        let mut here = vec![0.0; self.scales.len()];
        let mut value = self.at(&here);
        let most =
            value.gradient.iter().zip(&self.scales).map(|(slope, scale)| slope.abs() / scale).fold(0.0, f64::max);
        let mut found = Vec::with_capacity(PATH);
        let mut epsilon = most;
        for _ in 0..PATH {
            epsilon *= FACTOR;
            let weights: Vec<f64> = self.scales.iter().map(|scale| epsilon * scale).collect();
            for _ in 0..STEPS {
                let Some((moved, at)) = self.step(&here, &value, &weights) else { break };
                (here, value) = (moved, at);
            }
            found.push(here.clone());
        }
        found
    }

    /// The mean of the smoothed maximum, without the ℓ₁ penalty.
    fn at(&self, multipliers: &[f64]) -> Value {
        let mut value = self.maximum.at(multipliers);
        for (at, multiplier) in multipliers.iter().enumerate() {
            let asked = self.scales[at] * self.targets[at];
            value.mean -= multiplier * asked;
            value.gradient[at] -= asked;
        }
        value
    }

    /// A proximal Newton step; `None` where the model promises too little, or no shortened step lowers the objective.
    fn step(&self, here: &[f64], value: &Value, weights: &[f64]) -> Option<(Vec<f64>, Value)> {
        let there = descend(here, value, weights);
        let penalty = |at: &[f64]| at.iter().zip(weights).map(|(one, weight)| weight * one.abs()).sum::<f64>();
        let before = value.mean + penalty(here);
        if value.decrease(here, &there) + penalty(here) - penalty(&there) < GAIN {
            return None;
        }
        let mut share = 1.0;
        while share > 1e-3 {
            let moved: Vec<f64> = here.iter().zip(&there).map(|(from, to)| from + share * (to - from)).collect();
            let at = self.at(&moved);
            if at.mean + penalty(&moved) < before - GAIN {
                return Some((moved, at));
            }
            share *= 0.3;
        }
        None
    }
}

/// The minimiser of the quadratic model with the ℓ₁ penalty, whose weights are given, by coordinate descent.
fn descend(here: &[f64], value: &Value, weights: &[f64]) -> Vec<f64> {
    const ROUNDS: usize = 100;
    let count = here.len();
    let mut there = here.to_vec();
    let ridge = 1e-6 + 1e-6 * (0..count).map(|at| value.hessian[at * count + at]).fold(0.0, f64::max);
    for _ in 0..ROUNDS {
        let mut moved: f64 = 0.0;
        for at in 0..count {
            let curvature = value.hessian[at * count + at] + ridge;
            let slope = value.gradient[at]
                + (0..count).map(|other| value.hessian[at * count + other] * (there[other] - here[other])).sum::<f64>();
            let free = there[at] - slope / curvature;
            let shrunk = free.signum() * (free.abs() - weights[at] / curvature).max(0.0);
            moved = moved.max((shrunk - there[at]).abs());
            there[at] = shrunk;
        }
        if moved < 1e-9 {
            break;
        }
    }
    there
}
