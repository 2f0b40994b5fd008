//! From settings and rows to a solution: which solver or baseline runs.
//!
//! Holds the methods of [`Correction`] that fit: `fit`, `solve` and `uncorrected`.

use super::problem::{Binding, EvaluationRows, Problem};
use super::settings::{Apply, Correction, CovariateShift, Method, Solver, SqpSettings, Threshold};
use super::solution::Solution;
use super::solvers::run::Run;
use super::solvers::tilted_run::TiltedRun;
use super::solvers::{printed_loop, searched};
use super::trace::{Observer, Silent};
use super::{Fitted, baselines};
use crate::bound::{Bound, NotionBound};
use crate::constraint::{Constraint, Tilt, WeightRule};
use crate::data::Dataset;
use crate::learner::Learner;
use crate::notion::Notion;
use crate::{Error, Result};

impl Correction {
    /// Finds the multipliers, and the classifier that goes with them.
    ///
    /// # Errors
    /// Anything wrong with the settings, the groups or the data, and what the learner says.
    pub fn fit<L: Learner>(&self, data: &Dataset, learner: &L) -> Result<Fitted<L::Predictor>> {
        self.fit_observed(data, learner, &mut Silent)
    }

    /// As [`Correction::fit`], telling an observer after every iteration; it may also stop the run.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn fit_observed<L: Learner>(
        &self,
        data: &Dataset,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Fitted<L::Predictor>> {
        let (binding, problem, warnings) = Binding::new(self, data)?;
        let solution = self.solve(&problem, learner, observer)?;
        Fitted::new(self, binding, problem, solution, warnings)
    }

    /// Runs on rows that are already encoded and grouped, by the method of the settings.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn solve<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        self.check_for(problem)?;
        match (self.threshold, self.method) {
            (Threshold::Half, _) => self.solve_at(problem, learner, observer),
            (Threshold::Best, Method::Correction) => self.correct_at_best(problem, learner, observer),
            (Threshold::Best, _) => self.compare_at_best(problem, learner, observer),
        }
    }

    /// Runs by the method of the settings, with decisions at the threshold of the problem.
    pub(super) fn solve_at<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        match self.method {
            Method::Correction => self.correct(problem, learner, observer),
            Method::Unconstrained => self.solve_uncorrected(problem, learner),
            Method::ThresholdPostprocessing(thresholds) => thresholds.train(self, problem, learner),
            Method::PercentileThresholds => baselines::percentile_thresholds::train(self, problem, learner),
            Method::Lagrangian(lagrangian) => lagrangian.train(self, problem, learner, observer),
            Method::Reweighing => {
                baselines::single_fit(problem, self, learner, baselines::reweighing::cell_weights(problem.cells()))
            }
        }
    }

    /// Finds multipliers.
    fn correct<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        let (part, evaluation) = EvaluationRows::split(self, problem, learner)?;
        let rows = part.as_ref().unwrap_or(problem);
        match (self.solver, self.apply) {
            (Solver::Sqp(settings), Apply::Tilt) => {
                let found = searched::tilt(TiltedRun::fit(evaluation, rows, self, learner)?, settings, observer)?;
                // Scores that were given are handed over as if they were fitted, and were not.
                let fits = found.fits - usize::from(self.score.is_some() && found.fits > 0);
                Ok(Solution { fits, ..found })
            }
            (Solver::Sqp(settings), Apply::Weights) => {
                searched::correct(Run::before(evaluation, rows, self, learner)?, settings, observer)
            }
            (Solver::Loop(settings), _) => {
                printed_loop::correct(Run::before(evaluation, rows, self, learner)?, settings, observer)
            }
        }
    }

    /// The same learner on the same rows without any correction, to compare with: one fit
    /// with the user's row weights alone.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn uncorrected<L: Learner>(&self, problem: &Problem, learner: &L) -> Result<Solution<L::Predictor>> {
        self.check_for(problem)?;
        let found = self.solve_uncorrected(problem, learner)?;
        match self.threshold {
            Threshold::Half => Ok(found),
            Threshold::Best => found.at_best_threshold(problem, self.measure, |_| true),
        }
    }

    /// The same with decisions at the threshold of the problem.
    pub(super) fn solve_uncorrected<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
    ) -> Result<Solution<L::Predictor>> {
        baselines::single_fit(problem, self, learner, vec![1.0; problem.cells().len()])
    }

    /// How multipliers become weights at the start: by expected tilts where a notion keeps groups from the learner, which models who is in them.
    pub(in crate::correction) fn rule_for<L: Learner>(&self, problem: &Problem, learner: &L) -> WeightRule {
        let rule = self.solver.rule();
        let free = matches!(&self.solver, Solver::Sqp(SqpSettings { tilt: None, .. }));
        let plain = self.covariate_shift == CovariateShift::Ignored;
        let asked = self.notions.iter().any(Notion::withholds_groups);
        let expected = free && plain && asked && problem.is_blind() && learner.models_membership();
        if expected { WeightRule { tilt: Tilt::Expected, ..rule } } else { rule }
    }

    /// Whether the settings can be used on these rows.
    pub(super) fn check_for(&self, problem: &Problem) -> Result<()> {
        self.check()?;
        self.method.check_classes(problem.classes())?;
        self.threshold.check_classes(problem.classes())?;
        let other = |one: &&Constraint| !self.notions.contains(&one.notion);
        if let Some(other) = problem.constraints().iter().find(other) {
            let allowed = format!("what the rows were bound for, `{}`", other.notion);
            return Err(Error::setting("notions", "something else", allowed));
        }
        let limited = |bound: &NotionBound| -> Vec<Constraint> {
            let limits = |one: &&Constraint| bound.limits(&one.notion, &self.bounds);
            problem.constraints().iter().filter(limits).cloned().collect()
        };
        let idle = |bound: &&NotionBound| {
            !matches!(bound.bound, Bound::MaxViolation(_)) && !Constraint::any_comparable(&limited(bound))
        };
        match self.bounds.iter().find(idle) {
            Some(bound) => {
                let of = bound.notion.as_ref().map_or("no notion".to_owned(), |notion| format!("{notion} does not"));
                let has = if bound.notion.is_some() { "have two" } else { "has two" };
                let name = bound.bound.name();
                let reason = format!("{name} compares groups, and {of} {has} that can be compared");
                Err(Error::NoConstraints { reason })
            }
            None => Ok(()),
        }
    }
}
