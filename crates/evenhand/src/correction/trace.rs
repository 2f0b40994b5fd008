//! What a correction tells while it runs and leaves behind.

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use super::settings::{Decisions, Method, ThresholdPostprocessing};
use crate::kernel::CellSums;

/// One iteration: a fit, its violations, and the update of the multipliers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Counted from 1.
    pub number: usize,
    /// The multipliers behind the weights of this fit.
    pub multipliers: Vec<f64>,
    /// The multipliers after the update that followed.
    pub next_multipliers: Vec<f64>,
    /// Overall (or asked) rate minus group rate, per constraint, on the rows that multipliers are chosen by.
    pub violations: Vec<f64>,
    /// The largest of them in absolute value.
    pub violation: f64,
    /// The share of training rows predicted otherwise than labelled.
    pub error: f64,
    /// Mean log loss on the observed training labels.
    pub loss: f64,
    /// Seconds since the start, by the observer's clock; zero without one.
    pub seconds: f64,
}

impl Iteration {
    /// A fit with some multipliers, which stay as they are until a next update is known. `trained` are its sums on the rows of `problem`, to
    /// which it was fitted; violations may be measured on others.
    pub(in crate::correction) fn of_fit(
        number: usize,
        multipliers: &[f64],
        violations: Vec<f64>,
        (problem, trained): (&Problem, &CellSums),
        seconds: f64,
    ) -> Self {
        Self {
            number,
            multipliers: multipliers.to_vec(),
            next_multipliers: multipliers.to_vec(),
            violation: largest(&violations),
            violations,
            error: problem.error(trained),
            loss: problem.loss(trained),
            seconds,
        }
    }
}

/// The largest of some violations in absolute value.
pub(in crate::correction) fn largest(violations: &[f64]) -> f64 {
    violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()))
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Termination {
    /// The bound is met, or violations are as small as the rows can tell.
    Converged,
    /// Without a bound: more evenness can be had, but costs more error than it is worth.
    TooCostly,
    /// All iterations, or all fits, were run.
    IterationLimit,
    /// The model of the last fit promises more, but no step that was tried kept the promise.
    Stalled,
    /// The model of the last fit promises no more: nothing that was tried met what was asked.
    Infeasible,
    /// The observer asked to stop.
    Cancelled,
    /// Nothing was searched for: the method takes weights as they are, or no constraint has enough rows.
    NotSearched,
}

impl Termination {
    /// What it means for a method, in words without a full stop; `bounded` says whether a bound was asked for.
    pub fn explain(self, method: Method, bounded: bool) -> &'static str {
        match method {
            _ if self == Self::Cancelled => "cancelled: the best that was found until then is kept",
            Method::Correction => self.explain_search(bounded),
            Method::ThresholdPostprocessing(_) if self == Self::Infeasible => {
                "no thresholds keep all that was asked: these miss the worst by least"
            }
            Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Deterministic }) => {
                "single thresholds keep what was asked as nearly as rows allow"
            }
            Method::ThresholdPostprocessing(_) => "what was asked holds on the training rows at the least error",
            Method::PercentileThresholds => {
                "each pattern of groups has the overall rate on the training rows as nearly as its own rows allow"
            }
            Method::Lagrangian(_) if self == Self::Infeasible => "whatever the slack, everyone is decided alike",
            Method::Lagrangian(_) => "all passes were run",
            Method::Unconstrained | Method::Reweighing => "no bound and no notion was searched for",
        }
    }

    fn explain_search(self, bounded: bool) -> &'static str {
        match self {
            Self::Converged if bounded => {
                "converged: every bound that was searched for is met, as far as the rows that multipliers were chosen by can tell"
            }
            Self::Converged => "converged: every violation that was searched for is as small as the rows can tell",
            Self::TooCostly => "stopped for the cost: more evenness can be had, but costs more error than it is worth",
            Self::IterationLimit => "all iterations that were allowed were run",
            Self::Stalled => "stalled: the search expected a further step to help, but none that it tried did",
            Self::Infeasible => {
                "stopped short: no fit that was tried met what was asked without raising the largest violation"
            }
            Self::Cancelled => "cancelled: the best that was found until then is kept",
            Self::NotSearched => "nothing was searched for: every group has too few rows to estimate its rate",
        }
    }

    /// Whether the search ended short of what was asked, for another reason than its cost or the user.
    pub fn is_short(self) -> bool {
        self.found_no_step() || self == Self::IterationLimit
    }

    /// Whether the search ended short of what was asked, and no step that it could make leads further.
    pub(in crate::correction) fn found_no_step(self) -> bool {
        matches!(self, Self::Stalled | Self::Infeasible)
    }
}

impl std::fmt::Display for Termination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::TooCostly => "too-costly",
            Self::IterationLimit => "iteration-limit",
            Self::Stalled => "stalled",
            Self::Infeasible => "infeasible",
            Self::Cancelled => "cancelled",
            Self::NotSearched => "not-searched",
        })
    }
}

/// Watches a run. This crate reads no clock of its own: an observer may lend one.
pub trait Observer {
    /// Called after every iteration; returning `false` ends the run with what there is.
    fn after(&mut self, done: &Iteration) -> bool;

    /// Seconds since the run started.
    fn seconds(&self) -> f64 {
        0.0
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn after(&mut self, _: &Iteration) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_claimed_of_what_was_not_tried() {
        let sentence = Termination::Infeasible.explain(Method::Correction, true);
        assert_eq!(
            sentence,
            "stopped short: no fit that was tried met what was asked without raising the largest violation"
        );
        let even = Termination::NotSearched.explain(Method::Unconstrained, false);
        assert_eq!(even, "no bound and no notion was searched for");
        for method in Method::all() {
            assert!(Termination::Cancelled.explain(method, false).starts_with("cancelled"), "{method}");
        }
    }

    #[test]
    fn a_search_that_stopped_for_the_cost_did_not_end_short() {
        assert!(Termination::Stalled.is_short() && !Termination::TooCostly.is_short());
    }
}
