//! The last rows: a search among steps so small that only decisions close to a tie change.
//!
//! Slopes are averages; which rows change sides is not. With few rows in a group, each is a visible
//! part of its rate, and a step that is right on average leaves a row or two on the wrong side.
//! Where every step leads, row by row, can be told without a fit, by the sensitivity.

use rayon::prelude::*;

use super::goal::Goal;
use crate::correction::problem::Problem;
use crate::kernel::Band;

/// How far exponents may move: probabilities then move by a quarter of it.
pub(super) const REACH: f64 = 0.08;

/// How many steps are tried at most.
const TRIES: usize = 1500;

/// By how much the search narrows when nothing near is better.
const NARROWER: f64 = 0.6;

/// The best small step: starting from `first`, the one among its neighbours by one or two multipliers that
/// leaves the worst limit lowest, again and again. Which is tried first does not matter, so
/// neither does the order of groups.
pub(super) fn polish(problem: &Problem, goal: &Goal, band: &Band, reach: &[f64], first: Vec<f64>) -> Vec<f64> {
    let mut best = Spot { worst: goal.worst(&band.cell_sums(&band.moved(&first))), moves: first };
    let mut length = REACH / 4.0;
    let rounds = TRIES.div_ceil(2 * band.directions().pow(2).max(1)).min(24);
    for _ in 0..rounds {
        if best.worst <= goal.enough() {
            break;
        }
        match neighbour(problem, goal, band, reach, &best, length) {
            Some(better) => best = better,
            None => length *= NARROWER,
        }
    }
    best.moves
}

/// Some moves, and the worst limit after them.
struct Spot {
    worst: f64,
    moves: Vec<f64>,
}

/// What makes one neighbour better than another: the worst limit, and among equals, of which there are many since
/// rows change sides one by one, the lower error and the shorter way. All are rounded, so that the last digits do not decide.
type Rank = [u64; 3];

/// Neither worst limits, errors nor lengths are negative, or beyond what 64 bits hold.
#[expect(clippy::cast_sign_loss)]
fn rounded(value: f64) -> u64 {
    (value * 1e9).round() as u64
}

/// The best neighbour that is better, if there is one.
fn neighbour(problem: &Problem, goal: &Goal, band: &Band, reach: &[f64], from: &Spot, length: f64) -> Option<Spot> {
    let here = band.moved(&from.moves);
    let by = |at: usize, sign: f64| sign * length / reach[at];
    let within = |at: usize, by: f64| ((from.moves[at] + by) * reach[at]).abs() <= REACH;
    let from_one = |one: usize| {
        let mut found: Option<(Rank, Spot)> = None;
        let mut keep = |scores: &[f64], changes: &[(usize, f64)]| {
            let sums = band.cell_sums(scores);
            let worst = goal.worst(&sums);
            let mut moves = from.moves.clone();
            for &(at, by) in changes {
                moves[at] += by;
            }
            let length = moves.iter().zip(reach).map(|(by, reach)| (by * reach).powi(2)).sum::<f64>().sqrt();
            let rank = [rounded(worst), rounded(problem.error(&sums)), rounded(length)];
            if rank[0] < rounded(from.worst) && found.as_ref().is_none_or(|found| rank < found.0) {
                found = Some((rank, Spot { worst, moves }));
            }
        };
        for first in [by(one, 1.0), by(one, -1.0)].into_iter().filter(|&by| within(one, by)) {
            let mut moved = here.clone();
            band.add(&mut moved, one, first);
            keep(&moved, &[(one, first)]);
            for other in 0..one {
                for second in [by(other, 1.0), by(other, -1.0)].into_iter().filter(|&by| within(other, by)) {
                    let mut both = moved.clone();
                    band.add(&mut both, other, second);
                    keep(&both, &[(one, first), (other, second)]);
                }
            }
        }
        found
    };
    let all: Vec<_> = (0..band.directions()).into_par_iter().map(from_one).collect();
    all.into_iter().flatten().min_by_key(|found| found.0).map(|(_, spot)| spot)
}
