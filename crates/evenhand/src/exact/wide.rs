//! A sum of any finite numbers that rounds nothing before the end.
//!
//! A double is an integer of 53 bits times a power of two. Integers are added in bins, one for every 32 powers, each wide enough for
//! 2⁴³ of them, so that no bin depends on the order of what was added. [Neal 2015, with wider bins]

/// Powers of two in a bin.
const BITS: u32 = 32;

/// Bins for all exponents of a double.
const BINS: usize = 66;

/// Powers in all bins.
const POWERS: i32 = 66 * 32;

/// The exponent of the lowest bit of the first bin: that of the smallest double.
const LOWEST: i32 = -1074;

/// Row weights that are further apart than this are beyond one grid: what the lightest rows add would be lost below its unit.
const ONE_GRID: f64 = 1.0 / 65_536.0;

/// At most this many sums are kept in bins, which take a kilobyte each.
const MOST_SUMS: usize = 1 << 16;

/// Whether sums of so many cells are to be added in bins, since row weights are further apart than a grid holds.
pub(crate) fn is_wide(row_weights: Option<&[f64]>, sums: usize) -> bool {
    let Some(weights) = row_weights.filter(|_| sums <= MOST_SUMS) else { return false };
    let ends = |(least, most): (f64, f64), &weight: &f64| {
        (if weight > 0.0 { least.min(weight) } else { least }, most.max(weight))
    };
    let (least, most) = weights.iter().fold((f64::INFINITY, 0.0), ends);
    least < ONE_GRID * most
}

/// Sums that are added in bins: `add` is called for every row with what adds a number to one of them.
pub(crate) fn wide_sums(count: usize, rows: usize, mut add: impl FnMut(usize, &mut dyn FnMut(usize, f64))) -> Vec<f64> {
    let mut sums = vec![WideSum::default(); count];
    for row in 0..rows {
        add(row, &mut |at, value| sums[at].add(value));
    }
    sums.iter().map(WideSum::value).collect()
}

/// A sum in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WideSum {
    bins: Box<[i128; BINS]>,
    /// Whether all were finite.
    finite: bool,
}

impl Default for WideSum {
    fn default() -> Self {
        Self { bins: Box::new([0; BINS]), finite: true }
    }
}

impl WideSum {
    /// Adds a number.
    pub(crate) fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        self.finite &= exponent != 0x7ff;
        // Below the normal numbers the leading bit is not implied, and the exponent is that of the smallest of them.
        let implied = u64::from(exponent > 0) << 52;
        let mantissa = i128::from(bits & ((1 << 52) - 1) | implied);
        let power = exponent.max(1) - 1;
        let part = mantissa << (power % BITS);
        self.bins[(power / BITS) as usize] += if value.is_sign_negative() { -part } else { part };
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.finite &= other.finite;
        for (bin, other) in self.bins.iter_mut().zip(other.bins.iter()) {
            *bin += other;
        }
    }

    /// The sum, within a unit in the last place.
    pub(crate) fn value(&self) -> f64 {
        if !self.finite {
            return f64::NAN;
        }
        // Digits to the base 2³², none but the highest negative.
        let mut digits = *self.bins;
        for at in 1..BINS {
            let carry = digits[at - 1] >> BITS;
            digits[at - 1] -= carry << BITS;
            digits[at] += carry;
        }
        let mut leading: i128 = 0;
        let mut power = LOWEST + POWERS;
        for digit in digits.iter().rev() {
            leading = (leading << BITS) + digit;
            power -= BITS.cast_signed();
            // Three digits and a sign are more than a double holds.
            if leading.unsigned_abs() >> (2 * BITS) > 0 {
                break;
            }
        }
        scaled(leading as f64, power)
    }
}

impl FromIterator<f64> for WideSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

/// A number times a power of two, in two steps, since the power alone may be beyond all doubles.
fn scaled(number: f64, power: i32) -> f64 {
    let half = power / 2;
    number * 2f64.powi(half) * 2f64.powi(power - half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(values: &[f64]) -> f64 {
        values.iter().copied().collect::<WideSum>().value()
    }

    #[test]
    fn nothing_is_lost_between_numbers_of_different_size() {
        assert_eq!(sum(&[1e300, 1.0, -1e300]).to_bits(), 1f64.to_bits());
        assert_eq!(sum(&[1e16, 1.0, 1.0, -1e16]).to_bits(), 2f64.to_bits());
        assert_eq!(sum(&[5e-324, 1e100, 5e-324, -1e100]).to_bits(), 1e-323_f64.to_bits());
        assert_eq!(sum(&[f64::MAX]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[-0.1; 10]).to_bits(), (-1f64).to_bits());
        assert_eq!(sum(&[]).to_bits(), 0);
        assert!(sum(&[1.0, f64::INFINITY]).is_nan() && sum(&[f64::NAN]).is_nan());
    }

    proptest! {
        #[test]
        fn order_and_cuts_do_not_matter(values in prop::collection::vec(-1e3..1e3_f64, 0..100), at in any::<prop::sample::Index>()) {
            let (one, other) = values.split_at(at.index(values.len() + 1));
            let mut merged: WideSum = other.iter().rev().copied().collect();
            merged.merge(&one.iter().copied().collect());
            prop_assert_eq!(&merged, &values.iter().copied().collect());
            let plain: f64 = values.iter().sum();
            prop_assert!((merged.value() - plain).abs() <= 1e-10);
        }
    }
}
