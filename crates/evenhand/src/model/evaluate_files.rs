//! A saved model evaluated on new labelled rows that are never all in memory.

use super::{Evaluation, LearnerRecord, Model};
use crate::correction::{Apply, EvaluatedRows, NotionBound, StoredFiles};
use crate::learner::LogisticModel;
use crate::{Error, Result, Warning};

impl Model {
    /// As [`Model::evaluate`], of rows in files, of which nothing is kept but sums: decisions, rates and verdicts are those of all rows at once, and what is made of
    /// probabilities differs from them by rounding alone.
    ///
    /// Files are to be opened with [`Model::reading_all`].
    ///
    /// # Errors
    /// [`Error::NotStored`] for a model that needs rows in memory, and those of [`Model::evaluate`].
    pub fn evaluate_files(
        &self,
        rows: &StoredFiles<'_>,
        bounds: &[NotionBound],
        confidence: f64,
    ) -> Result<(Evaluation, Vec<Warning>)> {
        let model = self.evaluated_in_files()?;
        let bounds = if bounds.is_empty() { &self.settings.bounds } else { bounds };
        NotionBound::check_all(bounds, &self.settings.notions)?;
        let extra = self.binding.check_columns(rows.files.names())?;
        let rows = EvaluatedRows::new(rows, &self.binding, &self.reading_all(), (model, self.threshold))?;
        let found = Evaluation::of(&rows.evaluated(self.settings.measure), bounds, confidence)?;
        let mut warnings = rows.warnings;
        let first = warnings.iter().take_while(|warning| warning.column().is_some()).count();
        warnings.splice(first..first, extra);
        warnings.extend(found.metrics.one_decision(self.binding.classes()));
        Ok((found, warnings))
    }

    /// Whether it can be evaluated on rows that are never all in memory.
    ///
    /// # Errors
    /// [`Error::NotStored`], which says what needs rows in memory.
    pub fn check_evaluate_files(&self) -> Result<()> {
        self.evaluated_in_files().map(|_| ())
    }

    /// The one kind of model that is.
    fn evaluated_in_files(&self) -> Result<&LogisticModel> {
        let refused = |what: &str| Err(Error::NotStored { what: what.to_owned() });
        match &self.learner {
            _ if self.thresholds.is_some() => refused("a model that decides by thresholds of groups"),
            _ if self.settings.apply == Apply::Tilt => refused("a model that tilts probabilities"),
            _ if !self.binding.weighing().is_empty() => refused("a rate that is weighted by a column"),
            LearnerRecord::Logistic { model, .. } => Ok(model),
            _ => refused("a learner other than the built-in one"),
        }
    }
}
