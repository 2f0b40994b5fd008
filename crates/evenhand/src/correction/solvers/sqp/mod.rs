//! The default solver: sequential quadratic programming in the multipliers.
//!
//! A fit has an error and violations, and both have derivatives with respect to the multipliers. What is asked of
//! rates is a set of inequalities; `merit` puts error, infeasibility and the size of the correction into one number, the merit
//! function φ. `subproblem` minimises a quadratic model of φ around a fit by an `interior_point` method, from the `derivatives` in the independent multipliers of a `basis`;
//! `trust_region` is the loop around it, with its `radius`; a `trial` is the fit after a step, or after a `refinement` of it on single rows; `restarts` says where loops start and which
//! result is kept; `trade_off` says what more evenness costs where a search without a bound leaves some undone. There is no step size to choose.

mod basis;
mod derivatives;
mod interior_point;
mod merit;
mod radius;
mod refinement;
mod restarts;
mod subproblem;
#[cfg(test)]
mod tests;
mod trade_off;
mod trial;
mod trust_region;

pub(in crate::correction) use restarts::Ended;

use merit::Merit;

use super::oracle::{Oracle, Point, Target};
use crate::constraint::{Measure, WeightRule};
use crate::correction::settings::SqpSettings;
use crate::correction::solution::TradeOff;
use crate::correction::trace::{Observer, Silent, Termination};
use crate::{Error, Result, Warning};

/// Where decisions are compared, multipliers are rounded to six digits after the point.
const DIGITS: f64 = 1e6;

/// Where a search ended.
pub(super) struct Found {
    pub(super) point: Point,
    pub(super) stop: Termination,
    pub(super) trade_off: Option<TradeOff>,
    /// The fit with multipliers of zero, from which it began.
    pub(super) uncorrected: Point,
    pub(super) warnings: Vec<Warning>,
}

/// The multipliers that a search for some target ends with. No observer is told of its fits.
pub(super) fn solve_silently(oracle: &mut dyn Oracle, target: &Target, settings: SqpSettings) -> Result<Vec<f64>> {
    let mut silent = Silent;
    let mut search = Search::new(oracle, settings, &mut silent);
    let uncorrected = search.uncorrected()?;
    let candidates = search.candidates(target)?;
    Ok(search.solve(target, &[uncorrected], &candidates)?.point.multipliers)
}

/// Searches for what the settings of a run ask for.
pub(super) fn find(oracle: &mut dyn Oracle, settings: SqpSettings, observer: &mut dyn Observer) -> Result<Found> {
    let target = Target { bounds: oracle.settings().bounds.clone(), at_any_cost: false };
    let mut search = Search::new(oracle, settings, observer);
    let uncorrected = search.uncorrected()?;
    let candidates = search.candidates(&target)?;
    let ended = search.solve(&target, std::slice::from_ref(&uncorrected), &candidates)?;
    let (ended, trade_off) = search.go_on(&target, &uncorrected, ended)?;
    let merit = search.merit(&target, &uncorrected);
    let trade_off = trade_off.or_else(|| search.cost_of_tried(&target, &merit, &ended));
    let Ended { point, mut stop } = ended;
    if trade_off.is_some() {
        stop = Termination::TooCostly;
    }
    let asked = merit.inequalities;
    if stop == Termination::Converged && asked.is_empty() {
        stop = Termination::NotSearched;
    }
    let warnings = asked.warnings(oracle.evaluation().constraints(), &settings);
    Ok(Found { point, stop, trade_off, uncorrected, warnings })
}

/// A search over multipliers, and the run that it steers.
pub(in crate::correction) struct Search<'a> {
    oracle: &'a mut dyn Oracle,
    observer: &'a mut dyn Observer,
    settings: SqpSettings,
    /// The rule by which multipliers became weights when the search began.
    first_rule: WeightRule,
    /// The fits that this search may come back to; the first is the one without correction.
    kept: Vec<Point>,
    /// The fits that searches of which this one is a part may come back to.
    held: Vec<Point>,
    /// The fit that the search without a bound ended with, where there was one.
    without_bound: Option<Point>,
    /// The fit of least merit among those that are no less even than the one without correction.
    even: Option<Point>,
    /// Of all fits that were tried, those that no other surpasses in both violation and error.
    front: Vec<Point>,
    /// Whether the observer, or the learner, asked to stop.
    cancelled: bool,
    /// Whether the learner has sensitivities.
    has_derivatives: bool,
}

impl<'a> Search<'a> {
    pub(in crate::correction) fn new(
        oracle: &'a mut dyn Oracle,
        settings: SqpSettings,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let first_rule = oracle.table().rule();
        Self {
            oracle,
            observer,
            settings,
            first_rule,
            kept: Vec::new(),
            held: Vec::new(),
            without_bound: None,
            even: None,
            front: Vec::new(),
            cancelled: false,
            has_derivatives: false,
        }
    }

    /// The fit with multipliers of zero.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where it was interrupted, and what the learner says.
    pub(in crate::correction) fn uncorrected(&mut self) -> Result<Point> {
        let zero = vec![0.0; self.oracle.table().multipliers()];
        self.evaluate(zero)?.ok_or(Error::Interrupted)
    }

    /// Multipliers that are worth starting from, evaluated.
    ///
    /// # Errors
    /// What the learner says.
    pub(in crate::correction) fn candidates(&mut self, target: &Target) -> Result<Vec<Point>> {
        let mut all = Vec::new();
        for multipliers in self.oracle.candidates(target, self.settings)? {
            if !self.cancelled {
                all.extend(self.evaluate(multipliers)?);
            }
        }
        Ok(all)
    }

    /// Whether the observer, or the learner, asked to stop.
    pub(in crate::correction) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Whether no more fits may be made.
    fn is_over(&self) -> bool {
        self.cancelled || self.oracle.tried() >= self.settings.max_fits
    }

    /// A fit with the weights of some multipliers; `None` where it was interrupted.
    fn evaluate(&mut self, mut multipliers: Vec<f64>) -> Result<Option<Point>> {
        // Sums over rows in another order differ in their last digits. Rounded multipliers keep such differences from growing from step to step.
        if self.oracle.settings().measure == Measure::Decisions {
            for one in &mut multipliers {
                *one = (*one * DIGITS).round() / DIGITS;
            }
        }
        let evaluated = self.oracle.evaluate(multipliers, self.observer)?;
        self.cancelled |= evaluated.as_ref().is_none_or(|(_, go_on)| !go_on);
        Ok(evaluated.map(|(point, _)| point))
    }

    /// Takes note of what evenness cost in a fit, and keeps the fit if it has the least merit so far of those that are no less even than the one without correction.
    fn remember(&mut self, merit: &Merit, point: &Point) {
        trade_off::add_to_front(&mut self.front, merit, point);
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

    /// Drops all fits but this one and those that a search may come back to.
    fn retain(&mut self, current: &Point) {
        let keep: Vec<&Point> = self.held.iter().chain(&self.kept).chain(&self.even).chain([current]).collect();
        self.oracle.retain(&keep);
    }
}
