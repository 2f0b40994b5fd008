//! Methods with a threshold of their own, in place of ½.
//!
//! A correction is found twice: for decisions at ½, and at the threshold at which the fit without correction errs least. The better of the two is
//! kept. Other methods are run as they are, and then decide at the best threshold of their own.

use super::evaluation::Effect;
use super::problem::{Inequalities, Problem};
use super::settings::{Correction, Method, Solver};
use super::solution::Solution;
use super::trace::{Iteration, Observer, Termination};
use crate::Result;
use crate::learner::{Learner, Predictor};

impl Correction {
    /// The better of two corrections, at ½ and at the threshold of least error without correction.
    pub(super) fn correct_at_best<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        let mut half = self.solve_at(problem, learner, observer)?;
        if half.stop == Termination::Cancelled {
            return Ok(half);
        }
        let plain = if let Some(begun_with) = half.uncorrected.take() {
            *begun_with
        } else {
            half.fits += 1;
            self.solve_uncorrected(problem, learner)?
        };
        let plain = plain.at_best_threshold(problem, self.measure, |_| true)?;
        let found = if is_same(plain.threshold, problem.threshold()) {
            half
        } else {
            let other = self.solve_at(&problem.deciding_at(plain.threshold), learner, observer)?;
            self.better(problem, &plain, half, other)?
        };
        let [before, after] = [&plain, &found].map(|one| one.evaluated(problem, self.measure));
        let effect = after?.effect(&before?, self.notable_change, Effect::USUAL_CONFIDENCE)?;
        Ok(Solution { effect: Some(effect), uncorrected: Some(Box::new(plain)), ..found })
    }

    /// The better of two corrections of the same rows, with the work of both: that is no less even than none at its own threshold, which the one found there
    /// is; then that misses bounds by less, then that errs less; without bounds, that has less error and violation together.
    fn better<P: Predictor>(
        &self,
        problem: &Problem,
        plain: &Solution<P>,
        one: Solution<P>,
        other: Solution<P>,
    ) -> Result<Solution<P>> {
        let asked = Inequalities::exact(problem, &self.bounds, self.measure);
        let before = plain.classifier().cell_sums(problem)?;
        // Groups of too few rows to search for have no veto.
        let searched = match &self.solver {
            Solver::Sqp(settings) => Inequalities::searched(problem, &self.bounds, self.measure, settings, &before),
            Solver::Loop(_) => Inequalities::exact(problem, &self.bounds, self.measure),
        };
        let rank = |solution: &Solution<P>| -> Result<(bool, f64, f64)> {
            let sums = solution.classifier().cell_sums(problem)?;
            let (error, violation) = (problem.error(&sums), searched.violation(&sums));
            let (first, second) =
                if self.bounds.is_empty() { (0.0, error + violation) } else { (asked.infeasibility(&sums), error) };
            Ok((violation > searched.violation(&before), first, second))
        };
        let is_other = rank(&other)? < rank(&one)?;
        let (fits, cancelled) = (one.fits + other.fits, other.stop == Termination::Cancelled);
        let (mut kept, mut left) = if is_other { (other, one) } else { (one, other) };
        left.trace.append(&mut kept.trace);
        let number = |(at, step): (usize, Iteration)| Iteration { number: at + 1, ..step };
        kept.trace = left.trace.into_iter().enumerate().map(number).collect();
        kept.stop = if cancelled { Termination::Cancelled } else { kept.stop };
        Ok(Solution { fits, ..kept })
    }

    /// Another method, decided at the threshold of its own that errs least: where it looks for evenness, among those that keep what was asked no
    /// less than ½ does.
    pub(super) fn compare_at_best<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        let found = self.solve_at(problem, learner, observer)?;
        match self.method {
            // Decisions by group have thresholds of their own.
            Method::ThresholdPostprocessing(_) | Method::PercentileThresholds => Ok(found),
            Method::Unconstrained => found.at_best_threshold(problem, self.measure, |_| true),
            Method::Correction | Method::Reweighing | Method::Lagrangian(_) => {
                let asked = Inequalities::exact(problem, &self.bounds, self.measure);
                let usual = asked.infeasibility(&found.classifier().cell_sums(problem)?);
                found.at_best_threshold(problem, self.measure, |sums| asked.infeasibility(sums) <= usual)
            }
        }
    }
}

/// Whether two thresholds are the same.
pub(super) fn is_same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits()
}
