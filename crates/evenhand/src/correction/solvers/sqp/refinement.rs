//! The last rows: a pattern search on the decisions themselves.
//!
//! Derivatives are averages; which rows change sides is not. With few rows in a group each is a visible part of its rate, and a
//! step that is right on average leaves a row or two on the wrong side. How a small step changes the decision of every row near
//! the boundary is told by the sensitivities, without a fit.

use rayon::prelude::*;

use super::merit::Merit;
use crate::correction::problem::Problem;
use crate::correction::settings::SqpSettings;
use crate::kernel::Band;

/// The rounds of a search with few multipliers: the mesh is then far below what moves a row.
const ROUNDS: usize = 24;

/// The best small step: starting from `first`, the best of its neighbours by one or two multipliers, again and again; the mesh is
/// halved where none is better. Where neighbours by two are more than may be looked at, it is those by one. Which is tried first does not
/// matter, so neither does the order of groups.
pub(super) fn refine(
    problem: &Problem,
    merit: &Merit,
    band: &Band,
    scale: &[f64],
    first: Vec<f64>,
    settings: &SqpSettings,
) -> Vec<f64> {
    let (by_two, rounds) = rounds(band.directions(), settings.refinement_evaluations);
    let pattern = Pattern { problem, merit, band, scale, reach: settings.refinement_reach, by_two };
    let mut best = pattern.candidate(&band.moved(&first), first);
    let mut mesh = settings.refinement_reach / 4.0;
    for _ in 0..rounds {
        match pattern.best_neighbour(&best, mesh) {
            Some(better) => best = better,
            None => mesh *= 0.5,
        }
    }
    best.step
}

/// Whether neighbours by two multipliers are looked at, and how many times all neighbours are.
fn rounds(multipliers: usize, evaluations: usize) -> (bool, usize) {
    let (one, two) = (2 * multipliers.max(1), 2 * multipliers.max(1).pow(2));
    let by_two = two <= evaluations;
    (by_two, evaluations.div_ceil(if by_two { two } else { one }).min(ROUNDS))
}

struct Candidate {
    /// The merit function without its regularisation, then the length of the step: of steps that change the same rows the
    /// shortest. Rounded, so that the last digits do not decide.
    rank: [u64; 2],
    step: Vec<f64>,
}

/// Neither is negative, or beyond what 64 bits hold.
#[expect(clippy::cast_sign_loss)]
fn rounded(value: f64) -> u64 {
    (value * 1e9).round() as u64
}

/// Which steps are looked at, and by what they are judged.
struct Pattern<'a> {
    problem: &'a Problem,
    merit: &'a Merit,
    band: &'a Band,
    scale: &'a [f64],
    /// How far a step may move an exponent.
    reach: f64,
    /// Whether neighbours differ by two multipliers too.
    by_two: bool,
}

impl Pattern<'_> {
    fn candidate(&self, scores: &[f64], step: Vec<f64>) -> Candidate {
        let sums = self.band.cell_sums(scores);
        let value = self.problem.error(&sums) + self.merit.penalty * self.merit.inequalities.infeasibility(&sums);
        let length = step.iter().zip(self.scale).map(|(by, scale)| (by * scale).powi(2)).sum::<f64>().sqrt();
        Candidate { rank: [rounded(value), rounded(length)], step }
    }

    /// The best neighbour that is better, if there is one.
    fn best_neighbour(&self, from: &Candidate, mesh: f64) -> Option<Candidate> {
        let (band, here) = (self.band, self.band.moved(&from.step));
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
                band.add(&mut moved, one, first);
                keep(&moved, &[(one, first)]);
                for other in (0..one).filter(|_| self.by_two) {
                    for second in moves(other) {
                        let mut both = moved.clone();
                        band.add(&mut both, other, second);
                        keep(&both, &[(one, first), (other, second)]);
                    }
                }
            }
            found
        };
        let all: Vec<_> = (0..band.directions()).into_par_iter().map(from_one).collect();
        all.into_iter().flatten().min_by_key(|found| found.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn the_candidates_of_many_multipliers_are_few() {
        assert_eq!(rounds(4, 1500), (true, 24));
        assert_eq!(rounds(27, 1500), (true, 2));
        assert_eq!(rounds(28, 1500), (false, 24));
        assert_eq!(rounds(400, 1500), (false, 2));
    }
}
