//! The quadratic subproblem of one step.
//!
//! The merit function with the inequalities replaced by their linear model and the error by its quadratic one:
//!
//! `min gᵀΔ + ½ΔᵀHΔ + μ (t + w Σ sᵢ)` subject to `cᵢ + JᵢΔ ≤ sᵢ ≤ t`, `s ≥ 0`, `|SΔ|∞ ≤ r` and `|S(λ + Δ)|∞ ≤` the largest exponent.
//!
//! Directions in which nothing changes take no step, since H holds the regularisation.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};

use crate::correction::problem::norm;

/// What is known at a fit, in the multipliers of a basis.
#[derive(Debug)]
pub(super) struct Subproblem<'a> {
    /// λ.
    pub(super) multipliers: Vec<f64>,
    /// c.
    pub(super) residuals: Vec<f64>,
    /// J, per multiplier.
    pub(super) jacobian: &'a [Vec<f64>],
    /// g.
    pub(super) gradient: Vec<f64>,
    /// H, row by row.
    pub(super) hessian: Vec<f64>,
    /// μ.
    pub(super) penalty: f64,
    /// w.
    pub(super) mean_weight: f64,
    /// S.
    pub(super) scale: &'a [f64],
    /// r.
    pub(super) radius: f64,
    pub(super) max_exponent: f64,
}

/// A step, and by how much the model of the merit function falls.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) moves: Vec<f64>,
    pub(super) decrease: f64,
}

impl Subproblem<'_> {
    /// The minimiser; `None` where the solver finds none.
    pub(super) fn solve(&self) -> Option<Step> {
        let (quadratic, linear) = self.objective();
        let (matrix, right) = self.constraints();
        // Tighter than usual, so that the order of inequalities does not show in what comes of a step.
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(100)
            .tol_gap_abs(1e-12)
            .tol_gap_rel(1e-12)
            .tol_feas(1e-12)
            .build()
            .ok()?;
        let cones = [NonnegativeConeT(right.len())];
        let mut solver = DefaultSolver::new(&quadratic, &linear, &matrix, &right, &cones, settings).ok()?;
        solver.solve();
        if !matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
            return None;
        }
        let moves: Vec<f64> = solver.solution.x.iter().zip(self.scale).map(|(x, scale)| x / scale).collect();
        Some(Step { decrease: self.decrease(&moves), moves })
    }

    /// By how much the model falls for a step.
    fn decrease(&self, moves: &[f64]) -> f64 {
        let count = moves.len();
        let linear: f64 = moves.iter().zip(&self.gradient).map(|(by, gradient)| by * gradient).sum();
        let products = (0..count * count).map(|at| moves[at / count] * self.hessian[at] * moves[at % count]);
        let along = |at: usize| moves.iter().zip(self.jacobian).map(|(by, row)| by * row[at]).sum::<f64>();
        let after: Vec<f64> = self.residuals.iter().enumerate().map(|(at, one)| one + along(at)).collect();
        self.penalty * (norm(&self.residuals, self.mean_weight) - norm(&after, self.mean_weight))
            - linear
            - 0.5 * products.sum::<f64>()
    }

    /// Unknowns are the moves in units of exponents, then s, then t.
    fn objective(&self) -> (CscMatrix<f64>, Vec<f64>) {
        let (count, inequalities) = (self.multipliers.len(), self.residuals.len());
        let size = count + inequalities + 1;
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..count {
            for column in row..count {
                rows.push(row);
                columns.push(column);
                values.push(self.hessian[row * count + column] / (self.scale[row] * self.scale[column]));
            }
        }
        let gradient = self.gradient.iter().zip(self.scale).map(|(gradient, scale)| gradient / scale);
        let slacks = std::iter::repeat_n(self.penalty * self.mean_weight, inequalities);
        let linear = gradient.chain(slacks).chain([self.penalty]).collect();
        (CscMatrix::new_from_triplets(size, size, rows, columns, values), linear)
    }

    fn constraints(&self) -> (CscMatrix<f64>, Vec<f64>) {
        let (count, inequalities) = (self.multipliers.len(), self.residuals.len());
        let largest = count + inequalities;
        let mut entries = Entries::default();
        for (at, residual) in self.residuals.iter().enumerate() {
            let model = self.jacobian.iter().zip(self.scale).map(|(row, scale)| row[at] / scale);
            entries.push(model.enumerate().chain([(count + at, -1.0)]), -residual);
            entries.push([(count + at, 1.0), (largest, -1.0)], 0.0);
            entries.push([(count + at, -1.0)], 0.0);
        }
        entries.push([(largest, -1.0)], 0.0);
        for (at, (multiplier, scale)) in self.multipliers.iter().zip(self.scale).enumerate() {
            for sign in [1.0, -1.0] {
                let room = (self.max_exponent - sign * multiplier * scale).max(0.0);
                entries.push([(at, sign)], self.radius.min(room));
            }
        }
        let Entries { rows, columns, values, right } = entries;
        (CscMatrix::new_from_triplets(right.len(), largest + 1, rows, columns, values), right)
    }
}

/// Rows `Σ value · unknown ≤ right`.
#[derive(Default)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    right: Vec<f64>,
}

impl Entries {
    fn push(&mut self, row: impl IntoIterator<Item = (usize, f64)>, right: f64) {
        for (column, value) in row {
            self.rows.push(self.right.len());
            self.columns.push(column);
            self.values.push(value);
        }
        self.right.push(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One multiplier: `½ h Δ² + 2μ [1 − Δ]₊` within r. The pair of inequalities `±` has a mean weight of 1.
    fn one(hessian: f64, penalty: f64, radius: f64) -> Step {
        let subproblem = Subproblem {
            multipliers: vec![0.0],
            residuals: vec![1.0, -1.0],
            jacobian: &[vec![-1.0, 1.0]],
            gradient: vec![0.0],
            hessian: vec![hessian],
            penalty,
            mean_weight: 1.0,
            scale: &[2.0],
            radius,
            max_exponent: 8.0,
        };
        subproblem.solve().unwrap()
    }

    #[track_caller]
    fn check(step: &Step, moves: f64, decrease: f64) {
        assert!((step.moves[0] - moves).abs() < 1e-7 && (step.decrease - decrease).abs() < 1e-7, "{step:?}");
    }

    #[test]
    fn a_large_penalty_meets_the_inequality() {
        // ½·Δ² at Δ = 1 costs ½, and 2μ·1 = 4 is gained.
        check(&one(1.0, 2.0, 10.0), 1.0, 3.5);
    }

    #[test]
    fn a_small_penalty_stops_where_the_last_bit_costs_what_it_gains() {
        // h Δ = 2μ at Δ = ¼.
        check(&one(2.0, 0.25, 10.0), 0.25, 2.0 * 0.25 * 0.25 - 0.5 * 2.0 * 0.25 * 0.25);
    }

    #[test]
    fn a_step_ends_at_the_trust_region() {
        // |SΔ| ≤ ½ with S = 2.
        check(&one(1.0, 2.0, 0.5), 0.25, 4.0 * 0.25 - 0.5 * 0.25 * 0.25);
    }

    #[test]
    fn no_exponent_passes_the_largest() {
        let subproblem = Subproblem {
            multipliers: vec![3.9],
            residuals: vec![1.0, -1.0],
            jacobian: &[vec![-1.0, 1.0]],
            gradient: vec![0.0],
            hessian: vec![0.01],
            penalty: 2.0,
            mean_weight: 1.0,
            scale: &[2.0],
            radius: 2.0,
            max_exponent: 8.0,
        };
        assert!((subproblem.solve().unwrap().moves[0] - 0.1).abs() < 1e-7);
    }

    #[test]
    fn one_that_cannot_be_met_does_not_keep_another_from_being() {
        // The first inequality does not change with the multiplier; the second does.
        let subproblem = Subproblem {
            multipliers: vec![0.0],
            residuals: vec![1.0, 0.1],
            jacobian: &[vec![0.0, -1.0]],
            gradient: vec![0.0],
            hessian: vec![1e-3],
            penalty: 1.0,
            mean_weight: 1.0,
            scale: &[1.0],
            radius: 2.0,
            max_exponent: 8.0,
        };
        assert!((subproblem.solve().unwrap().moves[0] - 0.1).abs() < 1e-7);
    }
}
