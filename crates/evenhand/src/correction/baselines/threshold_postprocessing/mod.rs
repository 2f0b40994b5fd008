//! Threshold post-processing: an uncorrected learner, and thresholds by group. [Hardt, Price & Srebro 2016]
//!
//! `roc` is what thresholds do with the rows of one pattern of groups, `programme` the linear programme that chooses
//! among them, `simplex` what solves it, `rounding` one threshold per pattern instead of random
//! decisions between several. The decision rule that they make is `evaluation::thresholds`. The notion is that of the groups asked for, overlapping or not;
//! thresholds are those of patterns of membership, so deciding needs the columns that tell the groups.

mod programme;
mod roc;
mod rounding;
mod simplex;

use super::single_fit;
use crate::Result;
use crate::correction::evaluation::thresholds::{PatternRule, Thresholds, names};
use crate::correction::settings::{Correction, Decisions, ThresholdPostprocessing};
use crate::correction::{Problem, Solution, Termination};
use crate::learner::{Learner, Predictor};
use programme::Programme;

impl ThresholdPostprocessing {
    /// Fits without correction, and finds thresholds.
    pub(in crate::correction) fn train<L: Learner>(
        self,
        settings: &Correction,
        problem: &Problem,
        learner: &L,
    ) -> Result<Solution<L::Predictor>> {
        let solution = single_fit(problem, settings, learner, vec![1.0; problem.cells().len()])?;
        let (thresholds, stop) = self.thresholds(settings, problem, &solution.predictor)?;
        solution.deciding_by(thresholds, stop, settings, problem)
    }

    /// The best thresholds for the scores of a predictor on training rows, and whether they keep what was asked.
    ///
    /// # Errors
    /// What the predictor says.
    pub(crate) fn thresholds(
        self,
        settings: &Correction,
        problem: &Problem,
        predictor: &dyn Predictor,
    ) -> Result<(Thresholds, Termination)> {
        let programme = Programme::new(settings, problem, predictor)?;
        let (mut mixture, kept) = programme.best();
        let seed = match self.decisions {
            Decisions::Randomised { seed } => Some(seed),
            Decisions::Deterministic => {
                mixture = rounding::round(&programme, &mixture).into_iter().map(|place| vec![(place, 1.0)]).collect();
                None
            }
        };
        let rule = |(pattern, mixed): (&programme::Pattern, Vec<(usize, f64)>)| {
            let groups = names(problem, pattern.cell).into_iter().map(str::to_owned).collect();
            let shares = mixed.into_iter().map(|(place, share)| (pattern.curve.points[place].at_least, share));
            PatternRule::mixing(groups, pattern.rows, shares.collect())
        };
        let patterns = programme.patterns.iter().zip(mixture).map(rule).collect();
        Ok((Thresholds { seed, patterns }, if kept { Termination::Converged } else { Termination::Infeasible }))
    }
}
