//! The multipliers that even out mean scores of the two groups, by Broyden's method.
//!
//! What Evenhand's own solver does for any number of groups and any learner, for the two groups here: a sample's scores are at hand for any multipliers
//! at the cost of a pass. A test holds the two to the same multipliers.

use super::population::{REGIONS, exponents, group_means, group_shares};

/// Differences of mean scores as small as this are none.
const EVEN: f64 = 1e-6;

const MOST_STEPS: usize = 30;

/// How far the first derivatives look.
const APART: f64 = 0.05;

/// The longest step.
const FARTHEST: f64 = 1.0;

/// Multipliers for which mean scores by region, as a function of the exponents there, are even between groups. The best that were seen where none are.
pub(super) fn even_scores(
    shares: [f64; REGIONS],
    mut mean_scores: impl FnMut([f64; REGIONS]) -> [f64; REGIONS],
) -> [f64; 2] {
    let of_groups = group_shares(shares);
    let mut violations = |multipliers: [f64; 2]| {
        let means = mean_scores(exponents(multipliers, of_groups));
        let overall: f64 = means.iter().zip(shares).map(|(mean, share)| mean * share).sum();
        group_means(means, shares).map(|mean| overall - mean)
    };
    let mut at = [0.0; 2];
    let mut value = violations(at);
    let columns = [0, 1].map(|which| {
        let mut beside = at;
        beside[which] += APART;
        let moved = violations(beside);
        [0, 1].map(|row| (moved[row] - value[row]) / APART)
    });
    // jacobian[row][column]
    let mut jacobian = [0, 1].map(|row| [columns[0][row], columns[1][row]]);
    let mut best = (norm(value), at);
    for _ in 0..MOST_STEPS {
        if best.0 < EVEN {
            break;
        }
        let Some(step) = solve(jacobian, value) else { break };
        let shorter = (FARTHEST / norm(step)).min(1.0);
        let step = step.map(|one| -one * shorter);
        at = [at[0] + step[0], at[1] + step[1]];
        let next = violations(at);
        update(&mut jacobian, step, [next[0] - value[0], next[1] - value[1]]);
        value = next;
        if norm(value) < best.0 {
            best = (norm(value), at);
        }
    }
    best.1
}

fn norm(vector: [f64; 2]) -> f64 {
    vector[0].hypot(vector[1])
}

/// `matrix⁻¹ vector`; nothing where there is no inverse.
fn solve([[a, b], [c, d]]: [[f64; 2]; 2], vector: [f64; 2]) -> Option<[f64; 2]> {
    let determinant = a * d - b * c;
    let solution = [(d * vector[0] - b * vector[1]) / determinant, (a * vector[1] - c * vector[0]) / determinant];
    solution.iter().all(|one| one.is_finite()).then_some(solution)
}

/// The least change of the matrix that explains the last step. [Broyden 1965]
fn update(jacobian: &mut [[f64; 2]; 2], step: [f64; 2], change: [f64; 2]) {
    let square = step[0] * step[0] + step[1] * step[1];
    for (row, change) in jacobian.iter_mut().zip(change) {
        let unexplained = (change - row[0] * step[0] - row[1] * step[1]) / square;
        row[0] += unexplained * step[0];
        row[1] += unexplained * step[1];
    }
}

#[cfg(test)]
mod tests {
    use super::super::population::logistic;
    use super::*;

    #[test]
    fn a_bias_on_even_odds_is_found() {
        let (shares, truth) = ([0.3, 0.3, 0.4], [0.7, -0.4]);
        let biased = exponents(truth, group_shares(shares));
        let found = even_scores(shares, |corrected| {
            std::array::from_fn(|region| logistic(0.3 - biased[region] + corrected[region]))
        });
        assert!((found[0] - truth[0]).abs() < 1e-5 && (found[1] - truth[1]).abs() < 1e-5, "{found:?}");
    }
}
