//! The sampling technique: rows sampled in place of weights.
//!
//! For learners that take no weights. A label y' is drawn for each row with probability
//! proportional to `exp(Σ_k λ_k c_k(x,y'))`, and the row is kept if y' is its observed label:
//! that is, with a probability equal to its weight (in the default, to its weight over the largest). [Jiang & Nachum 2019, App. A]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cells::Cells;
use crate::{Error, Result, Weights};

/// Weights of 1 (times the user's row weights) for kept rows and 0 for the others.
///
/// One random number is drawn per row in row order, so the same seed keeps the same rows.
///
/// # Errors
/// [`Error::NoWeight`] when no row is kept.
pub(crate) fn sample_rows(cell_weights: &[f64], cells: &Cells, seed: u64) -> Result<Weights> {
    let probabilities = cells.cell_of_row().iter().map(|cell| cell_weights[cell]);
    keep(probabilities, cells.row_weights().map(|weights| &**weights), seed)
}

/// As [`sample_rows`], with a probability of its own for every row.
///
/// # Errors
/// [`Error::NoWeight`] when no row is kept.
pub(crate) fn sample_each_row(probabilities: &[f64], row_weights: Option<&[f64]>, seed: u64) -> Result<Weights> {
    keep(probabilities.iter().copied(), row_weights, seed)
}

fn keep(probabilities: impl Iterator<Item = f64>, row_weights: Option<&[f64]>, seed: u64) -> Result<Weights> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let kept = probabilities.enumerate().map(|(row, probability)| {
        let kept = rng.random::<f64>() < probability;
        if kept { row_weights.map_or(1.0, |weights| weights[row]) } else { 0.0 }
    });
    Weights::of_rows(kept.collect()).map_err(|_| Error::NoWeight { what: "the sampled rows".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_sampled_rows_are_on_average_the_weighted_sums() {
        let rows = 2000;
        let probabilities: Vec<f64> = (0..rows).map(|row| 0.2 + 0.6 * f64::from(row % 7) / 6.0).collect();
        let own: Vec<f64> = (0..rows).map(|row| 1.0 + f64::from(row % 3)).collect();
        let losses: Vec<f64> = (0..rows).map(|row| f64::from(row % 11) - 3.0).collect();
        let sum = |weights: &[f64]| weights.iter().zip(&losses).map(|(weight, loss)| weight * loss).sum::<f64>();
        let expected = sum(&probabilities.iter().zip(&own).map(|(one, other)| one * other).collect::<Vec<_>>());
        let draws = 400;
        let sums: Vec<f64> =
            (0..draws).map(|seed| sum(&sample_each_row(&probabilities, Some(&own), seed).unwrap().to_rows())).collect();
        let mean = sums.iter().sum::<f64>() / draws as f64;
        let variance = sums.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (draws - 1) as f64;
        let standard_error = (variance / draws as f64).sqrt();
        // Five standard errors: a false alarm once in 1.7 million seeds, and the seeds are fixed.
        assert!((mean - expected).abs() < 5.0 * standard_error, "{mean} {expected} ± {standard_error}");
    }
}
