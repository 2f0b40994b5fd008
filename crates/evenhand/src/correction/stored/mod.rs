//! A correction of rows that are never all in memory.
//!
//! Holds [`Correction::fit_files`]: columns are learnt from all rows, rows are encoded into blocks, multipliers are searched on a sample first,
//! with everything that rows in memory allow, and from where that ends on all rows (`solve_stored`). `rows` has the ways to the rows, `prepared` what
//! they are made into, `sample_size` on how many a search begins, `frontier` a path of such fits; `new_rows` evaluates a classifier on others.
//! What such rows do not allow yet is refused before any of them is read.

mod content;
mod frontier;
mod new_rows;
mod prepared;
mod remote;
mod rows;
mod sample_size;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use frontier::StoredFrontier;
pub(crate) use new_rows::EvaluatedRows;
pub(crate) use prepared::{Learnt, PreparedRows, digest_as};
pub(crate) use remote::remote_rows;
pub use remote::{RemoteAggregation, RemoteRows, RemoteTask};
pub(crate) use rows::{FileRows, RawRows, TableRows};
pub(crate) use sample_size::SampleSize;

use super::evaluation::Evaluated;
use super::fitted::Fitted;
use super::settings::{Apply, Correction, CovariateShift, Method, Solver, Technique, Threshold, Validation};
use super::solution::Solution;
use super::solvers::searched;
use super::solvers::stored_run::{SampleStart, StoredRun};
use super::trace::{Observer, Silent, Termination};
use crate::blocks::PassWatch;
use crate::data::{RowFiles, Schema, Table};
use crate::kernel::CellSums;
use crate::learner::{Logistic, LogisticModel};
use crate::notion::Notion;
use crate::{Error, Result};

/// So many rows may all be in memory, and a search begins on no more unless told otherwise.
pub const SAMPLE_ROWS: usize = 1 << 21;

/// What a result depends on beside the rows, where these were not all in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// About how many rows were drawn for the sample on which the search began.
    pub sample_rows: usize,
    /// The seed by which they were drawn.
    pub seed: u64,
}

/// Files of rows, and who is notified how far passes over them have come.
#[derive(Clone)]
pub struct StoredFiles<'a> {
    /// The files.
    pub files: &'a RowFiles,
    /// Is notified, and may end a pass.
    pub watch: Option<Arc<dyn PassWatch>>,
}

impl<'a> StoredFiles<'a> {
    /// Their rows, of which blocks of so many bytes are kept in memory.
    pub(crate) fn rows(&self, memory: usize) -> FileRows<'a> {
        FileRows { files: self.files, memory, watch: self.watch.clone() }
    }
}

/// How rows that are never all in memory are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSettings {
    /// How many bytes of encoded rows are kept in memory; more of them are kept in a scratch file, all of them.
    pub memory: usize,
    /// About how many rows are drawn for the sample on which a search begins; `None` draws as many as tell enough: all up to [`SAMPLE_ROWS`], and
    /// of more so many that a step from where the sample leads leaves less than all rows can tell.
    pub sample_rows: Option<usize>,
    /// The seed by which they are drawn.
    pub seed: u64,
}

impl StoredSettings {
    /// The sample that they ask for.
    pub(crate) fn sample(&self) -> SampleSize {
        SampleSize { rows: self.sample_rows, most: usize::MAX, seed: self.seed }
    }
}

impl Default for StoredSettings {
    fn default() -> Self {
        Self { memory: usize::MAX, sample_rows: None, seed: 0 }
    }
}

/// A classifier fitted to rows that were never all in memory.
#[derive(Debug)]
pub struct StoredFit {
    /// The classifier, with everything it was made from but the rows.
    pub fitted: Fitted<LogisticModel>,
    /// How many rows there were.
    pub rows: usize,
    /// How many rows the search began on.
    pub sample_rows: usize,
    /// How many rows were left of all, where those that repeat were kept once: no number depends on it.
    pub distinct_rows: Option<usize>,
    /// What was asked of the sample.
    pub sampled: Sampled,
    /// How many times all encoded rows were gone through.
    pub passes: usize,
    /// The columns that it was made of, without a row: what other rows are read like.
    pub columns: Table,
    /// A number that other rows do not have, whatever their order.
    fingerprint: u64,
    /// The sums of decisions without correction and with it.
    sums: [CellSums; 2],
    measure: crate::constraint::Measure,
}

impl StoredFit {
    /// Lower-case hexadecimal SHA-256 of how many rows there were and of the sum of their hashes: the same for the same rows in any order, and
    /// another than that of the same rows in memory.
    pub fn digest(&self) -> String {
        digest(self.rows, self.fingerprint)
    }

    /// The classifier without correction and with it, on the rows they were fitted to.
    pub fn evaluated(&self) -> [Evaluated<'_>; 2] {
        self.sums.each_ref().map(|sums| Evaluated::of_sums(self.fitted.problem(), self.measure, sums.clone()))
    }
}

fn digest(rows: usize, fingerprint: u64) -> String {
    crate::data::digest_text(&format!("rows {rows} {fingerprint:016x}"))
}

impl Correction {
    /// Finds the multipliers, and the classifier that goes with them, for rows in files that are never all in memory.
    ///
    /// The result depends on which rows there are, and on `settings.sample_rows` and `settings.seed`, but neither on the order of rows, nor on how they
    /// are spread over files, nor on `settings.memory`, to the last bit.
    ///
    /// # Errors
    /// [`Error::NotStored`] for what needs rows in memory; anything wrong with settings, groups or data, and what keeps files from being read.
    pub fn fit_files(
        &self,
        files: &RowFiles,
        schema: &Schema,
        learner: &Logistic,
        settings: &StoredSettings,
        watch: Option<Arc<dyn PassWatch>>,
        observer: &mut dyn Observer,
    ) -> Result<StoredFit> {
        self.fit_raw(&FileRows { files, memory: settings.memory, watch }, schema, learner, settings, observer)
    }

    /// The same for rows on other machines.
    ///
    /// # Errors
    /// As [`Correction::fit_files`]; [`Error::RowsChanged`] where rows are not the same in every pass.
    pub fn fit_remote(
        &self,
        rows: &dyn RemoteRows,
        schema: &Schema,
        learner: &Logistic,
        settings: &StoredSettings,
        observer: &mut dyn Observer,
    ) -> Result<StoredFit> {
        self.fit_raw(&remote::Remote::new(rows), schema, learner, settings, observer)
    }

    /// The same for rows wherever they are.
    fn fit_raw(
        &self,
        raw: &dyn RawRows,
        schema: &Schema,
        learner: &Logistic,
        settings: &StoredSettings,
        observer: &mut dyn Observer,
    ) -> Result<StoredFit> {
        self.check_stored()?;
        let rows = PreparedRows::new(self, raw, schema, settings.sample())?;
        self.fit_prepared(&rows, learner, observer)
    }

    /// The same for rows that are ready.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what keeps rows from being read.
    pub(crate) fn fit_prepared(
        &self,
        rows: &PreparedRows<'_>,
        learner: &Logistic,
        observer: &mut dyn Observer,
    ) -> Result<StoredFit> {
        let (solution, sums) = self.solve_stored(rows, learner, observer)?;
        let (binding, problem, warnings) = (rows.binding.clone(), rows.problem.clone(), rows.warnings.clone());
        Ok(StoredFit {
            passes: rows.store.passes(),
            columns: binding.no_rows()?,
            fitted: Fitted::new(self, binding, problem, solution, warnings)?,
            rows: rows.rows,
            sample_rows: rows.sample_rows,
            distinct_rows: rows.distinct_rows,
            sampled: rows.sampled,
            fingerprint: rows.fingerprint,
            sums,
            measure: self.measure,
        })
    }

    /// Whether rows that are never all in memory can be corrected as is asked.
    ///
    /// # Errors
    /// [`Error::NotStored`], which says what needs rows in memory.
    pub fn check_stored(&self) -> Result<()> {
        self.check()?;
        let refused = [
            (!matches!(self.method, Method::Correction | Method::Unconstrained), "another method to compare with"),
            (matches!(self.solver, Solver::Loop(_)) && self.method == Method::Correction, "the printed loop"),
            (self.apply == Apply::Tilt, "a correction that tilts probabilities"),
            (self.technique != Technique::Weighting, "the sampling technique"),
            (self.covariate_shift == CovariateShift::Corrected, "weights divided by φ"),
            (self.validation != Validation::Training, "validation on other rows than those of the fit"),
            (self.threshold == Threshold::Best, "a threshold of one's own"),
            (self.score.is_some(), "a correction of another model's scores"),
            (self.notions.iter().any(Notion::withholds_groups), "a notion that withholds groups from the learner"),
            (self.notions.iter().any(|notion| notion.weighted_by().is_some()), "a rate that is weighted by a column"),
        ];
        match refused.iter().find(|(asked, _)| *asked) {
            Some((_, what)) => Err(Error::NotStored { what: (*what).to_owned() }),
            None => Ok(()),
        }
    }

    /// Finds multipliers, and the classifier that goes with them, on rows in blocks. With it come the sums of decisions without correction and with it.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what keeps rows from being read.
    pub(crate) fn solve_stored(
        &self,
        prepared: &PreparedRows<'_>,
        learner: &Logistic,
        observer: &mut dyn Observer,
    ) -> Result<(Solution<LogisticModel>, [CellSums; 2])> {
        self.check_for(&prepared.problem)?;
        let rows = prepared.stored();
        let (Solver::Sqp(settings), Method::Correction) = (self.solver, self.method) else {
            return StoredRun::new(rows, self, learner, self.solver.rule(), SampleStart::Uncorrected)
                .uncorrected_alone(observer);
        };
        let on_sample = self.solve(&prepared.sample, &rows.learner_on_sample(learner), &mut Silent)?;
        let run = StoredRun::new(rows, self, learner, on_sample.rule, SampleStart::At(on_sample.multipliers));
        let (mut solution, sums) = searched::correct_stored(run, settings, observer)?;
        // What going on costs was found out on the sample.
        if on_sample.trade_off.is_some() && solution.stop.found_no_step() {
            (solution.trade_off, solution.stop) = (on_sample.trade_off, Termination::TooCostly);
        }
        Ok((solution, sums))
    }
}
