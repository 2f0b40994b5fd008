//! What decides: a predictor, whose probabilities may be tilted, and after threshold post-processing the thresholds of each group.
//!
//! Holds [`Classifier`], the one way from probabilities to decisions, summed per cell or row by row.

use super::tilted::{TiltBy, TiltedRows};
use super::{Evaluated, Metrics, Thresholds};
use crate::constraint::Measure;
use crate::correction::problem::{Binding, Problem};
use crate::data::{Codes, Table};
use crate::group::Membership;
use crate::kernel::{CellSums, HALF, decide_at};
use crate::learner::{Predictor, scores};
use crate::{Error, Result, Warning};

/// Scores and decisions for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// Class probabilities, row by row.
    pub scores: Vec<f64>,
    /// The most probable class of each row, or what a threshold of its own or thresholds by group decide.
    pub decisions: Codes,
    /// How many classes.
    pub classes: usize,
    /// What was not as in training.
    pub warnings: Vec<Warning>,
}

/// A predictor, and what decides by its probabilities.
#[derive(Clone)]
pub(crate) struct Classifier<'a> {
    pub(crate) predictor: &'a dyn Predictor,
    /// Without any, the most probable class is decided for, or from two what `threshold` says.
    pub(crate) thresholds: Option<&'a Thresholds>,
    /// What its probabilities are tilted by.
    pub(crate) tilt: Option<TiltBy<'a>>,
    /// From which probability on the second of two classes is decided for, where there are no thresholds by group.
    pub(crate) threshold: f64,
}

impl<'a> Classifier<'a> {
    /// A predictor as it is, which decides for the second of two classes from a probability on.
    pub(crate) fn plain(predictor: &'a dyn Predictor, threshold: f64) -> Self {
        Self { predictor, thresholds: None, tilt: None, threshold }
    }

    /// The same with another threshold.
    pub(super) fn at(&self, threshold: f64) -> Self {
        Self { threshold, ..self.clone() }
    }

    /// Its sums over the rows of a problem: with random decisions, in expectation.
    pub(crate) fn cell_sums(&self, problem: &Problem) -> Result<CellSums> {
        match (&self.tilt, self.thresholds) {
            (Some(tilt), _) => {
                let rows = TiltedRows::of(self.predictor, tilt.expected, problem)?;
                problem.cell_sums_at(&rows.by(&tilt.multipliers), self.threshold)
            }
            (None, Some(thresholds)) => thresholds.cell_sums(self.predictor, problem),
            (None, None) => problem.cell_sums_at(self.predictor, self.threshold),
        }
    }

    /// The probabilities of the rows of a problem, those that decide.
    pub(super) fn scores(&self, problem: &Problem) -> Result<Vec<f64>> {
        let before = scores(self.predictor, problem.features(), problem.classes())?;
        match &self.tilt {
            Some(tilt) => {
                let tilts = tilt.expected.of_problem(problem, Some(&before))?;
                Ok(tilt.apply(before, tilts))
            }
            None => Ok(before),
        }
    }

    /// Whether deciding needs a row's own groups.
    pub(crate) fn needs_groups(&self) -> bool {
        self.thresholds.is_some() || self.tilt.as_ref().is_some_and(|tilt| tilt.expected.needs_groups())
    }

    /// Its error, rates and violations.
    pub(crate) fn evaluate(&self, problem: &Problem, measure: Measure) -> Result<Metrics> {
        Ok(self.evaluated(problem, measure)?.metrics())
    }

    /// What it does on the rows of a problem, from scoring them once.
    pub(crate) fn evaluated<'p>(&self, problem: &'p Problem, measure: Measure) -> Result<Evaluated<'p>> {
        Evaluated::new(self, problem, measure)
    }

    /// Scores and decides the rows of a raw table, before which others came where it is a part of more.
    pub(crate) fn predict(&self, binding: &Binding, table: &Table, first: usize) -> Result<Predictions> {
        let groups = self.needs_groups().then(|| binding.membership(table));
        let membership = groups.transpose().map_err(needed)?;
        let (features, mut warnings) = binding.features(table)?;
        let classes = binding.classes().len();
        let mut scores = scores(self.predictor, &features, classes)?;
        if let Some(tilt) = &self.tilt {
            let tilts = tilt.expected.of_features(&features, membership.as_ref(), Some(&scores))?;
            scores = tilt.apply(scores, tilts);
        }
        check_scores(&scores, classes, table)?;
        let (decisions, warning) = self.decide(&scores, classes, membership.as_ref(), first);
        warnings.extend(warning);
        Ok(Predictions { scores, decisions, classes, warnings })
    }

    /// The class that is decided for in every row of a problem; `membership` is that of the same rows.
    ///
    /// # Errors
    /// [`Error::Length`] when the membership is of other rows, and what the predictor says.
    pub(in crate::correction) fn decisions(&self, problem: &Problem, membership: &Membership) -> Result<Codes> {
        check_membership(problem, membership)?;
        let classes = problem.classes();
        Ok(self.decide(&self.scores(problem)?, classes, Some(membership), 0).0)
    }

    /// The class of every row: by the thresholds of its groups where there are thresholds, else the most probable one, or of two by the threshold.
    /// So many rows came before.
    pub(super) fn decide(
        &self,
        scores: &[f64],
        classes: usize,
        membership: Option<&Membership>,
        first: usize,
    ) -> (Codes, Option<Warning>) {
        let (decided, warning) = match self.thresholds.zip(membership) {
            Some((thresholds, membership)) => thresholds.decide(membership, scores, first),
            None => return (decisions(scores, classes, self.threshold), None),
        };
        (Codes::narrow(decided, classes), warning)
    }
}

/// The class that is decided for by the probabilities of rows, one for each class: the most probable, or from two the second above a threshold.
pub fn decisions(scores: &[f64], classes: usize, threshold: f64) -> Codes {
    let shift = HALF - threshold;
    Codes::narrow(scores.chunks(classes).map(|scores| decide_at(scores, shift) as u32).collect(), classes)
}

/// Numbers at the ends of what a number can be may overflow on the way to a probability: that is no prediction.
fn check_scores(scores: &[f64], classes: usize, table: &Table) -> Result<()> {
    match scores.chunks(classes).position(|scores| scores.iter().any(|score| score.is_nan())) {
        Some(row) => {
            let row = table.shown_row(row);
            Err(Error::learner(format!("row {row} has no probability: its numbers, or the model's, are too large")))
        }
        None => Ok(()),
    }
}

/// Whether a membership has as many rows as a problem.
pub(super) fn check_membership(problem: &Problem, membership: &Membership) -> Result<()> {
    let (expected, found) = (problem.features().rows(), membership.rows());
    if expected == found {
        return Ok(());
    }
    Err(Error::Length { what: "rows of the membership", expected, found })
}

/// Elsewhere a group's column is not needed to predict: say why it is here.
fn needed(error: Error) -> Error {
    match error {
        Error::UnknownColumn { column, known } => Error::GroupNeeded { column, known },
        other => other,
    }
}
