//! What decides: a predictor, and where it was calibrated the thresholds of each group.
//!
//! Holds [`Classifier`], the one way from probabilities to decisions, summed per cell or row by row.

use super::baselines::threshold_postprocessing::Thresholds;
use super::{Binding, Bound, BoundTest, Metrics, Predictions, Problem};
use crate::constraint::Measure;
use crate::data::{Codes, Table};
use crate::kernel::{CellSums, decide};
use crate::learner::{Predictor, scores};
use crate::{Error, Result};

/// A predictor, and what decides by its probabilities.
#[derive(Clone, Copy)]
pub(crate) struct Classifier<'a> {
    pub(crate) predictor: &'a dyn Predictor,
    /// Without any, the most probable class is decided for.
    pub(crate) thresholds: Option<&'a Thresholds>,
}

impl Classifier<'_> {
    /// Its sums over the rows of a problem: where lots decide, in expectation.
    pub(crate) fn cell_sums(&self, problem: &Problem) -> Result<CellSums> {
        match self.thresholds {
            Some(thresholds) => thresholds.cell_sums(self.predictor, problem),
            None => problem.cell_sums(self.predictor),
        }
    }

    /// Its error, rates and violations.
    pub(crate) fn evaluate(&self, problem: &Problem, measure: Measure) -> Result<Metrics> {
        Ok(problem.evaluate(&self.cell_sums(problem)?, measure))
    }

    /// Whether it keeps bounds; see [`Problem::test_bounds`].
    pub(crate) fn test_bounds(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<BoundTest>> {
        problem.test_bounds_by(|| self.cell_sums(problem), bounds, measure, confidence)
    }

    /// Scores and decides the rows of a raw table.
    pub(crate) fn predict(&self, binding: &Binding, table: &Table) -> Result<Predictions> {
        let membership = self.thresholds.map(|_| binding.membership(table)).transpose().map_err(needed)?;
        let (features, mut warnings) = binding.features(table)?;
        let classes = binding.classes().len();
        let scores = scores(self.predictor, &features, classes)?;
        let decisions = match self.thresholds.zip(membership) {
            Some((thresholds, membership)) => {
                let (decisions, warning) = thresholds.decide(&membership, &scores);
                warnings.extend(warning);
                decisions
            }
            None => scores.chunks(classes).map(|scores| decide(scores) as u32).collect(),
        };
        Ok(Predictions { scores, decisions: Codes::narrow(decisions, classes), classes, warnings })
    }
}

/// Elsewhere a group's column is not needed to predict: say why it is here.
fn needed(error: Error) -> Error {
    match error {
        Error::UnknownColumn { column, known } => Error::GroupNeeded { column, known },
        other => other,
    }
}
