//! Derivatives of the inequalities and of the error with respect to the multipliers, at one fit.

use super::basis::Basis;
use crate::Result;
use crate::constraint::Measure;
use crate::correction::problem::Inequalities;
use crate::correction::solvers::oracle::{Oracle, Point};
use crate::kernel::CellSums;

/// The linear model of the inequalities, and the quadratic one of the error.
#[derive(Debug)]
pub(super) struct Derivatives {
    /// Per multiplier, the derivative of every residual.
    pub(super) jacobian: Vec<Vec<f64>>,
    /// Per multiplier, the derivative of the error.
    pub(super) gradient: Vec<f64>,
    /// The second derivatives of the error, row by row.
    pub(super) curvature: Vec<f64>,
    /// Whether they follow from the learner's sensitivities and are computed anew at every fit; otherwise they begin as `cell_response` has them and are
    /// corrected by Broyden's updates.
    pub(super) exact: bool,
}

impl Derivatives {
    pub(super) fn at(
        oracle: &mut dyn Oracle,
        point: &Point,
        basis: &Basis,
        inequalities: &Inequalities,
    ) -> Result<Self> {
        let count = basis.multipliers.len();
        let (changes, curvature, exact) = match oracle.differentiate(point, &basis.multipliers)? {
            Some((changes, curvature)) => (changes, curvature, true),
            None => (cell_response(oracle, point, basis), vec![0.0; count * count], false),
        };
        let problem = oracle.evaluation();
        let decisions = oracle.settings().measure == Measure::Decisions;
        // Without sensitivities it is not known which rows of a cell change their decision, so neither is the derivative of the error.
        let error = |change: &CellSums| if exact && decisions { problem.error(change) } else { 0.0 };
        let total = problem.cells().total_weight();
        Ok(Self {
            jacobian: changes.iter().map(|change| inequalities.derivative(change)).collect(),
            gradient: changes.iter().map(error).collect(),
            curvature: curvature.into_iter().map(|one| if decisions { one / total } else { 0.0 }).collect(),
            exact,
        })
    }

    /// Broyden's update: the smallest change of the Jacobian, with multipliers in units of exponents, after which it reproduces how a step
    /// changed the residuals. [Nocedal & Wright 2006, ch. 11.1]
    pub(super) fn update(&mut self, step: &[f64], before: &[f64], after: &[f64], scale: &[f64]) {
        let square: f64 = step.iter().zip(scale).map(|(by, scale)| (by * scale).powi(2)).sum();
        if square <= 0.0 {
            return;
        }
        for (at, (before, after)) in before.iter().zip(after).enumerate() {
            let predicted: f64 = step.iter().zip(&self.jacobian).map(|(by, row)| by * row[at]).sum();
            let unexplained = (after - before - predicted) / square;
            for ((by, scale), row) in step.iter().zip(scale).zip(&mut self.jacobian) {
                row[at] += unexplained * by * scale * scale;
            }
        }
    }
}

/// How decisions change if the odds of the rows in every cell follow the odds of their weights, as they do for a learner
/// that can tell cells apart. Only the decisions of the current fit are needed, so that every difference between groups that they show has a derivative.
fn cell_response(oracle: &dyn Oracle, point: &Point, basis: &Basis) -> Vec<CellSums> {
    let (problem, measure) = (oracle.evaluation(), oracle.settings().measure);
    let (cells, classes) = (problem.cells(), problem.classes());
    let table = problem.label_table(point.rule);
    let (weights, slopes) = (table.weights(&point.multipliers), table.slopes(&point.multipliers));
    // Half a row is added for every class, so that no share is quite 0 or 1.
    let shares = |cell: usize| -> Vec<f64> {
        let sums = if measure == Measure::Decisions { point.sums.decisions(cell) } else { point.sums.scores(cell) };
        let (rows, weight) = (cells.count(cell) as f64, cells.weight(cell).max(f64::MIN_POSITIVE));
        sums.iter().map(|sum| (sum / weight * rows + 0.5) / (rows + 0.5 * classes as f64)).collect()
    };
    let shares: Vec<Vec<f64>> = (0..cells.len()).map(shares).collect();
    let change = |&multiplier: &usize| {
        let cell = |(cell, shares): (usize, &Vec<f64>)| {
            let log_odds = |class: usize| slopes[multiplier][cell * classes + class] / weights[cell * classes + class];
            let mean: f64 = (0..classes).map(|class| shares[class] * log_odds(class)).sum();
            let change = |class: usize| shares[class] * (log_odds(class) - mean) * cells.weight(cell);
            (0..classes).map(change).collect::<Vec<_>>()
        };
        CellSums::of_changes(classes, &shares.iter().enumerate().flat_map(cell).collect::<Vec<_>>())
    };
    basis.multipliers.iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_explains_the_step_and_leaves_other_directions_alone() {
        let jacobian = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let mut derivatives = Derivatives { jacobian, gradient: vec![0.0; 2], curvature: vec![0.0; 4], exact: false };
        // Along the first multiplier the first residual falls twice as fast as the model has it.
        derivatives.update(&[0.5, 0.0], &[1.0, 1.0], &[2.0, 1.0], &[3.0, 1.0]);
        assert_eq!(derivatives.jacobian, [vec![2.0, 0.0], vec![0.0, 1.0]]);
        // A step along both is explained, and a step at right angles to it, in scaled multipliers, is as before.
        derivatives.update(&[1.0, 1.0], &[0.0, 0.0], &[4.0, 1.0], &[1.0, 1.0]);
        let along = |jacobian: &[Vec<f64>], step: [f64; 2]| -> Vec<f64> {
            (0..2).map(|at| step[0] * jacobian[0][at] + step[1] * jacobian[1][at]).collect()
        };
        assert_eq!(along(&derivatives.jacobian, [1.0, 1.0]), [4.0, 1.0]);
        assert_eq!(along(&derivatives.jacobian, [1.0, -1.0]), [2.0, -1.0]);
        // No step, nothing learnt.
        derivatives.update(&[0.0, 0.0], &[0.0, 0.0], &[9.0, 9.0], &[1.0, 1.0]);
        assert_eq!(along(&derivatives.jacobian, [1.0, 1.0]), [4.0, 1.0]);
    }
}
