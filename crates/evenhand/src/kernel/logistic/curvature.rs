//! Second derivatives of the loss: the matrix, what it costs, and its diagonal.

use std::ops::Range;

use super::buffers::Buffers;
use super::{LogisticRows, outputs};
use crate::exact::Totals;
use crate::features::CodedColumn;
use crate::kernel::blocks;
use crate::kernel::product::{Gram, GramGrids, Grids, Scatter, Tables};
use crate::parallel;

impl LogisticRows<'_> {
    /// The lower triangle of the matrix of second derivatives, row by row.
    pub(crate) fn hessian(&self, coefficients: &[f64]) -> Vec<f64> {
        self.hessian_of(&self.hessian_totals(coefficients))
    }

    /// The sums that second derivatives are made of.
    pub(crate) fn hessian_totals(&self, coefficients: &[f64]) -> Totals {
        let (tables, sums) = (self.tables(coefficients), self.hessian_count());
        let grids = GramGrids::new(self.features, self.weights.bound(), sums);
        parallel::sum(self.features.rows(), sums, |rows| self.hessian_sums(&tables, &grids, rows))
    }

    /// One triangle per pair of margins, the first not before the second: each pair of features is the same in either order.
    fn hessian_count(&self) -> usize {
        let count = outputs(self.classes);
        self.stride() * (self.stride() + 1) / 2 * (count * (count + 1) / 2)
    }

    /// The second derivatives that sums over these rows, or over more that are laid out like them, stand for.
    pub(crate) fn hessian_of(&self, totals: &Totals) -> Vec<f64> {
        let (count, stride) = (outputs(self.classes), self.stride());
        let by_entry = GramGrids::new(self.features, self.weights.bound(), self.hessian_count()).triangle(stride);
        lay_out(&totals.to_floats(|at| by_entry[at % by_entry.len()]), count, stride)
    }

    /// The sums of second derivatives over some rows, no more than a run of them.
    fn hessian_sums(&self, tables: &[Tables], grids: &GramGrids, rows: Range<usize>) -> Totals {
        let mut at = Buffers::new(self.classes);
        let mut squares = vec![Gram::new(self.features); tables.len() * (tables.len() + 1) / 2];
        for block in blocks(rows) {
            at.probabilities(self, tables, block.clone());
            for ((first, second), square) in pairs(tables.len()).zip(&mut squares) {
                at.curvature(first, second);
                square.add(self.features, block.clone(), &at.scratch, grids);
            }
        }
        let valid = squares.iter().all(Gram::valid);
        Totals::new(squares.into_iter().flat_map(|square| square.triangle(self.features)), valid)
    }

    /// How many gradients a matrix of second derivatives and its factor cost, about.
    ///
    /// A gradient adds each feature of a row twice, a matrix each pair of them for each
    /// pair of margins; the factor takes a sixth of the cube of its side in such additions.
    pub(crate) fn hessian_cost(&self) -> usize {
        self.hessian_cost_of(self.features.rows())
    }

    /// The same for so many rows that are laid out like these.
    pub(crate) fn hessian_cost_of(&self, rows: usize) -> usize {
        let on = |column: &CodedColumn| {
            let codes = column.active.codes().max(1);
            (0..codes).map(|code| column.active.of(code).len()).sum::<usize>() as f64 / codes as f64
        };
        let features = 1.0 + self.features.dense().len() as f64 + self.features.coded().iter().map(on).sum::<f64>();
        let margins = outputs(self.classes) as f64;
        let gradient = 2.0 * rows as f64 * features * margins;
        let matrix = rows as f64 * features.powi(2) * margins * (margins + 1.0) / 2.0;
        let factor = (self.coefficients() as f64).powi(3) / 6.0;
        // At least one, so that nothing is lost.
        #[expect(clippy::cast_sign_loss)]
        let cost = ((matrix + factor) / gradient).ceil().max(1.0) as usize;
        cost
    }

    /// The diagonal of the matrix of second derivatives.
    pub(crate) fn hessian_diagonal(&self, coefficients: &[f64]) -> Vec<f64> {
        self.diagonal_of(&self.diagonal_totals(coefficients))
    }

    /// The sums that it is made of.
    pub(crate) fn diagonal_totals(&self, coefficients: &[f64]) -> Totals {
        let (tables, sums) = (self.tables(coefficients), self.coefficients());
        let grids = Grids::of_squares(self.features, self.weights.bound(), sums);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut sums = vec![Scatter::new(self.features); tables.len()];
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                for (class, sums) in sums.iter_mut().enumerate() {
                    at.curvature(class, class);
                    sums.add_squares(self.features, block.clone(), &at.scratch, &grids);
                }
            }
            self.totals(&sums)
        };
        parallel::sum(self.features.rows(), sums, pass)
    }

    /// The diagonal that sums over these rows, or over more that are laid out like them, stand for.
    pub(crate) fn diagonal_of(&self, totals: &Totals) -> Vec<f64> {
        let grids = Grids::of_squares(self.features, self.weights.bound(), self.coefficients());
        let by_feature = grids.by_feature(self.stride());
        totals.to_floats(|at| by_feature[at % self.stride()])
    }
}

/// Pairs of margins, the first not before the second.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(|first| (0..=first).map(move |second| (first, second)))
}

/// Puts the lower triangles of pairs of margins where they belong in the lower triangle of the whole.
fn lay_out(triangles: &[f64], count: usize, stride: usize) -> Vec<f64> {
    let side = count * stride;
    let mut whole = vec![0.0; side * side];
    for ((first, second), triangle) in pairs(count).zip(triangles.chunks(stride * (stride + 1) / 2)) {
        let mut entries = triangle.iter();
        for row in 0..stride {
            for (column, &entry) in (0..=row).zip(&mut entries) {
                whole[(first * stride + row) * side + second * stride + column] = entry;
                whole[(first * stride + column) * side + second * stride + row] = entry;
            }
        }
    }
    whole
}
