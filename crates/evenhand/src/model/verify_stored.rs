//! Re-deriving a model of rows that were never all in memory, from rows that need not be either.
//!
//! The checks are those of `verify`; what these ask of rows one by one is here a sum over encoded blocks. The rows are read as in the fit: once to learn
//! columns and groups again, once to encode them; and all that follows goes through the same blocks.

use super::refit::{AsLong, CANCELLED, check_binding};
use super::verify::{Check, Verdict, compare, least_at, verdict};
use super::{LearnerRecord, Model};
use crate::correction::{Evaluated, Learnt, PreparedRows, RawRows, Sampled, StoredFiles, Termination, digest_as};
use crate::learner::{Logistic, LogisticModel};
use crate::{Error, Result};

impl Model {
    /// As [`Model::verify`], for a model of rows that were never all in memory and for rows in files that are not either: of their blocks so many bytes
    /// stay in memory.
    ///
    /// # Errors
    /// [`Error::NotStored`] for another model, and those of [`Model::verify`].
    pub fn verify_files(&self, rows: &StoredFiles<'_>, memory: usize) -> Result<Verdict> {
        let what = || Error::NotStored { what: "a model of rows in memory".into() };
        self.verify_stored(&rows.rows(memory), self.provenance.sampled.ok_or_else(what)?)
    }

    /// The same for rows wherever they are.
    pub(super) fn verify_stored(&self, raw: &dyn RawRows, sampled: Sampled) -> Result<Verdict> {
        let LearnerRecord::Logistic { settings, model } = &self.learner else {
            let what = "a learner other than the built-in one".into();
            return Err(Error::NotStored { what });
        };
        self.settings.check_stored()?;
        let schema = self.binding.schema();
        let profile = raw.profile(schema)?;
        let elsewhere = |columns: Check| -> Result<Verdict> {
            let found = digest_as(&self.binding, raw, &profile)?;
            let checks = vec![self.check_digest(&found, profile.rows()), self.check_settings(), columns];
            Ok(Verdict { matches: false, checks })
        };
        let learnt = match Learnt::new(&self.settings, raw, schema, &profile) {
            Ok(learnt) => learnt,
            Err(error @ (Error::Interrupted | Error::Io { .. } | Error::Changed { .. })) => return Err(error),
            Err(error) => return elsewhere(Check::failed("columns", error.to_string())),
        };
        let rows = learnt.prepare(raw, sampled.into())?;
        let columns = check_binding(self, &rows.binding);
        if columns.matches == Some(false) {
            // With other columns or groups, nothing that follows is about the same rows.
            return elsewhere(columns);
        }
        drop(profile);
        let mut checks = vec![self.check_digest(&rows.digest(), rows.rows), self.check_settings(), columns];
        checks.push(self.check_weights(&rows.problem)?);
        checks.push(self.check_stored_classifier(&rows, settings, model)?);
        let again = self.refitted_stored(&rows, settings)?;
        checks.extend(self.check_run(&again));
        checks.extend(self.check_stored_rates(&rows.evaluated(model, self.settings.measure)?)?);
        Ok(verdict(self, checks))
    }

    /// The classifier must be where the weighted loss is least.
    fn check_stored_classifier(
        &self,
        rows: &PreparedRows<'_>,
        settings: &Logistic,
        model: &LogisticModel,
    ) -> Result<Check> {
        let table = rows.problem.tilt_table(self.rule);
        let weights: Vec<f64> = if self.unweighted {
            vec![1.0; rows.problem.cells().len()]
        } else {
            let scale = table.learner_scale();
            table.weights(&self.multiplier_values()).into_iter().map(|weight| weight * scale).collect()
        };
        Ok(least_at("classifier", "weighted loss", rows.gradient_norm(settings, model, &weights)?))
    }

    /// Does the run again; `Err` inside says why that cannot be.
    fn refitted_stored(
        &self,
        rows: &PreparedRows<'_>,
        settings: &Logistic,
    ) -> Result<std::result::Result<Self, &'static str>> {
        if self.stop == Termination::Cancelled {
            return Ok(Err(CANCELLED));
        }
        let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: *settings, model: model.clone() };
        let found = self.settings.fit_prepared(rows, settings, &mut AsLong(self.trace.len()))?;
        Ok(Ok(Self::of_stored(&self.settings, &found, record)?))
    }

    /// Rates on the rows of the fit, and verdicts on bounds by them.
    fn check_stored_rates(&self, evaluated: &Evaluated<'_>) -> Result<Vec<Check>> {
        let mut checks = vec![compare("training rates", &evaluated.metrics(), &self.train)];
        if self.test.is_some() {
            // No fit to such rows says so.
            checks.push(Check::failed("test rates", "there were no test rows".into()));
        }
        if let Some(first) = self.bound_tests.first() {
            checks.push(self.check_verdicts(evaluated, first.confidence)?);
        }
        Ok(checks)
    }
}
