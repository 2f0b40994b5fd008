//! What a correction aims at, as linear inequalities between rates.
//!
//! Bounds of every kind, and evenness itself, become [`Limit`]s: a combination of rates that
//! must not exceed a number. Being linear in the sums per cell, they take derivatives
//! of these sums as well as the sums themselves.

use crate::constraint::{Constraint, Functional, Measure, Reference};
use crate::correction::problem::Problem;
use crate::correction::settings::Bound;
use crate::kernel::CellSums;

/// Violations below this are not worth another fit, however many rows there are.
const EVEN: f64 = 1e-3;

/// Nor are those below this share of their own standard error, though finer ones are welcome:
/// other rows would have others.
const NOISE: f64 = 0.5;

/// How much finer.
const FINER: f64 = 0.1;

/// Bounds are aimed at from below, but no lower than this share of them.
const ROOM: f64 = 0.5;

/// Scores change smoothly with the multipliers, so their violations can be made as small as this.
const EVEN_SCORES: f64 = 1e-8;

/// All limits, every one of which must be kept.
#[derive(Debug)]
pub(in crate::correction) struct Goal {
    functionals: Vec<Option<Functional>>,
    measure: Measure,
    bounded: bool,
    limits: Vec<Limit>,
}

/// `Σ coefficient · term ≤ most`.
#[derive(Debug)]
struct Limit {
    terms: Vec<(Term, f64)>,
    most: f64,
    /// How far above `most` is still good enough.
    slack: f64,
    /// How far above `most` rows like these could not tell from it; with a bound that was asked for, nothing.
    noise: f64,
    /// How far below `most` to aim, so as to end on the right side of it.
    aim: f64,
}

#[derive(Debug, Clone, Copy)]
enum Term {
    /// The violation of a constraint.
    Violation(usize),
    /// The rate of a constraint's group.
    Rate(usize),
}

impl Goal {
    /// Turns bounds into limits; without bounds, the goal is that violations vanish, as far as
    /// the rows can tell. How far that is, and how far below a bound so many standard errors are, is judged
    /// by the rates of `sums`.
    pub(in crate::correction) fn new(
        problem: &Problem,
        bounds: &[Bound],
        measure: Measure,
        margin: f64,
        sums: &CellSums,
    ) -> Self {
        let functionals = problem.functionals().to_vec();
        let mut goal = Self { functionals, measure, bounded: !bounds.is_empty(), limits: Vec::new() };
        let of = |at: usize| goal.functionals[at].as_ref().map_or([EVEN; 2], |one| precision(one, measure, sums));
        let (tolerance, noise): (Vec<f64>, Vec<f64>) =
            (0..problem.constraints().len()).map(of).map(|[tolerance, noise]| (tolerance, noise)).unzip();
        let below = |at: usize| {
            let error = goal.functionals[at].as_ref().map_or(0.0, |one| one.sampling_error(sums));
            tolerance[at].max(margin * error)
        };
        let below: Vec<f64> = (0..tolerance.len()).map(below).collect();
        let compared = bounds.iter().any(|bound| !matches!(bound, Bound::MaxViolation(_)));
        let violation = bounds.iter().filter_map(|bound| match bound {
            Bound::MaxViolation(most) => Some(*most),
            _ => None,
        });
        let violation = violation.reduce(f64::min);
        for (at, constraint) in problem.constraints().iter().enumerate() {
            match violation {
                Some(most) => goal.push_violation(at, constraint, most, below[at].min(ROOM * most)),
                None if compared && constraint.reference == Reference::Overall => {}
                None if goal.is_mirrored(problem.constraints(), at) => {}
                None => goal.push_difference(at, constraint, [tolerance[at], noise[at]]),
            }
        }
        for bound in bounds {
            match *bound {
                Bound::MaxDifference(most) => goal.push_pairs(problem.constraints(), 1.0, most, &below),
                Bound::MinRatio(least) => goal.push_pairs(problem.constraints(), least, 0.0, &below),
                Bound::MaxViolation(_) => {}
            }
        }
        goal
    }

    /// Whether the complement of a constraint's group asks for the same already, and is the smaller of the two.
    fn is_mirrored(&self, constraints: &[Constraint], at: usize) -> bool {
        let Some(own) = &self.functionals[at] else { return false };
        constraints.iter().zip(&self.functionals).enumerate().any(|(place, (other, functional))| {
            let first = |functional: &Functional| {
                functional.share() < own.share() || (functional.share() <= own.share() && place < at)
            };
            let mirror = |functional: &Functional| functional.is_complement(own) && first(functional);
            place != at && constraints[at].is_comparable_with(other) && functional.as_ref().is_some_and(mirror)
        })
    }

    fn push_violation(&mut self, at: usize, constraint: &Constraint, most: f64, aim: f64) {
        self.push(at, constraint, 1.0, &Limit { terms: Vec::new(), most, slack: 0.0, noise: 0.0, aim });
    }

    /// That a group's rate is that of the others: as a violation over the share of the others, so that a group
    /// and its complement ask for the same, and as precisely.
    fn push_difference(&mut self, at: usize, constraint: &Constraint, [slack, noise]: [f64; 2]) {
        let scale = self.functionals[at].as_ref().map_or(1.0, |functional| functional.others().recip());
        self.push(
            at,
            constraint,
            scale,
            &Limit { terms: Vec::new(), most: 0.0, slack: slack * scale, noise: noise * scale, aim: 0.0 },
        );
    }

    /// A violation, scaled, must keep a limit on either side.
    fn push(&mut self, at: usize, constraint: &Constraint, scale: f64, limit: &Limit) {
        let mut push = |sign| self.limits.push(Limit { terms: vec![(Term::Violation(at), sign * scale)], ..*limit });
        push(1.0);
        if !matches!(constraint.reference, Reference::AtLeast(_)) {
            push(-1.0);
        }
    }

    /// `share · rate of one − rate of another ≤ most`, for every two groups that can be compared.
    fn push_pairs(&mut self, constraints: &[Constraint], share: f64, most: f64, below: &[f64]) {
        for (one, first) in constraints.iter().enumerate() {
            for (other, second) in constraints.iter().enumerate() {
                if one != other && first.is_comparable_with(second) {
                    let terms = vec![(Term::Rate(one), share), (Term::Rate(other), -1.0)];
                    // Where the bound is a ratio, `most` is zero: rates below 1 leave this much of them.
                    let room = if most > 0.0 { ROOM * most } else { ROOM * (1.0 - share) };
                    // Of a difference between two groups that are compared with everyone each.
                    let aim = below[one].hypot(below[other]).min(room);
                    self.limits.push(Limit { terms, most, slack: 0.0, noise: 0.0, aim });
                }
            }
        }
    }

    /// How many limits there are.
    pub(in crate::correction) fn limits(&self) -> usize {
        self.limits.len()
    }

    /// How far each limit is from where it is aimed at: positive above.
    pub(in crate::correction) fn distances(&self, sums: &CellSums) -> Vec<f64> {
        self.limits.iter().map(|limit| self.value(limit, sums) - limit.most + limit.aim).collect()
    }

    /// The largest of them, or zero.
    pub(in crate::correction) fn worst(&self, sums: &CellSums) -> f64 {
        self.distances(sums).into_iter().fold(0.0, f64::max)
    }

    /// How far each limit is above its number, with no room to aim below it: linear in the sums per cell, since no
    /// violation is cut off at zero.
    pub(in crate::correction) fn levels(&self, sums: &CellSums) -> Vec<f64> {
        let violation = |one: &Functional| one.reference(sums, self.measure) - one.group_rate(sums, self.measure);
        let term = |&(term, coefficient): &(Term, f64)| {
            let (Term::Violation(at) | Term::Rate(at)) = term;
            let value = |one: &Functional| match term {
                Term::Violation(_) => violation(one),
                Term::Rate(_) => one.group_rate(sums, self.measure),
            };
            self.functionals[at].as_ref().map_or(0.0, |one| coefficient * value(one))
        };
        self.limits.iter().map(|limit| limit.terms.iter().map(term).sum::<f64>() - limit.most).collect()
    }

    /// How the distances answer to a change of the sums per cell.
    pub(in crate::correction) fn slopes(&self, change: &CellSums) -> Vec<f64> {
        let slope = |&(term, coefficient): &(Term, f64)| {
            let (Term::Violation(at) | Term::Rate(at)) = term;
            let Some(functional) = self.functionals[at].as_ref() else { return 0.0 };
            coefficient
                * match term {
                    Term::Violation(_) => functional.slope(change, self.measure),
                    Term::Rate(_) => functional.group_rate(change, self.measure),
                }
        };
        self.limits.iter().map(|limit| limit.terms.iter().map(slope).sum()).collect()
    }

    /// The largest excess over what is good enough; not positive when the goal is reached.
    pub(in crate::correction) fn excess(&self, sums: &CellSums) -> f64 {
        // Half way from a bound to where it is aimed at will do.
        let excess = |limit: &Limit| self.value(limit, sums) - limit.most - limit.slack + 0.5 * limit.aim;
        self.limits.iter().map(excess).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether it is that violations vanish: then there is no room in which a correction could be smaller.
    pub(in crate::correction) fn is_point(&self) -> bool {
        !self.bounded
    }

    /// How much of any limit is good enough: with evenness as the goal, what single rows decide.
    pub(in crate::correction) fn slack(&self) -> f64 {
        self.limits.iter().map(|limit| limit.slack).fold(0.0, f64::max)
    }

    /// The worst distance at which every limit is certainly kept.
    pub(in crate::correction) fn enough(&self) -> f64 {
        self.limits.iter().map(|limit| limit.aim.max(limit.slack)).fold(f64::INFINITY, f64::min)
    }

    /// Whether what is left is so little that single rows decide it.
    pub(in crate::correction) fn is_close(&self, sums: &CellSums) -> bool {
        self.limits.iter().all(|limit| self.value(limit, sums) <= limit.most + 3.0 * limit.noise.max(EVEN))
    }

    /// Whether every limit is kept, or missed by no more than rows like these could tell.
    pub(in crate::correction) fn is_kept(&self, sums: &CellSums) -> bool {
        self.limits.iter().all(|limit| self.value(limit, sums) <= limit.most + limit.noise)
    }

    fn value(&self, limit: &Limit, sums: &CellSums) -> f64 {
        let value = |functional: &Functional, term| match term {
            Term::Violation(_) => functional.violation(sums, self.measure),
            Term::Rate(_) => functional.group_rate(sums, self.measure),
        };
        let term = |&(term, coefficient): &(Term, f64)| {
            let (Term::Violation(at) | Term::Rate(at)) = term;
            self.functionals[at].as_ref().map_or(0.0, |functional| coefficient * value(functional, term))
        };
        limit.terms.iter().map(term).sum()
    }
}

/// How small a violation is small enough, and how small rows like these cannot tell from none.
fn precision(functional: &Functional, measure: Measure, sums: &CellSums) -> [f64; 2] {
    if measure == Measure::Scores {
        return [EVEN_SCORES; 2];
    }
    let even = EVEN * functional.others();
    let noise = even.max(NOISE * functional.sampling_error(sums));
    // Half of what one row makes, of the group or of the others.
    let row = 0.5 * functional.others() / functional.fewest_rows();
    [even.max(FINER * noise).max(row), noise]
}
