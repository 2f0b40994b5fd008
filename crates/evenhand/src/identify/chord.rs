//! Steps on all rows by the derivatives of a sample of them.
//!
//! Newton's method with derivatives that are kept, the chord method, asks rows for gradients and rates alone: a fraction of what second derivatives
//! cost. Those of a sample at its own solution are close to those of all rows at theirs, so that each step leaves a part of the error, and Anderson's
//! mixing of the last steps finds out which. [Kelley 1995, "Iterative Methods for Linear and Nonlinear Equations", Sec. 5.4; Walker & Ni 2011, "Anderson
//! Acceleration for Fixed-Point Iterations"]

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use super::estimate::pseudo_inverse;

/// Steps that are mixed, at most.
const MEMORY: usize = 5;

/// The derivatives of a sample.
pub(super) struct Chord<'a> {
    pub(super) information: &'a Llt<f64>,
    pub(super) by_multiplier: &'a Mat<f64>,
    pub(super) of_violations: &'a Mat<f64>,
    /// How many times the sample all rows weigh.
    pub(super) scale: f64,
}

impl Chord<'_> {
    /// The step of coefficients and then multipliers that would solve both systems, were they linear with these derivatives; and how far the
    /// coefficients are from the least loss, in units in which its second derivatives are 1.
    pub(super) fn step(&self, gradient: &[f64], violations: &[f64]) -> (Vec<f64>, f64) {
        let gradient = Mat::from_fn(gradient.len(), 1, |row, _| gradient[row]);
        let own = self.information.solve(&gradient) * faer::Scale(self.scale.recip());
        let decrement = (gradient.transpose() * &own)[(0, 0)].max(0.0).sqrt();
        let moved = self.information.solve(self.by_multiplier);
        let along = self.of_violations.transpose() * &own;
        let uneven = Mat::from_fn(violations.len(), 1, |row, _| violations[row] - along[(row, 0)]);
        let by = pseudo_inverse(&(self.of_violations.transpose() * &moved)) * uneven;
        let change = &own + &moved * &by;
        let coefficients = (0..change.nrows()).map(|at| -change[(at, 0)]);
        (coefficients.chain((0..by.nrows()).map(|at| by[(at, 0)])).collect(), decrement)
    }
}

/// Anderson's mixing: of the last points and the steps from them the combination whose step, were all of it linear, is the shortest.
#[derive(Debug, Default)]
pub(super) struct Mixing {
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Differences of points, and of their steps.
    differences: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Mixing {
    /// Where to go from a point with a step.
    pub(super) fn next(&mut self, at: &[f64], step: &[f64]) -> Vec<f64> {
        if let Some((point, before)) = self.last.replace((at.to_vec(), step.to_vec())) {
            if self.differences.len() == MEMORY {
                self.differences.remove(0);
            }
            self.differences.push((difference(at, &point), difference(step, &before)));
        }
        let mut next: Vec<f64> = at.iter().zip(step).map(|(at, step)| at + step).collect();
        for ((moved, changed), share) in self.differences.iter().zip(self.shares(step)) {
            for (next, (moved, changed)) in next.iter_mut().zip(moved.iter().zip(changed)) {
                *next -= share * (moved + changed);
            }
        }
        next
    }

    /// How much of each difference of steps is in a step, by least squares.
    fn shares(&self, step: &[f64]) -> Vec<f64> {
        let count = self.differences.len();
        let of = |at: usize| &self.differences[at].1;
        let mut square = Mat::from_fn(count, count, |row, column| product(of(row), of(column)));
        let largest = (0..count).map(|at| square[(at, at)]).fold(0.0, f64::max);
        // Differences that are all but the same are not told apart.
        (0..count).for_each(|at| square[(at, at)] += 1e-12 * largest);
        let right = Mat::from_fn(count, 1, |row, _| product(of(row), step));
        match Llt::new(square.as_ref(), Side::Lower) {
            Ok(factor) if count > 0 => {
                let shares = factor.solve(&right);
                (0..count).map(|at| shares[(at, 0)]).collect()
            }
            _ => vec![0.0; count],
        }
    }
}

fn difference(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one - other).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of a linear system by derivatives that are not its own.
    fn solved(mixed: bool, steps: usize) -> f64 {
        let mut mixing = Mixing::default();
        let mut at = vec![3.0, -2.0, 1.0];
        for _ in 0..steps {
            let step: Vec<f64> = at.iter().zip([1.3, 0.8, 0.6]).map(|(at, slope)| -slope * at).collect();
            at = if mixed { mixing.next(&at, &step) } else { at.iter().zip(&step).map(|(at, by)| at + by).collect() };
        }
        product(&at, &at).sqrt()
    }

    #[test]
    fn mixed_steps_solve_a_linear_system_in_as_many_as_it_has_numbers_and_one() {
        assert!(solved(false, 4) > 0.02, "{}", solved(false, 4));
        assert!(solved(true, 4) < 1e-6, "{}", solved(true, 4));
    }
}
