//! Weights as they are told to people: by cell.
//!
//! Holds [`CellWeights`]. Rows alike in their groups and their label share a weight, or, where the shift of features
//! is undone, have weights close to each other.

use super::{Problem, Solution};
use crate::{Predictor, Result};

/// The weights of rows that are alike in their groups and their label.
#[derive(Debug, Clone, PartialEq)]
pub struct CellWeights {
    /// Their groups, by place in [`Problem::group_names`].
    pub groups: Vec<usize>,
    /// Their class.
    pub label: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The sum of their weights.
    pub total: f64,
    /// The sum of the user's own weights of them.
    pub own: f64,
    /// The least weight, relative to the user's own.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl<P: Predictor> Solution<P> {
    /// The weights of the rows it was found on, by cell; cells that weigh nothing are left out.
    ///
    /// # Errors
    /// Those of [`Solution::weights`].
    pub fn weights_by_cell(&self, trained_on: &Problem) -> Result<Vec<CellWeights>> {
        let cells = trained_on.cells();
        let weights = self.weights(trained_on)?.to_rows();
        let cell = |at: usize| CellWeights {
            groups: cells.groups(at).collect(),
            label: cells.label(at),
            rows: cells.count(at),
            total: 0.0,
            own: 0.0,
            least: f64::INFINITY,
            most: 0.0,
        };
        let mut found: Vec<CellWeights> = (0..cells.len()).map(cell).collect();
        for (row, at) in cells.cell_of_row().iter().enumerate() {
            let own = trained_on.row_weight(row);
            if own > 0.0 {
                let (cell, ratio) = (&mut found[at], weights[row] / own);
                cell.total += weights[row];
                cell.own += own;
                cell.least = cell.least.min(ratio);
                cell.most = cell.most.max(ratio);
            }
        }
        found.retain(|cell| cell.own > 0.0);
        Ok(found)
    }
}
