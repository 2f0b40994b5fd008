//! The refinement of a short step: a pattern search on the decisions of single rows. [Nocedal & Wright 2006, ch. 9.3]
//!
//! Derivatives are averages over smoothed decisions, whereas rates count whole rows. Where a group has few rows, each is a visible part of its rate, and a
//! step that is right on average leaves a row or two on the wrong side of a bound. How a small step changes the decision of every row near
//! the decision boundary follows from the sensitivities of the fit, to first order and without another fit.

use rayon::prelude::*;

use super::DIGITS;
use super::merit::Merit;
use crate::correction::problem::Problem;
use crate::correction::settings::SqpSettings;
use crate::kernel::BoundaryRows;

/// The best small step that is found. From `first`, each round takes the best neighbour, which differs by one mesh width in one or two multipliers, and halves the mesh
/// where no neighbour is better, until it is finer than multipliers are rounded to. Where neighbours in two multipliers are more than may be evaluated, those in one are taken. All neighbours of a round are compared, so that
/// the order of groups does not matter.
pub(super) fn refine(
    problem: &Problem,
    merit: &Merit,
    boundary: &BoundaryRows,
    scale: &[f64],
    first: Vec<f64>,
    settings: &SqpSettings,
) -> Vec<f64> {
    let (by_two, rounds) = rounds(boundary.directions(), settings.refinement_evaluations);
    let pattern = Pattern { problem, merit, boundary, scale, reach: settings.refinement_reach, by_two };
    let mut best = pattern.candidate(&boundary.moved(&first), first);
    let mut mesh = settings.refinement_reach / 4.0;
    for _ in 0..rounds {
        if mesh < DIGITS.recip() {
            break;
        }
        match pattern.best_neighbour(&best, mesh) {
            Some(better) => best = better,
            None => mesh *= 0.5,
        }
    }
    best.step
}

/// Whether neighbours in two multipliers are evaluated, and how many rounds that allows.
fn rounds(multipliers: usize, evaluations: usize) -> (bool, usize) {
    let (one, two) = (2 * multipliers.max(1), 2 * multipliers.max(1).pow(2));
    let by_two = two <= evaluations;
    (by_two, evaluations.div_ceil(if by_two { two } else { one }))
}

struct Candidate {
    /// The merit function without its regularisation, then the norm of the step, so that of steps with the same decisions the shortest is
    /// taken. Both are rounded, so that rounding errors do not decide.
    rank: [u64; 2],
    step: Vec<f64>,
}

/// Merit values and norms are not negative, and small enough for 64 bits.
#[expect(clippy::cast_sign_loss)]
fn rounded(value: f64) -> u64 {
    (value * 1e9).round() as u64
}

/// Which steps are candidates, and how they are compared.
struct Pattern<'a> {
    problem: &'a Problem,
    merit: &'a Merit,
    boundary: &'a BoundaryRows,
    scale: &'a [f64],
    /// How far a step may move an exponent.
    reach: f64,
    /// Whether neighbours in two multipliers are evaluated too.
    by_two: bool,
}

impl Pattern<'_> {
    fn candidate(&self, scores: &[f64], step: Vec<f64>) -> Candidate {
        let sums = self.boundary.cell_sums(scores);
        let value = self.problem.error(&sums) + self.merit.penalty * self.merit.inequalities.infeasibility(&sums);
        let length = step.iter().zip(self.scale).map(|(by, scale)| (by * scale).powi(2)).sum::<f64>().sqrt();
        Candidate { rank: [rounded(value), rounded(length)], step }
    }

    /// The best neighbour of a candidate, where one has a lower merit.
    fn best_neighbour(&self, from: &Candidate, mesh: f64) -> Option<Candidate> {
        let (boundary, here) = (self.boundary, self.boundary.moved(&from.step));
        let moves = |at: usize| {
            let signed = [1.0, -1.0].map(|sign| sign * mesh / self.scale[at]);
            signed.into_iter().filter(move |by| ((from.step[at] + by) * self.scale[at]).abs() <= self.reach)
        };
        let from_one = |one: usize| {
            let mut found: Option<Candidate> = None;
            let mut keep = |scores: &[f64], changes: &[(usize, f64)]| {
                let mut step = from.step.clone();
                for &(at, by) in changes {
                    step[at] += by;
                }
                let candidate = self.candidate(scores, step);
                if candidate.rank[0] < from.rank[0] && found.as_ref().is_none_or(|found| candidate.rank < found.rank) {
                    found = Some(candidate);
                }
            };
            for first in moves(one) {
                let mut moved = here.clone();
                boundary.add(&mut moved, one, first);
                keep(&moved, &[(one, first)]);
                for other in (0..one).filter(|_| self.by_two) {
                    for second in moves(other) {
                        let mut both = moved.clone();
                        boundary.add(&mut both, other, second);
                        keep(&both, &[(one, first), (other, second)]);
                    }
                }
            }
            found
        };
        let all: Vec<_> = (0..boundary.directions()).into_par_iter().map(from_one).collect();
        all.into_iter().flatten().min_by_key(|found| found.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn the_candidates_of_many_multipliers_are_few() {
        assert_eq!(rounds(4, 1500), (true, 47));
        assert_eq!(rounds(27, 1500), (true, 2));
        assert_eq!(rounds(28, 1500), (false, 27));
        assert_eq!(rounds(400, 1500), (false, 2));
    }
}
