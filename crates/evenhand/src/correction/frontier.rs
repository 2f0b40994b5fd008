//! The trade-off between error and violation: one warm-started path of solutions from bound to bound.
//!
//! Holds [`Frontier`] and its [`Point`]s. Every point is the solution that a correction with that bound looks
//! for, but its search starts from the best of the fits so far, with the learner's warm start at hand, so that a few
//! steps suffice.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::at_threshold::is_same;
use super::evaluation::Metrics;
use super::problem::{EvaluationRows, Inequalities, Problem};
use super::settings::{Apply, Correction, Solver, SqpSettings, Threshold};
use super::solution::Solution;
use super::solvers::oracle::{Solves, Target};
use super::solvers::run::Run;
use super::solvers::sqp::{Ended, Search};
use super::solvers::tilted_run::TiltedRun;
use super::trace::{Observer, Termination};
use crate::bound::{Bound, NotionBound};
use crate::constraint::{Constraint, Tilt, WeightRule};
use crate::learner::Learner;
use crate::{Error, Result, Warning};

/// The setting that says how many points to look for.
const POINTS: &str = "points";

/// The most points of a path: more would show no more of the curve, and the classifiers of all points are kept in memory.
const MOST_POINTS: usize = 1000;

/// Solutions from the uncorrected classifier to the smallest violation that weights reach.
#[derive(Debug)]
pub struct Frontier<P> {
    /// In the order in which less violation was asked for; the first is not corrected.
    pub points: Vec<Point<P>>,
}

/// One solution, and what was asked of it.
#[derive(Debug)]
pub struct Point<P> {
    /// What was asked.
    pub asked: Asked,
    /// What was found. Fits, iterations and warnings are those that led here from the point before.
    pub solution: Solution<P>,
    /// Whether another point has no more violation and no more error on the same rows, and less of one.
    pub dominated: bool,
}

/// Points, and all that was to be asked on the way.
pub(super) type Path<P> = (Vec<Point<P>>, Vec<Asked>);

/// What is asked of a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// Nothing: no correction.
    Nothing,
    /// At most this violation.
    MaxViolation(f64),
    /// As little violation as the rows can tell.
    Evenness,
}

impl Asked {
    /// The bound in it.
    pub fn bound(&self) -> Option<f64> {
        match *self {
            Self::MaxViolation(most) => Some(most),
            Self::Nothing | Self::Evenness => None,
        }
    }
}

impl<P> Frontier<P> {
    /// The smallest violation that weights led to, on the rows by which multipliers are chosen, where they did not
    /// lead to what was asked.
    pub fn floor(&self) -> Option<f64> {
        self.points.last().filter(|last| last.solution.stop.found_no_step())?;
        self.points.iter().filter_map(|point| point.validation().violation).reduce(f64::min)
    }

    /// From which probabilities on rows are decided positive, in a sentence, where these were chosen.
    pub fn decided_from(&self, settings: &Correction) -> Option<String> {
        let first = self.points.first().filter(|_| settings.threshold == Threshold::Best)?;
        let from = first.solution.threshold;
        let others = self.points.iter().any(|point| !is_same(point.solution.threshold, from));
        let others = if others { ", or of 0.5, point by point" } else { "" };
        let why = "the threshold at which the fit without correction errs least on the training rows";
        Some(format!("Rows are decided positive above a probability of {from:.4}, {why}{others}."))
    }

    /// What to know about its points, each thing once.
    pub fn warnings(&self) -> Vec<Warning> {
        let (mut unconverged, mut warnings) = (0, Vec::new());
        for warning in self.points.iter().flat_map(|point| &point.solution.warnings) {
            match warning {
                Warning::LearnerNotConverged { fits } => unconverged += fits,
                other if !warnings.contains(other) => warnings.push(other.clone()),
                _ => {}
            }
        }
        if unconverged > 0 {
            warnings.push(Warning::LearnerNotConverged { fits: unconverged });
        }
        warnings
    }

    /// How many times the learner was called for all points.
    pub fn fits(&self) -> usize {
        self.points.iter().map(|point| point.solution.fits).sum()
    }
}

impl Correction {
    /// Traces error against violation on rows that are already encoded and grouped: from the
    /// uncorrected classifier, through bounds on the violation ([`Bound::MaxViolation`]) that lie
    /// closer the smaller they are, to as little violation as the rows can tell.
    ///
    /// Bounds in the settings on single notions ([`Bound::on`]) hold all along the path, which then goes through bounds on the
    /// others: so a target rate is kept while evenness is traded for error.
    ///
    /// There are at most `points` points. The path ends early where weights lead no further,
    /// and a bound that the point before it meets anyway makes none of its own. `max_fits` is for each point.
    ///
    /// # Errors
    /// As [`Correction::fit`]; [`Error::Setting`] with bounds for all notions in the settings, with a preset that has no
    /// goal to search for, or with fewer than two points or more than 1,000.
    pub fn frontier<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        points: usize,
        observer: &mut dyn Observer,
    ) -> Result<Frontier<L::Predictor>> {
        self.check_for(problem)?;
        let settings = self.traceable(points)?;
        let (mut found, grid) = self.paths_at(problem, learner, (settings, points, None), observer)?;
        let cancelled = found.iter().any(|point| point.solution.stop == Termination::Cancelled);
        if self.threshold == Threshold::Best && !cancelled {
            let threshold = found[0].solution.classifier().best_threshold(problem, |_| true)?;
            if !is_same(threshold, problem.threshold()) {
                let decided = problem.deciding_at(threshold);
                let (mut other, _) = self.paths_at(&decided, learner, (settings, points, Some(grid)), observer)?;
                other.extend(found.into_iter().skip(1));
                found = best_of_all(other);
            }
        }
        mark_dominated(&mut found);
        Ok(Frontier { points: found })
    }

    /// The path with decisions at the threshold of a problem, through these bounds or, without any, through bounds of its own.
    fn paths_at<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        along: (SqpSettings, usize, Option<Vec<Asked>>),
        observer: &mut dyn Observer,
    ) -> Result<Path<L::Predictor>> {
        let (part, evaluation) = EvaluationRows::split(self, problem, learner)?;
        let rows = part.as_ref().unwrap_or(problem);
        match self.apply {
            Apply::Tilt => paths(&mut TiltedRun::fit(evaluation, rows, self, learner)?, along, observer),
            Apply::Weights => paths(&mut Run::before(evaluation, rows, self, learner)?, along, observer),
        }
    }

    /// Whether a frontier may have so many points; tracing one asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for fewer than two, or more than 1,000.
    pub fn check_points(points: usize) -> Result<()> {
        if (2..=MOST_POINTS).contains(&points) {
            return Ok(());
        }
        Err(Error::setting(POINTS, points, format!("2 to {MOST_POINTS}")))
    }

    /// Whether these settings have a frontier.
    pub(super) fn traceable(&self, points: usize) -> Result<SqpSettings> {
        Self::check_points(points)?;
        let other = |one: &&NotionBound| one.notion.is_none() || !matches!(one.bound, Bound::MaxViolation(_));
        if let Some(bound) = self.bounds.iter().find(other) {
            let allowed = "max-violation on single notions, or none: a frontier goes through bounds of its own";
            return Err(Error::setting(bound.bound.name(), bound.bound.limit(), allowed));
        }
        let path = NotionBound::from(Bound::MaxViolation(0.0));
        if !self.notions.iter().any(|notion| path.limits(notion, &self.bounds)) {
            return Err(Error::setting("bounds", "one for every notion", "a notion without one, for the path"));
        }
        if !self.method.is_correction() {
            return Err(Error::setting("method", self.method, "correction: other methods have no path to trace"));
        }
        match self.solver {
            Solver::Sqp(settings) => Ok(settings),
            Solver::Loop(_) => {
                Err(Error::setting("preset", "the loop of the paper", "the default: the loop looks for no bound"))
            }
        }
    }
}

/// The best of the paths that a run can take: with its usual weights, and where these are of expected tilts with those of the row's own
/// groups too.
pub(super) fn paths<R: Solves>(
    run: &mut R,
    (settings, points, through): (SqpSettings, usize, Option<Vec<Asked>>),
    observer: &mut dyn Observer,
) -> Result<Path<R::Predictor>> {
    let (mut found, grid) = trace(run, settings, points, through, observer)?;
    let cancelled = |found: &[Point<_>]| found.iter().any(|point| point.solution.stop == Termination::Cancelled);
    let other = WeightRule { tilt: Tilt::Centred, ..run.table().rule() };
    if run.table().is_by_row() && run.may_take(other) && !cancelled(&found) {
        run.set_rule(other);
        found.extend(trace(run, settings, points, Some(grid.clone()), observer)?.0.into_iter().skip(1));
    }
    Ok((best_of_all(found), grid))
}

/// For every bound that was asked for the point of least error that meets it, whatever it was found for. What meets a bound meets a looser one, so
/// that error never falls as bounds become tighter. Each point stays once, at the first of its bounds.
fn best_of_all<P>(mut found: Vec<Point<P>>) -> Vec<Point<P>> {
    // From loose to tight; the first is not corrected, and evenness comes last.
    let place = |point: &Point<P>| match point.asked {
        Asked::Nothing => f64::INFINITY,
        Asked::MaxViolation(most) => most,
        Asked::Evenness => 0.0,
    };
    found.sort_by(|one, other| place(other).total_cmp(&place(one)));
    let places: Vec<(f64, f64)> = found.iter().map(Point::place).collect();
    let converged: Vec<bool> = found.iter().map(|point| point.solution.stop == Termination::Converged).collect();
    let best = |at: usize| {
        // The point at which a path ended short is kept, since it shows how far weights go.
        let bound = if converged[at] { place(&found[at]).max(places[at].0) } else { f64::NEG_INFINITY };
        let meets = (1..found.len()).filter(|&other| other == at || converged[other] && places[other].0 <= bound);
        let key = |at: usize| (places[at].1, places[at].0);
        meets.min_by(|&one, &other| key(one).partial_cmp(&key(other)).unwrap_or(Ordering::Equal)).unwrap_or(at)
    };
    let chosen: Vec<usize> = (0..found.len()).map(|at| if at == 0 { 0 } else { best(at) }).collect();
    let asked: Vec<Asked> = found.iter().map(|point| point.asked).collect();
    let mut all: Vec<Option<Point<P>>> = found.into_iter().map(Some).collect();
    let mut kept: Vec<Point<P>> = Vec::with_capacity(all.len());
    for (at, &from) in chosen.iter().enumerate() {
        if let Some(point) = all[from].take() {
            kept.push(Point { asked: asked[at], ..point });
        }
    }
    // Fits that led to points which are dropped are counted too.
    let rest: usize = all.iter().flatten().map(|point| point.solution.fits).sum();
    if let Some(last) = kept.last_mut() {
        last.solution.fits += rest;
    }
    kept
}

/// The path itself. Each search starts from the best of the fits so far.
fn trace<R: Solves>(
    run: &mut R,
    settings: SqpSettings,
    points: usize,
    through: Option<Vec<Asked>>,
    observer: &mut dyn Observer,
) -> Result<Path<R::Predictor>> {
    // The path shows what every violation costs, so that its searches aim at the bounds themselves, without a margin.
    let settings = SqpSettings { margin: 0.0, ..settings };
    let mut search = Search::new(run, settings, observer);
    let mut fits = vec![search.uncorrected()?];
    let mut go_on = !search.is_cancelled();
    let mut found = vec![Point::new(Asked::Nothing, run.solution_at(&fits[0], Termination::Converged)?)];
    let (rows, measure, sums) = (run.evaluation(), run.settings().measure, &fits[0].sums);
    // Bounds that hold all along the path.
    let fixed = &run.settings().bounds;
    let evenness = Inequalities::searched(rows, fixed, measure, &settings, sums);
    found[0].solution.warnings.extend(evenness.warnings(rows.constraints(), &settings));
    // A bound of zero becomes what the rows can tell from it.
    let zero = NotionBound::from(Bound::MaxViolation(0.0));
    let free = |constraint: &Constraint| zero.limits(&constraint.notion, fixed);
    let violations = rows.constraints().iter().zip(rows.violations(sums, measure));
    let most = violations.filter(|(one, _)| free(one)).fold(0.0, |most: f64, (_, one)| most.max(one.abs()));
    let smallest = Inequalities::searched(rows, std::slice::from_ref(&zero), measure, &settings, sums).upper();
    let fixed = fixed.clone();
    let through = through.unwrap_or_else(|| grid(most, smallest.max(evenness.tolerance()), points));
    for &asked in &through {
        if !go_on {
            break;
        }
        let along = asked.bound().map(|most| NotionBound::from(Bound::MaxViolation(most)));
        let target = Target { bounds: fixed.iter().cloned().chain(along).collect(), at_any_cost: true };
        let mut search = Search::new(run, settings, observer);
        let candidates = search.candidates(&target)?;
        let Ended { point: last, stop } = search.solve(&target, &fits, &candidates)?;
        if fits.iter().any(|fit| fit.id == last.id) && stop == Termination::Converged {
            continue;
        }
        // Where a bound is missed by less than the rows can tell the path ends, but this is not the smallest violation that weights reach.
        let even = !matches!(stop, Termination::Converged | Termination::Cancelled) && evenness.are_met(&last.sums);
        let (asked, ended) = if even { (Asked::Evenness, Termination::Converged) } else { (asked, stop) };
        found.push(Point::new(asked, run.solution_at(&last, ended)?));
        fits.push(last);
        go_on = stop == Termination::Converged;
    }
    Ok((found, through))
}

/// The bounds of the path, from below `most` down to `least`, the smallest violation that the rows can tell. The
/// distance to `least` decreases quadratically, so that points are dense where violations are small.
fn grid(most: f64, least: f64, points: usize) -> Vec<Asked> {
    let last = points - 1;
    let bound = |at: usize| least + (most - least).max(0.0) * (1.0 - at as f64 / last as f64).powi(2);
    (1..last).map(|at| Asked::MaxViolation(bound(at))).chain([Asked::Evenness]).collect()
}

impl<P> Point<P> {
    fn new(asked: Asked, solution: Solution<P>) -> Self {
        Self { asked, solution, dominated: false }
    }

    /// Whether what was asked is reached, for every group: for those too that have too few rows to be searched for.
    pub fn is_met(&self) -> bool {
        let holds = |most| Bound::MaxViolation(most).holds(self.validation().violation.unwrap_or(0.0));
        self.solution.stop == Termination::Converged && self.asked.bound().is_none_or(holds)
    }

    /// Its metrics on the rows that multipliers are chosen on: the training rows, unless others were asked for.
    pub fn validation(&self) -> &Metrics {
        self.solution.validation.as_ref().unwrap_or(&self.solution.train)
    }

    /// Violation and error.
    fn place(&self) -> (f64, f64) {
        (self.validation().violation.unwrap_or(0.0), self.validation().error)
    }
}

pub(super) fn mark_dominated<P>(points: &mut [Point<P>]) {
    let places: Vec<(f64, f64)> = points.iter().map(Point::place).collect();
    for point in points {
        let own = point.place();
        point.dominated = places.iter().any(|other| other.0 <= own.0 && other.1 <= own.1 && *other != own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_lie_closer_the_smaller_they_are() {
        let grid = grid(0.41, 0.01, 5);
        let bounds: Vec<f64> = grid.iter().filter_map(Asked::bound).collect();
        let expected = [0.235, 0.11, 0.035];
        assert!(bounds.iter().zip(expected).all(|(bound, expected)| (bound - expected).abs() < 1e-12), "{bounds:?}");
        assert_eq!((bounds.len(), grid.last()), (3, Some(&Asked::Evenness)));
    }

    #[test]
    fn two_points_are_the_ends() {
        assert_eq!(grid(0.2, 0.001, 2), [Asked::Evenness]);
    }
}
