//! Verdicts: what the interval of the worst number decides about a bound.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Bound;
use super::contrast::{Contrast, Contrasts};
use crate::Result;
use crate::interval::{quantile, simultaneous};

/// Whether a bound holds, as far as rows can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All that the interval holds is within the bound.
    Met,
    /// All that the interval holds is beyond the bound.
    NotMet,
    /// Neither.
    TooFewRows,
    /// Something that the bound limits could not be measured at all, or there is nothing to compare.
    CannotTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::TooFewRows => "too few rows to tell",
            Self::CannotTell => "cannot tell",
        })
    }
}

/// The interval of the worst number; an end that these rows cannot bound is left out.
pub(super) fn interval(contrasts: &Contrasts<'_>, confidence: f64) -> Result<(Option<f64>, Option<f64>)> {
    let (one, all) = (quantile(confidence)?, simultaneous(confidence, contrasts.all.len())?);
    let worst = |end: &dyn Fn(Contrast) -> f64| contrasts.worst(contrasts.all.iter().map(|&contrast| end(contrast)));
    let measured = !contrasts.all.is_empty();
    let all_measured = measured && contrasts.unmeasured.is_empty();
    // What is said to be met must be so: the worse end is corrected for continuity.
    Ok(match contrasts.bound {
        Bound::MinRatio(_) => (
            all_measured.then(|| worst(&|contrast| contrasts.corrected_interval(contrast, one).0)),
            measured.then(|| worst(&|contrast| contrasts.interval(contrast, all).1)),
        ),
        _ => (
            measured.then(|| worst(&|contrast| contrasts.interval(contrast, all).0)),
            all_measured.then(|| worst(&|contrast| contrasts.corrected_interval(contrast, one).1)),
        ),
    })
}

/// Whether the bound holds, by the ends of that interval.
pub(super) fn verdict(contrasts: &Contrasts<'_>, low: Option<f64>, high: Option<f64>) -> Verdict {
    let bound = contrasts.bound;
    let (better, worse) = if matches!(bound, Bound::MinRatio(_)) { (high, low) } else { (low, high) };
    if worse.is_some_and(|worse| bound.holds(worse)) {
        Verdict::Met
    } else if better.is_some_and(|better| !bound.holds(better)) {
        Verdict::NotMet
    } else if contrasts.all.is_empty() || !contrasts.unmeasured.is_empty() {
        Verdict::CannotTell
    } else {
        Verdict::TooFewRows
    }
}
