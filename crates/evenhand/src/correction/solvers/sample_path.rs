//! The path of a frontier on a sample of rows, one point ahead of the same path on all rows.
//!
//! Holds [`SamplePath`]: for every bound of a frontier the multipliers that meet it on the sample, found from the best of the fits before, are
//! where the search over all rows starts.

use super::oracle::{Point, Solves as _, Target};
use super::run::Run;
use super::sqp::{Ended, Search};
use crate::Result;
use crate::constraint::WeightRule;
use crate::correction::settings::SqpSettings;
use crate::correction::trace::Silent;
use crate::learner::Logistic;

/// Searches on a sample, each from the best of those before it.
pub(in crate::correction) struct SamplePath<'a> {
    run: Run<'a, Logistic>,
    /// The first is not corrected.
    fits: Vec<Point>,
}

impl<'a> SamplePath<'a> {
    pub(in crate::correction) fn new(run: Run<'a, Logistic>) -> Self {
        Self { run, fits: Vec::new() }
    }

    /// The multipliers that are found for a target, and how they become weights; `None` where those of an earlier one do.
    ///
    /// # Errors
    /// What the learner says.
    pub(super) fn next(&mut self, target: &Target, settings: SqpSettings) -> Result<Option<(Vec<f64>, WeightRule)>> {
        let mut silent = Silent;
        let mut search = Search::new(&mut self.run, settings, &mut silent);
        if self.fits.is_empty() {
            self.fits.push(search.uncorrected()?);
        }
        let candidates = search.candidates(target)?;
        let Ended { point: found, stop } = search.solve(target, &self.fits, &candidates)?;
        if self.fits.iter().any(|fit| fit.id == found.id) {
            return Ok(None);
        }
        let solution = self.run.solution_at(&found, stop)?;
        self.fits.push(found);
        Ok(Some((solution.multipliers, solution.rule)))
    }
}
