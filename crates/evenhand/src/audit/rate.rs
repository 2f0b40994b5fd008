//! A share of rows and how far it can be trusted.
//!
//! Holds [`Rate`]. Leans on the sums of `confusion` and on `interval`; knows nothing of groups or notions.

use serde::{Deserialize, Serialize};

use super::confusion::Sums;
use crate::interval::{Share, difference, wilson};

/// A share of some rows, with its interval.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `value` | `successes / total`; null when `total` is 0: the rate is undefined |
/// | `successes` | weight of the rows that count, their number when rows have no weights |
/// | `total` | weight of the rows asked about, their number when rows have no weights |
/// | `count` | number of the rows asked about |
/// | `low`, `high` | ends of the Wilson score interval; null when the rate is undefined |
///
/// With row weights the interval takes Kish's effective number of rows, (Σw)² / Σw², in
/// place of their number: it treats weights as the cause of extra noise, not as repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// The share, `None` when there are no rows to ask about.
    pub value: Option<f64>,
    /// The weight of rows that count.
    pub successes: f64,
    /// The weight of rows asked about.
    pub total: f64,
    /// The number of rows asked about.
    pub count: usize,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

impl Rate {
    /// The share of `successes` in `asked`, which holds them, at confidence quantile `z`.
    pub(super) fn new(successes: Sums, asked: Sums, z: f64) -> Self {
        let undefined = Self {
            value: None,
            successes: successes.weight,
            total: asked.weight,
            count: asked.rows,
            low: None,
            high: None,
        };
        if asked.weight <= 0.0 {
            return undefined;
        }
        // Sums of the same weights in another order may pass 1 by a rounding error.
        let value = (successes.weight / asked.weight).min(1.0);
        let (low, high) = wilson(value, asked.effective(), z);
        Self { value: Some(value), low: Some(low), high: Some(high), ..undefined }
    }
}

/// Rows that count, among those asked about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub(super) successes: Sums,
    pub(super) asked: Sums,
}

impl Counted {
    fn share(self) -> Option<Share> {
        let defined = self.asked.rows > 0 && self.asked.weight > 0.0;
        defined.then(|| Share::new(self.successes.weight / self.asked.weight, self.asked.effective()))
    }

    /// The interval of overall − group, `self` being the group: it is the share of the others times (others − group), and
    /// of the three only others and group are of different rows.
    pub(super) fn gap(self, others: Self, z: f64) -> Option<(f64, f64)> {
        let of_group = self.share()?;
        let Some(of_others) = others.share() else { return Some((0.0, 0.0)) };
        let (low, high) = difference(of_others, of_group, z);
        let scale = others.asked.weight / (others.asked.weight + self.asked.weight);
        Some((scale * low, scale * high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::quantile;

    fn rows(count: usize) -> Sums {
        Sums { rows: count, weight: count as f64, squares: count as f64 }
    }

    fn interval(successes: usize, count: usize) -> (f64, f64) {
        let rate = Rate::new(rows(successes), rows(count), quantile(0.95).unwrap());
        (rate.low.unwrap(), rate.high.unwrap())
    }

    #[test]
    fn wilson_intervals_agree_with_published_ones() {
        for (successes, low, high) in [(0, 0.0, 0.2775), (5, 0.2366, 0.7634), (10, 0.7225, 1.0)] {
            let found = interval(successes, 10);
            assert!((found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5, "{successes}: {found:?}");
        }
        assert!(interval(0, 10).0.to_bits() == 0 && interval(10, 10).1.to_bits() == 1f64.to_bits());
    }

    #[test]
    fn a_gap_is_that_to_the_others_times_their_share() {
        // 48 of 80 others and 56 of 70 in the group [Newcombe 1998, table II]: the others are 80 of 150.
        let of = |successes, asked| Counted { successes: rows(successes), asked: rows(asked) };
        let z = quantile(0.95).unwrap();
        let (low, high) = of(56, 70).gap(of(48, 80), z).unwrap();
        let scale = 80.0 / 150.0;
        assert!((low + 0.3339 * scale).abs() < 5e-5 && (high + 0.0524 * scale).abs() < 5e-5, "{low} {high}");
        assert_eq!(of(5, 10).gap(of(0, 0), z), Some((0.0, 0.0)));
        assert_eq!(of(0, 0).gap(of(5, 10), z), None);
    }

    #[test]
    fn a_rate_without_rows_is_undefined() {
        let rate = Rate::new(rows(0), rows(0), 1.96);
        assert_eq!((rate.value, rate.low, rate.high), (None, None, None));
    }

    #[test]
    fn equal_weights_change_no_interval_and_unequal_ones_widen_it() {
        let z = quantile(0.95).unwrap();
        let plain = Rate::new(rows(5), rows(10), z);
        let doubled = |sums: Sums| Sums { weight: 2.0 * sums.weight, squares: 4.0 * sums.squares, ..sums };
        let equal = Rate::new(doubled(rows(5)), doubled(rows(10)), z);
        assert_eq!((plain.value, plain.low, plain.high), (equal.value, equal.low, equal.high));
        let unequal = Rate::new(rows(5), Sums { squares: 20.0, ..rows(10) }, z);
        assert!(unequal.low < plain.low && unequal.high > plain.high);
    }
}
