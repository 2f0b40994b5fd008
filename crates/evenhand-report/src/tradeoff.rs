//! What less violation costs in error, from no correction to full.
//!
//! Holds [`Tradeoff`]: places on the way, each with the rates of groups there.

use evenhand::audit::{Audit, Rate};
use evenhand::correction::Assessment;
use serde::{Deserialize, Serialize};

use crate::groups::Panel;

/// Error against violation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tradeoff {
    /// From no correction on.
    pub places: Vec<Place>,
    /// The place that was chosen.
    pub chosen: Option<usize>,
    /// Which panel of the groups the rates of places are of.
    pub panel: usize,
}

/// A classifier on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// How much of the correction: 0 is none, 1 what was found.
    pub strength: f64,
    /// The share of rows predicted otherwise than labelled.
    pub error: f64,
    /// The largest violation.
    pub violation: Option<f64>,
    /// The rate of everyone, then of each group in the order of the panel, with the ends of its interval.
    pub rates: Vec<[Option<f64>; 3]>,
}

impl Place {
    pub(crate) fn new(strength: f64, assessed: &Assessment, audit: &Audit, panel: &Panel) -> Self {
        let ends = |rate: Rate| [rate.value, rate.low, rate.high];
        Self {
            strength,
            error: assessed.error,
            violation: assessed.violation,
            rates: panel.rates_of(audit).into_iter().map(ends).collect(),
        }
    }
}
