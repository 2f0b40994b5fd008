//! Where a search without a bound ends short of evenness: whether going on is worth its cost, and what it costs by fits that were made.

use super::Search;
use super::merit::Merit;
use super::restarts::{Ended, is_better};
use crate::Result;
use crate::bound::Bound;
use crate::correction::solution::TradeOff;
use crate::correction::solvers::oracle::{Point, Target};

impl Search<'_> {
    /// Where a search without a bound ended short: goes on at any cost, and asks for the violation that this finds as a bound. From the end of either it
    /// steps to a fit of least merit, which is kept if its merit is lower than before. What is then left undone costs what asking for it cost. There is no trade-off where
    /// nothing was left, or no fit has less violation.
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
        let count = self.held.len();
        self.held.push(ended.point.clone());
        self.without_bound = Some(ended.point.clone());
        let Some(even) = self.solve_at_any_cost(&merit, uncorrected, &ended)? else {
            self.held.truncate(count);
            return Ok((ended, None));
        };
        let bound = TradeOff::bound_for(violation(&merit, &even));
        let asked = Target { bounds: vec![Bound::MaxViolation(bound).into()], at_any_cost: false };
        let asked = self.solve_beside(&asked, uncorrected, std::slice::from_ref(&even))?.point;
        self.held.push(asked.clone());
        let mut best = ended;
        for start in [&even, &asked] {
            if merit.value(start) < merit.value(&best.point) && !self.is_over() {
                let back = self.descend(&merit, uncorrected, start.clone())?;
                if is_better(&merit, &back, &best) && !merit.is_less_even(&back.point, uncorrected) {
                    best = back;
                }
            }
        }
        self.held.truncate(count);
        let trade_off =
            best.stop.found_no_step().then(|| self.cost_of_asking(&merit, &best.point, &asked, bound)).flatten();
        Ok((best, trade_off))
    }

    /// A fit that is clearly more even, whatever its error: from where a search ended, with other weights too if much was left; or if that leads to none, from no correction.
    /// `None` where neither leads to one.
    fn solve_at_any_cost(&mut self, merit: &Merit, uncorrected: &Point, ended: &Ended) -> Result<Option<Point>> {
        let target = Target { bounds: Vec::new(), at_any_cost: true };
        let evenness = self.merit(&target, uncorrected);
        let mut even = if self.leaves_much(merit, &ended.point) {
            let found = self.solve(&target, &[uncorrected.clone(), ended.point.clone()], &[])?.point;
            self.held.push(found.clone());
            found
        } else {
            self.descend(&evenness, uncorrected, ended.point.clone())?.point
        };
        if !self.is_evener(merit, &even, &ended.point) {
            let anew = Point { rule: self.first_rule, ..uncorrected.clone() };
            even = self.descend(&evenness, uncorrected, anew)?.point;
        }
        Ok(Some(even).filter(|even| self.is_evener(merit, even, &ended.point)))
    }

    /// Steps from a fit with the rule of its own weights, and holds the fit that this ends with.
    fn descend(&mut self, merit: &Merit, uncorrected: &Point, start: Point) -> Result<Ended> {
        self.kept = vec![uncorrected.clone()];
        self.set_rule(start.rule);
        let ended = self.run_trust_region(merit, start)?;
        self.held.push(ended.point.clone());
        Ok(ended)
    }

    /// Whether a fit has clearly less violation than another.
    fn is_evener(&self, merit: &Merit, one: &Point, other: &Point) -> bool {
        violation(merit, other) - violation(merit, one) > self.settings.even
    }

    /// What more evenness costs by the fits that were tried, where a search without a bound ended short and none was asked for: that of the fit which costs the least error for
    /// each point of violation. `None` where no fit was more even, or one is that is worth its error: there the search ended short for another reason than the cost.
    pub(super) fn cost_of_tried(&self, target: &Target, merit: &Merit, ended: &Ended) -> Option<TradeOff> {
        if self.is_asked(target) || !ended.stop.found_no_step() {
            return None;
        }
        let found = &ended.point;
        // The merit function without its regularisation, which is no part of what a user gets.
        let worth = |point: &Point| point.error + merit.penalty * merit.inequalities.infeasibility(&point.sums);
        let evener: Vec<&Point> = self.front.iter().filter(|point| self.is_evener(merit, point, found)).collect();
        if evener.iter().any(|point| worth(point) <= worth(found)) {
            return None;
        }
        let rate = |point: &Point| (point.error - found.error) / (violation(merit, found) - violation(merit, point));
        let least = evener.into_iter().min_by(|one, other| rate(one).total_cmp(&rate(other)))?;
        self.cost_of_asking(merit, found, least, TradeOff::bound_for(violation(merit, least)))
    }

    /// What asking for a bound costs; `None` where that leads to hardly less violation, or costs nothing.
    fn cost_of_asking(&self, merit: &Merit, found: &Point, asked: &Point, bound: f64) -> Option<TradeOff> {
        let (violation, cost) = (violation(merit, asked), asked.error - found.error);
        let costly = self.is_evener(merit, asked, found) && cost > self.settings.tolerance;
        costly.then_some(TradeOff { bound, violation, cost })
    }
}

/// Adds a fit to those that no other surpasses in both violation and error.
pub(super) fn add_to_front(front: &mut Vec<Point>, merit: &Merit, point: &Point) {
    let of = |point: &Point| (violation(merit, point), point.error);
    let surpasses = |one: (f64, f64), other: (f64, f64)| one.0 <= other.0 && one.1 <= other.1;
    if front.iter().any(|other| surpasses(of(other), of(point))) {
        return;
    }
    front.retain(|other| !surpasses(of(point), of(other)));
    front.push(point.clone());
}

/// The largest violation that is searched for.
fn violation(merit: &Merit, point: &Point) -> f64 {
    merit.inequalities.violation(&point.sums)
}
