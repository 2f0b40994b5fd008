//! What a user gets: a classifier with everything it was made from.

use super::{Assessment, Binding, Bound, Correction, Judgement, Loop, Outcome, Problem, Stop};
use crate::constraint::Measure;
use crate::data::{Codes, Dataset, Table};
use crate::learner::Predictor;
use crate::{Result, Warning, Weights};

/// A corrected classifier: the only stage that can predict.
#[derive(Debug)]
pub struct Fitted<P> {
    binding: Binding,
    problem: Problem,
    outcome: Outcome<P>,
    weights: Weights,
    bounds: Vec<Bound>,
    measure: Measure,
    warnings: Vec<Warning>,
}

/// Scores and decisions for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// Class probabilities, row by row.
    pub scores: Vec<f64>,
    /// The most probable class of each row, or what thresholds by group decide.
    pub decisions: Codes,
    /// How many classes.
    pub classes: usize,
    /// What was not as in training.
    pub warnings: Vec<Warning>,
}

impl<P: Predictor> Fitted<P> {
    pub(super) fn new(
        settings: &Correction,
        binding: Binding,
        problem: Problem,
        mut outcome: Outcome<P>,
        mut warnings: Vec<Warning>,
    ) -> Result<Self> {
        warnings.append(&mut outcome.warnings);
        let (bounds, measure) = (settings.bounds.clone(), settings.measure);
        let weights = outcome.weights(&problem)?;
        Ok(Self { binding, problem, outcome, weights, bounds, measure, warnings })
    }

    /// Scores and decides the rows of a raw table. Labels are not needed, nor groups unless it was calibrated.
    ///
    /// # Errors
    /// [`crate::Error::GroupNeeded`] when it was calibrated, and a column that tells a group is not there;
    /// [`crate::Error::LostColumns`] or [`crate::Error::ColumnKind`] when the table is not like the training one.
    pub fn predict(&self, table: &Table) -> Result<Predictions> {
        self.outcome.classifier().predict(&self.binding, table)
    }

    /// Error, rates and violations on labelled rows.
    ///
    /// # Errors
    /// As [`Fitted::predict`], and [`crate::Error::UnknownColumn`] when a column that tells a group is not there.
    pub fn assess(&self, data: &Dataset, measure: Measure) -> Result<(Assessment, Vec<Warning>)> {
        let (problem, mut warnings) = self.binding.problem(data)?;
        warnings.extend(self.outcome.unseen(&problem));
        Ok((self.outcome.assess(&problem, measure)?, warnings))
    }

    /// Whether the bounds that were asked for hold, as far as labelled rows can tell; see [`Problem::judge`].
    ///
    /// # Errors
    /// As [`Fitted::assess`] and [`Problem::judge`].
    pub fn judge(&self, data: &Dataset, confidence: f64) -> Result<(Vec<Judgement>, Vec<Warning>)> {
        let (problem, mut warnings) = self.binding.problem(data)?;
        warnings.extend(self.outcome.unseen(&problem));
        Ok((self.outcome.judge(&problem, &self.bounds, self.measure, confidence)?, warnings))
    }

    /// The weight of every training row in the closed form, in (0, 1), times the user's own. Where the shift of
    /// features was undone it is divided by φ, as the learner was given it: then it is 1 on average.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The classifier alone.
    pub fn predictor(&self) -> &P {
        &self.outcome.predictor
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
    pub fn outcome(&self) -> &Outcome<P> {
        &self.outcome
    }

    /// What the run found, without the rows it was found on.
    pub fn into_outcome(self) -> Outcome<P> {
        self.outcome
    }

    /// The multipliers with their constraints' names.
    pub fn multipliers(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.binding.constraints().iter().map(|constraint| constraint.name.as_str());
        names.zip(self.outcome.multipliers.iter().copied())
    }

    /// Every loop of the run.
    pub fn trace(&self) -> &[Loop] {
        &self.outcome.trace
    }

    /// How the run ended.
    pub fn stop(&self) -> Stop {
        self.outcome.stop
    }

    /// What to know about the result.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
