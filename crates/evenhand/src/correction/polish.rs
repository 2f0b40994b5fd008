//! The last rows: a search among steps so small that only decisions close to a tie change.
//!
//! Slopes are averages; which rows change sides is not. With few rows in a group, each is a visible
//! part of its rate, and a step that is right on average leaves a row or two on the wrong side.
//! Where every step leads, row by row, can be told without a fit, by the tangent.

use super::goal::Goal;
use crate::kernel::Band;

/// How far exponents may move: probabilities then move by a quarter of it.
pub(super) const REACH: f64 = 0.08;

/// How many steps are tried at most.
const TRIES: usize = 2000;

/// By how much it narrows when nothing near is better.
const NARROWER: f64 = 0.6;

/// The best small step: starting from `first`, the one among its neighbours by one or two multipliers that
/// leaves the worst limit lowest, again and again. Which is tried first does not matter, so
/// neither does the order of groups.
pub(super) fn polish(goal: &Goal, band: &Band, reach: &[f64], first: Vec<f64>) -> Vec<f64> {
    let count = band.directions();
    let worst = |moves: &[f64]| goal.worst(&band.tally(moves));
    let mut best = (worst(&first), first);
    let mut length = REACH / 4.0;
    let tries = 2 * count * count.max(1);
    for _ in 0..TRIES.div_ceil(tries).min(24) {
        if best.0 <= goal.enough() {
            break;
        }
        let mut found: Option<(f64, Vec<f64>)> = None;
        let mut try_one = |moves: Vec<f64>| {
            let within = moves.iter().zip(reach).all(|(by, reach)| (by * reach).abs() <= REACH);
            if within {
                let worst = worst(&moves);
                if worst < found.as_ref().map_or(best.0, |found| found.0) {
                    found = Some((worst, moves));
                }
            }
        };
        for one in 0..count {
            for sign in [1.0, -1.0] {
                let mut moves = best.1.clone();
                moves[one] += sign * length / reach[one];
                for other in 0..one {
                    for sign in [1.0, -1.0] {
                        let mut moves = moves.clone();
                        moves[other] += sign * length / reach[other];
                        try_one(moves);
                    }
                }
                try_one(moves);
            }
        }
        match found {
            Some(better) => best = better,
            None => length *= NARROWER,
        }
    }
    best.1
}
