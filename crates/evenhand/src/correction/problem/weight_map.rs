//! The map from multipliers λ to sample weights, and its derivatives.

use super::Observed;
use crate::cells::Cells;
use crate::constraint::{TiltTable, WeightRange};
use crate::correction::settings::Technique;
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
        match (self.technique, self.observed) {
            (Technique::Weighting, Some(_)) => Ok(Weights::of_each(values, self.cells.row_weights().cloned())),
            (Technique::Weighting, None) => {
                scale(&mut values, self.table.learner_scale());
                Ok(of_cells(values, self.cells))
            }
            (Technique::Sampling { seed }, Some(_)) => {
                as_probabilities(&mut values);
                sample_each_row(&values, self.cells.row_weights().map(|weights| &**weights), seed)
            }
            (Technique::Sampling { seed }, None) => {
                // Only the ratios between cells matter, so probabilities are scaled to 1 in the cell with the largest
                // weight: the paper's own, which add up to 1 over classes, would drop half of all rows at λ = 0.
                if self.table.rule().relative || self.range() == WeightRange::Unbounded {
                    as_probabilities(&mut values);
                }
                sample_rows(&values, self.cells, seed)
            }
        }
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
                Weights::of_each(slope, self.cells.row_weights().cloned())
            };
            return observed.slopes(self.range(), multipliers, which, self.cells).into_iter().map(each).collect();
        }
        let mut all = self.table.slopes(multipliers);
        let each = |&at: &usize| {
            let mut slope = std::mem::take(&mut all[at]);
            scale(&mut slope, self.table.learner_scale());
            of_cells(slope, self.cells)
        };
        which.iter().map(each).collect()
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
