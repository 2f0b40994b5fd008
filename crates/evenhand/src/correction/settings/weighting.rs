//! What multipliers are applied to: the weights of training rows, which reach the learner as weights or by sampling, with what is done
//! about covariate shift; or the probabilities of a model.

use serde::{Deserialize, Serialize};

/// What multipliers are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Apply {
    /// The weights of training rows: the learner is fitted again for every multiplier that is tried. [Jiang & Nachum 2019, Thm. 1]
    #[default]
    Weights,
    /// The probabilities of a model of the observed labels, `y_true(y|x) ∝ y_bias(y|x) exp(Σ_k λ_k t_k(x,y))` [Jiang & Nachum 2019, Cor. 1]:
    /// one fit, and one more for each group that the learner may not see, by which its expected tilt is predicted from features. Decisions then depend
    /// on that estimate; where features tell the group, on the group.
    Tilt,
}

impl Apply {
    /// Whether it is the usual one.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(crate) fn is_weights(&self) -> bool {
        *self == Self::Weights
    }
}

/// Probabilities of the positive class by another model, which come with the rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Their column.
    pub column: String,
    /// Whether membership is observed in the columns of groups themselves; otherwise these are withheld, and it is estimated from all others.
    pub with_group: bool,
}

/// How weights reach the learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Technique {
    /// Each row counts by its weight.
    #[default]
    Weighting,
    /// Each row is kept with a probability equal to its weight, in the default to its weight over the largest, for learners that take no weights.
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
