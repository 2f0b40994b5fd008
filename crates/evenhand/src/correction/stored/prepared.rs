//! Rows in blocks, made ready for a search: what was learnt of them, their cells and constraints, and a sample of them in memory.
//!
//! Holds [`Learnt`], what raw rows teach before any is encoded, and [`PreparedRows`], which everything that is asked of such rows begins with: fits,
//! frontiers, verification, identification.

use super::{RawRows, SampleSize, Sampled};
use crate::blocks::{LeafPass, Request, RowStore, draw};
use crate::constraint::Measure;
use crate::correction::evaluation::Evaluated;
use crate::correction::problem::{Binding, BlockPlan, Encoded, Problem};
use crate::correction::settings::Correction;
use crate::correction::solvers::stored_run::StoredRows;
use crate::data::Schema;
use crate::exact::Totals;
use crate::facts::Profile;
use crate::kernel::CellSums;
use crate::learner::{AskedByCell, Influence, Logistic, LogisticModel};
use crate::{Error, Result, Warning};

/// What raw rows teach about columns, groups and labels.
pub(crate) struct Learnt {
    plan: BlockPlan,
    rows: usize,
    warnings: Vec<Warning>,
}

/// Encoded rows with their cells and constraints, and a sample of them.
pub(crate) struct PreparedRows<'a> {
    pub(crate) binding: Binding,
    pub(crate) store: Box<dyn RowStore + 'a>,
    /// The cells and constraints of all rows, without the rows.
    pub(crate) problem: Problem,
    /// The rows that were drawn, in the same cells.
    pub(crate) sample: Problem,
    pub(crate) sampled: Sampled,
    pub(crate) rows: usize,
    pub(crate) sample_rows: usize,
    /// How many rows are left of them, where those that repeat are kept once.
    pub(crate) distinct_rows: Option<usize>,
    pub(crate) fingerprint: u64,
    pub(crate) warnings: Vec<Warning>,
}

impl Learnt {
    /// Learns from raw rows, of which a summary is at hand, what some settings need to know.
    ///
    /// # Errors
    /// Anything wrong with settings, groups or columns.
    pub(crate) fn new(settings: &Correction, raw: &dyn RawRows, schema: &Schema, profile: &Profile) -> Result<Self> {
        let labels = profile.classes(schema)?;
        let facts = profile.facts(raw.rescan());
        let (binding, warnings) = Binding::learn(settings, schema, (&labels.0, labels.1), &facts)?;
        let plan = BlockPlan { binding, weights: profile.row_weight_scale(schema)? };
        Ok(Self { plan, rows: profile.rows(), warnings })
    }

    /// Encodes the rows, and draws a sample of them.
    ///
    /// # Errors
    /// What is wrong with rows, and what keeps them from being read or kept; [`Error::RowsChanged`] where there are more or fewer than before.
    pub(crate) fn prepare(self, raw: &dyn RawRows, size: SampleSize) -> Result<PreparedRows<'_>> {
        let Self { mut plan, rows, mut warnings } = self;
        let (mut store, encoded) = raw.encode(&plan)?;
        if encoded.rows != rows {
            return Err(Error::RowsChanged { before: rows, after: encoded.rows });
        }
        let (problem, more) = plan.problem(&*store)?;
        warnings.extend(more);
        let sampled = size.sampled(&problem, rows);
        let drawn = draw(&*store, sampled.sample_rows, sampled.seed)?;
        let sample = problem.with_block(&drawn.block, store.frame())?;
        let distinct_rows = store.aggregate(&drawn)?;
        let (sample_rows, binding, fingerprint) = (drawn.block.rows(), plan.binding, encoded.fingerprint);
        Ok(PreparedRows {
            binding,
            store,
            problem,
            sample,
            sampled,
            rows,
            sample_rows,
            distinct_rows,
            fingerprint,
            warnings,
        })
    }
}

impl<'a> PreparedRows<'a> {
    /// Learns from raw rows, and encodes them.
    ///
    /// # Errors
    /// Those of [`Learnt::new`] and [`Learnt::prepare`].
    pub(crate) fn new(settings: &Correction, raw: &'a dyn RawRows, schema: &Schema, size: SampleSize) -> Result<Self> {
        let learnt = Learnt::new(settings, raw, schema, &raw.profile(schema)?)?;
        learnt.prepare(raw, size)
    }

    /// As a search takes them.
    pub(in crate::correction) fn stored(&self) -> StoredRows<'_> {
        StoredRows { store: &*self.store, problem: &self.problem, sample: &self.sample }
    }

    /// [`super::StoredFit::digest`] of these rows.
    pub(crate) fn digest(&self) -> String {
        super::digest(self.rows, self.fingerprint)
    }

    /// The decisions and scores of a model on all rows, per cell.
    ///
    /// # Errors
    /// What keeps rows from being read.
    pub(crate) fn cell_sums(&self, model: &LogisticModel) -> Result<CellSums> {
        let threshold = self.problem.threshold();
        let request = Request::CellSums { coefficients: model.coefficients().to_vec(), threshold };
        Ok(self.store.frame().cell_sums(&self.store.pass(&request)?, threshold))
    }

    /// A model on all rows.
    ///
    /// # Errors
    /// As [`PreparedRows::cell_sums`].
    pub(crate) fn evaluated(&self, model: &LogisticModel, measure: Measure) -> Result<Evaluated<'_>> {
        Ok(Evaluated::of_sums(&self.problem, measure, self.cell_sums(model)?))
    }

    /// What is asked of all rows that only rows at hand can be asked, for a purpose in a few words.
    ///
    /// # Errors
    /// Those of [`RowStore::pass_leaves`].
    pub(crate) fn pass_leaves(&self, purpose: &'static str, pass: &LeafPass<'_>) -> Result<(Totals, f64)> {
        self.store.pass_leaves(purpose, pass)
    }

    /// What no row weighs more than.
    pub(crate) fn heaviest(&self) -> f64 {
        self.store.frame().heaviest
    }

    /// A learner with a penalty that is to the sample what that of another is to all rows.
    pub(crate) fn learner_on_sample(&self, learner: &Logistic) -> Logistic {
        self.stored().learner_on_sample(learner)
    }

    /// The influence of each row on the multipliers behind a fit with one weight per cell.
    ///
    /// # Errors
    /// Those of [`Logistic::influence_stored`].
    pub(crate) fn influence(
        &self,
        learner: &Logistic,
        weights: &[f64],
        model: &LogisticModel,
        asked: &AskedByCell<'_>,
    ) -> Result<Influence> {
        learner.influence_stored(&*self.store, weights, model, asked)
    }

    /// The largest entry of the gradient of the loss, with one weight per cell, at the coefficients of a model; per unit of weight.
    ///
    /// # Errors
    /// As [`PreparedRows::cell_sums`].
    pub(crate) fn gradient_norm(&self, learner: &Logistic, model: &LogisticModel, weights: &[f64]) -> Result<f64> {
        let cells = self.problem.cells();
        let total: f64 = weights.iter().enumerate().map(|(cell, weight)| weight * cells.weight(cell)).sum();
        Ok(learner.gradient_norm_stored(&*self.store, weights, model)? / total)
    }
}

/// [`super::StoredFit::digest`] of raw rows as a binding encodes them.
///
/// # Errors
/// What is wrong with the rows.
pub(crate) fn digest_as(binding: &Binding, raw: &dyn RawRows, profile: &Profile) -> Result<String> {
    let weights = profile.row_weight_scale(binding.schema())?;
    let (_, Encoded { rows, fingerprint, .. }) = raw.encode(&BlockPlan { binding: binding.clone(), weights })?;
    Ok(super::digest(rows, fingerprint))
}
