//! The rank of the multipliers: which of them are independent, and the shortest of those that are equivalent.
//!
//! The multipliers of a group and its complement, or of groups that partition the rows, are linearly dependent: they change exponents in fewer directions
//! than there are multipliers. `gram` is the matrix of mean products of exponents, row by row, as `TiltTable::gram` gives it.

use faer::{Mat, Side};

/// The places of the multipliers that remain when of every two that change the same exponents in proportion, such as those of a group and its complement, one is left out.
///
/// Of two such multipliers the one of the smaller group stays, since it changes exponents more.
pub(super) fn independent(gram: &[f64], count: usize) -> Vec<usize> {
    // Products that differ by less than this, relative to their size, differ by rounding alone.
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

/// The shortest multipliers with the same exponents: the part in the null space of `gram` is taken out.
pub(super) fn least_norm(gram: &[f64], multipliers: &[f64]) -> Vec<f64> {
    let Some(NullSpace { basis, .. }) = NullSpace::of(gram, multipliers.len()) else { return multipliers.to_vec() };
    let mut shortest = multipliers.to_vec();
    for direction in basis {
        let along: f64 = direction.iter().zip(multipliers).map(|(entry, one)| entry * one).sum();
        shortest.iter_mut().zip(direction).for_each(|(one, entry)| *one -= along * entry);
    }
    shortest
}

/// `gram` with its eigenvalues of zero replaced by the largest one. The quadratic form then has no direction of zero cost, and of multipliers
/// with the same exponents the shortest cost least.
pub(super) fn without_null_space(gram: &[f64], count: usize) -> Vec<f64> {
    let mut filled = gram.to_vec();
    let Some(NullSpace { largest, basis }) = NullSpace::of(gram, count) else { return filled };
    for direction in basis {
        for (at, entry) in filled.iter_mut().enumerate() {
            *entry += largest * direction[at / count] * direction[at % count];
        }
    }
    filled
}

/// The null space of `gram`: the directions of multipliers that change no exponent, orthogonal to each other.
struct NullSpace {
    /// The largest eigenvalue: the largest mean squared exponent of a direction of length 1.
    largest: f64,
    basis: Vec<Vec<f64>>,
}

impl NullSpace {
    fn of(gram: &[f64], count: usize) -> Option<Self> {
        let matrix = Mat::from_fn(count, count, |row, column| gram[row * count + column]);
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let largest = (0..count).map(|at| values[at]).fold(0.0, f64::max);
        let null = (0..count).filter(|&at| values[at] <= 1e-12 * largest);
        let basis = null.map(|at| (0..count).map(|row| vectors[(row, at)]).collect()).collect();
        Some(Self { largest, basis })
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
        let filled = without_null_space(&gram, 2);
        let along = |one: f64, other: f64| {
            one * one * filled[0] + one * other * (filled[1] + filled[2]) + other * other * filled[3]
        };
        let largest = 10.0 / 3.0;
        assert!((along(1.0, 3.0) - 10.0 * largest).abs() < 1e-12, "moved none: {filled:?}");
        assert!((along(3.0, -1.0) - 10.0 * largest).abs() < 1e-12, "as before: {filled:?}");
    }
}
