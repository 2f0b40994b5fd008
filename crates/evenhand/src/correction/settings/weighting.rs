//! How weights reach the learner: as weights or by sampling, and what is done about covariate shift.

use serde::{Deserialize, Serialize};

/// How weights reach the learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Technique {
    /// Each row counts by its weight.
    #[default]
    Weighting,
    /// Each row is kept with a probability equal to its weight, for learners that take no weights.
    Sampling {
        /// Seed of the random draws.
        seed: u64,
    },
}

/// What is done about the covariate shift that comes with weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CovariateShift {
    /// Nothing, as in the paper's algorithms: an x counts more, the likelier it is observed with a label that the
    /// correction favours.
    #[default]
    Ignored,
    /// Weights are divided by φ, so that every x counts as often as it occurs. They are then a number per row, not per
    /// cell, and take one more fit. φ is estimated from the probabilities that the learner gives the rows it was
    /// fitted to: a learner that overfits these rows completely leaves no correction.
    Corrected,
}

impl CovariateShift {
    /// Whether it is that of the paper.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(crate) fn is_ignored(&self) -> bool {
        *self == Self::Ignored
    }
}
