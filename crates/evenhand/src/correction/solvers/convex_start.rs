//! Where a search for tilts starts: the best decisions by expectation, which are a convex problem.
//!
//! Of all decisions that depend on x alone, those of least expected error whose expected rates differ by at most ε are a linear
//! programme. Its dual is convex: with `p_y` the probability of a class and `t_ky` what multiplier k adds to it,
//!
//! ```text
//! minimise over μ   E max_y (p_y + Σ_k μ_k t_ky) + Σ_k ε_k |μ_k|
//! ```
//!
//! so that no local optimum misleads it. [Menon & Williamson 2018; Boyd & Vandenberghe 2004, ch. 5] The maximum is smoothed, and the problem
//! solved for a path of ε, each from the one before, by proximal Newton steps [Lee, Sun & Saunders 2014]. Probabilities are then added to, not multiplied;
//! close to a tie of two classes, where decisions are made, that is a tilt of about 2μ. A sample of rows is enough to start from.

use std::ops::Range;

use super::row_sample::RowSample;
use crate::constraint::Functional;
use crate::correction::evaluation::TiltedRows;
use crate::correction::problem::Problem;
use crate::{Result, parallel};

/// How many values of ε there are, and how far each is below the one before: the last is about a hundredth of the violation there was.
const PATH: usize = 10;
const FACTOR: f64 = 0.65;

/// The width of the smoothed maximum, in units of probability.
const WIDTH: f64 = 0.02;

/// Steps for one ε, at most; the next begins close to its end.
const STEPS: usize = 5;

/// A smaller gain in the share of rows decided rightly is not worth a step.
const GAIN: f64 = 1e-6;

/// With more multipliers their products over rows cost more than a search from no correction does.
const MOST_MULTIPLIERS: usize = 64;

/// Multipliers of tilts from weak to strong, one of each for every ε; none where there are too many.
///
/// # Errors
/// Where rows weigh nothing.
pub(super) fn path(problem: &Problem, rows: &TiltedRows, basis: &[usize]) -> Result<Vec<Vec<f64>>> {
    if basis.is_empty() || basis.len() > MOST_MULTIPLIERS {
        return Ok(Vec::new());
    }
    let sample = RowSample::of(rows, problem.cells())?;
    let dual = Dual { sample: &sample, basis, scales: scales(problem, basis), targets: targets(problem, basis) };
    let count = basis.len();
    let mut here = vec![0.0; count];
    let mut value = dual.at(&here);
    let most = (0..count).map(|at| value.gradient[at].abs() / dual.scales[at]).fold(0.0, f64::max);
    let mut found = Vec::with_capacity(PATH);
    let mut epsilon = most;
    for _ in 0..PATH {
        epsilon *= FACTOR;
        let prices: Vec<f64> = dual.scales.iter().map(|scale| epsilon * scale).collect();
        for _ in 0..STEPS {
            let Some((moved, at)) = dual.step(&here, &value, &prices) else { break };
            (here, value) = (moved, at);
        }
        let mut multipliers = vec![0.0; problem.constraints().len()];
        for (&place, by) in basis.iter().zip(&here) {
            multipliers[place] = 2.0 * by;
        }
        found.push(multipliers);
    }
    Ok(found)
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

struct Dual<'a> {
    sample: &'a RowSample,
    basis: &'a [usize],
    scales: Vec<f64>,
    targets: Vec<f64>,
}

/// The smoothed maximum's mean, with its derivatives, row by row.
struct Value {
    mean: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Dual<'_> {
    /// The value without its prices.
    fn at(&self, multipliers: &[f64]) -> Value {
        let count = self.basis.len();
        let (cells, tilts) = (&self.sample.cells, self.sample.rows.tilts());
        let (classes, total) = (tilts.classes, cells.total_weight());
        let places: Vec<Option<usize>> =
            tilts.terms.iter().map(|term| self.basis.iter().position(|&at| at == term.0)).collect();
        let width = tilts.terms.len();
        let pass = |part: Range<usize>| {
            let mut sums = vec![0.0; 1 + count + count * count];
            let (mut scores, mut own, mut mean) = (vec![0.0; classes], vec![0.0; count * classes], vec![0.0; count]);
            for row in part {
                let weight = cells.row_weights().map_or(1.0, |weights| weights[row]) / total;
                scores.copy_from_slice(self.sample.rows.before(row));
                own.fill(0.0);
                for ((term, value), place) in tilts.terms.iter().zip(&tilts.values[row * width..]).zip(&places) {
                    if let Some(place) = place {
                        scores[term.1] += multipliers[*place] * value;
                        own[place * classes + term.1] = *value;
                    }
                }
                let largest = scores.iter().fold(f64::NEG_INFINITY, |largest, &one| largest.max(one));
                let mut powers = 0.0;
                for score in &mut scores {
                    *score = ((*score - largest) / WIDTH).exp();
                    powers += *score;
                }
                sums[0] += weight * (largest + WIDTH * powers.ln());
                for (mean, own) in mean.iter_mut().zip(own.chunks_exact(classes)) {
                    *mean = own.iter().zip(&scores).map(|(own, power)| own * power).sum::<f64>() / powers;
                }
                let (gradient, hessian) = sums[1..].split_at_mut(count);
                for (gradient, mean) in gradient.iter_mut().zip(&mean) {
                    *gradient += weight * mean;
                }
                // Rows that are decided for sure have no curvature.
                if powers > 1.0 + 1e-6 {
                    for one in 0..count {
                        for other in 0..=one {
                            let product = (0..classes)
                                .map(|class| own[one * classes + class] * own[other * classes + class] * scores[class]);
                            let product = product.sum::<f64>() / powers - mean[one] * mean[other];
                            hessian[one * count + other] += weight / WIDTH * product;
                        }
                    }
                }
            }
            sums
        };
        let mut sums = parallel::reduce_sums(cells.rows(), 1 + count + count * count, pass, |left, right| {
            for (left, right) in left.iter_mut().zip(right) {
                *left += right;
            }
        });
        let mut hessian = sums.split_off(1 + count);
        for one in 0..count {
            for other in 0..one {
                hessian[other * count + one] = hessian[one * count + other];
            }
        }
        let mut value = Value { mean: sums[0], gradient: sums.split_off(1), hessian };
        for (at, multiplier) in multipliers.iter().enumerate() {
            let asked = self.scales[at] * self.targets[at];
            value.mean -= multiplier * asked;
            value.gradient[at] -= asked;
        }
        value
    }

    /// A proximal Newton step; `None` where none makes the value with its prices smaller.
    fn step(&self, here: &[f64], value: &Value, prices: &[f64]) -> Option<(Vec<f64>, Value)> {
        let there = descend(here, value, prices);
        let priced =
            |at: &[f64], mean: f64| mean + at.iter().zip(prices).map(|(one, price)| price * one.abs()).sum::<f64>();
        let before = priced(here, value.mean);
        let mut share = 1.0;
        while share > 1e-3 {
            let moved: Vec<f64> = here.iter().zip(&there).map(|(from, to)| from + share * (to - from)).collect();
            let at = self.at(&moved);
            if priced(&moved, at.mean) < before - GAIN {
                return Some((moved, at));
            }
            share *= 0.3;
        }
        None
    }
}

/// The least of the quadratic model with its prices, by coordinate descent.
fn descend(here: &[f64], value: &Value, prices: &[f64]) -> Vec<f64> {
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
            let shrunk = free.signum() * (free.abs() - prices[at] / curvature).max(0.0);
            moved = moved.max((shrunk - there[at]).abs());
            there[at] = shrunk;
        }
        if moved < 1e-9 {
            break;
        }
    }
    there
}
