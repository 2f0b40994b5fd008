//! The sampling technique: rows kept by lot in place of weights.
//!
//! For learners that take no weights. A label y' is drawn for each row with probability
//! proportional to `exp(Σ_k λ_k c_k(x,y'))`, and the row is kept if y' is its observed label:
//! that is, with a probability equal to its weight. [Jiang & Nachum 2019, App. A]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cells::Cells;
use crate::{Error, Result, Weights};

/// Weights of 1 (times the user's row weights) for kept rows and 0 for the others.
///
/// One lot is drawn per row in row order, so the same seed keeps the same rows.
///
/// # Errors
/// [`Error::NoWeight`] when no row is kept.
pub fn keep_by_lot(cell_weights: &[f64], cells: &Cells, seed: u64) -> Result<Weights> {
    let probabilities = cells.cell_of_row().iter().map(|cell| cell_weights[cell]);
    keep(probabilities, cells.row_weights().map(|weights| &**weights), seed)
}

/// As [`keep_by_lot`], with a probability of its own for every row.
///
/// # Errors
/// [`Error::NoWeight`] when no row is kept.
pub(crate) fn keep_rows_by_lot(probabilities: &[f64], row_weights: Option<&[f64]>, seed: u64) -> Result<Weights> {
    keep(probabilities.iter().copied(), row_weights, seed)
}

fn keep(probabilities: impl Iterator<Item = f64>, row_weights: Option<&[f64]>, seed: u64) -> Result<Weights> {
    let mut lots = ChaCha8Rng::seed_from_u64(seed);
    let kept = probabilities.enumerate().map(|(row, probability)| {
        let kept = lots.random::<f64>() < probability;
        if kept { row_weights.map_or(1.0, |weights| weights[row]) } else { 0.0 }
    });
    Weights::of_rows(kept.collect()).map_err(|_| Error::NoWeight { what: "the rows kept by lot".into() })
}
