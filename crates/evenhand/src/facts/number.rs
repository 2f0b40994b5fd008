//! What an encoding has to know of a column of numbers.
//!
//! Holds [`NumberFacts`]. Numbers are measured in a unit of their own size, so that squares of 1e200 do not overflow and those of 1e-200 do not
//! vanish.

use serde::{Deserialize, Serialize};

use crate::data::power_of_two;
use crate::exact::WideSum;

/// Between these a feature, and a sum of its squares, is a double with all its digits.
pub(crate) const COMPUTABLE: std::ops::Range<f64> = 1e-100..1e100;

/// Mean, spread and size of a column of numbers. Rows that weigh nothing are as good as absent, but for `constant` and `missing`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumberFacts {
    /// The power of two that mean and spread are measured in.
    pub unit: f64,
    /// The weighted mean, in units; 0 without a row.
    pub mean: f64,
    /// The weighted standard deviation, in units.
    pub spread: f64,
    /// The lowest and the highest number.
    pub range: Option<(f64, f64)>,
    /// The number of the largest size, and where it stands.
    pub furthest: Option<Furthest>,
    /// Whether all numbers are the same, or there is none.
    pub constant: bool,
    /// Whether some row has none.
    pub missing: bool,
}

/// A number, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Furthest {
    /// The number.
    pub value: f64,
    /// The row, as shown to users.
    pub row: usize,
}

impl NumberFacts {
    /// Those of numbers in memory.
    pub(super) fn of(values: &[f64], row_weights: Option<&[f64]>, shown_row: impl Fn(usize) -> usize) -> Self {
        let weight = |row: usize| row_weights.map_or(1.0, |weights| weights[row]);
        let known = || values.iter().enumerate().filter(|(row, value)| !value.is_nan() && weight(*row) > 0.0);
        let total = known().map(|(row, _)| weight(row)).collect::<WideSum>().value();
        let furthest = known().max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
        let unit = furthest.map_or(1.0, |(_, value)| unit_of(value.abs()));
        let mean = |of: &dyn Fn(f64) -> f64| {
            let sum = || known().map(|(row, &value)| weight(row) * of(value / unit)).collect::<WideSum>().value();
            if total > 0.0 { sum() / total } else { 0.0 }
        };
        let centre = mean(&|value| value);
        let spread = mean(&|value| (value - centre).powi(2)).sqrt();
        let ends = |ends: Option<(f64, f64)>, (_, &value): (usize, &f64)| {
            let (low, high) = ends.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        };
        let mut others = values.iter().filter(|value| !value.is_nan());
        Self {
            unit,
            mean: centre,
            spread,
            range: known().fold(None, ends),
            furthest: furthest.map(|(row, &value)| Furthest { value, row: shown_row(row) }),
            constant: others.next().is_none_or(|first| others.all(|value| value.total_cmp(first).is_eq())),
            missing: values.iter().any(|value| value.is_nan()),
        }
    }
}

/// The power of two in which numbers are measured so that their squares neither overflow nor vanish: 1 unless they
/// are far from it. Dividing by it rounds nothing.
pub(super) fn unit_of(largest: f64) -> f64 {
    if largest <= 0.0 || COMPUTABLE.contains(&largest) { 1.0 } else { power_of_two(largest) }
}
