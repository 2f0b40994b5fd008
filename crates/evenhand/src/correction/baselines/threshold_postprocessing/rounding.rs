//! Rounding of the best mixture to one threshold per pattern.
//!
//! Without random decisions a notion can seldom hold exactly: a threshold moves whole rows, and one threshold cannot set two rates.
//! For every pattern whose decisions the best mixture draws at random, the places of the curve next to what the mixture
//! decides positive are tried, in all combinations where
//! these are few. The combination that violates the limits least is taken, and among equals that of least error.

use super::programme::{Mixture, Programme};

/// With more combinations than this, coordinate descent changes one pattern at a time until nothing improves.
const COMBINATIONS: usize = 20_000;

/// Violations of limits closer than this are ties.
const ALIKE: f64 = 1e-12;

/// A place on the curve of each pattern.
pub(super) fn round(programme: &Programme, mixture: &Mixture) -> Vec<usize> {
    let candidates: Vec<Vec<usize>> =
        mixture.iter().enumerate().map(|(pattern, mixed)| candidates(programme, pattern, mixed)).collect();
    let combinations = candidates.iter().try_fold(1_usize, |product, one| product.checked_mul(one.len()));
    match combinations {
        Some(count) if count <= COMBINATIONS => exhaust(programme, &candidates, count),
        _ => descend(programme, &candidates),
    }
}

/// The places next to what a mixture decides positive: among all rows, among those labelled positive, among others.
fn candidates(programme: &Programme, pattern: usize, mixed: &[(usize, f64)]) -> Vec<usize> {
    if let [(point, _)] = mixed {
        return vec![*point];
    }
    let points = &programme.patterns[pattern].curve.points;
    let target = programme.target(pattern, mixed);
    let counted: [fn([f64; 2]) -> f64; 3] = [|both| both[0] + both[1], |both| both[1], |both| both[0]];
    let mut places = Vec::new();
    for count in counted {
        // Counts grow along the curve. Of those that are equal, the first below and above have the least of the rest.
        let above = points.partition_point(|point| count(point.positives) < count(target));
        let below = points.partition_point(|point| count(point.positives) <= count(target)).saturating_sub(1);
        places.extend([above.min(points.len() - 1), below]);
        places.extend(above.checked_sub(1));
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn exhaust(programme: &Programme, candidates: &[Vec<usize>], count: usize) -> Vec<usize> {
    let choice = |mut number: usize| -> Vec<usize> {
        let digit = |places: &Vec<usize>| {
            let place = places[number % places.len()];
            number /= places.len();
            place
        };
        candidates.iter().map(digit).collect()
    };
    let mut best = choice(0);
    for number in 1..count {
        let other = choice(number);
        if is_better(programme, &other, &best) {
            best = other;
        }
    }
    best
}

fn descend(programme: &Programme, candidates: &[Vec<usize>]) -> Vec<usize> {
    let mut best: Vec<usize> = candidates.iter().map(|places| places[places.len() / 2]).collect();
    loop {
        let before = best.clone();
        for (pattern, places) in candidates.iter().enumerate() {
            for &place in places {
                let mut other = best.clone();
                other[pattern] = place;
                if is_better(programme, &other, &best) {
                    best = other;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

fn is_better(programme: &Programme, one: &[usize], other: &[usize]) -> bool {
    let ((miss, error), (other_miss, other_error)) = (programme.evaluate(one), programme.evaluate(other));
    miss < other_miss - ALIKE || (miss <= other_miss + ALIKE && error < other_error - ALIKE)
}
