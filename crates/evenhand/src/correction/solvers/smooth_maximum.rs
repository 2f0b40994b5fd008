//! The smoothed maximum over classes, averaged over rows, with its derivatives in the multipliers.
//!
//! Holds [`SmoothMaximum`], the pass over rows that a convex start makes again and again. Of two classes only how far the second is ahead is
//! smoothed, a block of rows at a time; what the first is worth is linear in the multipliers, and added up once.

use std::ops::Range;

use super::row_sample::RowSample;
use crate::kernel::product::dot;
use crate::kernel::{blocks, link};
use crate::parallel;

/// The width of the smoothed maximum, in units of probability.
const WIDTH: f64 = 0.02;

/// Where the powers of all other classes add up to less than this, that of the largest being 1, a row adds nothing to the Hessian.
const CERTAIN: f64 = 1e-6;

/// The scores of the classes for some rows, and what multipliers add to them.
pub(super) enum SmoothMaximum {
    /// Rows of two classes.
    Pairs(Pairs),
    /// Rows of any number of classes.
    Classes(Classes),
}

/// A mean over rows, and its derivatives.
pub(super) struct Value {
    pub(super) mean: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
}

impl Value {
    /// By how much the quadratic model falls from these multipliers to others.
    pub(super) fn decrease(&self, here: &[f64], there: &[f64]) -> f64 {
        let step: Vec<f64> = here.iter().zip(there).map(|(from, to)| to - from).collect();
        let curved = self.hessian.chunks_exact(step.len()).zip(&step).map(|(row, by)| by * dot(row, &step));
        -dot(&self.gradient, &step) - 0.5 * curved.sum::<f64>()
    }
}

impl SmoothMaximum {
    /// Of a sample's probabilities, with some of the multipliers.
    pub(super) fn new(sample: &RowSample, basis: &[usize]) -> Self {
        let classes = Classes::new(sample, basis);
        if classes.class_count == 2 { Self::Pairs(Pairs::new(classes)) } else { Self::Classes(classes) }
    }

    pub(super) fn at(&self, multipliers: &[f64]) -> Value {
        let count = multipliers.len();
        let (rows, width) = (self.rows(), 1 + count + count * count);
        let leaf = |part: Range<usize>| match self {
            Self::Pairs(pairs) => pairs.sums(part, multipliers),
            Self::Classes(classes) => classes.sums(part, multipliers),
        };
        let mut sums = parallel::reduce_sums(rows, width, leaf, |left, right| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        });
        let mut hessian = sums.split_off(1 + count);
        for one in 0..count {
            for other in 0..one {
                hessian[other * count + one] = hessian[one * count + other];
            }
        }
        let mut value = Value { mean: sums[0], gradient: sums.split_off(1), hessian };
        if let Self::Pairs(pairs) = self {
            value.mean += pairs.first + dot(multipliers, &pairs.first_slopes);
            value.gradient.iter_mut().zip(&pairs.first_slopes).for_each(|(slope, first)| *slope += first);
        }
        value
    }

    fn rows(&self) -> usize {
        match self {
            Self::Pairs(pairs) => pairs.weights.len(),
            Self::Classes(classes) => classes.weights.len(),
        }
    }
}

/// Rows of any number of classes.
pub(super) struct Classes {
    /// The share of all weight that each row has.
    weights: Vec<f64>,
    /// Row by row, the probability of each class.
    scores: Vec<f64>,
    /// Per multiplier and class, what that adds to each row.
    tilts: Vec<Vec<f64>>,
    class_count: usize,
}

impl Classes {
    fn new(sample: &RowSample, basis: &[usize]) -> Self {
        let (cells, given) = (&sample.cells, sample.rows.tilts());
        let (rows, classes) = (cells.rows(), given.classes);
        let weight = |row: usize| cells.row_weights().map_or(1.0, |weights| weights[row]) / cells.total_weight();
        let mut tilts = vec![vec![0.0; rows]; basis.len() * classes];
        for (&(multiplier, class), column) in given.terms.iter().zip(&given.columns) {
            let Some(place) = basis.iter().position(|&at| at == multiplier) else { continue };
            tilts[place * classes + class].iter_mut().zip(column).for_each(|(tilt, value)| *tilt += *value);
        }
        let scores = (0..rows).flat_map(|row| sample.rows.before(row)).copied().collect();
        Self { weights: (0..rows).map(weight).collect(), scores, tilts, class_count: classes }
    }

    /// The sums of some rows: the mean, its gradient, and the lower triangle of its Hessian.
    fn sums(&self, part: Range<usize>, multipliers: &[f64]) -> Vec<f64> {
        let (count, classes) = (multipliers.len(), self.class_count);
        let mut sums = vec![0.0; 1 + count + count * count];
        let mut of_row = OfRow { scores: vec![0.0; classes], slopes: vec![0.0; count] };
        let mut tilts = vec![0.0; count * classes];
        for row in part {
            let scores = &self.scores[row * classes..(row + 1) * classes];
            tilts.iter_mut().zip(&self.tilts).for_each(|(tilt, column)| *tilt = column[row]);
            of_row.add(scores, &tilts, self.weights[row], multipliers, &mut sums);
        }
        sums
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

/// Rows of two classes, column by column.
pub(super) struct Pairs {
    /// The share of all weight that each row has.
    weights: Vec<f64>,
    /// The score of the second class minus that of the first.
    ahead: Vec<f64>,
    /// Per multiplier, what it adds to that difference.
    tilts: Vec<Vec<f64>>,
    /// The mean score of the first class, and per multiplier what it adds to that mean.
    first: f64,
    first_slopes: Vec<f64>,
}

impl Pairs {
    fn new(rows: Classes) -> Self {
        let ahead = |pair: &[Vec<f64>]| pair[1].iter().zip(&pair[0]).map(|(second, first)| second - first).collect();
        let slope = |pair: &[Vec<f64>]| pair[0].iter().zip(&rows.weights).map(|(value, weight)| value * weight).sum();
        let first = rows.scores.iter().step_by(2).zip(&rows.weights).map(|(score, weight)| score * weight).sum();
        Self {
            ahead: rows.scores.chunks_exact(2).map(|pair| pair[1] - pair[0]).collect(),
            tilts: rows.tilts.chunks_exact(2).map(ahead).collect(),
            first,
            first_slopes: rows.tilts.chunks_exact(2).map(slope).collect(),
            weights: rows.weights,
        }
    }

    /// As [`Classes::sums`], without the scores of the first class.
    fn sums(&self, part: Range<usize>, multipliers: &[f64]) -> Vec<f64> {
        let count = multipliers.len();
        let mut sums = vec![0.0; 1 + count + count * count];
        let (mut shares, mut values, mut curvatures, mut scaled) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for block in blocks(part) {
            let weights = &self.weights[block.clone()];
            shares.clear();
            shares.extend_from_slice(&self.ahead[block.clone()]);
            for (multiplier, tilts) in multipliers.iter().zip(&self.tilts) {
                shares.iter_mut().zip(&tilts[block.clone()]).for_each(|(ahead, tilt)| *ahead += multiplier * tilt);
            }
            values.resize(weights.len(), 0.0);
            curvatures.resize(weights.len(), 0.0);
            link::soft_positive(&mut shares, weights, (WIDTH, CERTAIN), &mut values, &mut curvatures);
            sums[0] += dot(&values, weights);
            let (gradient, hessian) = sums[1..].split_at_mut(count);
            for (one, tilts) in self.tilts.iter().enumerate() {
                let own = &tilts[block.clone()];
                gradient[one] += dot(&shares, own);
                scaled.clear();
                scaled.extend(own.iter().zip(&curvatures).map(|(tilt, curvature)| tilt * curvature));
                for (entry, other) in hessian[one * count..].iter_mut().zip(&self.tilts[..=one]) {
                    *entry += dot(&scaled, &other[block.clone()]);
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look like noise.
    fn wave(at: usize) -> f64 {
        (at as f64 * 1.7).sin() * (at as f64 * 0.37).cos()
    }

    /// Rows of so many classes, with three multipliers that add to every class.
    fn rows(classes: usize) -> Classes {
        let (rows, count) = (40, 3);
        let chance = |row: usize, class: usize| 0.1 + wave(3 * row + class).abs();
        let scores = (0..rows).flat_map(|row| {
            let all: Vec<f64> = (0..classes).map(|class| chance(row, class)).collect();
            let total: f64 = all.iter().sum();
            all.into_iter().map(move |one| one / total)
        });
        let (scores, tilts) = (
            scores.collect(),
            (0..count * classes).map(|at| (0..rows).map(|row| wave(at + 7 + 6 * row)).collect()).collect(),
        );
        let weights = (0..rows).map(|row| 0.02 + 0.01 * wave(row)).collect();
        Classes { weights, scores, tilts, class_count: classes }
    }

    fn all(value: &Value) -> Vec<f64> {
        [&[value.mean][..], &value.gradient, &value.hessian].concat()
    }

    #[test]
    fn pairs_are_rows_of_two_classes() {
        let (pairs, general) = (SmoothMaximum::Pairs(Pairs::new(rows(2))), SmoothMaximum::Classes(rows(2)));
        for multipliers in [[0.0; 3], [0.02, -0.01, 0.03], [0.4, 0.3, -0.2]] {
            let [pairs, general] = [&pairs, &general].map(|rows| all(&rows.at(&multipliers)));
            for (at, (one, other)) in pairs.iter().zip(&general).enumerate() {
                assert!((one - other).abs() < 1e-5 * (1.0 + one.abs()), "{multipliers:?} {at}: {one} {other}");
            }
        }
    }

    #[test]
    fn a_model_falls_as_its_derivatives_say() {
        let value = Value { mean: 0.0, gradient: vec![1.0, -2.0], hessian: vec![2.0, 1.0, 1.0, 4.0] };
        // Half of the step of Newton, which is (−6, 5) / 7.
        let decrease = value.decrease(&[1.0, 1.0], &[4.0 / 7.0, 1.0 + 2.5 / 7.0]);
        assert!((decrease - 0.75 * 0.5 * (6.0 + 10.0) / 7.0).abs() < 1e-12, "{decrease}");
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let step = 1e-6;
        for maximum in [SmoothMaximum::Pairs(Pairs::new(rows(2))), SmoothMaximum::Classes(rows(3))] {
            let (here, classes) = ([0.03, -0.02, 0.01], if matches!(maximum, SmoothMaximum::Pairs(_)) { 2 } else { 3 });
            let value = maximum.at(&here);
            for at in 0..3 {
                let moved = |by: f64| {
                    let mut there = here;
                    there[at] += by;
                    maximum.at(&there)
                };
                let (below, above) = (moved(-step), moved(step));
                let slope = (above.mean - below.mean) / (2.0 * step);
                assert!((slope - value.gradient[at]).abs() < 1e-5, "{classes} {at}: {slope} {}", value.gradient[at]);
                for other in 0..3 {
                    let curvature = (above.gradient[other] - below.gradient[other]) / (2.0 * step);
                    let analytic = value.hessian[at * 3 + other];
                    assert!(
                        (curvature - analytic).abs() < 1e-3 * (1.0 + analytic.abs()),
                        "{classes}: {curvature} {analytic}"
                    );
                }
            }
        }
    }
}
