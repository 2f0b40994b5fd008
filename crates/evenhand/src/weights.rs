//! Row weights: the one thing a correction hands to a learner.
//!
//! Holds [`Weights`]: one number per cell, or per row where covariate shift is corrected, times the
//! user's own row weights if there are any. A learner asks for the weights of a block of rows and cannot tell cells from rows.
//! Leans on `data::Codes`. Knows nothing of groups, learners or files.

use std::ops::Range;
use std::sync::Arc;

use crate::data::Codes;
use crate::exact::{Grid, Totals};
use crate::{Error, Result, parallel};

/// One non-negative weight per row.
#[derive(Debug, Clone)]
pub struct Weights {
    source: Source,
    /// The user's row weights.
    own: Option<Arc<[f64]>>,
    /// What no weight exceeds in size.
    bound: f64,
}

#[derive(Debug, Clone)]
enum Source {
    Cells { values: Arc<[f64]>, cell_of_row: Arc<Codes> },
    Rows(Arc<[f64]>),
}

impl Weights {
    /// The same weight for all rows of a cell, times the user's row weights.
    pub(crate) fn of_cells(values: Vec<f64>, cell_of_row: Arc<Codes>, row_weights: Option<Arc<[f64]>>) -> Self {
        Self::new(Source::Cells { values: values.into(), cell_of_row }, row_weights)
    }

    /// The same for a part of more rows, of which none weighs more than `heaviest`: cells and weights are those of all.
    pub(crate) fn of_block(
        values: Vec<f64>,
        cell_of_row: Arc<Codes>,
        row_weights: Option<Arc<[f64]>>,
        heaviest: f64,
    ) -> Self {
        let bound = largest(&values) * heaviest;
        Self { source: Source::Cells { values: values.into(), cell_of_row }, own: row_weights, bound }
    }

    /// A number for every row, which may be negative where it is a slope, times the user's row weights.
    pub(crate) fn of_each(values: Vec<f64>, row_weights: Option<Arc<[f64]>>) -> Self {
        Self::new(Source::Rows(values.into()), row_weights)
    }

    fn new(source: Source, own: Option<Arc<[f64]>>) -> Self {
        let (Source::Cells { values, .. } | Source::Rows(values)) = &source;
        let bound = largest(values) * own.as_ref().map_or(1.0, |weights| largest(weights));
        Self { source, own, bound }
    }

    /// A weight for every row.
    ///
    /// # Errors
    /// [`Error::RowWeight`] for a negative or infinite one, [`Error::NoWeight`] when they sum to zero.
    pub fn of_rows(weights: Vec<f64>) -> Result<Self> {
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(Error::RowWeight { column: "weights".into(), row, found: weights[row].to_string() });
        }
        if !weights.iter().any(|&weight| weight > 0.0) {
            return Err(Error::NoWeight { what: "the weights".into() });
        }
        Ok(Self::new(Source::Rows(weights.into()), None))
    }

    /// Weight 1 for every row.
    pub fn equal(rows: usize) -> Self {
        Self::of_cells(vec![1.0], Arc::new(Codes::U8(vec![0; rows])), None)
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        match &self.source {
            Source::Cells { cell_of_row, .. } => cell_of_row.len(),
            Source::Rows(weights) => weights.len(),
        }
    }

    /// The weights of some rows, written over `out`.
    pub fn block(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        out.clear();
        match &self.source {
            Source::Cells { values, cell_of_row } => match &**cell_of_row {
                Codes::U8(cells) => out.extend(cells[rows.clone()].iter().map(|&cell| values[cell as usize])),
                Codes::U16(cells) => out.extend(cells[rows.clone()].iter().map(|&cell| values[cell as usize])),
                Codes::U32(cells) => out.extend(cells[rows.clone()].iter().map(|&cell| values[cell as usize])),
            },
            Source::Rows(weights) => out.extend_from_slice(&weights[rows.clone()]),
        }
        if let Some(row_weights) = &self.own {
            for (weight, row_weight) in out.iter_mut().zip(&row_weights[rows]) {
                *weight *= row_weight;
            }
        }
    }

    /// All weights, one per row.
    pub fn to_rows(&self) -> Vec<f64> {
        let mut all = Vec::new();
        self.block(0..self.rows(), &mut all);
        all
    }

    /// What no weight exceeds in size: the weight of a cell times that of the heaviest row, whether or not that row is in the cell.
    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// The sum of all weights.
    pub fn total(&self) -> f64 {
        let grid = Grid::new(self.bound, 1);
        let sum = |rows| {
            let (mut block, mut fixed) = (Vec::new(), Vec::new());
            self.block(rows, &mut block);
            let valid = grid.fix_all(&block, &mut fixed);
            Totals::new([fixed.iter().sum()], valid)
        };
        parallel::sum(self.rows(), 1, sum).to_floats(|_| grid)[0]
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_weights_and_row_weights_multiply() {
        let weights = Weights::of_cells(
            vec![0.25, 0.75],
            Arc::new(Codes::narrow(vec![0, 1, 1], 2)),
            Some(vec![1.0, 2.0, 0.0].into()),
        );
        assert_eq!(weights.to_rows(), [0.25, 1.5, 0.0]);
        assert!((weights.total() - 1.75).abs() < 1e-15);
    }

    #[test]
    fn a_negative_weight_is_refused() {
        assert_eq!(Weights::of_rows(vec![1.0, -1.0]).unwrap_err().code(), "weight-invalid");
        assert_eq!(Weights::of_rows(vec![0.0]).unwrap_err().code(), "weight-none");
    }
}
