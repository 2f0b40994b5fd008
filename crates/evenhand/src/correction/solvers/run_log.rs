//! What a run records between solutions: its fits, the trace, and the fit without correction.
//!
//! Holds [`RunLog`]. Every run has one, whatever it fits to; a solution takes what was recorded, and the log starts anew.

use std::sync::Arc;

use crate::Warning;
use crate::constraint::WeightRule;
use crate::correction::evaluation::Effect;
use crate::correction::problem::Problem;
use crate::correction::settings::Correction;
use crate::correction::solution::Solution;
use crate::correction::trace::{Iteration, Termination};
use crate::kernel::CellSums;
use crate::learner::Predictor;

/// The trace of a run, and its counts.
#[derive(Debug, Default)]
pub(in crate::correction) struct RunLog {
    trace: Vec<Iteration>,
    fits: usize,
    unconverged: usize,
    /// Sums per cell of the fit without correction on the rows that it was fitted to.
    uncorrected: Option<CellSums>,
}

/// The fit that a search ended at.
pub(super) struct FinalFit<'a, P> {
    pub(super) predictor: Arc<P>,
    pub(super) multipliers: Vec<f64>,
    pub(super) rule: WeightRule,
    pub(super) cell_weights: Vec<f64>,
    /// Sums per cell on the rows that it was fitted to.
    pub(super) trained: &'a CellSums,
}

impl RunLog {
    /// Counts fits, and those among them that did not converge.
    pub(super) fn count(&mut self, fits: usize, unconverged: usize) {
        self.fits += fits;
        self.unconverged += unconverged;
    }

    /// How many multipliers were evaluated since the last solution: fewer than fits where folds are fitted for each.
    pub(in crate::correction) fn evaluations(&self) -> usize {
        self.trace.len()
    }

    /// Sums per cell of the fit without correction, once there is one.
    pub(super) fn uncorrected(&self) -> Option<&CellSums> {
        self.uncorrected.as_ref()
    }

    /// Adds the evaluation of some multipliers to the trace. `trained` are the sums of the fit on the rows of `problem`, to which it was fitted;
    /// `violations` are measured where the run measures them.
    pub(super) fn record(
        &mut self,
        multipliers: &[f64],
        violations: &[f64],
        (problem, trained): (&Problem, &CellSums),
        seconds: f64,
    ) -> &mut Iteration {
        if self.uncorrected.is_none() && multipliers.iter().all(|one| *one == 0.0) {
            self.uncorrected = Some(trained.clone());
        }
        let number = self.trace.len() + 1;
        self.trace.push(Iteration::of_fit(number, multipliers, violations.to_vec(), (problem, trained), seconds));
        self.trace.last_mut().expect("one was just pushed")
    }

    /// The same in a search, whose evaluation before led to this one.
    pub(super) fn record_step(
        &mut self,
        multipliers: &[f64],
        violations: &[f64],
        fitted: (&Problem, &CellSums),
        seconds: f64,
    ) -> &Iteration {
        if let Some(last) = self.trace.last_mut() {
            last.next_multipliers = multipliers.to_vec();
        }
        self.record(multipliers, violations, fitted, seconds)
    }

    /// The solution of a search that ended at some fit. The log starts anew with it; the fit without correction stays.
    pub(super) fn solution<P: Predictor>(
        &mut self,
        problem: &Problem,
        settings: &Correction,
        fit: FinalFit<'_, P>,
        stop: Termination,
    ) -> Solution<P> {
        let FinalFit { predictor, multipliers, rule, cell_weights, trained } = fit;
        let effect =
            |before| Effect::of(problem, [before, trained], settings.notable_change, Effect::USUAL_CONFIDENCE).ok();
        let unconverged = std::mem::take(&mut self.unconverged);
        let warning = (unconverged > 0).then_some(Warning::LearnerNotConverged { fits: unconverged });
        Solution {
            multipliers,
            rule,
            effect: self.uncorrected.as_ref().and_then(effect),
            trace: std::mem::take(&mut self.trace),
            stop,
            fits: std::mem::take(&mut self.fits),
            warnings: warning.into_iter().collect(),
            ..Solution::of_single_fit(problem, settings, predictor, trained, cell_weights)
        }
    }
}
