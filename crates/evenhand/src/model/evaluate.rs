//! A saved model evaluated on new labelled rows.
//!
//! Holds [`Evaluation`]: what `fit` says of test rows, said later and of any rows that have labels and the columns that tell groups.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::correction::{BoundTest, Estimated, Evaluated, Metrics, NotionBound};
use crate::data::{Dataset, Table};
use crate::{Result, Warning};

/// How a model does on some rows, by their labels.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `metrics` | rows, error, rates by class and group, and the violation of every constraint of the model |
/// | `violations` | the violation of every constraint with its interval |
/// | `bounds` | one [`BoundTest`] for each bound that was asked for |
/// | `confidence` | of intervals and verdicts |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Error, rates and violations.
    pub metrics: Metrics,
    /// The violation of every constraint, each with an interval of its own.
    pub violations: Vec<Estimated>,
    /// Whether bounds hold, as far as these rows can tell.
    pub bounds: Vec<BoundTest>,
    /// Of intervals and verdicts.
    pub confidence: f64,
}

impl Evaluation {
    /// That of a classifier on rows.
    pub(super) fn of(evaluated: &Evaluated<'_>, bounds: &[NotionBound], confidence: f64) -> Result<Self> {
        Ok(Self {
            metrics: evaluated.metrics(),
            violations: evaluated.estimate(confidence)?,
            bounds: evaluated.test_bounds(bounds, confidence)?,
            confidence,
        })
    }
}

impl Model {
    /// Evaluates the model on labelled rows, by the notions that it was made for. Columns are taken as those of training were read; groups that training
    /// rows did not have are tested as well.
    ///
    /// `bounds` in place of those that the model was asked to keep; none of either, and nothing is tested.
    ///
    /// # Errors
    /// When the table lacks the label, features or a column that tells a group, or has labels that the model does not know; [`crate::Error::Setting`] for a
    /// confidence or a bound out of range, or one of a notion that the model was not made for.
    pub fn evaluate(
        &self,
        table: &Table,
        bounds: &[NotionBound],
        confidence: f64,
    ) -> Result<(Evaluation, Vec<Warning>)> {
        let bounds = if bounds.is_empty() { &self.settings.bounds } else { bounds };
        NotionBound::check_all(bounds, &self.settings.notions)?;
        let table = table.as_read(&self.reading_all())?.into_owned();
        let (schema, classes) = (self.binding.schema(), self.binding.classes());
        let data = Dataset::with_classes(table, schema, classes, self.binding.positive())?;
        let (problem, mut warnings) = self.binding.problem(&data)?;
        warnings.extend(self.thresholds.as_ref().and_then(|thresholds| thresholds.unseen(&problem)));
        let evaluated = self.classifier().evaluated(&problem, self.settings.measure)?;
        let found = Evaluation::of(&evaluated, bounds, confidence)?;
        warnings.extend(found.metrics.one_decision(classes));
        Ok((found, warnings))
    }
}
