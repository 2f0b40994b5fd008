//! What goes together with rates that are weighted by a column.
//!
//! Their multipliers make a weight a row, by its number as well as its groups and label. Thresholds by group and expected tilts know groups and labels
//! alone, so they are refused by name.

use super::{Apply, Correction, Method, Solver, SqpSettings};
use crate::constraint::Tilt;
use crate::{Error, Result};

impl Correction {
    /// Whether rates that are weighted by a column are asked for with what can do it.
    pub(super) fn check_weighted_rates(&self) -> Result<()> {
        let Some(weighted) = self.notions.iter().find(|notion| notion.weighted_by().is_some()) else { return Ok(()) };
        let refused = |setting, given: &str, allowed: &str| {
            Err(Error::setting(setting, format!("{given} with `{weighted}`"), allowed))
        };
        if matches!(self.method, Method::ThresholdPostprocessing(_) | Method::PercentileThresholds) {
            let allowed = "correction, lagrangian, reweighing or unconstrained: thresholds by group do not know what a rate is weighted by";
            return refused("method", self.method.name(), allowed);
        }
        if self.apply == Apply::Tilt {
            let allowed = "weights: to tilt probabilities, new rows would need the column that the rate is weighted by";
            return refused("apply", "tilt", allowed);
        }
        if matches!(&self.solver, Solver::Sqp(SqpSettings { tilt: Some(Tilt::Expected), .. })) {
            let allowed = "centred or paper: the expected tilt goes by who is in a group, and not by a column";
            return refused("tilt", "expected", allowed);
        }
        if let Some(blind) = self.notions.iter().find(|notion| notion.withholds_groups()) {
            let allowed = "other notions beside it, and `withhold` for columns that the learner may not see";
            return refused("notions", &format!("`{blind}` together"), allowed);
        }
        Ok(())
    }
}
