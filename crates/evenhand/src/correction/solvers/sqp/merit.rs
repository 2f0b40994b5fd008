//! The merit function: one number by which steps are chosen and accepted, and solutions compared.

use crate::constraint::Measure;
use crate::correction::problem::Inequalities;
use crate::correction::solvers::oracle::Point;

/// `φ(λ) = error + μ ‖[c]₊‖ + ½ ρ λᵀGλ + ½ Σ_s z_s (Gλ)_s²`: an exact penalty function. [Nocedal & Wright 2006, ch. 17.2 and 18.5]
/// The last sum is over groups of too few rows to search for, `z_s` their shares of all rows: a mean exponent of 1 costs half as much as errors on all
/// of their rows would, so that such groups are left alone.
#[derive(Debug)]
pub(super) struct Merit {
    /// `c ≤ 0`.
    pub(super) inequalities: Inequalities,
    /// μ: how many points of error a point of infeasibility may cost.
    pub(super) penalty: f64,
    /// ρ: what the mean squared exponent costs.
    pub(super) regularisation: f64,
    /// A step whose model promises a smaller decrease is not worth a fit.
    pub(super) tolerance: f64,
    pub(super) measure: Measure,
}

impl Merit {
    pub(super) fn value(&self, point: &Point) -> f64 {
        // Where scores are to be even, the error of decisions plays no part: even scores are an equation to be solved.
        let error = if self.measure == Measure::Decisions { point.error } else { 0.0 };
        let small: f64 = self.left_alone().iter().map(|&(at, weight)| weight * point.exponents[at].powi(2)).sum();
        let size = point.size + small;
        error + self.penalty * self.inequalities.infeasibility(&point.sums) + 0.5 * self.regularisation * size
    }

    /// The constraints of groups that are too small to be searched for, each with the weight of its squared mean exponent beside the mean squared exponent of all rows.
    pub(super) fn left_alone(&self) -> Vec<(usize, f64)> {
        self.inequalities.small().iter().map(|&(at, share)| (at, share / self.regularisation)).collect()
    }

    /// Whether the largest violation is above that of another fit. Constraints on too few rows to be searched for do not count.
    pub(super) fn is_less_even(&self, point: &Point, than: &Point) -> bool {
        self.inequalities.violation(&point.sums) > self.inequalities.violation(&than.sums)
    }
}
