//! The default: Newton's method in the multipliers.
//!
//! A fit with given multipliers has violations, and, where the learner has derivatives, so do
//! they: implicitly, through the fit. Each step solves the linearised goal (`step`) within a region
//! in which the linearisation has proved good, so no step size is asked of anyone. Learners without derivatives
//! get the same steps with slopes that are first those of a logistic regression on the same rows, and
//! are then corrected by what each fit shows (Broyden's update).

pub(in crate::correction) mod goal;
mod polish;
mod slopes;
mod span;
mod step;
mod ways;

use self::goal::Goal;
use self::polish::{REACH, polish};
use self::slopes::{Slopes, slopes};
use self::span::{independent, least_norm};
use self::step::{Step, Tangents};
use super::run::{Iterate, Run};
use crate::constraint::{Constraint, Measure, Reference};
use crate::correction::settings::{Bound, SqpSettings};
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination};
use crate::kernel::{Band, CellSums, band};
use crate::learner::{Learner, Logistic, Sensitivity};
use crate::{Error, Result};

/// How far the first step may move an exponent, how far any may, and below what nothing moves.
const RADIUS: [f64; 3] = [2.0, 4.0, 1e-3];

/// Moves of exponents below this are fine: slopes still hold, and whether the next violation is a bit
/// larger or smaller depends on single rows.
const FINE: f64 = 0.3;

/// Steps shorter than this are looked for row by row.
const NEAR: f64 = 2.0 * REACH;

/// What the square of a move weighs, of what the mean squared exponent does: nothing is moved far for next to nothing,
/// least of all where little is missing.
const STILL: [f64; 2] = [0.1, 3.0];

/// How far from zero one multiplier may take an exponent. Weights are then some three thousand
/// times apart, and bounded ones long saturated.
const CAP: f64 = 8.0;

/// A step that makes the worst limit worse by this share of what it was to gain has gone too far.
const WORSE: f64 = 0.25;

/// A limit that falls by less than this share in a step is at its floor.
const SLOW: f64 = 0.03;

/// After so many steps in a row that bring nothing the search ends, and after so many fine ones.
const MISSES: [usize; 2] = [6, 3];

/// The same where what is left is little, and nobody asked for a number.
const NEAR_SLOW: f64 = 0.15;
const NEAR_MISSES: usize = 2;

/// What the mean squared exponent weighs against the worst limit, search after search: the first looks for a
/// correction that is small, the next go where a small one does not lead. The last ones are for
/// bounds, and rates, that were asked for by number: without one, violations that take so much are left.
pub(in crate::correction) const THRIFT: [f64; 5] = [1e-2, 3e-3, 1e-3, 2.5e-4, 2.5e-5];
const UNASKED: usize = 2;

/// The same once a bound is kept: what is left to save is error first.
const KEPT: f64 = 2.5e-4;

/// How many points of error a point of the worst limit may cost: little when no bound was asked for, much when one was.
const PRICE: [f64; 2] = [0.5, 20.0];

/// The least saving for which a goal already reached is approached from inside: a share of the mean squared exponent, or error.
const SAVING: [f64; 2] = [0.1, 1e-3];

/// So many times at most; fewer where a fit may be dear.
const SAVINGS: [usize; 2] = [2, 8];

pub(in crate::correction) fn correct<L: Learner>(
    run: Run<'_, L>,
    newton: SqpSettings,
    observer: &mut dyn Observer,
) -> Result<Solution<L::Predictor>> {
    let mut search = Search::start(run, newton)?;
    let tries = if search.asked() { THRIFT.len() } else { UNASKED };
    let reached = if search.tell(observer) { uninterrupted(search.reach(tries, observer))? } else { None };
    let stop = reached.unwrap_or(Termination::Cancelled);
    Ok(search.into_solution(stop))
}

/// Where the search is, and what it knows.
pub(in crate::correction) struct Search<'a, L: Learner> {
    run: Run<'a, L>,
    goal: Goal,
    newton: SqpSettings,
    /// The multipliers that are moved; the others would move the same exponents.
    free: Vec<usize>,
    gram: Vec<f64>,
    reach: Vec<f64>,
    /// Where steps start from.
    current: Iterate<L::Predictor>,
    /// The multipliers of the last fit, accepted or not: what the learner remembers.
    fitted: Vec<f64>,
    slopes: Slopes,
    /// How the current fit answers to the free multipliers, row by row.
    sensitivity: Option<Box<dyn Sensitivity>>,
    /// Whether the learner has derivatives.
    derivatives: bool,
    radius: f64,
    /// Which of [`THRIFT`] is in use.
    thrift: usize,
    pressed: bool,
}

impl<'a, L: Learner> Search<'a, L> {
    /// With multipliers of zero, and the goal of the settings.
    pub(in crate::correction) fn start(mut run: Run<'a, L>, newton: SqpSettings) -> Result<Self> {
        let first = run.fit(vec![0.0; run.table.multipliers()], false)?;
        let mut search = Self {
            goal: Goal::new(
                run.evaluation_rows(),
                &run.settings.bounds,
                run.settings.measure,
                newton.margin,
                &first.sums,
            ),
            gram: Vec::new(),
            reach: Vec::new(),
            fitted: first.multipliers.clone(),
            current: first,
            slopes: Slopes::default(),
            sensitivity: None,
            derivatives: true,
            radius: RADIUS[0],
            thrift: 0,
            pressed: false,
            run,
            newton,
            free: Vec::new(),
        };
        search.lay_out();
        Ok(search)
    }

    /// Turns to another goal from where it is.
    pub(in crate::correction) fn aim(&mut self, goal: Goal) {
        if goal.limits() != self.goal.limits() {
            self.slopes = Slopes::default();
        }
        self.goal = goal;
    }

    /// Pays for evenness what it would pay for a bound: for those who ask how far it goes.
    pub(in crate::correction) fn press(&mut self) {
        self.pressed = true;
    }

    /// Whether a bound or a rate was asked for by number, or how far it goes.
    fn asked(&self) -> bool {
        let number = |constraint: &Constraint| constraint.reference != Reference::Overall;
        self.pressed || !self.goal.is_point() || self.run.problem.constraints().iter().any(number)
    }

    /// A goal for the rows it is judged by, at the rates of one of its fits, with no more room than it takes to get there.
    pub(in crate::correction) fn goal(&self, bounds: &[Bound], sums: &CellSums) -> Goal {
        Goal::new(self.run.evaluation_rows(), bounds, self.run.settings.measure, 0.0, sums)
    }

    /// What the current fit does.
    pub(in crate::correction) fn cell_sums(&self) -> &CellSums {
        &self.current.sums
    }

    /// Which multipliers are moved, and how they move exponents.
    fn lay_out(&mut self) {
        let (gram, count) = (self.run.table.gram(), self.run.table.multipliers());
        self.free = independent(&gram, count);
        let among = self.free.iter().flat_map(|&row| self.free.iter().map(move |&column| row * count + column));
        self.gram = among.map(|at| gram[at]).collect();
        self.reach = self.free.iter().map(|&at| self.run.table.reach(at)).collect();
        self.slopes = Slopes::default();
    }

    /// Steps until the goal is reached, or cannot be.
    fn go(&mut self, observer: &mut dyn Observer) -> Result<Termination> {
        self.radius = RADIUS[0];
        let mut best: Option<Iterate<L::Predictor>> = None;
        let (mut misses, mut stale) = (0, true);
        let stop = loop {
            if self.goal.excess(&self.current.sums) <= 0.0 {
                return self.save(observer);
            }
            if stale {
                self.renew_slopes()?;
            }
            let before = self.worst(&self.current);
            let Some(mut step) = self.step(THRIFT[self.thrift]) else { break Termination::Stalled };
            let (gain, length) = (before - step.predicted.max(0.0), self.length(&step.moves));
            if gain < 0.1 * SLOW * before {
                break Termination::Infeasible;
            }
            if self.run.tried() >= self.newton.max_fits {
                break Termination::IterationLimit;
            }
            let fine = length < FINE;
            if length < NEAR
                && self.goal.is_close(&self.current.sums)
                && let Some(band) = self.band()?
            {
                let most = (REACH / length).min(1.0);
                let first = step.moves.iter().map(|by| by * most).collect();
                step.moves = polish(self.run.problem, &self.goal, &band, &self.reach, first);
            }
            let Some(experiment) = uninterrupted(self.fit(&step.moves))? else { break Termination::Cancelled };
            let (go_on, after) = (self.told(&experiment, observer), self.worst(&experiment));
            if !self.derivatives {
                self.learn(&step.moves, &experiment);
            }
            let least = best.as_ref().map_or(before, |best| self.worst(best)).min(before);
            let near = self.is_near_enough();
            let slow = if near { NEAR_SLOW } else { SLOW };
            misses = if after < (1.0 - slow) * least { 0 } else { misses + 1 };
            let too_far = after > before + WORSE * gain;
            if after > before - 0.1 * gain && (fine || too_far) {
                self.radius = length.min(self.radius) * if fine { 0.8 } else { 0.4 };
            } else if before - after > 0.5 * gain {
                self.radius = (2.0 * length).max(self.radius).min(RADIUS[1]);
            }
            stale = self.derivatives && (fine || !too_far);
            if fine || !too_far {
                let left = std::mem::replace(&mut self.current, experiment);
                if best.as_ref().is_none_or(|best| before < self.worst(best)) {
                    best = Some(left);
                }
            }
            if !go_on {
                break Termination::Cancelled;
            }
            if misses >= if near { NEAR_MISSES } else { MISSES[usize::from(fine)] } || self.radius < RADIUS[2] {
                break if self.radius < FINE { Termination::Stalled } else { Termination::Infeasible };
            }
        };
        if let Some(best) = best
            && self.worst(&best) < self.worst(&self.current)
        {
            self.current = best;
        }
        let told_apart = !self.goal.is_kept(&self.current.sums);
        Ok(if told_apart || stop == Termination::Cancelled { stop } else { Termination::Converged })
    }

    /// With the goal reached, takes back what it did not need.
    fn save(&mut self, observer: &mut dyn Observer) -> Result<Termination> {
        let mut stale = true;
        for _ in 0..SAVINGS[usize::from(self.derivatives)] {
            // Without a bound there is nothing to save: the goal is a point.
            if self.is_zero() || self.goal.is_point() || self.run.tried() >= self.newton.max_fits {
                break;
            }
            if stale {
                self.renew_slopes()?;
            }
            let Some(step) = self.step(KEPT).filter(|step| self.is_saving(step)) else { break };
            let Some(experiment) = uninterrupted(self.fit(&step.moves))? else { return Ok(Termination::Cancelled) };
            let go_on = self.told(&experiment, observer);
            stale = self.goal.excess(&experiment.sums) <= 0.0
                && self.cost(&experiment) <= self.cost(&self.current) + SAVING[1];
            if stale {
                self.current = experiment;
            } else {
                self.radius = 0.4 * self.length(&step.moves);
            }
            if !go_on {
                return Ok(Termination::Cancelled);
            }
        }
        Ok(Termination::Converged)
    }

    /// What a fit costs: its error, and its worst limit at its price.
    fn cost(&self, iterate: &Iterate<L::Predictor>) -> f64 {
        let error = match self.run.settings.measure {
            Measure::Decisions => self.run.evaluation_rows().error(&iterate.sums),
            // Even scores are an equation to be solved, whatever decisions they lead to.
            Measure::Scores => 0.0,
        };
        error + self.price() * self.worst(iterate)
    }

    /// Whether what is left is not worth other means: single rows decide it, and nobody asked for a number.
    fn is_near_enough(&self) -> bool {
        !self.asked() && self.run.settings.measure == Measure::Decisions && self.goal.is_close(&self.current.sums)
    }

    fn is_zero(&self) -> bool {
        self.current.multipliers.iter().all(|&multiplier| multiplier == 0.0)
    }

    /// The worst distance from where limits are aimed at.
    fn worst(&self, iterate: &Iterate<L::Predictor>) -> f64 {
        self.goal.worst(&iterate.sums)
    }

    fn step(&self, thrift: f64) -> Option<Step> {
        let multipliers: Vec<f64> = self.free.iter().map(|&at| self.current.multipliers[at]).collect();
        let distances = self.goal.distances(&self.current.sums);
        let sensitivities = Tangents {
            multipliers: &multipliers,
            distances: &distances,
            slopes: &self.slopes.distances,
            errors: &self.slopes.errors,
            price: self.price(),
            thrift,
            still: STILL[usize::from(self.goal.is_close(&self.current.sums))],
            gram: &self.gram,
            reach: &self.reach,
            radius: self.radius,
            cap: CAP,
        };
        sensitivities.step()
    }

    /// What a point of the worst limit may cost.
    fn price(&self) -> f64 {
        PRICE[usize::from(self.asked())]
    }

    /// Whether a step lowers the mean squared exponent, or the error, by something worth a fit.
    fn is_saving(&self, step: &Step) -> bool {
        let size = |moves: Option<&[f64]>| {
            let at =
                |place: usize| self.current.multipliers[self.free[place]] + moves.map_or(0.0, |moves| moves[place]);
            let count = self.free.len();
            let product = |at_row: usize, at_column: usize| self.gram[at_row * count + at_column];
            (0..count).flat_map(|r| (0..count).map(move |c| (r, c))).map(|(r, c)| at(r) * product(r, c) * at(c)).sum()
        };
        let (now, then): (f64, f64) = (size(None), size(Some(&step.moves)));
        let error: f64 = step.moves.iter().zip(&self.slopes.errors).map(|(by, slope)| by * slope).sum();
        1.0 - then / now >= SAVING[0] || -error >= SAVING[1]
    }

    /// How far a step moves the exponent that it moves most, one multiplier at a time.
    fn length(&self, moves: &[f64]) -> f64 {
        moves.iter().zip(&self.reach).map(|(by, reach)| (by * reach).abs()).fold(0.0, f64::max)
    }

    fn fit(&mut self, moves: &[f64]) -> Result<Iterate<L::Predictor>> {
        let mut multipliers = self.current.multipliers.clone();
        for (&at, by) in self.free.iter().zip(moves) {
            multipliers[at] += by;
        }
        self.fit_at(multipliers)
    }

    fn fit_at(&mut self, multipliers: Vec<f64>) -> Result<Iterate<L::Predictor>> {
        let moved: Vec<f64> = self.free.iter().map(|&at| multipliers[at] - self.fitted[at]).collect();
        self.run.learner.extrapolate(&mut self.run.warm_start, &moved);
        self.fitted.clone_from(&multipliers);
        self.run.fit(multipliers, false)
    }

    /// Asks the learner how the current fit answers to the multipliers.
    fn renew_slopes(&mut self) -> Result<()> {
        if let Some((slopes, sensitivity)) = slopes(&mut self.run, &self.free, &self.goal, &self.current)? {
            self.slopes = slopes;
            self.sensitivity = Some(sensitivity);
            return Ok(());
        }
        self.derivatives = false;
        if self.slopes.errors.is_empty() {
            let learner = Logistic::default();
            let mut run = Run::new(self.run.problem, self.run.settings, &learner);
            run.table = self.run.table.clone();
            run.observed.clone_from(&self.run.observed);
            let stand_in = run.fit(self.current.multipliers.clone(), false)?;
            let none = || Slopes {
                distances: vec![vec![0.0; self.goal.distances(&stand_in.sums).len()]; self.free.len()],
                errors: vec![0.0; self.free.len()],
            };
            let known = slopes(&mut run, &self.free, &self.goal, &stand_in)?;
            self.slopes = known.map_or_else(none, |(slopes, _)| slopes);
        }
        Ok(())
    }

    /// The rows whose decisions a small step may change; `None` where that cannot be told, or is not asked.
    fn band(&self) -> Result<Option<Band>> {
        let Some(sensitivity) = self
            .sensitivity
            .as_ref()
            .filter(|_| self.run.evaluates_on_training() && self.run.settings.measure == Measure::Decisions)
        else {
            return Ok(None);
        };
        let (problem, count) = (self.run.problem, self.free.len());
        let (features, rows) = (problem.features(), problem.cells().cell_rows());
        band(&self.current.predictor, &**sensitivity, count, features, rows, REACH / 4.0).map(Some)
    }

    /// Corrects the slopes so that they explain the last fit (Broyden's update, in units of exponents).
    fn learn(&mut self, moves: &[f64], experiment: &Iterate<L::Predictor>) {
        let before = self.goal.distances(&self.current.sums);
        let after = self.goal.distances(&experiment.sums);
        let square: f64 = moves.iter().zip(&self.reach).map(|(by, reach)| (by * reach).powi(2)).sum();
        if square == 0.0 {
            return;
        }
        for (limit, (before, after)) in before.iter().zip(&after).enumerate() {
            let foreseen: f64 = moves.iter().zip(&self.slopes.distances).map(|(by, slopes)| by * slopes[limit]).sum();
            let missed = (after - before - foreseen) / square;
            for ((by, reach), slopes) in moves.iter().zip(&self.reach).zip(&mut self.slopes.distances) {
                slopes[limit] += missed * by * reach * reach;
            }
        }
    }

    /// Tells of the fit a run starts with.
    pub(in crate::correction) fn tell(&mut self, observer: &mut dyn Observer) -> bool {
        let done = self.run.record(&self.current, observer.seconds());
        observer.after(done)
    }

    fn told(&mut self, experiment: &Iterate<L::Predictor>, observer: &mut dyn Observer) -> bool {
        if let Some(last) = self.run.trace.last_mut() {
            last.next_multipliers.clone_from(&experiment.multipliers);
        }
        let done = self.run.record(experiment, observer.seconds());
        observer.after(done)
    }

    /// The result, its multipliers the smallest that give the same weights.
    fn into_solution(mut self, stop: Termination) -> Solution<L::Predictor> {
        self.current.multipliers = self.shortest();
        self.run.solution(self.current, stop)
    }

    /// As [`Search::into_solution`], for a search that goes on.
    pub(in crate::correction) fn solution(&mut self, stop: Termination) -> Solution<L::Predictor>
    where
        L::Predictor: Clone,
    {
        let found = Iterate { multipliers: self.shortest(), ..self.current.clone() };
        self.run.solution(found, stop)
    }

    fn shortest(&self) -> Vec<f64> {
        least_norm(&self.run.table.gram(), &self.current.multipliers)
    }
}

/// What a fit gave; `None` where somebody asked to stop: the fits before it stand.
fn uninterrupted<T>(fit: Result<T>) -> Result<Option<T>> {
    match fit {
        Err(Error::Interrupted) => Ok(None),
        other => other.map(Some),
    }
}
