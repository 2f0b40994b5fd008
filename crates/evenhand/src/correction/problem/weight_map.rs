//! The map from multipliers λ to sample weights, and its derivatives.

use super::Observed;
use crate::cells::Cells;
use crate::constraint::{TiltTable, WeightRange};
use crate::correction::settings::Technique;
use crate::exact::Grid;
use crate::sampling::{sample_each_row, sample_rows};
use crate::{Result, Weights};

/// The map from multipliers to the sample weights of some rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightMap<'a> {
    pub(crate) table: &'a TiltTable,
    pub(crate) cells: &'a Cells,
    pub(crate) technique: Technique,
    /// Probabilities of the observed labels, where covariate shift is corrected.
    pub(crate) observed: Option<&'a Observed>,
}

impl WeightMap<'_> {
    /// The user's row weights alone.
    pub(crate) fn unweighted(cells: &Cells) -> Weights {
        of_cells(vec![1.0; cells.len()], cells)
    }

    /// The weights that a learner is given for multipliers.
    ///
    /// # Errors
    /// [`crate::Error::NoWeight`] when rows are sampled, and none is drawn.
    pub(crate) fn weights(&self, multipliers: &[f64]) -> Result<Weights> {
        let mut values = match self.observed {
            // These weights average to 1 at every x, so they need no scaling.
            Some(observed) => observed.weights(self.range(), multipliers, self.cells),
            None => self.table.weights(multipliers),
        };
        let by_row = self.observed.is_some() || self.table.is_by_row();
        match self.technique {
            Technique::Weighting => {
                if self.observed.is_none() {
                    scale(&mut values, self.table.learner_scale());
                }
                Ok(if by_row { self.of_rows(values) } else { of_cells(values, self.cells) })
            }
            Technique::Sampling { seed } => {
                // Only the ratios between weights matter, so probabilities are scaled to 1 where the weight is
                // largest: the paper's own, which add up to 1 over classes, would drop half of all rows at λ = 0.
                let relative = self.table.rule().relative || self.range() == WeightRange::Unbounded;
                if relative || self.observed.is_some() {
                    as_probabilities(&mut values);
                }
                if by_row {
                    sample_each_row(&values, self.cells.row_weights().map(|weights| &**weights), seed)
                } else {
                    sample_rows(&values, self.cells, seed)
                }
            }
        }
    }

    /// The weight of each cell in the closed form: where weights are a number per row, the mean of its rows.
    pub(crate) fn by_cell(&self, multipliers: &[f64]) -> Vec<f64> {
        let weights = self.table.weights(multipliers);
        if !self.table.is_by_row() {
            return weights;
        }
        let own = |row: usize| weights[row] * self.cells.row_weights().map_or(1.0, |own| own[row]);
        let grid = Grid::new((0..weights.len()).map(own).fold(0.0, f64::max), 1);
        let mut sums = vec![0; self.cells.len()];
        for (row, cell) in self.cells.cell_of_row().iter().enumerate() {
            sums[cell] += i128::from(grid.fix(own(row)));
        }
        let mean = |(cell, sum): (usize, i128)| {
            let weight = self.cells.weight(cell);
            if weight > 0.0 { grid.float(sum) / weight } else { (self.cells.classes() as f64).recip() }
        };
        sums.into_iter().enumerate().map(mean).collect()
    }

    /// The derivatives of the weights with respect to some of the multipliers.
    pub(crate) fn slopes(&self, multipliers: &[f64], which: &[usize]) -> Vec<Weights> {
        if let Some(observed) = self.observed {
            let by = match self.technique {
                Technique::Weighting => 1.0,
                // Derivatives of the probability with which a row is sampled, with the largest weight held fixed.
                Technique::Sampling { .. } => largest(&observed.weights(self.range(), multipliers, self.cells)).recip(),
            };
            let each = |mut slope: Vec<f64>| {
                scale(&mut slope, by);
                self.of_rows(slope)
            };
            return observed.slopes(self.range(), multipliers, which, self.cells).into_iter().map(each).collect();
        }
        let mut all = self.table.slopes(multipliers);
        let each = |&at: &usize| {
            let mut slope = std::mem::take(&mut all[at]);
            scale(&mut slope, self.table.learner_scale());
            if self.table.is_by_row() { self.of_rows(slope) } else { of_cells(slope, self.cells) }
        };
        which.iter().map(each).collect()
    }

    fn of_rows(&self, values: Vec<f64>) -> Weights {
        Weights::of_each(values, self.cells.row_weights().cloned())
    }

    fn range(&self) -> WeightRange {
        self.table.rule().range
    }
}

fn of_cells(values: Vec<f64>, cells: &Cells) -> Weights {
    Weights::of_cells(values, cells.cell_of_row().clone(), cells.row_weights().cloned())
}

/// Scales weights so that the largest is a probability of 1.
fn as_probabilities(weights: &mut [f64]) {
    let largest = largest(weights);
    for weight in weights {
        *weight /= largest;
    }
}

fn largest(weights: &[f64]) -> f64 {
    weights.iter().fold(f64::MIN_POSITIVE, |largest, &one| largest.max(one))
}

fn scale(values: &mut [f64], by: f64) {
    for value in values {
        *value *= by;
    }
}
