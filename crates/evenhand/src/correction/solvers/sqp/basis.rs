//! The independent multipliers, which a search changes, and how they enter exponents.

use crate::constraint::TiltTable;
use crate::correction::solvers::rank::{independent, without_null_space};

/// Independent multipliers, and how they change exponents.
#[derive(Debug)]
pub(super) struct Basis {
    /// Their places among all multipliers.
    pub(super) multipliers: Vec<usize>,
    /// G: the mean products of their exponents over all rows, row by row of the matrix. Directions that change no exponent, which exist where groups partition
    /// the rows, have the largest entry instead of zero, so that they take no step. For groups that are too small to be searched for, the products of their mean exponents are added.
    pub(super) gram: Vec<f64>,
    /// S: how far each multiplier, at 1, changes the exponent that it changes most.
    pub(super) scale: Vec<f64>,
    /// The constraints of groups that are too small to be searched for: of each its place, the weight of its squared mean exponent, and what each independent
    /// multiplier adds to that exponent.
    small: Vec<(usize, f64, Vec<f64>)>,
}

impl Basis {
    /// The independent multipliers of a table. `left_alone` are the constraints of groups that are too small to be searched for, each with the weight of its squared mean exponent.
    pub(super) fn new(table: &TiltTable, left_alone: &[(usize, f64)]) -> Self {
        let (gram, count) = (table.gram(), table.multipliers());
        let multipliers = independent(gram, count);
        let among = multipliers.iter().flat_map(|&row| multipliers.iter().map(move |&column| (row, column)));
        let in_group =
            |row: usize, column: usize, group: usize| gram[row * count + group] * gram[column * count + group];
        let product = |(row, column): (usize, usize)| {
            gram[row * count + column]
                + left_alone.iter().map(|&(group, weight)| weight * in_group(row, column, group)).sum::<f64>()
        };
        let products: Vec<f64> = among.map(product).collect();
        let of_group = |group: usize| multipliers.iter().map(|&row| gram[row * count + group]).collect();
        Self {
            gram: without_null_space(&products, multipliers.len()),
            scale: multipliers.iter().map(|&at| table.reach(at)).collect(),
            small: left_alone.iter().map(|&(group, weight)| (group, weight, of_group(group))).collect(),
            multipliers,
        }
    }

    /// The gradient of half the size of a correction, `½ λᵀGλ` with what small groups add to it. `exponents` is `Gλ` for all multipliers, also for those
    /// that are not independent: a search may start where they are not zero.
    pub(super) fn size_gradient(&self, exponents: &[f64]) -> Vec<f64> {
        let small = |at: usize| -> f64 {
            self.small.iter().map(|(group, weight, entries)| weight * exponents[*group] * entries[at]).sum()
        };
        self.multipliers.iter().enumerate().map(|(at, &place)| exponents[place] + small(at)).collect()
    }

    /// The values of the independent multipliers among all.
    pub(super) fn of(&self, all: &[f64]) -> Vec<f64> {
        self.multipliers.iter().map(|&at| all[at]).collect()
    }

    /// All multipliers after a step.
    pub(super) fn moved(&self, all: &[f64], step: &[f64]) -> Vec<f64> {
        let mut moved = all.to_vec();
        for (&at, by) in self.multipliers.iter().zip(step) {
            moved[at] += by;
        }
        moved
    }

    /// `|SΔ|∞`: the largest change of an exponent by one multiplier of a step.
    pub(super) fn norm(&self, step: &[f64]) -> f64 {
        step.iter().zip(&self.scale).map(|(by, scale)| (by * scale).abs()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_measured_by_the_exponents_it_moves() {
        let gram = vec![1.0, 0.0, 0.0, 1.0];
        let basis = Basis { multipliers: vec![0, 2], gram, scale: vec![2.0, 5.0], small: Vec::new() };
        assert!((basis.norm(&[1.0, -0.5]) - 2.5).abs() < 1e-12);
        assert_eq!(basis.moved(&[1.0, 2.0, 3.0], &[0.5, -1.0]), [1.5, 2.0, 2.0]);
        assert_eq!(basis.of(&[1.0, 2.0, 3.0]), [1.0, 3.0]);
    }

    #[test]
    fn the_size_counts_multipliers_outside_the_basis_and_small_groups() {
        // Multipliers 0 and 2 are independent; the third group, at place 1, is small, has weight 3, and half of multiplier 2 enters its mean exponent.
        let gram = vec![1.0, 0.0, 0.0, 1.0];
        let small = vec![(1, 3.0, vec![0.0, 0.5])];
        let basis = Basis { multipliers: vec![0, 2], gram, scale: vec![1.0, 1.0], small };
        assert_eq!(basis.size_gradient(&[0.7, 0.2, -0.4]), [0.7, -0.4 + 3.0 * 0.2 * 0.5]);
    }
}
