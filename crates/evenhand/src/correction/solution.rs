//! What a method returns: a classifier, the weights it was fitted with, and how it was found.
//!
//! Holds [`Solution`]. Every method of `solvers` and `baselines` makes one; `evaluation` measures what it does.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::evaluation::{Classifier, Effect, Estimated, Evaluated, Metrics, Thresholds, TiltBy};
use super::problem::{Binding, CellWeights, Expectations, ExpectedTilt, MembershipQuality, Problem, ShiftCorrection};
use super::settings::{Apply, Correction, Method, Threshold};
use super::trace::{Iteration, Termination};
use crate::bound::{BoundTest, NotionBound};
use crate::constraint::{Measure, TiltTable, WeightRule};
use crate::data::Codes;
use crate::group::Membership;
use crate::kernel::{CellSums, HALF};
use crate::learner::Predictor;
use crate::{Result, Warning, Weights};

/// A classifier, with the weights it was fitted with and how it was found.
#[derive(Debug)]
pub struct Solution<P> {
    /// The classifier; where multipliers tilt probabilities, that of the observed labels.
    pub predictor: Arc<P>,
    /// One multiplier per constraint: those behind the classifier's weights. None where the method has none.
    pub multipliers: Vec<f64>,
    /// How they become weights.
    pub rule: WeightRule,
    /// The weight of each cell: in the closed form, or as another method has it. Where weights are a number per row, the mean of its rows.
    pub cell_weights: Vec<f64>,
    /// What multipliers are applied to.
    pub apply: Apply,
    /// How tilts follow from what the learner sees, where they are expectations.
    pub expected: Option<Arc<ExpectedTilt<P>>>,
    /// By what weights were divided, where covariate shift was corrected: the learner was given the weights of the
    /// closed form over φ.
    pub shift_correction: Option<ShiftCorrection<P>>,
    /// Whether the classifier was fitted with weights of 1 instead (the paper's first fit).
    pub unweighted: bool,
    /// The classifier's rates and violations on the training rows.
    pub train: Metrics,
    /// The same on the rows that multipliers were chosen on, where validation asks for others than the training rows:
    /// a holdout, or all rows by the models of the folds.
    pub validation: Option<Metrics>,
    /// What it changes on the training rows, compared with the fit without correction, where the method has one.
    pub effect: Option<Effect>,
    /// Every iteration.
    pub trace: Vec<Iteration>,
    /// What decides in place of the threshold ½, after threshold post-processing.
    pub thresholds: Option<Thresholds>,
    /// From which probability on the second of two classes is decided for, where there are no thresholds by group.
    pub threshold: f64,
    /// By how much relaxed violations might exceed zero, where the method is the Lagrangian approach.
    pub slack: Option<f64>,
    /// How the run ended.
    pub stop: Termination,
    /// What going on would cost, where a search without a bound stopped for the cost.
    pub trade_off: Option<TradeOff>,
    /// How many times the learner was called.
    pub fits: usize,
    /// What to know about the result.
    pub warnings: Vec<Warning>,
    /// The same learner without correction, as [`Correction::uncorrected`] gives it, where the search began with that fit.
    pub uncorrected: Option<Box<Self>>,
}

/// What a search without a bound left undone since it costs too much error: a fit that it made and did not keep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TradeOff {
    /// The bound on the violation with which to ask for as much evenness.
    pub bound: f64,
    /// The violation of the fit that was made.
    pub violation: f64,
    /// By how much more rows that fit errs on: a share of rows.
    pub cost: f64,
}

impl TradeOff {
    /// The bound to ask for to have a violation, to three decimals: at least the violation, and never zero.
    pub(in crate::correction) fn bound_for(violation: f64) -> f64 {
        (violation * 1e3).ceil().max(1.0) / 1e3
    }
}

impl std::fmt::Display for TradeOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bound, points) = (self.bound, self.cost * 100.0);
        // A cost of a few rows is not to read as none.
        let digits = if points < 0.095 { 2 } else { 1 };
        write!(f, "going on to a violation of {bound:.3} was tried, and cost {points:.digits$} points of error")
    }
}

impl<P: Predictor> Solution<P> {
    /// The solution that is one fit with known weights; `sums` are those of its decisions and scores on the rows it was fitted to.
    pub(in crate::correction) fn of_single_fit(
        problem: &Problem,
        settings: &Correction,
        predictor: Arc<P>,
        sums: &CellSums,
        cell_weights: Vec<f64>,
    ) -> Self {
        let train = problem.evaluate(sums, settings.measure);
        let violations = problem.violations(sums, settings.measure);
        let only = Iteration {
            // That of constraints without multipliers too.
            violation: train.violation.unwrap_or(0.0),
            ..Iteration::of_fit(1, &[], violations, (problem, sums), 0.0)
        };
        let unconverged = (!predictor.converged()).then_some(Warning::LearnerNotConverged { fits: 1 });
        Self {
            multipliers: Vec::new(),
            rule: settings.solver.rule(),
            unweighted: cell_weights.iter().all(|weight| weight.to_bits() == 1.0_f64.to_bits()),
            cell_weights,
            apply: Apply::Weights,
            expected: None,
            shift_correction: None,
            predictor,
            train,
            validation: None,
            effect: None,
            trace: vec![only],
            thresholds: None,
            threshold: problem.threshold(),
            slack: None,
            trade_off: None,
            stop: Termination::NotSearched,
            fits: 1,
            warnings: unconverged.into_iter().collect(),
            uncorrected: None,
        }
    }

    /// How the run ended, in words without a full stop: [`Termination::explain`], with the trade-off where it stopped
    /// for the cost.
    pub fn explain(&self, settings: &Correction) -> String {
        match &self.trade_off {
            Some(trade_off) => format!("stopped for the cost: {trade_off}"),
            None => self.stop.explain(settings.method, !settings.bounds.is_empty()).to_owned(),
        }
    }

    /// The weight of every row that it was found on: that of its cell, times the user's own; where covariate
    /// shift was corrected, over φ.
    ///
    /// # Errors
    /// What the predictor says, where covariate shift was corrected.
    pub fn weights(&self, trained_on: &Problem) -> Result<Weights> {
        let cells = trained_on.cells();
        let own = cells.row_weights().cloned();
        Ok(match (&self.shift_correction, &self.expected) {
            (Some(correction), _) => Weights::of_each(correction.weights(trained_on)?, own),
            (None, Some(_)) if self.apply == Apply::Weights => {
                Weights::of_each(self.tilt_table(trained_on)?.weights(&self.multipliers), own)
            }
            (None, _) => Weights::of_cells(self.cell_weights.clone(), cells.cell_of_row().clone(), own),
        })
    }

    /// How well features tell each group that the learner may not see, where tilts are expectations.
    pub fn memberships(&self, binding: &Binding) -> Vec<MembershipQuality> {
        self.expected.as_ref().map(|expected| expected.quality(binding)).unwrap_or_default()
    }

    /// What decisions depend on, and what new rows need, where multipliers tilt probabilities.
    pub fn deciding(&self, binding: &Binding) -> Option<String> {
        let expected = self.expected.as_ref().filter(|_| self.apply == Apply::Tilt);
        expected.map(|expected| expected.deciding(binding))
    }

    /// The same fit, deciding by thresholds of groups: evaluated anew, beside what it decided before.
    pub(in crate::correction) fn deciding_by(
        mut self,
        thresholds: Thresholds,
        stop: Termination,
        settings: &Correction,
        problem: &Problem,
    ) -> Result<Self> {
        let before = self.evaluated(problem, Measure::Decisions)?;
        (self.thresholds, self.stop) = (Some(thresholds), stop);
        let after = self.evaluated(problem, Measure::Decisions)?;
        self.train = after.metrics();
        self.effect = Some(after.effect(&before, settings.notable_change, Effect::USUAL_CONFIDENCE)?);
        Ok(self)
    }

    /// From which probability on rows are decided positive, in a sentence, where that was chosen.
    pub fn decided_from(&self, settings: &Correction) -> Option<String> {
        let why = match (settings.threshold, settings.method) {
            (Threshold::Half, _) | (_, Method::ThresholdPostprocessing(_) | Method::PercentileThresholds) => {
                return None;
            }
            (_, Method::Correction) if self.threshold.to_bits() == HALF.to_bits() => {
                "since the correction is no better at the threshold at which the fit without it errs least on the training rows"
            }
            (_, Method::Correction) => {
                "at which the fit without correction errs least on the training rows, and the correction is better than at 0.5"
            }
            (_, Method::Unconstrained) => "at which it errs least on the training rows",
            (_, Method::Reweighing | Method::Lagrangian(_)) => {
                "at which it errs least on the training rows, of those that keep what was asked no less than 0.5 does"
            }
        };
        Some(format!("Rows are decided positive above a probability of {:.4}, {why}.", self.threshold))
    }

    /// Whether a row's own groups are needed to decide.
    pub fn needs_groups(&self) -> bool {
        self.classifier().needs_groups()
    }

    /// What each multiplier adds to the exponents of the rows of a problem, or of their cells.
    ///
    /// # Errors
    /// What the models of membership say.
    pub(crate) fn tilt_table(&self, problem: &Problem) -> Result<TiltTable> {
        match &self.expected {
            Some(expected) => Ok(expected.of_problem(problem, None)?.table(problem, self.rule)),
            None => Ok(problem.tilt_table(self.rule)),
        }
    }

    /// Scores other rows once, bound like those it was trained on: metrics, tests of bounds and estimates follow.
    ///
    /// # Errors
    /// What the predictor says.
    pub fn evaluated<'a>(&self, problem: &'a Problem, measure: Measure) -> Result<Evaluated<'a>> {
        Evaluated::new(&self.classifier(), problem, measure)
    }

    /// As [`Solution::evaluated`], with the decision for every row. `membership` is that of the same rows, as
    /// [`Binding::membership`](super::Binding::membership) gives it.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) when the membership is of other rows, and what the predictor says.
    pub fn evaluated_with_decisions<'a>(
        &self,
        problem: &'a Problem,
        membership: &Membership,
        measure: Measure,
    ) -> Result<Evaluated<'a>> {
        Evaluated::with_decisions(&self.classifier(), problem, membership, measure)
    }

    /// Error, rates and violations on other rows, bound like those it was trained on. With random decisions, in expectation.
    ///
    /// # Errors
    /// What the predictor says.
    pub fn evaluate(&self, problem: &Problem, measure: Measure) -> Result<Metrics> {
        self.classifier().evaluate(problem, measure)
    }

    /// Whether bounds hold, as far as other rows can tell; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// As [`Problem::test_bounds`].
    pub fn test_bounds(
        &self,
        problem: &Problem,
        bounds: &[impl Clone + Into<NotionBound>],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<BoundTest>> {
        problem.test_bounds_by(|| self.classifier().cell_sums(problem), bounds, measure, confidence)
    }

    /// What to know about how other rows are decided: that some are in groups which training rows never had together.
    pub fn unseen(&self, problem: &Problem) -> Option<Warning> {
        self.thresholds.as_ref()?.unseen(problem)
    }

    pub(crate) fn classifier(&self) -> Classifier<'_> {
        let expected = self.expected.as_ref().filter(|_| self.apply == Apply::Tilt);
        let tilt =
            expected.map(|expected| TiltBy { expected: &**expected, multipliers: self.multipliers.as_slice().into() });
        let (thresholds, threshold) = (self.thresholds.as_ref(), self.threshold);
        Classifier { predictor: &*self.predictor, thresholds, tilt, threshold }
    }

    /// The same classifier with the threshold of least error on the rows it was found on, among those whose decisions, summed per cell, are
    /// `allowed`.
    ///
    /// # Errors
    /// What the predictor says.
    pub(in crate::correction) fn at_best_threshold(
        mut self,
        problem: &Problem,
        measure: Measure,
        allowed: impl Fn(&CellSums) -> bool,
    ) -> Result<Self> {
        self.threshold = self.classifier().best_threshold(problem, allowed)?;
        let sums = self.classifier().cell_sums(problem)?;
        self.train = problem.evaluate(&sums, measure);
        // The last iteration is that of what is returned.
        if let Some(last) = self.trace.last_mut() {
            last.violations = problem.violations(&sums, measure);
            (last.violation, last.error) = (self.train.violation.unwrap_or(0.0), self.train.error);
        }
        Ok(self)
    }

    /// The weights of the rows it was found on, by cell; cells that weigh nothing are left out.
    ///
    /// # Errors
    /// Those of [`Solution::weights`].
    pub fn weights_by_cell(&self, trained_on: &Problem) -> Result<Vec<CellWeights>> {
        Ok(CellWeights::of(trained_on, &self.weights(trained_on)?))
    }

    /// The violation of every constraint on some rows, in the order of the constraints, each with an interval of its own.
    ///
    /// Rows are taken as drawn independently, and as new to the predictor; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) for a confidence outside 0.5 to 0.999999, and what the predictor says.
    pub fn estimate(&self, problem: &Problem, measure: Measure, confidence: f64) -> Result<Vec<Estimated>> {
        self.evaluated(problem, measure)?.estimate(confidence)
    }

    /// The class that is decided for in every row. `membership` is that of the same rows, as
    /// [`Binding::membership`](super::Binding::membership) gives it; it matters where thresholds by group decide.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) when the membership is of other rows, and what the predictor says.
    pub fn decisions(&self, problem: &Problem, membership: &Membership) -> Result<Codes> {
        self.classifier().decisions(problem, membership)
    }
}

#[cfg(test)]
mod tests {
    use super::TradeOff;

    #[test]
    fn a_trade_off_names_a_bound_that_can_be_asked_for() {
        let bound = TradeOff::bound_for(0.020_3);
        let trade_off = TradeOff { bound, violation: 0.018, cost: 0.014 };
        let words = "going on to a violation of 0.021 was tried, and cost 1.4 points of error";
        assert_eq!(trade_off.to_string(), words);
        let small = TradeOff { cost: 0.000_4, ..trade_off };
        assert!(small.to_string().ends_with("cost 0.04 points of error"), "{small}");
        assert!((TradeOff::bound_for(0.0) - 0.001).abs() < 1e-15);
    }
}
