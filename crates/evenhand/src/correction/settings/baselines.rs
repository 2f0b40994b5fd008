//! The settings of the methods that a correction is compared with.
//!
//! Holds [`ThresholdPostprocessing`] and [`Lagrangian`]. What the methods do is in `correction::baselines`.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The settings of threshold post-processing. [Hardt, Price & Srebro 2016]
///
/// | setting | default | effect |
/// |---|---|---|
/// | `decisions` | randomised, seed 0 | whether decisions between the thresholds of a group are drawn at random |
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ThresholdPostprocessing {
    /// Whether decisions are drawn at random.
    pub decisions: Decisions,
}

/// Whether decisions between the thresholds of a group are drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decisions {
    /// They are where that is better: the notion holds exactly on the training rows, in expectation, at the least error.
    Randomised {
        /// Seed of the random draws.
        seed: u64,
    },
    /// One threshold for each pattern of groups, near those: the notion holds as far as single thresholds allow.
    Deterministic,
}

impl Default for Decisions {
    fn default() -> Self {
        Self::Randomised { seed: 0 }
    }
}

/// The settings of the Lagrangian approach.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `rate` | 0.01 | > 0 | the learning rate: of Adam for coefficients, of plain steps for multipliers |
/// | `passes` | 100 | ≥ 1 | how many times all rows are gone through |
/// | `batch` | 100 | ≥ 1 | how many rows a step looks at |
/// | `slack_step` | 0.05 | > 0, ≤ 1 | by how much the slack is raised while the solution is degenerate |
/// | `seed` | 0 | | by which rows are put in order |
/// | `sample` | none | ≥ 1 | at most how many rows, drawn at random, are trained on |
///
/// A value out of range is [`Error::Setting`] when training starts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lagrangian {
    /// The learning rate.
    pub rate: f64,
    /// How many times all rows are gone through.
    pub passes: usize,
    /// How many rows a step looks at.
    pub batch: usize,
    /// By how much the slack is raised.
    pub slack_step: f64,
    /// Seed of the order of rows.
    pub seed: u64,
    /// At most how many rows, drawn at random, are trained on; all where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
}

impl Default for Lagrangian {
    fn default() -> Self {
        Self { rate: 0.01, passes: 100, batch: 100, slack_step: 0.05, seed: 0, sample: None }
    }
}

impl Lagrangian {
    /// Whether the settings can be used.
    pub(in crate::correction) fn check(&self) -> Result<()> {
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(Error::setting("rate", self.rate, "a finite number above zero"));
        }
        if self.passes == 0 || self.batch == 0 {
            return Err(Error::setting(if self.passes == 0 { "passes" } else { "batch" }, "0", "one or more"));
        }
        if self.sample == Some(0) {
            return Err(Error::setting("sample", "0", "one row or more"));
        }
        if !(self.slack_step > 0.0 && self.slack_step <= 1.0) {
            return Err(Error::setting("slack_step", self.slack_step, "above 0 and at most 1"));
        }
        Ok(())
    }
}
