//! What evenness that was left undone would cost.

use super::Search;
use super::basis::Basis;
use super::derivatives::Derivatives;
use super::merit::Merit;
use super::trust_region::subproblem;
use crate::Result;
use crate::correction::solution::TradeOff;
use crate::correction::solvers::oracle::Point;

impl Search<'_> {
    /// The step that a search for a bound would take from here: how even it promises to be, and at what error. `None` where it promises
    /// no less violation, or nothing that costs.
    pub(super) fn predict_trade_off(&mut self, merit: &Merit, found: &Point) -> Result<Option<TradeOff>> {
        let basis = Basis::new(self.oracle.table());
        let derivatives = Derivatives::at(self.oracle, found, &basis, &merit.inequalities)?;
        if !derivatives.exact {
            return Ok(None);
        }
        let (radius, largest) = (self.settings.radius, self.settings.max_exponent);
        let mut model = subproblem(merit, found, &derivatives, &basis, radius, largest);
        model.penalty = self.settings.penalty;
        let Some(step) = model.solve() else { return Ok(None) };
        let (sums, error) = derivatives.predicted(found, &step.moves);
        let violation = merit.inequalities.violation(&sums);
        let (gained, cost) = (merit.inequalities.violation(&found.sums) - violation, error - found.error);
        let worthwhile = gained > self.settings.even && cost > self.settings.tolerance;
        Ok(worthwhile.then_some(TradeOff { violation, cost }))
    }
}
