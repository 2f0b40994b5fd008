//! Columns of numbers, centred and scaled so that a learner can compute with them.
//!
//! Holds [`number`] and [`scaled`]. Numbers are measured in a unit of their own size, so that squares of 1e200 do not overflow and
//! those of 1e-200 do not vanish; what even that cannot save is refused, never dropped.

use super::encoding::{Code, PlanKind};
use crate::Error;
use crate::data::{Table, power_of_two};

/// A value that cannot be computed with.
#[derive(Debug)]
pub(super) struct OutOfRange {
    row: usize,
    value: f64,
}

impl OutOfRange {
    /// The error, with where the value stands.
    pub(super) fn of(&self, table: &Table, column: &str) -> Error {
        let (column, row, found) = (column.to_owned(), table.shown_row(self.row), format!("{:e}", self.value));
        Error::OutOfRange { column, row, found, large: self.value.abs() > 1.0 }
    }
}

/// Between these a feature, and a sum of its squares, is a double with all its digits.
const COMPUTABLE: std::ops::Range<f64> = 1e-100..1e100;

/// What becomes of a column of numbers, and whether it is constant; where it cannot be computed with, its furthest value.
pub(super) fn number(kind: &PlanKind, values: &[f64], row_weights: Option<&[f64]>) -> Result<(Code, bool), OutOfRange> {
    let weight = |row: usize| row_weights.map_or(1.0, |weights| weights[row]);
    // A row that weighs nothing is as good as absent.
    let known = || values.iter().enumerate().filter(|(row, value)| !value.is_nan() && weight(*row) > 0.0);
    let total: f64 = known().map(|(row, _)| weight(row)).sum();
    let furthest = known().max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
    let unit = furthest.map_or(1.0, |(_, value)| unit_of(value.abs()));
    let mean = |of: &dyn Fn(f64) -> f64| {
        if total > 0.0 { known().map(|(row, &value)| weight(row) * of(value / unit)).sum::<f64>() / total } else { 0.0 }
    };
    let fill = mean(&|value| value);
    let spread = mean(&|value| (value - fill).powi(2)).sqrt();
    let indicator = values.iter().any(|value| value.is_nan());
    // A spread that is rounding error of the mean would blow rounding errors up to features.
    let flat = spread <= 1e-12 * fill.abs().max(1e-300);
    // Those of the largest doubles may be rounded to more than any.
    let [fill, spread] = [fill, spread].map(|number| (number * unit).clamp(f64::MIN, f64::MAX));
    let mut others = values.iter().filter(|value| !value.is_nan());
    let constant = others.next().is_none_or(|first| others.all(|value| value.total_cmp(first).is_eq()));
    let (centre, scale) = match kind {
        PlanKind::Standardised => (fill, if flat { 1.0 } else { spread }),
        PlanKind::Centred(centre) => (*centre, 1.0),
        _ => (0.0, 1.0),
    };
    let largest = known().map(|(_, &value)| scaled(value, centre, scale).abs()).fold(0.0, f64::max);
    // What is not scaled, or differs by less than the smallest number with all its digits, would be lost without a word.
    let lost = !constant && (!scale.is_normal() || !(flat || COMPUTABLE.contains(&largest)));
    match furthest {
        Some((row, &value)) if lost => Err(OutOfRange { row, value }),
        _ => Ok((Code::Number { centre, scale, fill, indicator }, constant && !indicator)),
    }
}

/// The power of two in which numbers are measured so that their squares neither overflow nor vanish: 1 unless they
/// are far from it. Dividing by it rounds nothing.
fn unit_of(largest: f64) -> f64 {
    if largest <= 0.0 || COMPUTABLE.contains(&largest) { 1.0 } else { power_of_two(largest) }
}

/// A number less its centre, over its scale. What is further away than any double can be computed with is taken as that
/// far: a score is 0 or 1 long before.
pub(super) fn scaled(value: f64, centre: f64, scale: f64) -> f64 {
    let difference = value - centre;
    let scaled = if difference.is_finite() { difference / scale } else { value / scale - centre / scale };
    scaled.clamp(-COMPUTABLE.end, COMPUTABLE.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standardised(values: &[f64]) -> Vec<f64> {
        let Ok((Code::Number { centre, scale, fill, .. }, _)) = number(&PlanKind::Standardised, values, None) else {
            panic!("{values:?}")
        };
        values.iter().map(|&value| scaled(if value.is_nan() { fill } else { value }, centre, scale)).collect()
    }

    #[test]
    fn numbers_of_any_size_are_standardised_alike() {
        let encoded = |factor: f64| standardised(&[1.0, 2.0, 4.0, f64::NAN, 8.5].map(|value| value * factor));
        let usual = encoded(1.0);
        assert!(usual.iter().any(|value| value.abs() > 1.0), "{usual:?}");
        for factor in [1e-300, 1e-200, 1e-163, 1e154, 1e200, 1e307, f64::MAX / 8.5] {
            let found = encoded(factor);
            assert!(usual.iter().zip(&found).all(|(one, other)| (one - other).abs() < 1e-12), "{factor:e}: {found:?}");
        }
        // By a power of two, nothing is rounded: the same bits.
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&encoded(2_f64.powi(60))), bits(&usual));
    }

    #[test]
    fn a_row_that_weighs_nothing_does_not_count() {
        let of = |values: &[f64], weights: &[f64]| {
            let Ok((Code::Number { centre, scale, .. }, _)) = number(&PlanKind::Standardised, values, Some(weights))
            else {
                panic!("{values:?}")
            };
            [centre, scale].map(f64::to_bits)
        };
        assert_eq!(of(&[1.0, 9.0, 1e300], &[1.0, 1.0, 0.0]), of(&[1.0, 9.0], &[1.0, 1.0]));
    }

    #[test]
    fn numbers_that_cannot_be_computed_with_are_refused_with_column_and_row() {
        let refused = |values: &[f64], kind: PlanKind| {
            let table = Table::default().counted_from(2);
            number(&kind, values, None).unwrap_err().of(&table, "x").to_string()
        };
        let large = refused(&[1e160, 1.0], PlanKind::Number);
        assert!(large.starts_with("column `x`, row 2: `1e160` is too large"), "{large}");
        let small = refused(&[0.0, 1e-170], PlanKind::Number);
        assert!(small.starts_with("column `x`, row 3: `1e-170` is too small"), "{small}");
        let tiny = refused(&[0.0, 1e-320], PlanKind::Standardised);
        assert!(tiny.starts_with("column `x`, row 3:"), "{tiny}");
    }

    #[test]
    fn new_numbers_beyond_all_others_stay_finite() {
        for (value, centre, scale) in [(1.7e308, -1.7e308, 1e307), (1.7e308, 0.0, 1e-5), (-1.7e308, 1.7e308, 1.0)] {
            assert!(scaled(value, centre, scale).is_finite());
        }
        for values in [[f64::MAX; 3], [f64::MAX, f64::MIN, f64::MAX]] {
            assert!(standardised(&values).iter().all(|value| value.abs() < 2.0), "{values:?}");
        }
    }
}
