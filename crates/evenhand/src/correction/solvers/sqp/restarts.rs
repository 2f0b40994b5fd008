//! From a target to the best fit that is found: where searches start, with which weights, and which result is kept.

use super::Search;
use super::basis::Basis;
use super::merit::Merit;
use crate::Result;
use crate::constraint::{Constraint, Measure, Tilt, WeightRange, WeightRule};
use crate::correction::problem::Inequalities;
use crate::correction::solvers::oracle::{Point, Target};
use crate::correction::trace::Termination;

/// The weights that are tried where those of the settings end short, in this order.
const PARAMETERISATIONS: [(Tilt, WeightRange); 5] = [
    (Tilt::Expected, WeightRange::Unbounded),
    (Tilt::Centred, WeightRange::Bounded),
    (Tilt::Centred, WeightRange::Unbounded),
    (Tilt::Paper, WeightRange::Bounded),
    (Tilt::Paper, WeightRange::Unbounded),
];

/// Where a search ended, and why.
#[derive(Debug, Clone)]
pub(in crate::correction) struct Ended {
    pub(in crate::correction) point: Point,
    pub(in crate::correction) stop: Termination,
}

impl Search<'_> {
    /// Finds the fit of least merit. The first search begins at the best of `starts` and `candidates`; where it ends short, others begin at the fit without correction, with other weights
    /// too. The first of `starts` is the fit without correction. A start that meets what is asked for is returned at once, a candidate is not.
    pub(in crate::correction) fn solve(
        &mut self,
        target: &Target,
        starts: &[Point],
        candidates: &[Point],
    ) -> Result<Ended> {
        let uncorrected = &starts[0];
        let merit = self.merit(target, uncorrected);
        self.kept = starts.to_vec();
        if let Some(done) = starts.iter().find(|start| merit.inequalities.hold(&start.sums)) {
            return Ok(Ended { point: done.clone(), stop: Termination::Converged });
        }
        let all = starts.iter().chain(candidates);
        let start = all.min_by(|one, other| merit.value(one).total_cmp(&merit.value(other)));
        let start = start.unwrap_or(uncorrected);
        self.even = None;
        self.set_rule(start.rule);
        let mut best = self.run_trust_region(&merit, start.clone())?;
        for rule in self.restarts(target, &merit, start, &best) {
            if self.is_over() {
                break;
            }
            self.kept = [starts, &[best.point.clone()]].concat();
            self.set_rule(rule);
            let found = self.run_trust_region(&merit, Point { rule, ..uncorrected.clone() })?;
            // The tilt by bare membership can move all rows towards one class. Where other weights meet what is asked for too, it is not taken for a few rows less of error.
            let few_rows = rule.tilt == Tilt::Paper
                && best.point.rule.tilt != Tilt::Paper
                && best.stop == Termination::Converged
                && best.point.error - found.point.error < self.settings.even;
            if is_better(&merit, &found, &best) && !few_rows {
                best = found;
            }
        }
        if !self.is_over() && !target.at_any_cost && self.is_far(target, &merit, &best) {
            self.kept = [starts, &[best.point.clone()]].concat();
            let found = self.restore(target, &merit)?;
            if is_better(&merit, &found, &best) {
                best = found;
            }
        }
        if merit.is_less_even(&best.point, uncorrected) {
            best.point = self.even.take().unwrap_or_else(|| uncorrected.clone());
            // The status was that of the fit which this one replaces.
            if best.stop == Termination::Converged && !merit.inequalities.are_met(&best.point.sums) {
                best.stop = Termination::Infeasible;
            }
        }
        if self.cancelled {
            best.stop = Termination::Cancelled;
        }
        Ok(best)
    }

    /// The restoration phase [Fletcher & Leyffer 2002], where all searches ended short: the merit function may have a minimum near no correction that no step
    /// leaves. So rates are made even first, and the search for what was asked begins there. With a bound, rates are made as even as the search without a bound makes them,
    /// so that no result is worse for a bound; without, as even as possible at any cost.
    fn restore(&mut self, target: &Target, merit: &Merit) -> Result<Ended> {
        let uncorrected = self.kept[0].clone();
        if target.bounds.is_empty() {
            let evenness = self.merit(&Target { bounds: Vec::new(), at_any_cost: true }, &uncorrected);
            let rule = self.first_rule;
            self.set_rule(rule);
            let even = self.run_trust_region(&evenness, Point { rule, ..uncorrected })?;
            return self.run_trust_region(merit, even.point);
        }
        let even = match self.without_bound.clone() {
            Some(known) => known,
            None => self.solve_without_bound(&uncorrected)?,
        };
        self.kept.push(even.clone());
        self.set_rule(even.rule);
        self.run_trust_region(merit, even)
    }

    /// The fit that a search without a bound ends with.
    fn solve_without_bound(&mut self, uncorrected: &Point) -> Result<Point> {
        let target = Target { bounds: Vec::new(), at_any_cost: false };
        let ended = self.solve_beside(&target, uncorrected, &[])?;
        let (kept, count) = (self.kept.clone(), self.held.len());
        self.held.extend(kept.iter().cloned());
        let (ended, _) = self.go_on(&target, uncorrected, ended)?;
        self.held.truncate(count);
        self.kept = kept;
        Ok(ended.point)
    }

    /// Makes another search, which begins as the first did but may also start from fits that are `known`. The fits that this search comes back to are held meanwhile.
    pub(super) fn solve_beside(&mut self, target: &Target, uncorrected: &Point, known: &[Point]) -> Result<Ended> {
        let (kept, even, count) = (self.kept.clone(), self.even.take(), self.held.len());
        self.held.extend(kept.iter().chain(&even).cloned());
        self.set_rule(self.first_rule);
        self.held.extend(known.iter().cloned());
        let candidates = [self.candidates(target)?, known.to_vec()].concat();
        let ended = self.solve(target, std::slice::from_ref(uncorrected), &candidates)?;
        self.held.truncate(count);
        (self.kept, self.even) = (kept, even);
        Ok(ended)
    }

    /// Whether a search ended far short, so that restarts are worth their fits: it misses what was asked for, or without a bound leaves much of the infeasibility; or one
    /// decision for everyone has fewer errors.
    fn is_far(&self, target: &Target, merit: &Merit, found: &Ended) -> bool {
        let far = self.leaves_much(merit, &found.point) || self.is_asked(target);
        let short = found.stop.found_no_step() && far || self.is_useless(found);
        self.oracle.explores() && merit.measure == Measure::Decisions && short
    }

    /// Whether one decision for everyone has fewer errors.
    fn is_useless(&self, found: &Ended) -> bool {
        found.point.error > self.oracle.evaluation().constant_error()
    }

    /// Whether more than `restart_share` of the infeasibility without correction is left.
    pub(super) fn leaves_much(&self, merit: &Merit, found: &Point) -> bool {
        let [left, first] = [found, &self.kept[0]].map(|point| merit.inequalities.infeasibility(&point.sums));
        left > self.settings.restart_share * first
    }

    /// Whether a number was asked for: a bound, a rate, or scores that solve an equation; or evenness at any cost.
    pub(super) fn is_asked(&self, target: &Target) -> bool {
        let number = |constraint: &Constraint| constraint.reference.number().is_some();
        let settings = self.oracle.settings();
        target.at_any_cost
            || !target.bounds.is_empty()
            || settings.measure == Measure::Scores
            || self.oracle.evaluation().constraints().iter().any(number)
    }

    pub(super) fn merit(&self, target: &Target, uncorrected: &Point) -> Merit {
        let (problem, measure) = (self.oracle.evaluation(), self.oracle.settings().measure);
        let inequalities = Inequalities::searched(problem, &target.bounds, measure, &self.settings, &uncorrected.sums);
        let penalty = if self.is_asked(target) { self.settings.penalty } else { self.settings.evenness_penalty };
        let tolerance = match measure {
            Measure::Decisions => self.settings.tolerance,
            Measure::Scores => 0.1 * penalty * inequalities.tolerance(),
        };
        Merit { inequalities, penalty, regularisation: self.settings.regularisation, tolerance, measure }
    }

    /// The weights with which to restart from no correction; none where the search did not end short.
    fn restarts(&self, target: &Target, merit: &Merit, start: &Point, best: &Ended) -> Vec<WeightRule> {
        let (found, first) = (&best.point, self.first_rule);
        // Where bounded weights saturate, unbounded ones may reach the same bound at less error, or end less short of it.
        let basis = Basis::new(self.oracle.table(), &merit.left_alone());
        let saturated = self.oracle.explores()
            && merit.measure == Measure::Decisions
            && (merit.inequalities.is_bounded() || best.stop.found_no_step())
            && found.rule.range == WeightRange::Bounded
            && basis.norm(&basis.of(&found.multipliers)) > self.settings.saturation;
        let far = self.is_far(target, merit, best);
        if !saturated && !far {
            return Vec::new();
        }
        let again = (far && start.id != self.kept[0].id).then_some(first);
        let rules = PARAMETERISATIONS.map(|(tilt, range)| WeightRule { tilt, range, ..first });
        let others = rules.into_iter().filter(|rule| {
            // Where expected tilts meet what was asked for, the tilts for learners that see the groups would meet it at more error.
            let wanted = far || first.tilt != Tilt::Expected || rule.tilt == first.tilt;
            let ranges = self.settings.range.is_none_or(|asked| asked == rule.range);
            *rule != first && wanted && ranges && self.oracle.may_take(*rule)
        });
        again.into_iter().chain(others).collect()
    }
}

/// A search that converged is better than one that did not; of two that are alike in this the one of lower merit is better.
pub(super) fn is_better(merit: &Merit, one: &Ended, other: &Ended) -> bool {
    let rank = |ended: &Ended| (ended.stop == Termination::Converged, -merit.value(&ended.point));
    rank(one) > rank(other)
}
