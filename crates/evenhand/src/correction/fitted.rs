//! What a user gets: a classifier with everything it was made from.

use super::evaluation::{Effect, Metrics, Predictions};
use super::problem::{Binding, Problem};
use super::settings::Correction;
use super::solution::Solution;
use super::trace::{Iteration, Termination};
use crate::bound::{BoundTest, NotionBound};
use crate::constraint::Measure;
use crate::data::{Dataset, Table};
use crate::learner::Predictor;
use crate::{Result, Warning, Weights};

/// A corrected classifier: the only stage that can predict.
#[derive(Debug)]
pub struct Fitted<P> {
    binding: Binding,
    problem: Problem,
    solution: Solution<P>,
    weights: Weights,
    bounds: Vec<NotionBound>,
    measure: Measure,
    warnings: Vec<Warning>,
}

impl<P: Predictor> Fitted<P> {
    pub(super) fn new(
        settings: &Correction,
        binding: Binding,
        problem: Problem,
        mut solution: Solution<P>,
        mut warnings: Vec<Warning>,
    ) -> Result<Self> {
        warnings.append(&mut solution.warnings);
        warnings.extend(solution.effect.iter().flat_map(Effect::warnings));
        warnings.extend(solution.train.one_decision(binding.classes()));
        let (bounds, measure) = (settings.bounds.clone(), settings.measure);
        let weights = solution.weights(&problem)?;
        Ok(Self { binding, problem, solution, weights, bounds, measure, warnings })
    }

    /// Scores and decides the rows of a raw table. Labels are not needed, nor groups unless thresholds by group decide.
    ///
    /// # Errors
    /// [`crate::Error::GroupNeeded`] when thresholds by group decide, and a column that tells a group is not there;
    /// [`crate::Error::LostColumns`] or [`crate::Error::ColumnKind`] when the table is not like the training one.
    pub fn predict(&self, table: &Table) -> Result<Predictions> {
        self.solution.classifier().predict(&self.binding, table, 0)
    }

    /// Error, rates and violations on labelled rows.
    ///
    /// # Errors
    /// As [`Fitted::predict`], and [`crate::Error::UnknownColumn`] when a column that tells a group is not there.
    pub fn evaluate(&self, data: &Dataset, measure: Measure) -> Result<(Metrics, Vec<Warning>)> {
        let (problem, mut warnings) = self.binding.problem(data)?;
        warnings.extend(self.solution.unseen(&problem));
        Ok((self.solution.evaluate(&problem, measure)?, warnings))
    }

    /// Whether the bounds that were asked for hold, as far as labelled rows can tell; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// As [`Fitted::evaluate`] and [`Problem::test_bounds`].
    pub fn test_bounds(&self, data: &Dataset, confidence: f64) -> Result<(Vec<BoundTest>, Vec<Warning>)> {
        let (problem, mut warnings) = self.binding.problem(data)?;
        warnings.extend(self.solution.unseen(&problem));
        Ok((self.solution.test_bounds(&problem, &self.bounds, self.measure, confidence)?, warnings))
    }

    /// The weight of every training row in the closed form, in (0, 1), times the user's own. Where covariate
    /// shift was corrected it is divided by φ, as the learner was given it: then it is 1 on average.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The classifier alone.
    pub fn predictor(&self) -> &P {
        &self.solution.predictor
    }

    /// Encoding, groups and constraints as training rows taught them.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The training rows as the learner saw them.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// What the run found: multipliers, cell weights, trace and stop.
    pub fn solution(&self) -> &Solution<P> {
        &self.solution
    }

    /// What the run found, without the rows it was found on.
    pub fn into_solution(self) -> Solution<P> {
        self.solution
    }

    /// The multipliers with their constraints' names.
    pub fn multipliers(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.binding.constraints().iter().map(|constraint| constraint.name.as_str());
        names.zip(self.solution.multipliers.iter().copied())
    }

    /// Every iteration of the run.
    pub fn trace(&self) -> &[Iteration] {
        &self.solution.trace
    }

    /// How the run ended.
    pub fn stop(&self) -> Termination {
        self.solution.stop
    }

    /// What the correction changes on the training rows, compared with the fit without it; `None` where the method has
    /// no such fit. What is notable in it is among the warnings.
    pub fn effect(&self) -> Option<&Effect> {
        self.solution.effect.as_ref()
    }

    /// What to know about the result.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
