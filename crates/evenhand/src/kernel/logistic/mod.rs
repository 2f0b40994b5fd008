//! Loss, gradient and curvature of weighted logistic regression, summed over rows. Penalties belong to the learner.
//!
//! Two classes have one margin per row; more have one per class, and a softmax. Both are the same passes over the same products. Here are the rows, their
//! loss and gradients; `curvature` has the second derivatives, `influence` what each row adds to an estimate, and `scoring` probabilities and how they
//! change. `buffers` are the arrays that all of them work in, a block at a time.

mod buffers;
mod curvature;
mod influence;
mod scoring;

pub(crate) use influence::Parts;
pub(crate) use scoring::{LogisticScorer, LogisticSlopes};

use std::ops::Range;

use super::blocks;
use super::product::{Grids, Scatter, Tables};
use crate::data::Codes;
use crate::exact::{Grid, Totals};
use crate::features::Features;
use crate::parallel;
use crate::weights::Weights;
use buffers::Buffers;

/// Weighted, labelled rows, ready for passes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogisticRows<'a> {
    pub(crate) features: &'a Features,
    pub(crate) labels: &'a Codes,
    pub(crate) weights: &'a Weights,
    pub(crate) classes: usize,
}

/// How many margins a row has.
pub(crate) fn outputs(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

impl LogisticRows<'_> {
    /// Coefficients in all: per margin, one per feature and the intercept.
    pub(crate) fn coefficients(&self) -> usize {
        outputs(self.classes) * self.stride()
    }

    fn stride(&self) -> usize {
        self.features.width() + 1
    }

    fn tables(&self, coefficients: &[f64]) -> Vec<Tables> {
        Tables::by_margin(self.features, coefficients)
    }

    /// `Σ weight · loss`.
    pub(crate) fn loss(&self, coefficients: &[f64]) -> f64 {
        let tables = self.tables(coefficients);
        // A loss is at most the largest margin, of either sign, and the logarithm of how many classes there are.
        let margin = tables.iter().map(|class| class.bound(self.features)).fold(0.0, f64::max);
        let grid = Grid::new(self.weights.bound() * (2.0 * margin + self.classes as f64), 1);
        let sum = |rows| {
            let (mut at, mut fixed, mut total, mut valid) = (Buffers::new(self.classes), Vec::new(), 0, true);
            for block in blocks(rows) {
                valid &= grid.fix_all(at.losses(self, &tables, block), &mut fixed);
                total += fixed.iter().sum::<i64>();
            }
            Totals::new([total], valid)
        };
        parallel::sum(self.features.rows(), 1, sum).to_floats(|_| grid)[0]
    }

    /// `Σ weight · ∂loss/∂coefficients`.
    pub(crate) fn gradient(&self, coefficients: &[f64]) -> Vec<f64> {
        self.gradients(coefficients, std::slice::from_ref(self.weights)).pop().expect("one for each of the weights")
    }

    /// The same with other weights, one gradient for each, in one pass.
    pub(crate) fn gradients(&self, coefficients: &[f64], weights: &[Weights]) -> Vec<Vec<f64>> {
        self.gradients_of(&self.gradient_totals(coefficients, weights), weights)
    }

    /// The sums that gradients are made of.
    pub(crate) fn gradient_totals(&self, coefficients: &[f64], weights: &[Weights]) -> Totals {
        let (tables, grids) = (self.tables(coefficients), self.gradient_grids(weights));
        let sums = self.coefficients() * weights.len();
        parallel::sum(self.features.rows(), sums, |rows| self.gradient_sums(&tables, weights, &grids, rows))
    }

    fn gradient_grids(&self, weights: &[Weights]) -> Vec<Grids> {
        let sums = self.coefficients() * weights.len();
        weights.iter().map(|weights| Grids::new(self.features, weights.bound(), sums)).collect()
    }

    /// The gradients that sums over these rows, or over more that are laid out like them, stand for.
    pub(crate) fn gradients_of(&self, totals: &Totals, weights: &[Weights]) -> Vec<Vec<f64>> {
        let (own, grids) = (self.coefficients(), self.gradient_grids(weights));
        let by_feature: Vec<Vec<Grid>> = grids.iter().map(|grids| grids.by_feature(self.stride())).collect();
        let all = totals.to_floats(|at| by_feature[at / own][at % self.stride()]);
        all.chunks(own).map(<[f64]>::to_vec).collect()
    }

    /// The sums of gradients over some rows, no more than a run of them.
    fn gradient_sums(&self, tables: &[Tables], weights: &[Weights], grids: &[Grids], rows: Range<usize>) -> Totals {
        let mut at = Buffers::new(self.classes);
        let mut sums = vec![Scatter::new(self.features); tables.len() * weights.len()];
        for block in blocks(rows) {
            at.residuals(self, tables, block.clone());
            for ((sums, weights), grids) in sums.chunks_mut(tables.len()).zip(weights).zip(grids) {
                weights.block(block.clone(), &mut at.weights);
                for (sums, residuals) in sums.iter_mut().zip(&at.margins) {
                    at.scratch.clear();
                    at.scratch.extend(residuals.iter().zip(&at.weights).map(|(residual, weight)| weight * residual));
                    sums.add(self.features, block.clone(), &at.scratch, grids);
                }
            }
        }
        self.totals(&sums)
    }

    /// `Σ weight · ∂p/∂coefficients`, with p the probability of the positive one of two classes, for each of some weights.
    pub(crate) fn score_gradients(&self, coefficients: &[f64], weights: &[Weights]) -> Vec<Vec<f64>> {
        self.gradients_of(&self.score_gradient_totals(coefficients, weights), weights)
    }

    /// The sums that they are made of: [`LogisticRows::gradients_of`] makes numbers of them.
    pub(crate) fn score_gradient_totals(&self, coefficients: &[f64], weights: &[Weights]) -> Totals {
        let (tables, grids) = (self.tables(coefficients), self.gradient_grids(weights));
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut sums = vec![Scatter::new(self.features); weights.len()];
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                for ((sums, weights), grids) in sums.iter_mut().zip(weights).zip(&grids) {
                    weights.block(block.clone(), &mut at.weights);
                    at.curvature(0, 0);
                    sums.add(self.features, block.clone(), &at.scratch, grids);
                }
            }
            self.totals(&sums)
        };
        parallel::sum(self.features.rows(), self.coefficients() * weights.len(), pass)
    }

    fn totals(&self, sums: &[Scatter]) -> Totals {
        let valid = sums.iter().all(Scatter::valid);
        Totals::new(sums.iter().flat_map(|sums| sums.totals(self.features)), valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Active, CodedColumn, DenseColumn};

    /// Rows with byte, two-byte and dense columns, some of them thermometers, more than a leaf of them.
    pub(super) fn features(rows: usize) -> Features {
        let spread = |row: usize, prime: usize, count: usize| ((row * prime + row / 7) % count) as u32;
        let small = (0..rows).map(|row| spread(row, 31, 4)).collect();
        let wide = (0..rows).map(|row| spread(row, 101, 300)).collect();
        let coded = vec![
            CodedColumn {
                codes: Codes::narrow(small, 4),
                active: Active::new([vec![], vec![0], vec![0, 1], vec![0, 1, 2]]),
            },
            CodedColumn { codes: Codes::narrow(wide, 300), active: Active::new((0..300).map(|code| [3 + code % 5])) },
        ];
        let values = (0..rows).map(|row| (row as f64 * 0.37).sin()).collect();
        Features::new(rows, 9, coded, vec![DenseColumn::new(8, values)]).unwrap()
    }

    fn labels(rows: usize, classes: usize) -> Codes {
        Codes::narrow((0..rows).map(|row| ((row * row + row / 3) % classes) as u32).collect(), classes)
    }

    fn check_derivatives(classes: usize) {
        let rows = 2500;
        let (features, labels) = (features(rows), labels(rows, classes));
        let weights = Weights::of_rows((0..rows).map(|row| 0.1 + (row % 10) as f64 / 7.0).collect()).unwrap();
        let at = LogisticRows { features: &features, labels: &labels, weights: &weights, classes };
        let here: Vec<f64> = (0..at.coefficients()).map(|i| ((i * 7) as f64).cos() * 0.5).collect();
        let side = here.len();
        let (gradient, hessian, diagonal) = (at.gradient(&here), at.hessian(&here), at.hessian_diagonal(&here));
        for i in 0..side {
            let moved = |by: f64| {
                let mut there = here.clone();
                there[i] += by;
                there
            };
            let slope = (at.loss(&moved(1e-5)) - at.loss(&moved(-1e-5))) / 2e-5;
            assert!((slope - gradient[i]).abs() < 1e-5 * (1.0 + slope.abs()), "gradient {i}: {slope} {}", gradient[i]);
            let (up, down) = (at.gradient(&moved(1e-5)), at.gradient(&moved(-1e-5)));
            for j in 0..=i {
                let bend = (up[j] - down[j]) / 2e-5;
                let ours = hessian[i * side + j];
                assert!((bend - ours).abs() < 1e-4 * (1.0 + bend.abs()), "hessian {i},{j}: {bend} {ours}");
            }
            assert!((diagonal[i] - hessian[i * side + i]).abs() < 1e-9 * (1.0 + diagonal[i]));
        }
    }

    #[test]
    fn derivatives_match_finite_differences_for_two_classes() {
        check_derivatives(2);
    }

    #[test]
    fn derivatives_match_finite_differences_for_three_classes() {
        check_derivatives(3);
    }

    #[test]
    fn sums_do_not_depend_on_the_order_of_rows_or_on_cuts() {
        let rows = 9000;
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        for classes in [2, 3] {
            let (features, labels) = (features(rows), labels(rows, classes));
            let own: Vec<f64> = (0..rows).map(|row| 0.1 + (row % 10) as f64 / 7.0).collect();
            let weights = Weights::of_rows(own.clone()).unwrap();
            let at = LogisticRows { features: &features, labels: &labels, weights: &weights, classes };
            let here: Vec<f64> = (0..at.coefficients()).map(|i| ((i * 7) as f64).cos() * 0.5).collect();
            let order: Vec<usize> = (0..rows).map(|row| row * 7001 % rows).collect();
            let (moved, reordered) = (features.select(&order), labels.select(&order));
            let drawn = Weights::of_rows(order.iter().map(|&row| own[row]).collect()).unwrap();
            let other = LogisticRows { features: &moved, labels: &reordered, weights: &drawn, classes };
            let all = |at: &LogisticRows<'_>| {
                let both = at.gradients(&here, &[at.weights.clone(), Weights::equal(rows)]).concat();
                bits([both, at.hessian(&here), at.hessian_diagonal(&here), vec![at.loss(&here)]].concat())
            };
            assert_eq!(all(&at), all(&other));
            let grids = [Grids::new(&features, weights.bound(), here.len())];
            let part = |rows| at.gradient_sums(&at.tables(&here), std::slice::from_ref(&weights), &grids, rows);
            let mut merged = part(7777..rows);
            merged.merge(&part(0..1));
            merged.merge(&part(1..7777));
            assert_eq!(merged, part(0..rows));
        }
    }

    #[test]
    fn what_is_no_number_is_no_sum() {
        let (features, labels, weights) = (features(100), labels(100, 2), Weights::equal(100));
        let at = LogisticRows { features: &features, labels: &labels, weights: &weights, classes: 2 };
        let here = vec![f64::NAN; at.coefficients()];
        assert!(at.gradient(&here).iter().chain(&at.hessian(&here)[..1]).all(|entry| entry.is_nan()));
    }
}
