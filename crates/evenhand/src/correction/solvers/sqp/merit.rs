//! The merit function: one number by which steps are chosen and accepted, and solutions compared.

use super::Target;
use crate::constraint::Measure;
use crate::correction::problem::{Inequalities, Problem};
use crate::correction::settings::SqpSettings;
use crate::correction::solvers::oracle::Point;
use crate::kernel::CellSums;

/// `φ(λ) = error + μ ‖[c]₊‖ + ½ ρ λᵀGλ`: an exact penalty function. [Nocedal & Wright 2006, ch. 17.2 and 18.5]
#[derive(Debug)]
pub(in crate::correction::solvers) struct Merit {
    /// `c ≤ 0`.
    pub(super) inequalities: Inequalities,
    /// μ: how many points of error a point of infeasibility may cost.
    pub(super) penalty: f64,
    /// ρ: what the mean squared exponent costs.
    pub(super) regularisation: f64,
    /// A promised fall below this is not worth a fit.
    pub(super) tolerance: f64,
    pub(super) measure: Measure,
}

impl Merit {
    /// What is asked of rates on some rows; `uncorrected` is what is decided there without correction.
    pub(in crate::correction::solvers) fn new(
        problem: &Problem,
        measure: Measure,
        target: &Target,
        settings: &SqpSettings,
        uncorrected: &CellSums,
    ) -> Self {
        let inequalities = Inequalities::searched(problem, &target.bounds, measure, settings, uncorrected);
        let penalty = if target.is_asked(problem, measure) { settings.penalty } else { settings.evenness_penalty };
        let tolerance = match measure {
            Measure::Decisions => settings.tolerance,
            Measure::Scores => 0.1 * penalty * inequalities.tolerance(),
        };
        Self { inequalities, penalty, regularisation: settings.regularisation, tolerance, measure }
    }

    pub(super) fn value(&self, point: &Point) -> f64 {
        self.of_sums(point.error, &point.sums) + 0.5 * self.regularisation * point.size
    }

    /// Without what the size of a correction costs.
    pub(in crate::correction::solvers) fn of_sums(&self, error: f64, sums: &CellSums) -> f64 {
        // Even scores are an equation to be solved, whatever decisions they lead to.
        let error = if self.measure == Measure::Decisions { error } else { 0.0 };
        error + self.penalty * self.inequalities.infeasibility(sums)
    }

    /// Whether a violation that is searched for is larger than all of another fit: few rows that tell nothing have no veto.
    pub(super) fn is_less_even(&self, point: &Point, than: &Point) -> bool {
        self.inequalities.violation(&point.sums) > self.inequalities.violation(&than.sums)
    }
}
