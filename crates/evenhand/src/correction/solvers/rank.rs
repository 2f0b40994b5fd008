//! The rank of the multipliers: which of them are independent, and the shortest of those that are equivalent.
//!
//! A group and its complement, or groups that partition the rows, move exponents in fewer directions
//! than they are. `gram` holds the mean products of exponents, row by row, as `TiltTable::gram` gives it.

use faer::{Mat, Side};

/// Leaves out multipliers that move the same exponents as another: a group's complement, or its double.
///
/// Of two such the one whose group is smaller stays: it moves exponents further.
pub(super) fn independent(gram: &[f64], count: usize) -> Vec<usize> {
    // Products that differ in the last digits alone are equal.
    const ROUNDING: f64 = 1e-10;
    let own = |at: usize| gram[at * count + at];
    let alike = |one: usize, other: usize| gram[one * count + other].powi(2) > own(one) * own(other) * (1.0 - ROUNDING);
    let stays = |at: usize| {
        let first = |other: usize| {
            own(other) > own(at) * (1.0 + ROUNDING) || (own(other) >= own(at) * (1.0 - ROUNDING) && other < at)
        };
        own(at) > 0.0 && !(0..count).any(|other| other != at && own(other) > 0.0 && alike(at, other) && first(other))
    };
    (0..count).filter(|&at| stays(at)).collect()
}

/// The shortest multipliers with the same exponents: what is left of them when the part that moves none is taken out.
pub(super) fn least_norm(gram: &[f64], multipliers: &[f64]) -> Vec<f64> {
    let count = multipliers.len();
    let matrix = Mat::from_fn(count, count, |row, column| gram[row * count + column]);
    let Ok(eigen) = matrix.self_adjoint_eigen(Side::Lower) else { return multipliers.to_vec() };
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let largest = (0..count).map(|at| values[at]).fold(0.0, f64::max);
    let mut shortest = vec![0.0; count];
    for at in (0..count).filter(|&at| values[at] > 1e-12 * largest) {
        let along: f64 = (0..count).map(|row| vectors[(row, at)] * multipliers[row]).sum();
        for (row, shortest) in shortest.iter_mut().enumerate() {
            *shortest += along * vectors[(row, at)];
        }
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_group_and_its_complement_the_smaller_stays() {
        // Exponents (3, −1) and (−1, 1/3) with shares ¼ and ¾: the second is minus a third of the first.
        let gram = [3.0, -1.0, -1.0, 1.0 / 3.0];
        assert_eq!(independent(&gram, 2), [0]);
        assert_eq!(independent(&[1.0, 0.0, 0.0, 2.0], 2), [0, 1]);
        assert_eq!(independent(&[1.0, 1.0, 1.0, 1.0], 2), [0], "of two that are the same the first stays");
    }

    #[test]
    fn multipliers_that_move_nothing_are_left_out() {
        assert_eq!(independent(&[0.0, 0.0, 0.0, 1.0], 2), [1]);
    }

    #[test]
    fn the_shortest_multipliers_share_what_one_of_them_had() {
        let gram = [3.0, -1.0, -1.0, 1.0 / 3.0];
        let shortest = least_norm(&gram, &[1.0, 0.0]);
        // The direction (3, −1)/√10 alone moves exponents.
        assert!((shortest[0] - 0.9).abs() < 1e-12 && (shortest[1] + 0.3).abs() < 1e-12, "{shortest:?}");
    }
}
