//! Loss, gradient and curvature of weighted logistic regression, summed over rows. Penalties belong to the learner.
//!
//! Two classes have one margin per row; more have one per class, and a softmax. Both are the same passes over the same products.

use std::ops::Range;

use super::product::{Gram, GramGrids, Grids, Scatter, Tables, margins};
use super::{BLOCK, blocks, link};
use crate::data::Codes;
use crate::exact::{Grid, Totals};
use crate::features::{CodedColumn, Features};
use crate::parallel;
use crate::weights::Weights;

/// Weighted, labelled rows, ready for passes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogisticRows<'a> {
    pub(crate) features: &'a Features,
    pub(crate) labels: &'a Codes,
    pub(crate) weights: &'a Weights,
    pub(crate) classes: usize,
}

/// What [`LogisticRows::influence`] adds up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// Per direction, a number per coefficient.
    pub(crate) directions: &'a [Vec<f64>],
    /// Per cell and direction: share and level.
    pub(crate) shares: &'a [[f64; 2]],
    pub(crate) cell_of_row: &'a Codes,
    pub(crate) row_weights: Option<&'a [f64]>,
    /// What no row weighs more than; 1 without row weights.
    pub(crate) heaviest: f64,
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
        coefficients.chunks(self.stride()).map(|class| Tables::new(self.features, class)).collect()
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

    /// Sums of products, over rows, of the parts that `Σ influence` has from each row: with p and y of two classes,
    /// `part_k = share_k·p − level_k − weight·(p − y)·(x·direction_k)`, times the row's own weight
    /// where it is not in `weight` already. Row by row of a square.
    pub(crate) fn influence(&self, coefficients: &[f64], parts: &Parts<'_>) -> Vec<f64> {
        self.influence_of(&self.influence_totals(coefficients, parts), parts)
    }

    /// The products that sums over these rows, or over more that are laid out like them, stand for.
    pub(crate) fn influence_of(&self, totals: &Totals, parts: &Parts<'_>) -> Vec<f64> {
        let grids = influence_grids(&self.part_bounds(&self.directions(parts), parts));
        totals.to_floats(|at| grids[at])
    }

    fn directions(&self, parts: &Parts<'_>) -> Vec<Tables> {
        parts.directions.iter().map(|one| Tables::new(self.features, one)).collect()
    }

    /// The sums that products are made of.
    pub(crate) fn influence_totals(&self, coefficients: &[f64], parts: &Parts<'_>) -> Totals {
        let (tables, directions) = (self.tables(coefficients), self.directions(parts));
        let count = directions.len();
        let bounds = self.part_bounds(&directions, parts);
        let grids = influence_grids(&bounds);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let (mut moves, mut cells) = (vec![Vec::with_capacity(BLOCK); count], Vec::with_capacity(BLOCK));
            let (mut products, mut part, mut valid) = (vec![0; count * count], vec![0.0; count], true);
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                margins(self.features, &directions, block.clone(), &mut moves);
                parts.cell_of_row.block(block.clone(), &mut cells);
                for (row, (&p, &cell)) in at.margins[0].iter().zip(&cells).enumerate() {
                    let own = parts.row_weights.map_or(1.0, |weights| weights[block.start + row]);
                    let positive = f64::from(u8::from(self.labels.get(block.start + row) == 1));
                    let residual = at.weights[row] * (p - positive);
                    for (k, part) in part.iter_mut().enumerate() {
                        let [share, level] = parts.shares[cell as usize * count + k];
                        *part = own * (share * p - level) - residual * moves[k][row];
                        valid &= part.abs() <= bounds[k];
                    }
                    let places = products.chunks_exact_mut(count).zip(grids.chunks_exact(count));
                    for (one, (row, grids)) in part.iter().zip(places) {
                        for ((other, product), grid) in part.iter().zip(row).zip(grids) {
                            *product += grid.fix(one * other);
                        }
                    }
                }
            }
            Totals::new(products, valid)
        };
        parallel::sum(self.features.rows(), count * count, pass)
    }

    /// What no row's part of an influence exceeds, with room for rounding.
    fn part_bounds(&self, directions: &[Tables], parts: &Parts<'_>) -> Vec<f64> {
        let count = directions.len();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most: f64, one| most.max(one.abs()));
        let bound = |(k, direction): (usize, &Tables)| {
            let of_cells = parts.shares.iter().skip(k).step_by(count).map(|[share, level]| share.abs() + level.abs());
            (parts.heaviest * largest(&mut of_cells.into_iter())
                + self.weights.bound() * direction.bound(self.features))
                * (1.0 + 1e-9)
        };
        directions.iter().enumerate().map(bound).collect()
    }

    fn totals(&self, sums: &[Scatter]) -> Totals {
        let valid = sums.iter().all(Scatter::valid);
        Totals::new(sums.iter().flat_map(|sums| sums.totals(self.features)), valid)
    }
}

/// The grids of products of parts, row by row of a square.
fn influence_grids(bounds: &[f64]) -> Vec<Grid> {
    let count = bounds.len();
    let products = (0..count * count).map(|at| bounds[at / count] * bounds[at % count]);
    products.map(|bound| Grid::new(bound, count * count)).collect()
}

/// Pairs of margins, the first not before the second.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(|first| (0..=first).map(move |second| (first, second)))
}

/// Coefficients laid out to score rows of one table.
#[derive(Debug)]
pub(crate) struct LogisticScorer<'a> {
    features: &'a Features,
    tables: Vec<Tables>,
    classes: usize,
}

impl<'a> LogisticScorer<'a> {
    pub(crate) fn new(features: &'a Features, coefficients: &[f64], classes: usize) -> Self {
        let tables = coefficients.chunks(features.width() + 1).map(|class| Tables::new(features, class)).collect();
        Self { features, tables, classes }
    }

    /// Class probabilities of some rows, row by row, written over `out`.
    pub(crate) fn scores(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let mut at = Buffers::new(self.classes);
        out.clear();
        out.resize(rows.len() * self.classes, 0.0);
        for (block, out) in blocks(rows).zip(out.chunks_mut(BLOCK * self.classes)) {
            margins(self.features, &self.tables, block, &mut at.margins);
            at.link();
            if let [positive] = &at.margins[..] {
                for (out, positive) in out.as_chunks_mut::<2>().0.iter_mut().zip(positive) {
                    *out = [1.0 - positive, *positive];
                }
            } else {
                for (class, shares) in at.margins.iter().enumerate() {
                    for (out, share) in out.chunks_exact_mut(self.classes).zip(shares) {
                        out[class] = *share;
                    }
                }
            }
        }
    }
}

/// Coefficients and their directions of change laid out to tell how scores of one table change.
#[derive(Debug)]
pub(crate) struct LogisticSlopes<'a> {
    features: &'a Features,
    tables: Vec<Tables>,
    /// Per direction, per margin.
    directions: Vec<Tables>,
    classes: usize,
}

impl<'a> LogisticSlopes<'a> {
    pub(crate) fn new(features: &'a Features, coefficients: &[f64], directions: &[Vec<f64>], classes: usize) -> Self {
        let tables = |coefficients: &[f64]| -> Vec<Tables> {
            coefficients.chunks(features.width() + 1).map(|class| Tables::new(features, class)).collect()
        };
        let directions = directions.iter().flat_map(|direction| tables(direction)).collect();
        Self { features, tables: tables(coefficients), directions, classes }
    }

    /// Direction by direction, what no change of a probability exceeds: `p (1 − p)`, at most ¼, times the difference of two changes of margins.
    pub(crate) fn bounds(&self) -> Vec<f64> {
        let largest = |margins: &[Tables]| margins.iter().map(|one| one.bound(self.features)).fold(0.0, f64::max);
        self.directions.chunks(self.tables.len()).map(|margins| 0.5 * (1.0 + 1e-9) * largest(margins)).collect()
    }

    /// The change of each class's probability in each direction, row by row, written over `out`.
    ///
    /// For margins m and probabilities p, `dp_y = p_y (dm_y − Σ_z p_z dm_z)`; with two classes `p(1−p) dm`.
    pub(crate) fn slopes(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let mut at = Buffers::new(self.classes);
        let outputs = self.tables.len();
        let count = self.directions.len() / outputs;
        let mut moves = vec![Vec::with_capacity(BLOCK); self.directions.len()];
        let width = count * self.classes;
        out.clear();
        out.resize(rows.len() * width, 0.0);
        for (block, out) in blocks(rows).zip(out.chunks_mut(BLOCK * width)) {
            margins(self.features, &self.tables, block.clone(), &mut at.margins);
            at.link();
            margins(self.features, &self.directions, block, &mut moves);
            if let [positive] = &at.margins[..] {
                for (direction, moves) in moves.iter().enumerate() {
                    for ((out, p), change) in out.chunks_exact_mut(width).zip(positive).zip(moves) {
                        let slope = p * (1.0 - p) * change;
                        (out[2 * direction], out[2 * direction + 1]) = (-slope, slope);
                    }
                }
                continue;
            }
            for (direction, moves) in moves.chunks(outputs).enumerate() {
                for (row, out) in out.chunks_exact_mut(width).enumerate() {
                    let mean: f64 = at.margins.iter().zip(moves).map(|(p, change)| p[row] * change[row]).sum();
                    let out = &mut out[direction * self.classes..][..self.classes];
                    for ((out, p), change) in out.iter_mut().zip(&at.margins).zip(moves) {
                        *out = p[row] * (change[row] - mean);
                    }
                }
            }
        }
    }
}

/// Arrays of one block's length, used again from block to block.
struct Buffers {
    /// Margins, then probabilities, then residuals: one array per margin of a row.
    margins: Vec<Vec<f64>>,
    weights: Vec<f64>,
    scratch: Vec<f64>,
    log_total: Vec<f64>,
}

impl Buffers {
    fn new(classes: usize) -> Self {
        let array = || Vec::with_capacity(BLOCK);
        Self {
            margins: (0..outputs(classes)).map(|_| array()).collect(),
            weights: array(),
            scratch: array(),
            log_total: Vec::new(),
        }
    }

    fn link(&mut self) {
        if let [margins] = &mut self.margins[..] {
            link::logistic(margins);
        } else {
            link::softmax_block(&mut self.margins, &mut self.log_total, &mut self.scratch);
        }
    }

    fn probabilities(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        rows.weights.block(block, &mut self.weights);
        self.link();
    }

    /// Of weight 1 each.
    fn residuals(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        self.link();
        let binary = self.margins.len() == 1;
        for (class, shares) in self.margins.iter_mut().enumerate() {
            let class = if binary { 1 } else { class };
            labelled(rows.labels, block.clone(), class, &mut self.scratch);
            for (share, &label) in shares.iter_mut().zip(&self.scratch) {
                *share -= label;
            }
        }
    }

    /// The weight times the second derivative of a row's loss in two of its margins, into `scratch`.
    fn curvature(&mut self, first: usize, second: usize) {
        let Self { margins, weights, scratch, .. } = self;
        scratch.clear();
        let own = if first == second { 1.0 } else { 0.0 };
        let pairs = margins[first].iter().zip(&margins[second]).zip(weights);
        scratch.extend(pairs.map(|((p, q), weight)| *weight * p * (own - q)));
    }

    /// The weighted loss of each row.
    fn losses(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) -> &[f64] {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        rows.weights.block(block.clone(), &mut self.weights);
        if self.margins.len() == 1 {
            labelled(rows.labels, block, 1, &mut self.scratch);
            link::logistic_losses(&mut self.margins[0], &self.scratch, &self.weights);
            return &self.margins[0];
        }
        let own: Vec<f64> = block.clone().enumerate().map(|(at, row)| self.margins[rows.labels.get(row)][at]).collect();
        self.link();
        for ((total, own), weight) in self.log_total.iter_mut().zip(own).zip(&self.weights) {
            *total = weight * (*total - own);
        }
        &self.log_total
    }
}

/// 1.0 where the label is `class`, 0.0 elsewhere.
fn labelled(labels: &Codes, block: Range<usize>, class: usize, out: &mut Vec<f64>) {
    let is = |label: usize| if label == class { 1.0 } else { 0.0 };
    out.clear();
    match labels {
        Codes::U8(labels) => out.extend(labels[block].iter().map(|&label| is(label as usize))),
        Codes::U16(labels) => out.extend(labels[block].iter().map(|&label| is(label as usize))),
        Codes::U32(labels) => out.extend(labels[block].iter().map(|&label| is(label as usize))),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Active, DenseColumn};

    /// Rows with byte, two-byte and dense columns, some of them thermometers, more than a leaf of them.
    fn features(rows: usize) -> Features {
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
            let (moved, told) = (features.select(&order), labels.select(&order));
            let drawn = Weights::of_rows(order.iter().map(|&row| own[row]).collect()).unwrap();
            let other = LogisticRows { features: &moved, labels: &told, weights: &drawn, classes };
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

    #[test]
    fn scores_are_the_softmax_of_the_margins_of_each_row() {
        let features = features(300);
        for classes in [2, 4] {
            let coefficients: Vec<f64> = (0..outputs(classes) * 10).map(|i| (i as f64).sin()).collect();
            let mut all = Vec::new();
            LogisticScorer::new(&features, &coefficients, classes).scores(0..300, &mut all);
            for (row, scores) in all.chunks(classes).enumerate() {
                let margin = |class: &[f64]| {
                    class[9] + features.row(row).iter().map(|&(feature, value)| class[feature] * value).sum::<f64>()
                };
                let mut margins: Vec<f64> = coefficients.chunks(10).map(margin).collect();
                if classes == 2 {
                    margins.insert(0, 0.0);
                }
                let total: f64 = margins.iter().map(|margin| margin.exp()).sum();
                for (score, margin) in scores.iter().zip(margins) {
                    assert!((score - margin.exp() / total).abs() < 1e-14);
                }
            }
        }
    }
}
