//! The default solver: sequential quadratic programming in the multipliers.
//!
//! A fit with given multipliers has an error and violations, and so, through the fit, do their derivatives exist. What is asked of
//! rates is a set of inequalities; `merit` puts error, infeasibility and the size of the correction into one number, the merit
//! function φ. `subproblem` minimises a quadratic model of φ around a fit, from the `derivatives` in the independent multipliers of a `basis`;
//! `trust_region` is the loop around it, with its `radius`, which ends with a `refinement` on single rows; `restarts` says where loops start and which
//! result is kept; `trade_off` what evenness that was left undone would cost. No step size is asked of anyone.

mod basis;
mod derivatives;
mod merit;
mod radius;
mod refinement;
mod restarts;
mod subproblem;
mod trade_off;
mod trust_region;

pub(in crate::correction) use restarts::Target;

use merit::Merit;

use super::oracle::{Oracle, Point};
use super::run::Run;
use crate::constraint::{Measure, WeightRule};
use crate::correction::settings::SqpSettings;
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination};
use crate::learner::Learner;
use crate::{Error, Result};

/// Multipliers that decisions are compared with have six digits after the point.
const DIGITS: f64 = 1e6;

/// Finds the multipliers of a run, and the classifier that goes with them.
pub(in crate::correction) fn correct<L: Learner>(
    mut run: Run<'_, L>,
    settings: SqpSettings,
    observer: &mut dyn Observer,
) -> Result<Solution<L::Predictor>> {
    let target = Target { bounds: run.settings.bounds.clone(), at_any_cost: false };
    let mut search = Search::new(&mut run, settings, observer);
    let uncorrected = search.uncorrected()?;
    let (found, mut stop) = search.solve(&target, std::slice::from_ref(&uncorrected))?;
    let short = matches!(stop, Termination::Infeasible | Termination::Stalled);
    let trade_off = if short { search.trade_off(&target, &uncorrected, &found)? } else { None };
    if trade_off.is_some() {
        stop = Termination::TooCostly;
    }
    let asked = search.merit(&target, &uncorrected).inequalities;
    let warnings = asked.warnings(run.problem.constraints(), &settings);
    let without = if found.id == uncorrected.id { None } else { run.take_uncorrected(&uncorrected) };
    let mut solution = run.into_solution(&found, stop);
    solution.uncorrected = without.map(Box::new);
    solution.trade_off = trade_off;
    solution.warnings.extend(warnings);
    Ok(solution)
}

/// A search over multipliers, and the run that it steers.
pub(in crate::correction) struct Search<'a> {
    oracle: &'a mut dyn Oracle,
    observer: &'a mut dyn Observer,
    settings: SqpSettings,
    /// How multipliers become weights as the settings have it.
    first_rule: WeightRule,
    /// Fits to come back to.
    kept: Vec<Point>,
    /// The best fit that is no less even than the one without correction.
    even: Option<Point>,
    /// Whether the observer, or the learner, asked to stop.
    cancelled: bool,
}

impl<'a> Search<'a> {
    pub(in crate::correction) fn new(
        oracle: &'a mut dyn Oracle,
        settings: SqpSettings,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let first_rule = oracle.table().rule();
        Self { oracle, observer, settings, first_rule, kept: Vec::new(), even: None, cancelled: false }
    }

    /// The fit with multipliers of zero.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where it was interrupted, and what the learner says.
    pub(in crate::correction) fn uncorrected(&mut self) -> Result<Point> {
        let zero = vec![0.0; self.oracle.table().multipliers()];
        self.evaluate(zero)?.ok_or(Error::Interrupted)
    }

    /// Whether the observer, or the learner, asked to stop.
    pub(in crate::correction) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// A fit with the weights of some multipliers; `None` where it was interrupted.
    fn evaluate(&mut self, mut multipliers: Vec<f64>) -> Result<Option<Point>> {
        // Sums of rows in another order differ in their last digits; on decisions these are not to grow from step to step.
        if self.oracle.settings().measure == Measure::Decisions {
            for one in &mut multipliers {
                *one = (*one * DIGITS).round() / DIGITS;
            }
        }
        let evaluated = self.oracle.evaluate(multipliers, self.observer)?;
        self.cancelled |= evaluated.as_ref().is_none_or(|(_, go_on)| !go_on);
        Ok(evaluated.map(|(point, _)| point))
    }

    /// Keeps a fit if it is the best so far of those that are no less even than the one without correction.
    fn remember(&mut self, merit: &Merit, point: &Point) {
        let better = |even: &Point| merit.value(point) < merit.value(even);
        if !merit.is_less_even(point, &self.kept[0]) && self.even.as_ref().is_none_or(better) {
            self.even = Some(point.clone());
        }
    }

    fn set_rule(&mut self, rule: WeightRule) {
        if self.oracle.table().rule() != rule {
            self.oracle.set_rule(rule);
        }
    }

    /// Lets go of all fits but this one and those to come back to.
    fn retain(&mut self, current: &Point) {
        let keep: Vec<&Point> = self.kept.iter().chain(&self.even).chain([current]).collect();
        self.oracle.retain(&keep);
    }
}
