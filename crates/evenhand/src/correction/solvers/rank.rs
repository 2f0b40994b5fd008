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
    let Some(Directions { idle, .. }) = Directions::of(gram, multipliers.len()) else { return multipliers.to_vec() };
    let mut shortest = multipliers.to_vec();
    for direction in idle {
        let along: f64 = direction.iter().zip(multipliers).map(|(entry, one)| entry * one).sum();
        shortest.iter_mut().zip(direction).for_each(|(one, entry)| *one -= along * entry);
    }
    shortest
}

/// The products with those of directions that move no exponent as large as the largest: by them no direction is free, and of multipliers
/// with the same exponents the shortest cost least.
pub(super) fn without_idle(gram: &[f64], count: usize) -> Vec<f64> {
    let mut filled = gram.to_vec();
    let Some(Directions { largest, idle }) = Directions::of(gram, count) else { return filled };
    for direction in idle {
        for (at, entry) in filled.iter_mut().enumerate() {
            *entry += largest * direction[at / count] * direction[at % count];
        }
    }
    filled
}

/// Directions of multipliers that move no exponent, at right angles to each other.
struct Directions {
    /// The largest mean squared exponent of a direction.
    largest: f64,
    idle: Vec<Vec<f64>>,
}

impl Directions {
    fn of(gram: &[f64], count: usize) -> Option<Self> {
        let matrix = Mat::from_fn(count, count, |row, column| gram[row * count + column]);
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let largest = (0..count).map(|at| values[at]).fold(0.0, f64::max);
        let idle = (0..count).filter(|&at| values[at] <= 1e-12 * largest);
        let idle = idle.map(|at| (0..count).map(|row| vectors[(row, at)]).collect()).collect();
        Some(Self { largest, idle })
    }
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

    #[test]
    fn no_direction_is_free() {
        let gram = [3.0, -1.0, -1.0, 1.0 / 3.0];
        let filled = without_idle(&gram, 2);
        let along = |one: f64, other: f64| {
            one * one * filled[0] + one * other * (filled[1] + filled[2]) + other * other * filled[3]
        };
        let largest = 10.0 / 3.0;
        assert!((along(1.0, 3.0) - 10.0 * largest).abs() < 1e-12, "moved none: {filled:?}");
        assert!((along(3.0, -1.0) - 10.0 * largest).abs() < 1e-12, "as before: {filled:?}");
    }
}
