//! How uneven is good enough: the bounds that people type.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A bound on how uneven rates are between groups.
///
/// Differences and ratios compare groups within one notion and one kind of rate. A constraint
/// with a number of its own to meet (a target rate, pinned rows) has no group to be compared
/// with: it is held to [`Bound::MaxViolation`], or to its number where only others are given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bound {
    /// The largest |overall − group| rate: the paper's definition.
    MaxViolation(f64),
    /// The largest difference between the rates of two groups: fairlearn's definition.
    MaxDifference(f64),
    /// The smallest ratio between the rates of two groups: the four-fifths rule has 0.8.
    MinRatio(f64),
}

impl Bound {
    /// What it is a bound on, in words.
    pub fn measured(&self) -> &'static str {
        match self {
            Self::MaxViolation(_) => "largest |overall - group| rate",
            Self::MaxDifference(_) => "largest difference between two groups",
            Self::MinRatio(_) => "smallest ratio between two groups",
        }
    }

    /// Its name, as in settings and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MaxViolation(_) => "max-violation",
            Self::MaxDifference(_) => "max-difference",
            Self::MinRatio(_) => "min-ratio",
        }
    }

    /// The number.
    pub fn limit(&self) -> f64 {
        match *self {
            Self::MaxViolation(limit) | Self::MaxDifference(limit) | Self::MinRatio(limit) => limit,
        }
    }

    /// Whether a value is within it. A value that is the bound itself but for the rounding of its sums is.
    pub fn holds(&self, value: f64) -> bool {
        // Differences and ratios of sums of a few numbers each: a thousand times the rounding of one.
        const ROUNDING: f64 = 1e3 * f64::EPSILON;
        match *self {
            Self::MaxViolation(limit) | Self::MaxDifference(limit) => value <= limit + ROUNDING,
            Self::MinRatio(limit) => value >= limit - ROUNDING,
        }
    }

    /// Whether it can be asked for.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number outside 0 to 1.
    pub fn check(&self) -> Result<()> {
        let limit = self.limit();
        if (0.0..=1.0).contains(&limit) {
            return Ok(());
        }
        Err(Error::setting(self.name(), limit, "0 to 1"))
    }
}
