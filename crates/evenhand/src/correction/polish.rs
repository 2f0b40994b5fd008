//! The last rows: a search among steps so small that only decisions close to a tie change.
//!
//! Slopes are averages; which rows change sides is not. With few rows in a group, each is a visible
//! part of its rate, and a step that is right on average leaves a row or two on the wrong side.
//! Where every step leads, row by row, can be told without a fit, by the tangent.

use rayon::prelude::*;

use super::goal::Goal;
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
pub(super) fn polish(goal: &Goal, band: &Band, reach: &[f64], first: Vec<f64>) -> Vec<f64> {
    let mut best = Spot { worst: goal.worst(&band.tally(&band.moved(&first))), moves: first };
    let mut length = REACH / 4.0;
    let rounds = TRIES.div_ceil(2 * band.directions().pow(2).max(1)).min(24);
    for _ in 0..rounds {
        if best.worst <= goal.enough() {
            break;
        }
        match neighbour(goal, band, reach, &best, length) {
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

/// The best neighbour that is better, if there is one.
fn neighbour(goal: &Goal, band: &Band, reach: &[f64], from: &Spot, length: f64) -> Option<Spot> {
    let here = band.moved(&from.moves);
    let by = |at: usize, sign: f64| sign * length / reach[at];
    let within = |at: usize, by: f64| ((from.moves[at] + by) * reach[at]).abs() <= REACH;
    let from_one = |one: usize| {
        let mut found: Option<(f64, Vec<(usize, f64)>)> = None;
        let mut keep = |scores: &[f64], moves: &[(usize, f64)]| {
            let worst = goal.worst(&band.tally(scores));
            if worst < found.as_ref().map_or(from.worst, |found| found.0) {
                found = Some((worst, moves.to_vec()));
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
    let (worst, changes) = all.into_iter().flatten().min_by(|one, other| one.0.total_cmp(&other.0))?;
    let mut moves = from.moves.clone();
    for (at, by) in changes {
        moves[at] += by;
    }
    Some(Spot { worst, moves })
}
