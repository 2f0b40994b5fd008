//! How the error of one set of predictions differs from that of another on the same rows.
//!
//! Holds [`ErrorChange`]. Leans on `interval` alone.

use serde::{Deserialize, Serialize};

use crate::data::{Codes, computable};
use crate::interval::{effective_rows, quantile};
use crate::{Error, Result, exact};

/// The error of later predictions minus that of earlier ones, with its interval.
///
/// The rows are the same, so only those count where one of the two is right and the other wrong: the interval is that of
/// two paired shares with half a row added to each of the four kinds. [Agresti & Min 2005]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorChange {
    /// Positive where there is more error than before.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl ErrorChange {
    /// Compares two sets of predictions of the same labels.
    ///
    /// # Errors
    /// [`Error::Length`] when inputs differ in length, [`Error::NoRows`] and [`Error::NoWeight`] without any, and
    /// [`Error::Setting`] for a confidence outside 0.5 to 0.999999.
    pub fn of(
        labels: &Codes,
        before: &Codes,
        after: &Codes,
        row_weights: Option<&[f64]>,
        confidence: f64,
    ) -> Result<Self> {
        let z = quantile(confidence)?;
        let rows = labels.len();
        let lengths = [("earlier predictions", before.len()), ("later predictions", after.len())];
        for (what, found) in lengths.into_iter().chain(row_weights.map(|weights| ("row weights", weights.len()))) {
            if found != rows {
                return Err(Error::Length { what, expected: rows, found });
            }
        }
        if rows == 0 {
            return Err(Error::NoRows { what: "the comparison".into() });
        }
        let row_weights = row_weights.map(computable);
        let weight = |row: usize| row_weights.as_ref().map_or(1.0, |weights| weights[row]);
        let right = |predictions: &Codes, row: usize| predictions.get(row) == labels.get(row);
        let turned = |from: bool| {
            let turns = move |row: &usize| right(before, *row) == from && right(after, *row) != from;
            exact::sum((0..rows).filter(turns).map(weight))
        };
        let (worse, better) = (turned(true), turned(false));
        let (total, squares) =
            (exact::sum((0..rows).map(weight)), exact::sum((0..rows).map(|row| weight(row).powi(2))));
        if total <= 0.0 {
            return Err(Error::NoWeight { what: "the row weights".into() });
        }
        let worth = effective_rows(total, squares);
        let (worse, better) = (worse / total, better / total);
        let (more, less, all) = (worse * worth + 0.5, better * worth + 0.5, worth + 2.0);
        let centre = (more - less) / all;
        let half = z * (more + less - (more - less) * centre).max(0.0).sqrt() / all;
        let value = worse - better;
        Ok(Self { value, low: (centre - half).min(value), high: (centre + half).max(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(runs: &[(u8, usize)]) -> Codes {
        Codes::U8(runs.iter().flat_map(|&(code, times)| vec![code; times]).collect())
    }

    /// The approval ratings of Agresti's *Categorical Data Analysis*: 794 right twice, 150 right before and wrong
    /// after, 86 the other way round, 570 wrong twice.
    fn ratings() -> [Codes; 3] {
        [
            codes(&[(1, 794 + 150 + 86 + 570)]),
            codes(&[(1, 794), (1, 150), (0, 86), (0, 570)]),
            codes(&[(1, 794), (0, 150), (1, 86), (0, 570)]),
        ]
    }

    #[test]
    fn only_rows_that_changed_count() {
        let [labels, before, after] = ratings();
        let found = ErrorChange::of(&labels, &before, &after, None, 0.95).unwrap();
        assert!((found.value - 0.04).abs() < 1e-12, "{found:?}");
        // The book's interval, without half rows, is 0.021 to 0.059; these digits are from Python.
        assert!((found.low - 0.021_217_189).abs() < 1e-9 && (found.high - 0.058_682_936).abs() < 1e-9, "{found:?}");
        let back = ErrorChange::of(&labels, &after, &before, None, 0.95).unwrap();
        assert!((back.low + found.high).abs() < 1e-12 && (back.high + found.low).abs() < 1e-12);
    }

    #[test]
    fn the_same_predictions_differ_by_nothing_and_still_by_chance() {
        let [labels, before, _] = ratings();
        let found = ErrorChange::of(&labels, &before, &before, None, 0.95).unwrap();
        assert_eq!(found.value.to_bits(), 0f64.to_bits());
        assert!(found.low < 0.0 && found.high > 0.0 && found.high < 0.002, "{found:?}");
    }

    #[test]
    fn equal_weights_change_nothing_and_lengths_are_checked() {
        let [labels, before, after] = ratings();
        let plain = ErrorChange::of(&labels, &before, &after, None, 0.95).unwrap();
        let weighted = ErrorChange::of(&labels, &before, &after, Some(&vec![2.0; 1_600]), 0.95).unwrap();
        assert!((plain.low - weighted.low).abs() < 1e-12 && (plain.high - weighted.high).abs() < 1e-12);
        let short = codes(&[(1, 3)]);
        assert_eq!(ErrorChange::of(&labels, &short, &after, None, 0.95).unwrap_err().code(), "length-mismatch");
        assert_eq!(ErrorChange::of(&labels, &before, &after, None, 7.0).unwrap_err().code(), "setting-invalid");
    }
}
