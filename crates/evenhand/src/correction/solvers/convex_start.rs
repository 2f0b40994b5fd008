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

/// A class that is less than this times as probable as another by the smoothed maximum is out of the question.
const CERTAIN: f64 = 1e-6;

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
    let dual = Dual::new(&sample, basis, scales(problem, basis), targets(problem, basis));
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

struct Dual {
    /// The share of all weight that each row of the sample has.
    weights: Vec<f64>,
    /// Row by row, the probability of each class.
    scores: Vec<f64>,
    /// Row by row, what each multiplier adds to each class; of two classes, to the first, and to the second beyond that.
    tilts: Vec<f64>,
    classes: usize,
    scales: Vec<f64>,
    targets: Vec<f64>,
}

/// The smoothed maximum's mean, with its derivatives, row by row.
struct Value {
    mean: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Dual {
    fn new(sample: &RowSample, basis: &[usize], scales: Vec<f64>, targets: Vec<f64>) -> Self {
        let (cells, given) = (&sample.cells, sample.rows.tilts());
        let (rows, classes, width) = (cells.rows(), given.classes, given.terms.len());
        let weight = |row: usize| cells.row_weights().map_or(1.0, |weights| weights[row]) / cells.total_weight();
        let mut tilts = vec![0.0; rows * basis.len() * classes];
        for (term, &(multiplier, class)) in given.terms.iter().enumerate() {
            let Some(place) = basis.iter().position(|&at| at == multiplier) else { continue };
            let own = tilts.iter_mut().skip(place * classes + class).step_by(basis.len() * classes);
            own.zip(given.values.iter().skip(term).step_by(width)).for_each(|(tilt, value)| *tilt = *value);
        }
        if classes == 2 {
            tilts.chunks_exact_mut(2).for_each(|pair| pair[1] -= pair[0]);
        }
        let scores = (0..rows).flat_map(|row| sample.rows.before(row)).copied().collect();
        Self { weights: (0..rows).map(weight).collect(), scores, tilts, classes, scales, targets }
    }

    /// The value without its prices.
    fn at(&self, multipliers: &[f64]) -> Value {
        let (count, classes) = (multipliers.len(), self.classes);
        let pass = |part: Range<usize>| {
            let mut sums = vec![0.0; 1 + count + count * count];
            let mut of_row = OfRow { scores: vec![0.0; classes], slopes: vec![0.0; count] };
            for row in part {
                let scores = &self.scores[row * classes..(row + 1) * classes];
                let tilts = &self.tilts[row * count * classes..(row + 1) * count * classes];
                if classes == 2 {
                    add_pair(scores, tilts, self.weights[row], multipliers, &mut sums);
                } else {
                    of_row.add(scores, tilts, self.weights[row], multipliers, &mut sums);
                }
            }
            sums
        };
        let mut sums = parallel::reduce_sums(self.weights.len(), 1 + count + count * count, pass, |left, right| {
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

/// What one row adds to the value and its derivatives.
struct OfRow {
    /// The score of each class.
    scores: Vec<f64>,
    /// The derivative of the smoothed maximum in each multiplier.
    slopes: Vec<f64>,
}

impl OfRow {
    fn add(&mut self, scores: &[f64], tilts: &[f64], weight: f64, multipliers: &[f64], sums: &mut [f64]) {
        let (count, classes) = (multipliers.len(), scores.len());
        self.scores.copy_from_slice(scores);
        for (multiplier, tilts) in multipliers.iter().zip(tilts.chunks_exact(classes)) {
            self.scores.iter_mut().zip(tilts).for_each(|(score, tilt)| *score += multiplier * tilt);
        }
        let largest = self.scores.iter().fold(f64::NEG_INFINITY, |largest, &one| largest.max(one));
        let mut powers = 0.0;
        for score in &mut self.scores {
            *score = ((*score - largest) / WIDTH).exp();
            powers += *score;
        }
        sums[0] += weight * (largest + WIDTH * powers.ln());
        for (slope, own) in self.slopes.iter_mut().zip(tilts.chunks_exact(classes)) {
            *slope = own.iter().zip(&self.scores).map(|(own, power)| own * power).sum::<f64>() / powers;
        }
        let (gradient, hessian) = sums[1..].split_at_mut(count);
        gradient.iter_mut().zip(&self.slopes).for_each(|(gradient, slope)| *gradient += weight * slope);
        if powers <= 1.0 + CERTAIN {
            return;
        }
        for one in 0..count {
            for other in 0..=one {
                let product = |class: usize| tilts[one * classes + class] * tilts[other * classes + class];
                let products = (0..classes).map(|class| product(class) * self.scores[class]).sum::<f64>() / powers;
                hessian[one * count + other] += weight / WIDTH * (products - self.slopes[one] * self.slopes[other]);
            }
        }
    }
}

/// The same for two classes, by how far the second is ahead: one exponential a row, and none where it is decided for sure.
fn add_pair(scores: &[f64], tilts: &[f64], weight: f64, multipliers: &[f64], sums: &mut [f64]) {
    let count = multipliers.len();
    let (mut first, mut ahead) = (scores[0], scores[1] - scores[0]);
    for (multiplier, pair) in multipliers.iter().zip(tilts.chunks_exact(2)) {
        first += multiplier * pair[0];
        ahead += multiplier * pair[1];
    }
    let distance = ahead.abs() / WIDTH;
    let power = if distance < -CERTAIN.ln() { (-distance).exp() } else { 0.0 };
    let share = if ahead > 0.0 { 1.0 } else { power } / (1.0 + power);
    sums[0] += weight * (first + ahead.max(0.0) + if power > 0.0 { WIDTH * power.ln_1p() } else { 0.0 });
    let (gradient, hessian) = sums[1..].split_at_mut(count);
    for (gradient, pair) in gradient.iter_mut().zip(tilts.chunks_exact(2)) {
        *gradient += weight * (pair[0] + share * pair[1]);
    }
    if power > 0.0 {
        let curvature = weight / WIDTH * share * (1.0 - share);
        for (one, pair) in tilts.chunks_exact(2).enumerate() {
            let moved = curvature * pair[1];
            let others = tilts.chunks_exact(2).take(one + 1);
            hessian[one * count..].iter_mut().zip(others).for_each(|(entry, other)| *entry += moved * other[1]);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look like noise.
    fn wave(at: usize) -> f64 {
        (at as f64 * 1.7).sin() * (at as f64 * 0.37).cos()
    }

    /// Rows of so many classes, with three multipliers that add to every class.
    fn dual(classes: usize) -> Dual {
        let (rows, count) = (40, 3);
        let chance = |row: usize, class: usize| 0.1 + wave(3 * row + class).abs();
        let scores = (0..rows).flat_map(|row| {
            let all: Vec<f64> = (0..classes).map(|class| chance(row, class)).collect();
            let total: f64 = all.iter().sum();
            all.into_iter().map(move |one| one / total)
        });
        let (scores, tilts) = (scores.collect(), (0..rows * count * classes).map(|at| wave(at + 7)).collect());
        let weights = vec![1.0 / rows as f64; rows];
        Dual { weights, scores, tilts, classes, scales: vec![1.0; count], targets: vec![0.0; count] }
    }

    fn all(value: &Value) -> Vec<f64> {
        [&[value.mean][..], &value.gradient, &value.hessian].concat()
    }

    #[test]
    fn pairs_are_rows_of_two_classes() {
        let general = dual(2);
        let mut by_pairs = Dual { tilts: general.tilts.clone(), ..dual(2) };
        by_pairs.tilts.chunks_exact_mut(2).for_each(|pair| pair[1] -= pair[0]);
        for multipliers in [[0.0; 3], [0.02, -0.01, 0.03], [0.4, 0.3, -0.2]] {
            let mut sums = vec![0.0; 13];
            let mut of_row = OfRow { scores: vec![0.0; 2], slopes: vec![0.0; 3] };
            for (row, tilts) in general.tilts.chunks_exact(6).enumerate() {
                of_row.add(&general.scores[2 * row..2 * row + 2], tilts, general.weights[row], &multipliers, &mut sums);
            }
            let found = all(&by_pairs.at(&multipliers));
            for (at, (sum, found)) in sums.iter().zip(&found).enumerate() {
                // Of the matrix only the lower triangle is summed.
                let lower = at < 4 || (at - 4) % 3 <= (at - 4) / 3;
                assert!(
                    !lower || (sum - found).abs() < 1e-5 * (1.0 + sum.abs()),
                    "{multipliers:?} {at}: {sum} {found}"
                );
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let step = 1e-6;
        for classes in [2, 3] {
            let (dual, here) = (dual(classes), [0.03, -0.02, 0.01]);
            let value = dual.at(&here);
            for at in 0..3 {
                let moved = |by: f64| {
                    let mut there = here;
                    there[at] += by;
                    dual.at(&there)
                };
                let (below, above) = (moved(-step), moved(step));
                let slope = (above.mean - below.mean) / (2.0 * step);
                assert!((slope - value.gradient[at]).abs() < 1e-5, "{classes} {at}: {slope} {}", value.gradient[at]);
                for other in 0..3 {
                    let curvature = (above.gradient[other] - below.gradient[other]) / (2.0 * step);
                    let told = value.hessian[at * 3 + other];
                    assert!((curvature - told).abs() < 1e-3 * (1.0 + told.abs()), "{classes}: {curvature} {told}");
                }
            }
        }
    }
}
