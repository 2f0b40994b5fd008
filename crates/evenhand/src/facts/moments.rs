//! Weighted mean and spread of numbers that are never together.
//!
//! Holds [`Moments`]: Σw, Σwv and Σwv², none of them rounded, so that the spread may be their difference however much of it cancels.

use serde::{Deserialize, Serialize};

use crate::exact::{ExactSum, Float};

/// Three exact sums.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moments {
    weights: ExactSum,
    firsts: ExactSum,
    seconds: ExactSum,
}

impl Default for Moments {
    fn default() -> Self {
        let [weights, firsts, seconds] = [1, 2, 3].map(ExactSum::of_products);
        Self { weights, firsts, seconds }
    }
}

impl Moments {
    /// Adds a number with its weight, or with how often it stands there.
    #[inline]
    pub(super) fn add(&mut self, weight: f64, value: f64) {
        self.weights.add(weight);
        self.firsts.add_product(weight, value);
        self.seconds.add_weighted_square(weight, value);
    }

    /// Adds numbers that weigh 1 each.
    pub(super) fn add_all(&mut self, values: impl Iterator<Item = f64>) {
        let mut rows = 0_usize;
        for value in values {
            self.firsts.add(value);
            self.seconds.add_square(value);
            rows += 1;
        }
        self.weights.add(rows as f64);
    }

    /// Adds those of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.weights.merge(&other.weights);
        self.firsts.merge(&other.firsts);
        self.seconds.merge(&other.seconds);
        self.carry();
    }

    /// Makes equal sums equal to the bit.
    pub(super) fn carry(&mut self) {
        [&mut self.weights, &mut self.firsts, &mut self.seconds].into_iter().for_each(ExactSum::carry);
    }

    /// The weighted mean and standard deviation, within a unit in the last place, measured in a power of two; 0 without weight.
    pub(super) fn mean_and_spread(&self, unit: f64) -> (f64, f64) {
        let sums = [&self.weights, &self.firsts, &self.seconds].map(ExactSum::exact);
        let [Some((weight, w)), Some((first, f)), Some((second, s))] = sums else { return (f64::NAN, f64::NAN) };
        let mean = first.over(&weight).scaled(f - w);
        // (Σw·Σwv² − (Σwv)²) / (Σw)²: both products have four factors, and so the same lowest power.
        debug_assert_eq!(w + s, 2 * f, "powers of the products");
        let difference = weight.times(&second).minus(&first.times(&first));
        let variance = difference.over(&weight.times(&weight)).scaled(2 * (f - w));
        let unit = power(unit);
        let measured = |number: Float| number.scaled(-unit).value();
        (measured(mean), measured(variance.sqrt()))
    }
}

/// The exponent of a power of two.
fn power(unit: f64) -> i32 {
    if unit.is_normal() {
        (unit.to_bits() >> 52 & 0x7ff) as i32 - 1023
    } else {
        unit.to_bits().trailing_zeros().cast_signed() - 1074
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(f64, f64)]) -> Moments {
        let mut all = Moments::default();
        for &(weight, value) in rows {
            all.add(weight, value);
        }
        all
    }

    #[test]
    fn a_spread_far_from_zero_keeps_its_digits() {
        // The spread of 1, 2, 3 is √(2/3), wherever they stand.
        for centre in [0.0, 1e9, -4e15] {
            let rows = [1.0, 2.0, 3.0].map(|value| (0.1, value + centre));
            let (mean, spread) = of(&rows).mean_and_spread(1.0);
            assert!((mean - centre - 2.0).abs() < 1e-15 && (spread - (2.0 / 3.0_f64).sqrt()).abs() < 1e-15, "{spread}");
        }
    }

    #[test]
    fn numbers_of_any_size_are_measured_in_their_unit() {
        for unit in [2f64.powi(1020), 2f64.powi(-1000), 2f64.powi(-1060)] {
            let (mean, spread) = of(&[(3.0, 2.0 * unit), (1.0, 6.0 * unit)]).mean_and_spread(unit);
            assert_eq!([mean.to_bits(), spread.to_bits()], [3f64.to_bits(), 3f64.sqrt().to_bits()], "{unit:e}");
        }
        assert_eq!(Moments::default().mean_and_spread(1.0), (0.0, 0.0));
        let equal = of(&[(0.3, 0.1), (0.4, 0.1)]).mean_and_spread(1.0);
        assert_eq!(equal, (0.1, 0.0));
        let mut once = Moments::default();
        once.add_all([0.1, -7.0, 1e300].into_iter());
        let mut each = of(&[(1.0, 1e300), (1.0, 0.1), (1.0, -7.0)]);
        [&mut once, &mut each].into_iter().for_each(Moments::carry);
        assert_eq!(once, each);
    }
}
