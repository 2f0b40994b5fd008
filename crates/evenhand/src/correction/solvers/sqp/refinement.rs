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
/// halved where none is better. Which is tried first does not matter, so neither does the order of groups.
pub(super) fn refine(
    problem: &Problem,
    merit: &Merit,
    band: &Band,
    scale: &[f64],
    first: Vec<f64>,
    settings: &SqpSettings,
) -> Vec<f64> {
    let mut best = Candidate::at(problem, merit, &band.moved(&first), band, scale, first);
    let mut mesh = settings.refinement_reach / 4.0;
    let rounds = settings.refinement_evaluations.div_ceil(2 * band.directions().pow(2).max(1)).min(ROUNDS);
    for _ in 0..rounds {
        match best_neighbour(problem, merit, band, scale, &best, mesh, settings.refinement_reach) {
            Some(better) => best = better,
            None => mesh *= 0.5,
        }
    }
    best.step
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

impl Candidate {
    fn at(problem: &Problem, merit: &Merit, scores: &[f64], band: &Band, scale: &[f64], step: Vec<f64>) -> Self {
        let sums = band.cell_sums(scores);
        let value = problem.error(&sums) + merit.penalty * merit.inequalities.infeasibility(&sums);
        let length = step.iter().zip(scale).map(|(by, scale)| (by * scale).powi(2)).sum::<f64>().sqrt();
        Self { rank: [rounded(value), rounded(length)], step }
    }
}

/// The best neighbour that is better, if there is one.
fn best_neighbour(
    problem: &Problem,
    merit: &Merit,
    band: &Band,
    scale: &[f64],
    from: &Candidate,
    mesh: f64,
    reach: f64,
) -> Option<Candidate> {
    let here = band.moved(&from.step);
    let moves = |at: usize| {
        let signed = [1.0, -1.0].map(|sign| sign * mesh / scale[at]);
        signed.into_iter().filter(move |by| ((from.step[at] + by) * scale[at]).abs() <= reach)
    };
    let from_one = |one: usize| {
        let mut found: Option<Candidate> = None;
        let mut keep = |scores: &[f64], changes: &[(usize, f64)]| {
            let mut step = from.step.clone();
            for &(at, by) in changes {
                step[at] += by;
            }
            let candidate = Candidate::at(problem, merit, scores, band, scale, step);
            if candidate.rank[0] < from.rank[0] && found.as_ref().is_none_or(|found| candidate.rank < found.rank) {
                found = Some(candidate);
            }
        };
        for first in moves(one) {
            let mut moved = here.clone();
            band.add(&mut moved, one, first);
            keep(&moved, &[(one, first)]);
            for other in 0..one {
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
