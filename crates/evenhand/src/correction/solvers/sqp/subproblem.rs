//! The quadratic subproblem of one step.
//!
//! It is the merit function around the current fit, with the inequalities replaced by their linear model and the error by its quadratic model:
//!
//! `min gᵀΔ + ½ΔᵀHΔ + μ (t + w Σ sᵢ)` subject to `cᵢ + JᵢΔ ≤ sᵢ ≤ t`, `s ≥ 0`, `|SΔ|∞ ≤ r` and `|S(λ + Δ)|∞ ≤` the largest exponent.
//!
//! H includes the regularisation, so that directions in which neither error nor rates change take no step.
//!
//! Inequalities come in pairs of opposite sign, and the ceiling on violations limits the same rates once more. Their rows of J are multiples of each
//! other, and the interior-point method is given each such row once.

use std::collections::HashMap;

use faer::Mat;

use super::interior_point::Programme;
use crate::correction::problem::norm;

/// Rows of J whose entries differ by less than this, relative to the largest entry, differ by rounding alone and are taken as the same.
const ALIKE: f64 = 1e-12;

/// The model of the merit function at a fit, as a function of the multipliers of a basis.
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

/// A step of the multipliers, and by how much the model of the merit function falls for it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) change: Vec<f64>,
    pub(super) decrease: f64,
}

impl Subproblem<'_> {
    /// The minimiser; `None` where the interior-point method does not converge.
    pub(super) fn solve(&self) -> Option<Step> {
        let change: Vec<f64> =
            self.programme().minimise()?.iter().zip(self.scale).map(|(x, scale)| x / scale).collect();
        Some(Step { decrease: self.decrease(&change), change })
    }

    /// By how much the model falls for a step.
    fn decrease(&self, change: &[f64]) -> f64 {
        let count = change.len();
        let linear: f64 = change.iter().zip(&self.gradient).map(|(by, gradient)| by * gradient).sum();
        let products = (0..count * count).map(|at| change[at / count] * self.hessian[at] * change[at % count]);
        let mut after = self.residuals.clone();
        for (by, row) in change.iter().zip(self.jacobian) {
            after.iter_mut().zip(row).for_each(|(after, entry)| *after += by * entry);
        }
        self.penalty * (norm(&self.residuals, self.mean_weight) - norm(&after, self.mean_weight))
            - linear
            - 0.5 * products.sum::<f64>()
    }

    /// The same programme with steps in units of exponents.
    fn programme(&self) -> Programme {
        let (count, scale) = (self.multipliers.len(), self.scale);
        let (rows, multiples) = self.distinct_rows();
        let room = |sign: f64| {
            let all = self.multipliers.iter().zip(scale);
            all.map(move |(multiplier, scale)| (self.max_exponent - sign * multiplier * scale).clamp(0.0, self.radius))
        };
        Programme {
            gradient: self.gradient.iter().zip(scale).map(|(gradient, scale)| gradient / scale).collect(),
            hessian: Mat::from_fn(count, count, |row, column| {
                self.hessian[row * count + column] / (scale[row] * scale[column])
            }),
            residuals: self.residuals.clone(),
            rows,
            multiples,
            penalty: self.penalty,
            mean_weight: self.mean_weight,
            lower: room(-1.0).map(|room| -room).collect(),
            upper: room(1.0).collect(),
        }
    }

    /// The distinct rows of J, in units of exponents, of which none is a multiple of another; and for each inequality which of them its row is a multiple
    /// of, and the factor.
    fn distinct_rows(&self) -> (Mat<f64>, Vec<(usize, f64)>) {
        let mut places: HashMap<Vec<i64>, usize> = HashMap::new();
        let (mut rows, mut multiples) = (Vec::new(), Vec::new());
        for at in 0..self.residuals.len() {
            let mut row: Vec<f64> = self.jacobian.iter().zip(self.scale).map(|(row, scale)| row[at] / scale).collect();
            let largest =
                row.iter().fold(0.0, |largest: f64, entry| if entry.abs() > largest.abs() { *entry } else { largest });
            let factor = if largest == 0.0 { 1.0 } else { largest };
            for entry in &mut row {
                *entry /= factor;
            }
            let key = row.iter().map(|entry| (entry / ALIKE).round() as i64).collect();
            let place = *places.entry(key).or_insert(rows.len());
            if place == rows.len() {
                rows.push(row);
            }
            multiples.push((place, factor));
        }
        (Mat::from_fn(rows.len(), self.multipliers.len(), |row, column| rows[row][column]), multiples)
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
    fn check(step: &Step, change: f64, decrease: f64) {
        assert!((step.change[0] - change).abs() < 1e-7 && (step.decrease - decrease).abs() < 1e-7, "{step:?}");
    }

    /// Numbers that look like noise.
    fn wave(at: usize) -> f64 {
        (at as f64 * 1.7).sin() * (at as f64 * 0.37).cos()
    }

    /// Of some multipliers and as many rates, each of which has a ceiling beside what is asked of it.
    fn many<'a>(jacobian: &'a [Vec<f64>], scale: &'a [f64], penalty: f64, radius: f64) -> Subproblem<'a> {
        let count = jacobian.len();
        let residual = |at: usize| 0.3 * wave(at / 2 % count) * sign(at) - if at < 2 * count { 0.01 } else { 0.2 };
        let spread =
            |row: usize, column: usize| wave(row + 3) * wave(column + 3) + if row == column { 0.05 } else { 0.0 };
        Subproblem {
            multipliers: vec![0.1; count],
            residuals: (0..4 * count).map(residual).collect(),
            jacobian,
            gradient: (0..count).map(|at| 0.05 * wave(at + 1)).collect(),
            hessian: (0..count * count).map(|at| 0.1 * spread(at / count, at % count)).collect(),
            penalty,
            mean_weight: 1.0 / count as f64,
            scale,
            radius,
            max_exponent: 8.0,
        }
    }

    fn sign(at: usize) -> f64 {
        if at.is_multiple_of(2) { 1.0 } else { -1.0 }
    }

    /// Rates that answer to their own multiplier most; the second half of the inequalities weighs them thrice.
    fn response(count: usize) -> Vec<Vec<f64>> {
        let entry = |row: usize, at: usize| 0.2 * wave(row * 31 + at) - if row == at { 1.0 } else { 0.0 };
        let inequality =
            |row: usize, at: usize| sign(at) * entry(row, at / 2 % count) * if at < 2 * count { 1.0 } else { 3.0 };
        (0..count).map(|row| (0..4 * count).map(|at| inequality(row, at)).collect()).collect()
    }

    #[test]
    fn inequalities_that_ask_of_the_same_rate_share_a_row() {
        let (jacobian, scale) = (response(6), [1.0, 2.0, 1.0, 0.5, 1.0, 3.0]);
        let subproblem = many(&jacobian, &scale, 2.0, 2.0);
        let (rows, multiples) = subproblem.distinct_rows();
        assert_eq!((rows.nrows(), multiples.len()), (6, 24));
        for (at, (row, factor)) in multiples.into_iter().enumerate() {
            for (multiplier, scale) in scale.iter().enumerate() {
                assert!((factor * rows[(row, multiplier)] - jacobian[multiplier][at] / scale).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn no_other_step_lowers_the_model_further() {
        for (count, penalty, radius) in
            [(1, 0.5, 2.0), (6, 0.5, 0.3), (6, 20.0, 2.0), (25, 0.05, 2.0), (25, 20.0, 0.01), (60, 2.0, 1.0)]
        {
            let (jacobian, scale) = (response(count), vec![1.5; count]);
            let subproblem = many(&jacobian, &scale, penalty, radius);
            let step = subproblem.solve().unwrap();
            for (turn, size) in (0..200).flat_map(|turn| [1.0, 1e-2, 1e-4].map(|size| (turn, size))) {
                let near = |(at, by): (usize, &f64)| {
                    // One multiplier alone, or all of them.
                    let moved = turn >= 2 * count || turn / 2 == at;
                    let by = by + if moved { size * radius * sign(turn) * wave(turn * 101 + at) } else { 0.0 };
                    by.clamp(-radius / 1.5, radius / 1.5)
                };
                let other: Vec<f64> = step.change.iter().enumerate().map(near).collect();
                let gained = subproblem.decrease(&other) - step.decrease;
                assert!(gained < 1e-11, "{count} multipliers, penalty {penalty}, radius {radius}: {gained:e}");
            }
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
        assert!((subproblem.solve().unwrap().change[0] - 0.1).abs() < 1e-7);
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
        assert!((subproblem.solve().unwrap().change[0] - 0.1).abs() < 1e-7);
    }
}
