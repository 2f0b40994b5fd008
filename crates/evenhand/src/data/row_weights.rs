//! Row weights without their unit.
//!
//! Holds [`mean_one`], the one place where the user's weights are scaled, and [`computable`] for sums where only ratios matter. A learner's penalty stands against the sum of
//! weighted losses, so weights that add up to 1 would let it win, and large ones would leave none of it: only ratios count.
//!
//! A row that weighs less than [`LEAST`] of the heaviest weighs nothing: then no square of a weight vanishes and no weight is too small to divide by.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::unit::power_of_two;
use crate::exact::ExactSum;
use crate::parallel;

/// A mean this close to 1 is 1: what was scaled before is left as it is, to the bit.
const SAME: f64 = 1e-9;

/// What weighs less than this much of the heaviest row weighs nothing.
const LEAST: f64 = 1e-100;

/// Whether a weight is anything beside the largest.
fn counts(weight: f64, largest: f64) -> bool {
    weight > 0.0 && weight / largest >= LEAST
}

/// What scales weights to mean 1 over the rows that weigh anything, for rows that are never together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowWeightScale {
    largest: f64,
    /// Relative to the largest.
    mean: f64,
}

impl RowWeightScale {
    /// The scale of weights of which the largest, the total and how many are not zero are known.
    pub(crate) fn new(largest: f64, total: f64, rows: usize) -> Self {
        Self { largest, mean: total / largest / rows as f64 }
    }

    /// The same with the total relative to the largest, as [`mean_one`] adds it up.
    pub(crate) fn of_relative(largest: f64, total: f64, rows: usize) -> Self {
        Self { largest, mean: total / rows as f64 }
    }

    /// Whether a weight is anything beside the largest.
    pub(crate) fn counts(&self, weight: f64) -> bool {
        counts(weight, self.largest)
    }

    /// The scaled weight of the heaviest row.
    pub fn heaviest(&self) -> f64 {
        self.scaled(self.largest)
    }

    /// The scaled weight of a row.
    pub fn scaled(&self, weight: f64) -> f64 {
        // What is scaled already is left as it is.
        if (self.mean * self.largest - 1.0).abs() <= SAME {
            return weight;
        }
        if self.counts(weight) { weight / self.largest / self.mean } else { 0.0 }
    }
}

/// The unit in which weights are added exactly, for sums of which only ratios matter: a power of two, so that dividing by it rounds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightUnit {
    largest: f64,
}

impl WeightUnit {
    /// The unit of weights of which this is the largest, above 0.
    pub(crate) fn of(largest: f64) -> Self {
        Self { largest }
    }

    /// A weight in units, below 2; what weighs next to nothing beside the largest weighs nothing.
    pub(crate) fn of_row(self, weight: f64) -> f64 {
        if counts(weight, self.largest) { weight / power_of_two(self.largest) } else { 0.0 }
    }

    /// What sums in units are divided by to be sums of the weights as they are; they stay in units where these could not be computed with.
    pub(crate) fn as_given(self) -> f64 {
        // Squares of what counts are then between 1e-300 and 1e200.
        if (1e-50..1e100).contains(&self.largest) { power_of_two(self.largest).recip() } else { 1.0 }
    }

    /// What they are divided by so that rows weigh 1 on average, given the sum over so many rows that weigh anything.
    pub(crate) fn mean_one(self, sum: f64, rows: f64) -> f64 {
        let (mean, as_given) = (sum / rows, self.as_given());
        // What is scaled already is left as it is.
        if (mean / as_given - 1.0).abs() <= SAME { as_given } else { mean }
    }
}

/// Weights scaled to mean 1 over the rows that weigh anything. A row of weight 0 is as good as absent, and does not count.
///
/// Equal weights become 1 exactly. Weights that are none (negative, infinite, all zero) are left for others to refuse.
pub(crate) fn mean_one(weights: Arc<[f64]>) -> Arc<[f64]> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return weights;
    }
    // Relative to the largest, so that no sum overflows and none is lost below the smallest double.
    let sum = |rows: std::ops::Range<usize>| {
        let counted = weights[rows].iter().filter(|&&weight| counts(weight, largest));
        counted.fold((ExactSum::default(), 0_usize), |(mut total, rows), weight| {
            total.add(weight / largest);
            (total, rows + 1)
        })
    };
    let add = |left: &mut (ExactSum, usize), right: (ExactSum, usize)| {
        left.0.merge(&right.0);
        left.1 += right.1;
    };
    let (total, rows) = parallel::reduce(weights.len(), sum, add);
    let (total, rows) = (total.value(), rows as f64);
    let mean = total / rows;
    let vanishes = |&weight: &f64| weight > 0.0 && !counts(weight, largest);
    if (mean * largest - 1.0).abs() <= SAME && !weights.iter().any(vanishes) {
        return weights;
    }
    weights.iter().map(|&weight| if counts(weight, largest) { weight / largest / mean } else { 0.0 }).collect()
}

/// Weights whose sums, and sums of squares, neither overflow nor vanish: as they are, or divided by a power of two, which
/// rounds nothing; and what weighs next to nothing beside the largest weighs nothing.
pub(crate) fn computable(weights: &[f64]) -> Cow<'_, [f64]> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let vanishes = |&weight: &f64| weight > 0.0 && !counts(weight, largest);
    // Squares of what counts are then between 1e-300 and 1e200.
    let is_fine = (1e-50..1e100).contains(&largest) && !weights.iter().any(vanishes);
    if largest <= 0.0 || !largest.is_finite() || is_fine {
        return Cow::Borrowed(weights);
    }
    let unit = power_of_two(largest);
    Cow::Owned(weights.iter().map(|&weight| if counts(weight, largest) { weight / unit } else { 0.0 }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(weights: &[f64]) -> Vec<f64> {
        mean_one(weights.into()).to_vec()
    }

    fn bits(weights: &[f64]) -> Vec<u64> {
        weights.iter().map(|weight| weight.to_bits()).collect()
    }

    #[test]
    fn equal_weights_are_one_to_the_bit_however_large() {
        for weight in [1.0, 0.1, 3.0, 1e308, 5e-324] {
            assert_eq!(bits(&scaled(&[weight; 7])), bits(&[1.0; 7]), "{weight}");
        }
    }

    #[test]
    fn the_mean_is_that_of_rows_that_weigh_anything() {
        assert_eq!(bits(&scaled(&[1.0, 0.0, 1.0])), bits(&[1.0, 0.0, 1.0]));
        let found = scaled(&[2.0, 0.0, 6.0]);
        assert!((found[0] - 0.5).abs() < 1e-15 && found[1] <= 0.0 && (found[2] - 1.5).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn a_constant_factor_is_gone_and_scaled_weights_stay() {
        let weights = [0.3, 1.7, 0.4, 2.9];
        let found = scaled(&weights);
        assert_eq!(bits(&found), bits(&scaled(&found)));
        for factor in [1e-300, 0.1, 4096.0, 1e300] {
            let other = scaled(&weights.map(|weight| weight * factor));
            assert!(found.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-14), "{factor}: {other:?}");
        }
    }

    #[test]
    fn weights_are_made_computable_without_rounding() {
        assert_eq!(bits(&computable(&[3.0, 0.1])), bits(&[3.0, 0.1]));
        assert_eq!(bits(&computable(&[f64::MAX, 2f64.powi(1022)])), bits(&[f64::MAX / 2f64.powi(1023), 0.5]));
        for factor in [2f64.powi(1000), 2f64.powi(-1000)] {
            let found = computable(&[3.0 * factor, 0.0, factor]).into_owned();
            assert_eq!(bits(&found), bits(&[1.5, 0.0, 0.5]));
        }
    }

    #[test]
    fn what_is_nothing_beside_the_heaviest_row_weighs_nothing() {
        for weights in [[1e300, 1e199, 1e301], [1.0, 1e-101, 10.0], [1e-10, 5e-324, 1e-9]] {
            assert_eq!(bits(&scaled(&weights)), bits(&scaled(&scaled(&weights))), "{weights:?}");
            for found in [scaled(&weights), computable(&weights).into_owned()] {
                assert!(
                    found[1].to_bits() == 0 && (found[2] / found[0] - 10.0).abs() < 1e-13,
                    "{weights:?}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_weight_is_left_alone() {
        for weights in [&[0.0, 0.0][..], &[f64::INFINITY, 1.0], &[-1.0, -2.0], &[]] {
            assert_eq!(bits(&scaled(weights)), bits(weights));
        }
    }
}
