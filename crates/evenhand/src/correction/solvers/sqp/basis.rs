//! The multipliers that a search moves.

use crate::constraint::TiltTable;
use crate::correction::solvers::rank::{independent, without_idle};

/// Independent multipliers, and how they move exponents.
#[derive(Debug)]
pub(super) struct Basis {
    /// Their places among all multipliers.
    pub(super) multipliers: Vec<usize>,
    /// G: mean products of their exponents, row by row; directions that move none, as where groups partition the rows, are not free. Products in
    /// groups that are left alone count beside them.
    pub(super) gram: Vec<f64>,
    /// S: how far each, at 1, moves the exponent that it moves most.
    pub(super) scale: Vec<f64>,
}

impl Basis {
    /// The multipliers of a table, with groups (by their constraints) that are left alone, and what these weigh.
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
        Self {
            gram: without_idle(&products, multipliers.len()),
            scale: multipliers.iter().map(|&at| table.reach(at)).collect(),
            multipliers,
        }
    }

    /// Those of all multipliers that are in it.
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

    /// `|SΔ|∞`: how far a step moves the exponent that it moves most, one multiplier at a time.
    pub(super) fn norm(&self, step: &[f64]) -> f64 {
        step.iter().zip(&self.scale).map(|(by, scale)| (by * scale).abs()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_measured_by_the_exponents_it_moves() {
        let basis = Basis { multipliers: vec![0, 2], gram: vec![1.0, 0.0, 0.0, 1.0], scale: vec![2.0, 5.0] };
        assert!((basis.norm(&[1.0, -0.5]) - 2.5).abs() < 1e-12);
        assert_eq!(basis.moved(&[1.0, 2.0, 3.0], &[0.5, -1.0]), [1.5, 2.0, 2.0]);
        assert_eq!(basis.of(&[1.0, 2.0, 3.0]), [1.0, 3.0]);
    }
}
