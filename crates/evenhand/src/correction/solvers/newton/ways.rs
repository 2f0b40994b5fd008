//! By which means a goal is reached: which weights are tried, one after the other, and which are kept.
//!
//! Bounded weights of the centred tilt come first. Where these end short, or saturate, others start from zero
//! again, and what was left is returned to unless they do as well.

use super::{Search, Slopes, uninterrupted};
use crate::Result;
use crate::constraint::{Measure, Tilt, TiltTable, WeightRange, WeightRule};
use crate::correction::solvers::run::Iterate;
use crate::correction::trace::{Observer, Termination};
use crate::learner::Learner;

/// Exponents beyond this change bounded weights little.
const SATURATED: f64 = 3.0;

/// What is tried last where weights were hard to find, and a bound was asked for: which weights, from where.
const RESORTS: [(Tilt, WeightRange, Start); 3] = [
    (Tilt::Paper, WeightRange::Bounded, Start::Zero),
    (Tilt::Paper, WeightRange::Unbounded, Start::Zero),
    (Tilt::Paper, WeightRange::Bounded, Start::Drift),
];

/// Which of `THRIFT` these begin with: moving all rows is not small.
const BARE: usize = 3;

/// How far the paper's loop moves multipliers for a violation of 1 when it is only to find a place to start from, and
/// how often at most.
const DRIFT: f64 = 8.0;
const DRIFTS: usize = 15;

/// Where a search starts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Start {
    Zero,
    /// Where some loops of the paper lead: the bare tilt has many ways to the same violation, and those that go straight
    /// for it may end where the error is higher.
    Drift,
}

/// Where a search was when it started from zero again.
struct Left<P> {
    table: TiltTable,
    current: Iterate<P>,
    thrift: usize,
    stop: Termination,
}

impl<L: Learner> Search<'_, L> {
    /// Steps towards the goal by all means there are. Where it had gone some way for another goal, it goes on
    /// from there, and starts from zero again only if that leads nowhere.
    pub(in crate::correction) fn reach(&mut self, tries: usize, observer: &mut dyn Observer) -> Result<Termination> {
        let again = !self.is_zero();
        let mut stop = self.go(observer)?;
        let mut left = None;
        if again {
            if !may_go_on(stop) {
                return Ok(stop);
            }
            left = Some(self.leave(self.run.table.rule(), stop)?);
            // Those of a learner without derivatives were learnt elsewhere; with derivatives they are asked for anyway.
            self.slopes = Slopes::default();
            stop = self.go(observer)?;
        }
        if self.is_near_enough() {
            return Ok(left.map_or(stop, |left| self.settle(left, stop)));
        }
        // Bounded weights that saturate can be had in a roundabout way, at a price: where they were hard to find,
        // others are looked at as well.
        let hard = may_go_on(stop)
            || stop == Termination::Converged && (again || self.asked() && self.derivatives && self.is_saturated());
        if hard {
            stop = self.resort((Tilt::Centred, WeightRange::Unbounded, Start::Zero), 0, stop, observer)?;
        }
        while may_go_on(stop) && self.thrift + 1 < tries {
            self.thrift += 1;
            stop = self.go(observer)?;
        }
        for means in RESORTS {
            if hard && self.asked() && stop != Termination::Cancelled {
                stop = self.resort(means, BARE, stop, observer)?;
            }
        }
        Ok(left.map_or(stop, |left| self.settle(left, stop)))
    }

    /// Tries weights of another rule, unless a kind of weights was asked for, or the multipliers themselves.
    fn resort(
        &mut self,
        (tilt, range, start): (Tilt, WeightRange, Start),
        thrift: usize,
        stop: Termination,
        observer: &mut dyn Observer,
    ) -> Result<Termination> {
        let rule = WeightRule { tilt, range, ..self.run.table.rule() };
        // What undoes the shift of features was laid out for the tilt that the search began with.
        let laid_out = self.run.observed.is_some() && tilt != self.run.table.rule().tilt;
        let asked_for =
            self.newton.range.is_some_and(|asked| asked != range) || self.run.settings.measure == Measure::Scores;
        // A learner without derivatives is dear, and another search from zero with the same weights would lead to the same.
        let in_vain = if start == Start::Drift { !self.derivatives } else { rule == self.run.table.rule() };
        if asked_for || laid_out || in_vain || self.run.tried() >= self.newton.max_fits {
            return Ok(stop);
        }
        let left = self.leave(rule, stop)?;
        self.thrift = thrift;
        let go_on = start == Start::Zero || self.drift(observer)?;
        let further = if go_on { self.go(observer)? } else { Termination::Cancelled };
        Ok(self.settle(left, further))
    }

    /// Moves multipliers against violations, as the paper's loop does, until the goal is reached or for some loops. Whether
    /// to go on.
    fn drift(&mut self, observer: &mut dyn Observer) -> Result<bool> {
        for _ in 0..DRIFTS {
            if self.goal.excess(&self.current.sums) <= 0.0 || self.run.tried() >= self.newton.max_fits {
                break;
            }
            let mut multipliers = self.current.multipliers.clone();
            self.run.move_against(&self.current.violations, DRIFT, &mut multipliers);
            let Some(experiment) = uninterrupted(self.fit_at(multipliers))? else { return Ok(false) };
            let go_on = self.told(&experiment, observer);
            self.current = experiment;
            if !go_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes back to zero, with weights of some rule.
    fn leave(&mut self, rule: WeightRule, stop: Termination) -> Result<Left<L::Predictor>> {
        let start = self.fit_at(vec![0.0; self.current.multipliers.len()])?;
        let table = std::mem::replace(&mut self.run.table, self.run.problem.tilt_table(rule));
        let (current, thrift) = (std::mem::replace(&mut self.current, start), std::mem::take(&mut self.thrift));
        self.lay_out();
        Ok(Left { table, current, thrift, stop })
    }

    /// Returns to what was left, unless what was found since is as good.
    fn settle(&mut self, left: Left<L::Predictor>, stop: Termination) -> Termination {
        if self.is_as_good(&left.current) {
            return stop;
        }
        (self.run.table, self.current, self.thrift) = (left.table, left.current, left.thrift);
        self.lay_out();
        if stop == Termination::Cancelled { stop } else { left.stop }
    }

    /// Whether the current fit is as close to the goal as another; where both reach it, whether its error is as low.
    fn is_as_good(&self, other: &Iterate<L::Predictor>) -> bool {
        let reached = |iterate: &Iterate<L::Predictor>| self.asked() && self.goal.excess(&iterate.sums) <= 0.0;
        match (reached(&self.current), reached(other)) {
            (true, true) => {
                self.run.evaluation_rows().error(&self.current.sums) <= self.run.evaluation_rows().error(&other.sums)
            }
            (false, false) => self.cost(&self.current) <= self.cost(other),
            (current, _) => current,
        }
    }

    /// Whether exponents are so large that bounded weights hardly answer to them any more.
    fn is_saturated(&self) -> bool {
        let multipliers: Vec<f64> = self.free.iter().map(|&at| self.current.multipliers[at]).collect();
        self.run.table.rule().range == WeightRange::Bounded && self.length(&multipliers) > SATURATED
    }
}

/// Whether a search that ended so may lead further by other means.
fn may_go_on(stop: Termination) -> bool {
    matches!(stop, Termination::Infeasible | Termination::Stalled)
}
