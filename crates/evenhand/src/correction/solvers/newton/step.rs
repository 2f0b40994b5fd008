//! One step of Newton's method in the multipliers: a small quadratic programme.
//!
//! With every limit and the error replaced by their linearisations, find the multipliers that bring the
//! worst limit as low as it goes (to zero, if that can be had within the region where linearisations
//! are trusted) at the least error, and move exponents least. Directions in which nothing
//! changes, as where groups partition the rows, take no step at all.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};

/// What is known where a step starts.
pub(super) struct Tangents<'a> {
    pub(super) multipliers: &'a [f64],
    /// How far each limit is from where it is aimed at.
    pub(super) distances: &'a [f64],
    /// Per multiplier, how the distances answer to it.
    pub(super) slopes: &'a [Vec<f64>],
    /// Per multiplier, how the error answers to it.
    pub(super) errors: &'a [f64],
    /// How many points of error a point of the worst limit may cost.
    pub(super) price: f64,
    /// What the mean squared exponent weighs against the worst limit.
    pub(super) thrift: f64,
    /// What the square of a move weighs, of what the mean squared exponent does.
    pub(super) still: f64,
    /// Mean products of exponents, row by row.
    pub(super) gram: &'a [f64],
    /// How far a multiplier of 1 moves the exponent that it moves most.
    pub(super) reach: &'a [f64],
    /// How far a step may move an exponent.
    pub(super) radius: f64,
    /// How far from zero an exponent may go, one multiplier at a time.
    pub(super) cap: f64,
}

/// A step, and the worst distance it should lead to.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) moves: Vec<f64>,
    pub(super) predicted: f64,
}

impl Tangents<'_> {
    /// The best step; `None` when there is none to be found.
    pub(super) fn step(&self) -> Option<Step> {
        let count = self.multipliers.len();
        let (quadratic, linear) = self.objective();
        let (matrix, right) = self.limits();
        let cones = [NonnegativeConeT(right.len())];
        // Tighter than usual, so that the order of limits does not show in what comes of a step.
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(100)
            .tol_gap_abs(1e-12)
            .tol_gap_rel(1e-12)
            .tol_feas(1e-12)
            .build()
            .ok()?;
        let mut solver = DefaultSolver::new(&quadratic, &linear, &matrix, &right, &cones, settings).ok()?;
        solver.solve();
        if !matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
            return None;
        }
        let moves: Vec<f64> = solver.solution.x[..count].iter().zip(self.reach).map(|(x, reach)| x / reach).collect();
        let along = |limit: usize| moves.iter().zip(self.slopes).map(|(by, slopes)| by * slopes[limit]).sum::<f64>();
        let predicted = self.distances.iter().enumerate().map(|(at, distance)| distance + along(at));
        Some(Step { predicted: predicted.fold(f64::NEG_INFINITY, f64::max), moves })
    }

    /// Unknowns are the moves in units of exponents, and then the worst distance above zero.
    fn objective(&self) -> (CscMatrix<f64>, Vec<f64>) {
        let count = self.multipliers.len();
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut linear = vec![0.0; count + 1];
        for (row, linear) in linear.iter_mut().take(count).enumerate() {
            for column in 0..count {
                let product = self.thrift * self.gram[row * count + column] / (self.reach[row] * self.reach[column]);
                *linear += product * self.multipliers[column] * self.reach[column];
                if row <= column {
                    rows.push(row);
                    columns.push(column);
                    values.push(product + if row == column { self.still * self.thrift } else { 0.0 });
                }
            }
        }
        for (linear, (error, reach)) in linear.iter_mut().zip(self.errors.iter().zip(self.reach)) {
            *linear += error / (self.price * reach);
        }
        linear[count] = 1.0;
        (CscMatrix::new_from_triplets(count + 1, count + 1, rows, columns, values), linear)
    }

    /// Every limit's sensitivity below the worst; every move within its region.
    fn limits(&self) -> (CscMatrix<f64>, Vec<f64>) {
        let count = self.multipliers.len();
        let (mut rows, mut columns, mut values, mut right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut push = |row: usize, column: usize, value: f64| {
            rows.push(row);
            columns.push(column);
            values.push(value);
        };
        for (limit, distance) in self.distances.iter().enumerate() {
            for (place, slopes) in self.slopes.iter().enumerate() {
                push(limit, place, slopes[limit] / self.reach[place]);
            }
            push(limit, count, -1.0);
            right.push(-distance);
        }
        push(right.len(), count, -1.0);
        right.push(0.0);
        for (place, (multiplier, reach)) in self.multipliers.iter().zip(self.reach).enumerate() {
            for sign in [1.0, -1.0] {
                push(right.len(), place, sign);
                right.push(self.radius.min((self.cap - sign * multiplier * reach).max(0.0)));
            }
        }
        (CscMatrix::new_from_triplets(right.len(), count + 1, rows, columns, values), right)
    }
}
