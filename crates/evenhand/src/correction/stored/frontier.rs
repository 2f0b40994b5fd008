//! The trade-off between error and violation on rows that are never all in memory.
//!
//! Rows are encoded once. Every bound of the path is then met on the sample first, and from there on all rows, each time from the best of the fits before.

use super::{PreparedRows, RawRows, StoredFiles, StoredSettings};
use crate::correction::frontier::{Frontier, mark_dominated, paths};
use crate::correction::problem::{Binding, EvaluationRows};
use crate::correction::settings::Correction;
use crate::correction::solvers::run::Run;
use crate::correction::solvers::sample_path::SamplePath;
use crate::correction::solvers::stored_run::{SampleStart, StoredRun};
use crate::correction::trace::Observer;
use crate::data::Schema;
use crate::learner::{Logistic, LogisticModel};
use crate::{Result, Warning};

/// A frontier of rows that were never all in memory.
#[derive(Debug)]
pub struct StoredFrontier {
    /// Its points.
    pub frontier: Frontier<LogisticModel>,
    /// What the rows taught about columns, groups and constraints.
    pub binding: Binding,
    /// What to know about these.
    pub warnings: Vec<Warning>,
    /// How many rows there were.
    pub rows: usize,
    /// How many rows each search began on.
    pub sample_rows: usize,
    /// How many rows were left of all, where those that repeat were kept once.
    pub distinct_rows: Option<usize>,
    /// How many times all encoded rows were gone through.
    pub passes: usize,
}

impl Correction {
    /// As [`Correction::frontier`], for rows in files that are never all in memory.
    ///
    /// # Errors
    /// Those of [`Correction::frontier`] and [`Correction::fit_files`].
    pub fn frontier_files(
        &self,
        rows: &StoredFiles<'_>,
        schema: &Schema,
        learner: &Logistic,
        points: usize,
        settings: &StoredSettings,
        observer: &mut dyn Observer,
    ) -> Result<StoredFrontier> {
        self.frontier_raw(&rows.rows(settings.memory), schema, (learner, points), settings, observer)
    }

    fn frontier_raw(
        &self,
        raw: &dyn RawRows,
        schema: &Schema,
        (learner, points): (&Logistic, usize),
        settings: &StoredSettings,
        observer: &mut dyn Observer,
    ) -> Result<StoredFrontier> {
        self.check_stored()?;
        let sqp = self.traceable(points)?;
        let prepared = PreparedRows::new(self, raw, schema, settings.sample())?;
        self.check_for(&prepared.problem)?;
        let rows = prepared.stored();
        let on_sample = rows.learner_on_sample(learner);
        let (part, evaluation) = EvaluationRows::split(self, &prepared.sample, &on_sample)?;
        let sample = part.as_ref().unwrap_or(&prepared.sample);
        let path = SamplePath::new(Run::before(evaluation, sample, self, &on_sample)?);
        let start = SampleStart::Along(Box::new(path));
        let mut run = StoredRun::new(rows, self, learner, self.solver.rule(), start);
        let (mut points, _) = paths(&mut run, (sqp, points, None), observer)?;
        mark_dominated(&mut points);
        drop(run);
        let passes = prepared.store.passes();
        let PreparedRows { binding, warnings, rows, sample_rows, distinct_rows, .. } = prepared;
        let frontier = Frontier { points };
        Ok(StoredFrontier { frontier, binding, warnings, rows, sample_rows, distinct_rows, passes })
    }
}
