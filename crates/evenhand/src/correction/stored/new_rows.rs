//! A classifier on new labelled rows in files, which are never all in memory.
//!
//! Holds [`EvaluatedRows`]. Nothing is kept of rows but sums per cell.

use super::StoredFiles;
use crate::constraint::Measure;
use crate::correction::evaluation::Evaluated;
use crate::correction::problem::{Binding, ChunkSums, NewRows, Problem};
use crate::data::{ReadOptions, Table};
use crate::kernel::CellSums;
use crate::learner::LogisticModel;
use crate::{Error, Result, Warning};

/// All rows, decided and counted.
pub(crate) struct EvaluatedRows {
    problem: Problem,
    sums: CellSums,
    /// What was not as in training.
    pub(crate) warnings: Vec<Warning>,
}

impl EvaluatedRows {
    /// Of the rows of files, whose columns are taken as those of training were read, by a model that decides from a probability on.
    ///
    /// # Errors
    /// What is wrong with rows, and what keeps them from being read; [`Error::RowsChanged`].
    pub(crate) fn new(
        rows: &StoredFiles<'_>,
        binding: &Binding,
        reading: &ReadOptions,
        (model, threshold): (&LogisticModel, f64),
    ) -> Result<Self> {
        let (rows, columns) = (rows.rows(0), binding.role_columns());
        let see = |binding: &Binding, largest: Option<f64>| {
            let one = |table: &Table, times| Ok(binding.seen(&*table.as_read(reading)?, largest)?.standing_for(times));
            rows.fold_counted("labels and groups", Some(&columns), one, |all, more| Ok(all.merge(more)))
        };
        let mut seen = see(binding, None)?;
        let extended = binding.with_unseen(&seen)?;
        // Cells of further groups, and weights relative to the largest, are known when these are.
        if !extended.1.is_empty() || binding.schema().weight_column().is_some() {
            let largest = seen.largest_weight();
            seen = see(&extended.0, Some(largest))?;
        }
        let before = seen.rows();
        let new = NewRows::new(binding, extended, seen)?;
        let one =
            |table: &Table| Ok((new.decide(&*table.as_read(reading)?, model.coefficients(), threshold)?, table.rows()));
        let merge = |(one, rows): (ChunkSums, usize), (more, further)| Ok((one.merge(more), rows + further));
        let (all, after) = rows.fold("decisions", None, one, merge)?;
        if before != after {
            return Err(Error::RowsChanged { before, after });
        }
        let (problem, sums, warnings) = new.finish(&all, threshold)?;
        Ok(Self { problem, sums, warnings })
    }

    /// What the model does on them.
    pub(crate) fn evaluated(&self, measure: Measure) -> Evaluated<'_> {
        Evaluated::of_sums(&self.problem, measure, self.sums.clone())
    }
}
