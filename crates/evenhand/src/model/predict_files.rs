//! Predictions for rows that are never all in memory.
//!
//! Leans on [`RowFiles`], which hands over rows a chunk at a time; what is written of predictions is left to others.

use super::Model;
use crate::correction::Predictions;
use crate::data::RowFiles;
use crate::{Result, Warning};

impl Model {
    /// Scores and decides the rows of files a chunk at a time, in the order of files and rows: each row as if all had come at once. What is to be known
    /// of them is returned in the end, added up over chunks.
    ///
    /// Files are to be opened with [`Model::reading_features`].
    ///
    /// # Errors
    /// Those of reading and of [`Model::predict`], and what `each` says.
    pub fn predict_files(
        &self,
        files: &RowFiles,
        mut each: impl FnMut(Predictions) -> Result<()>,
    ) -> Result<Vec<Warning>> {
        let (mut rows, mut warnings) = (0, Vec::new());
        files.each_in_order(|table| {
            let mut predictions = self.predict_from(&table, rows)?;
            rows += table.rows();
            warnings = Warning::added_up([warnings.as_slice(), &predictions.warnings].concat());
            predictions.warnings.clear();
            each(predictions)
        })?;
        Ok(self.in_column_order(warnings))
    }

    /// Warnings of predictions as those of all rows at once would stand: column by column, and then what is of no column.
    fn in_column_order(&self, mut warnings: Vec<Warning>) -> Vec<Warning> {
        let columns = self.binding.encoding().columns();
        let place = |warning: &Warning| {
            let place = warning.column().and_then(|name| columns.iter().position(|one| one.column == name));
            place.unwrap_or(columns.len())
        };
        warnings.sort_by_key(place);
        warnings
    }
}
