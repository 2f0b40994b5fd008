//! The quadratic subproblem of one step.
//!
//! The merit function with the inequalities replaced by their linear model and the error by its quadratic one:
//!
//! `min gᵀΔ + ½ΔᵀHΔ + μ (t + w Σ sᵢ)` subject to `cᵢ + JᵢΔ ≤ sᵢ ≤ t`, `s ≥ 0`, `|SΔ|∞ ≤ r` and `|S(λ + Δ)|∞ ≤` the largest exponent.
//!
//! Directions in which nothing changes take no step, since H holds the regularisation.
//!
//! Inequalities come in pairs, and a ceiling asks of the same rates once more: with hundreds of them each `JᵢΔ` that is there more than once, up
//! to its sign, becomes an unknown of its own, since a row of J fills the factor of the solver and an unknown does not.

use std::collections::HashMap;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

use crate::correction::problem::norm;

/// From so many inequalities on, rows of J that are the same are an unknown.
const MANY: usize = 100;

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
        self.solve_sharing(&if self.residuals.len() < MANY { Shared::default() } else { self.shared() })
    }

    fn solve_sharing(&self, shared: &Shared) -> Option<Step> {
        let (quadratic, linear) = self.objective(shared);
        let (matrix, right) = self.constraints(shared);
        // Tighter than usual, so that the order of inequalities does not show in what comes of a step.
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(100)
            .tol_gap_abs(1e-12)
            .tol_gap_rel(1e-12)
            .tol_feas(1e-12)
            .build()
            .ok()?;
        let cones = [ZeroConeT(shared.rows.len()), NonnegativeConeT(right.len() - shared.rows.len())];
        let cones = if shared.rows.is_empty() { &cones[1..] } else { &cones[..] };
        let mut solver = DefaultSolver::new(&quadratic, &linear, &matrix, &right, cones, settings).ok()?;
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

    /// The row of J of an inequality, in units of exponents.
    fn row(&self, at: usize) -> impl Iterator<Item = f64> {
        self.jacobian.iter().zip(self.scale).map(move |(row, scale)| row[at] / scale)
    }

    /// Which inequalities have the same row of J, up to its sign.
    fn shared(&self) -> Shared {
        let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut shared = Shared::default();
        for at in 0..self.residuals.len() {
            let row: Vec<f64> = self.row(at).collect();
            let sign =
                if row.iter().find(|entry| **entry != 0.0).is_some_and(|first| *first < 0.0) { -1.0 } else { 1.0 };
            // Adding zero makes -0 the same as 0.
            let key = row.iter().map(|entry| (sign * entry + 0.0).to_bits()).collect();
            let place = *places.entry(key).or_insert(shared.rows.len());
            if place == shared.rows.len() {
                shared.rows.push(row.iter().map(|entry| sign * entry).collect());
            }
            shared.of.push((place, sign));
        }
        shared
    }

    /// Unknowns are the moves in units of exponents, then s, then t, then shared rows of J times the moves.
    fn objective(&self, shared: &Shared) -> (CscMatrix<f64>, Vec<f64>) {
        let (count, inequalities) = (self.multipliers.len(), self.residuals.len());
        let size = count + inequalities + 1 + shared.rows.len();
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
        let none = std::iter::repeat_n(0.0, shared.rows.len());
        let linear = gradient.chain(slacks).chain([self.penalty]).chain(none).collect();
        (CscMatrix::new_from_triplets(size, size, rows, columns, values), linear)
    }

    /// Equations of shared rows first, then inequalities.
    fn constraints(&self, shared: &Shared) -> (CscMatrix<f64>, Vec<f64>) {
        let (count, inequalities) = (self.multipliers.len(), self.residuals.len());
        let largest = count + inequalities;
        let mut entries = Entries::default();
        for (at, row) in shared.rows.iter().enumerate() {
            entries.push(row.iter().copied().enumerate().chain([(largest + 1 + at, -1.0)]), 0.0);
        }
        for (at, residual) in self.residuals.iter().enumerate() {
            match shared.of.get(at) {
                Some(&(place, sign)) => entries.push([(largest + 1 + place, sign), (count + at, -1.0)], -residual),
                None => entries.push(self.row(at).enumerate().chain([(count + at, -1.0)]), -residual),
            }
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
        (CscMatrix::new_from_triplets(right.len(), largest + 1 + shared.rows.len(), rows, columns, values), right)
    }
}

/// Distinct rows of J, and for each inequality the place of its own among them, with its sign. Without any, inequalities have rows of
/// their own.
#[derive(Default)]
struct Shared {
    rows: Vec<Vec<f64>>,
    of: Vec<(usize, f64)>,
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
    fn shared_rows_lead_to_the_same_step() {
        let (count, pairs) = (6, 9);
        let wave = |at: usize| (at as f64 * 1.7).sin();
        let jacobian: Vec<Vec<f64>> = (0..count)
            .map(|row| {
                (0..2 * pairs).map(|at| wave(row * 31 + at / 2) * if at % 2 == 0 { 1.0 } else { -1.0 }).collect()
            })
            .collect();
        let subproblem = Subproblem {
            multipliers: vec![0.1; count],
            residuals: (0..2 * pairs)
                .map(|at| 0.2 * wave(at / 2) * if at % 2 == 0 { 1.0 } else { -1.0 } - 0.05)
                .collect(),
            jacobian: &jacobian,
            gradient: (0..count).map(|at| 0.01 * wave(at)).collect(),
            hessian: (0..count * count).map(|at| if at % (count + 1) == 0 { 0.1 } else { 0.0 }).collect(),
            penalty: 2.0,
            mean_weight: 0.5,
            scale: &[1.0, 2.0, 1.0, 0.5, 1.0, 3.0],
            radius: 2.0,
            max_exponent: 8.0,
        };
        let shared = subproblem.shared();
        assert_eq!((shared.rows.len(), shared.of.len()), (pairs, 2 * pairs));
        let steps = [Shared::default(), shared].map(|shared| subproblem.solve_sharing(&shared).unwrap());
        for (one, other) in steps[0].moves.iter().zip(&steps[1].moves) {
            assert!((one - other).abs() < 1e-7, "{steps:?}");
        }
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
