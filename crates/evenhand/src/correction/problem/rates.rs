//! What a predictor does on the rows of a problem: its sums by cell, and the violations, the error and the loss that these come to.

use super::Problem;
use crate::Result;
use crate::constraint::{Functional, Measure, overall_rates};
use crate::kernel::{CellRows, CellSums, HALF, cell_sums};
use crate::learner::Predictor;

impl Problem {
    /// The sums of a predictor over these rows.
    pub(crate) fn cell_sums(&self, predictor: &dyn Predictor) -> Result<CellSums> {
        cell_sums(predictor, self.features(), self.cells().cell_rows())
    }

    /// The same, deciding from a probability of one's own on.
    pub(crate) fn cell_sums_at(&self, predictor: &dyn Predictor, threshold: f64) -> Result<CellSums> {
        let rows = CellRows { shift: HALF - threshold, ..self.cells().cell_rows() };
        cell_sums(predictor, self.features(), rows)
    }

    /// Per constraint: the overall mean score of what it counts, the group's, and the weight of the group's rows.
    pub(crate) fn mean_scores(&self, sums: &CellSums) -> Vec<(f64, f64, f64)> {
        let means = |functional: &Functional| {
            let (overall, group) =
                (functional.reference(sums, Measure::Scores), functional.group_rate(sums, Measure::Scores));
            (overall, group, functional.share() * self.cells().total_weight())
        };
        self.functionals().iter().flatten().map(means).collect()
    }

    /// Over which range of probabilities decisions are smoothed for their derivative: Silverman's rule for the Epanechnikov kernel,
    /// `2.34 σ n^(−1/5)`, for the rows of the smallest group and a standard deviation of probabilities of about 0.2.
    pub(in crate::correction) fn bandwidth(&self) -> f64 {
        let rows = self.functionals().iter().flatten().map(Functional::fewest_rows).fold(f64::INFINITY, f64::min);
        (0.5 * rows.powf(-0.2)).clamp(0.03, 0.3)
    }

    /// The signed violation of each constraint, zero where it conditions on no rows.
    pub(in crate::correction) fn violations(&self, sums: &CellSums, measure: Measure) -> Vec<f64> {
        let violation = |(one, overall): (&Option<Functional>, f64)| {
            one.as_ref().map_or(0.0, |one| one.violation_from(overall, sums, measure))
        };
        self.functionals().iter().zip(overall_rates(self.functionals(), sums, measure)).map(violation).collect()
    }

    /// The share of rows predicted otherwise than labelled.
    pub(in crate::correction) fn error(&self, sums: &CellSums) -> f64 {
        self.errors(sums) / self.cells().total_weight()
    }

    /// The error of one decision for everyone: the share of rows without the most frequent label.
    pub(in crate::correction) fn constant_error(&self) -> f64 {
        let cells = self.cells();
        let mut weights = vec![0.0; self.classes()];
        (0..cells.len()).for_each(|cell| weights[cells.label(cell)] += cells.weight(cell));
        1.0 - weights.iter().fold(0.0, |largest: f64, one| largest.max(*one)) / cells.total_weight()
    }

    /// Mean log loss on the observed labels.
    pub(in crate::correction) fn loss(&self, sums: &CellSums) -> f64 {
        (0..self.cells().len()).map(|cell| sums.loss(cell)).sum::<f64>() / self.cells().total_weight()
    }

    /// How many rows are predicted otherwise than labelled, row weights counted.
    pub(in crate::correction) fn errors(&self, sums: &CellSums) -> f64 {
        let errors = |cell| {
            let decided = sums.decisions(cell);
            decided.iter().sum::<f64>() - decided[self.cells().label(cell)]
        };
        (0..self.cells().len()).map(errors).sum()
    }
}
