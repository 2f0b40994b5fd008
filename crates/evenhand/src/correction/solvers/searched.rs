//! The default solver: a search by sequential quadratic programming (`sqp`), and the run of fits that it steers.
//!
//! A search knows fits by what they do on rows (`oracle`). The runs have the fits themselves: of weights, of tilted probabilities, and of rows in blocks.
//! Here the two are joined, and what a search found becomes a [`Solution`].

use super::oracle::Solves as _;
use super::run::Run;
use super::sqp::{Found, find};
use super::stored_run::{self, StoredRun};
use super::tilted_run::TiltedRun;
use crate::Result;
use crate::correction::settings::SqpSettings;
use crate::correction::solution::Solution;
use crate::correction::trace::Observer;
use crate::learner::{Learner, Predictor};

/// Finds the multipliers of weights, and the classifier that goes with them.
pub(in crate::correction) fn correct<L: Learner>(
    mut run: Run<'_, L>,
    settings: SqpSettings,
    observer: &mut dyn Observer,
) -> Result<Solution<L::Predictor>> {
    let found = find(&mut run, settings, observer)?;
    let same = found.point.id == found.uncorrected.id;
    let without = if same { None } else { run.take_uncorrected(&found.uncorrected) };
    Ok(found.with(run.into_solution(&found.point, found.stop), without))
}

/// Finds the multipliers that tilt the probabilities of a model.
pub(in crate::correction) fn tilt<P: Predictor>(
    mut run: TiltedRun<'_, P>,
    settings: SqpSettings,
    observer: &mut dyn Observer,
) -> Result<Solution<P>> {
    let found = find(&mut run, settings, observer)?;
    let without = run.begun_with();
    Ok(found.with(run.solution_at(&found.point, found.stop)?, without))
}

/// Finds the multipliers of weights for rows in blocks.
pub(in crate::correction) fn correct_stored(
    mut run: StoredRun<'_>,
    settings: SqpSettings,
    observer: &mut dyn Observer,
) -> Result<stored_run::Found> {
    let found = find(&mut run, settings, observer)?;
    let same = found.point.id == found.uncorrected.id;
    let without = if same { None } else { run.uncorrected(&found.uncorrected) };
    let sums = [found.uncorrected.sums.clone(), found.point.sums.clone()];
    Ok((found.with(run.solution_at(&found.point, found.stop)?, without), sums))
}

impl Found {
    /// The solution with what the search knows of it.
    fn with<P>(&self, solution: Solution<P>, without: Option<Solution<P>>) -> Solution<P> {
        let mut warnings = solution.warnings;
        warnings.extend(self.warnings.iter().cloned());
        Solution { uncorrected: without.map(Box::new), trade_off: self.trade_off, warnings, ..solution }
    }
}
