//! Where a search without a bound ends short of evenness: whether going on is worth it, and what it costs, as fits have it.

use super::Search;
use super::merit::Merit;
use super::restarts::{Ended, Target, is_better};
use crate::Result;
use crate::correction::solution::TradeOff;
use crate::correction::solvers::oracle::Point;

impl Search<'_> {
    /// Goes on at any cost from where a search without a bound ended short, and from there to the fit of least merit, if that is lower than
    /// before. What is then left undone has a price that was paid once, by the most even fit that was made. `None` where nothing was left, or no
    /// fit has less violation.
    pub(super) fn go_on(
        &mut self,
        target: &Target,
        uncorrected: &Point,
        ended: Ended,
    ) -> Result<(Ended, Option<TradeOff>)> {
        let merit = self.merit(target, uncorrected);
        let explores = self.oracle.explores() && self.has_derivatives && !self.is_over();
        if self.is_asked(target) || !explores || !ended.stop.found_no_step() {
            return Ok((ended, None));
        }
        let even = self.solve_at_any_cost(&merit, uncorrected, &ended)?;
        let mut best = ended;
        if merit.value(&even) < merit.value(&best.point) {
            self.kept = vec![uncorrected.clone(), best.point.clone(), even.clone()];
            self.set_rule(even.rule);
            let back = self.run_trust_region(&merit, even.clone())?;
            if is_better(&merit, &back, &best) && !merit.is_less_even(&back.point, uncorrected) {
                best = back;
            }
        }
        let most_even = self.most_even.as_ref().filter(|_| best.stop.found_no_step());
        let trade_off = most_even.and_then(|even| self.price(&merit, &best.point, even));
        Ok((best, trade_off))
    }

    /// As even as can be: from where a search ended, and if that left much, with other weights too.
    fn solve_at_any_cost(&mut self, merit: &Merit, uncorrected: &Point, ended: &Ended) -> Result<Point> {
        let target = Target { bounds: Vec::new(), at_any_cost: true };
        let starts = [uncorrected.clone(), ended.point.clone()];
        if self.leaves_much(merit, &ended.point) {
            return Ok(self.solve(&target, &starts, &[])?.point);
        }
        self.kept = starts.to_vec();
        self.set_rule(ended.point.rule);
        let evenness = self.merit(&target, uncorrected);
        Ok(self.run_trust_region(&evenness, ended.point.clone())?.point)
    }

    /// What it costs to be as even as another fit; `None` where that is no more even, or nothing is to be paid for it.
    fn price(&self, merit: &Merit, found: &Point, even: &Point) -> Option<TradeOff> {
        let [left, violation] = [found, even].map(|point| merit.inequalities.violation(&point.sums));
        let cost = even.error - found.error;
        let costly = left - violation > self.settings.even && cost > self.settings.tolerance;
        costly.then_some(TradeOff { violation, cost })
    }
}
