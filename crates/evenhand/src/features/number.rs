//! Columns of numbers, centred and scaled so that a learner can compute with them.
//!
//! Holds [`number`], [`scaled`] and [`RawNumbers`]. What even a unit of its own cannot save of a column is refused, never dropped.

use super::code::{Code, PlanKind};
use super::design::DenseColumn;
use crate::facts::{COMPUTABLE, Furthest, NumberFacts};
use crate::{Error, Result};

/// What becomes of a column of numbers, and whether it is constant.
///
/// # Errors
/// [`Error::OutOfRange`] with the furthest value, where the column cannot be computed with.
pub(super) fn number(column: &str, kind: &PlanKind, facts: &NumberFacts) -> Result<(Code, bool)> {
    let &NumberFacts { unit, mean, spread, missing: indicator, constant, .. } = facts;
    // A spread that is rounding error of the mean would blow rounding errors up to features.
    let flat = spread <= 1e-12 * mean.abs().max(1e-300);
    // Those of the largest doubles may be rounded to more than any.
    let [fill, spread] = [mean, spread].map(|number| (number * unit).clamp(f64::MIN, f64::MAX));
    let (centre, scale) = match kind {
        PlanKind::Standardised => (fill, if flat { 1.0 } else { spread }),
        PlanKind::Centred(centre) => (*centre, 1.0),
        _ => (0.0, 1.0),
    };
    let size = |value: f64| scaled(value, centre, scale).abs();
    let largest = facts.range.map_or(0.0, |(low, high)| size(low).max(size(high)));
    // What is not scaled, or differs by less than the smallest number with all its digits, would be lost without a word.
    let lost = !constant && (!scale.is_normal() || !(flat || COMPUTABLE.contains(&largest)));
    match facts.furthest {
        Some(Furthest { value, row }) if lost => {
            let (column, found, large) = (column.to_owned(), format!("{value:e}"), value.abs() > 1.0);
            Err(Error::OutOfRange { column, row, found, large })
        }
        _ => Ok((Code::Number { centre, scale, fill, indicator }, constant && !indicator)),
    }
}

/// A number less its centre, over its scale. What is further away than any double can be computed with is taken as that
/// far: a score is 0 or 1 long before.
pub(crate) fn scaled(value: f64, centre: f64, scale: f64) -> f64 {
    let difference = value - centre;
    let scaled = if difference.is_finite() { difference / scale } else { value / scale - centre / scale };
    scaled.clamp(-COMPUTABLE.end, COMPUTABLE.end)
}

/// Numbers as they are, and how they become a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawNumbers<'t> {
    pub(crate) feature: usize,
    pub(crate) centre: f64,
    pub(crate) scale: f64,
    /// Stands for a missing number.
    pub(crate) fill: f64,
    pub(crate) values: &'t [f64],
}

impl RawNumbers<'_> {
    pub(super) fn features(&self) -> DenseColumn {
        let value = |&raw: &f64| scaled(if raw.is_nan() { self.fill } else { raw }, self.centre, self.scale);
        DenseColumn::new(self.feature, self.values.iter().map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::facts::{Facts as _, TableFacts};

    fn encoded(kind: &PlanKind, values: &[f64], weights: Option<&[f64]>) -> Result<(Code, bool)> {
        let table = Table::new(vec![("x".into(), Column::Numeric(values.to_vec()))], 2).unwrap();
        number("x", kind, &TableFacts::new(&table, weights).number("x").unwrap())
    }

    fn standardised(values: &[f64]) -> Vec<f64> {
        let Ok((Code::Number { centre, scale, fill, .. }, _)) = encoded(&PlanKind::Standardised, values, None) else {
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
            let Ok((Code::Number { centre, scale, .. }, _)) = encoded(&PlanKind::Standardised, values, Some(weights))
            else {
                panic!("{values:?}")
            };
            [centre, scale].map(f64::to_bits)
        };
        assert_eq!(of(&[1.0, 9.0, 1e300], &[1.0, 1.0, 0.0]), of(&[1.0, 9.0], &[1.0, 1.0]));
    }

    #[test]
    fn numbers_that_cannot_be_computed_with_are_refused_with_column_and_row() {
        let refused = |values: &[f64], kind: PlanKind| encoded(&kind, values, None).unwrap_err().to_string();
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
