//! Loss, gradient and curvature of weighted logistic regression, summed over rows. Penalties belong to the learner.
//!
//! Two classes have one margin per row; more have one per class, and a softmax. Both are the same passes over the same products.

use std::ops::Range;

use super::product::{Gram, Scatter, Tables, gram_diagonal, margins};
use super::{BLOCK, blocks, link};
use crate::data::Codes;
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
        let sum = |rows| {
            let mut at = Buffers::new(self.classes);
            blocks(rows).map(|block| at.loss(self, &tables, block)).sum::<f64>()
        };
        parallel::reduce(self.features.rows(), sum, |left, right| *left += right)
    }

    /// `Σ weight · ∂loss/∂coefficients`.
    pub(crate) fn gradient(&self, coefficients: &[f64]) -> Vec<f64> {
        self.gradients(coefficients, std::slice::from_ref(self.weights)).pop().expect("one for each of the weights")
    }

    /// The same with other weights, one gradient for each, in one pass.
    pub(crate) fn gradients(&self, coefficients: &[f64], weights: &[Weights]) -> Vec<Vec<f64>> {
        let tables = self.tables(coefficients);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut sums = vec![Scatter::new(self.features); tables.len() * weights.len()];
            for block in blocks(rows) {
                at.residuals(self, &tables, block.clone());
                for (sums, weights) in sums.chunks_mut(tables.len()).zip(weights) {
                    weights.block(block.clone(), &mut at.weights);
                    for (sums, residuals) in sums.iter_mut().zip(&at.margins) {
                        at.scratch.clear();
                        at.scratch
                            .extend(residuals.iter().zip(&at.weights).map(|(residual, weight)| weight * residual));
                        sums.add(self.features, block.clone(), &at.scratch);
                    }
                }
            }
            sums.chunks(tables.len()).flat_map(|sums| self.unscatter(sums)).collect::<Vec<f64>>()
        };
        let (rows, own) = (self.features.rows(), self.coefficients());
        let all = parallel::reduce_sums(rows, own * weights.len(), pass, |left, right| add(left, &right));
        all.chunks(own).map(<[f64]>::to_vec).collect()
    }

    /// The lower triangle of the matrix of second derivatives, row by row.
    pub(crate) fn hessian(&self, coefficients: &[f64]) -> Vec<f64> {
        let tables = self.tables(coefficients);
        let stride = self.stride();
        let count = tables.len();
        // One square per pair of margins, the first not before the second.
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut squares = vec![Gram::new(self.features); count * (count + 1) / 2];
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                let pairs = (0..count).flat_map(|first| (0..=first).map(move |second| (first, second)));
                for ((first, second), square) in pairs.zip(&mut squares) {
                    at.curvature(first, second);
                    square.add(self.features, block.clone(), &at.scratch);
                }
            }
            squares.into_iter().map(|square| square.into_matrix(self.features)).collect::<Vec<_>>()
        };
        let merge = |left: &mut Vec<Vec<f64>>, right: Vec<Vec<f64>>| {
            for (left, right) in left.iter_mut().zip(&right) {
                add(left, right);
            }
        };
        let squares = parallel::reduce(self.features.rows(), pass, merge);
        lay_out(&squares, count, stride)
    }

    /// How many gradients a matrix of second derivatives and its factor cost, about.
    ///
    /// A gradient adds each feature of a row twice, a matrix each pair of them for each
    /// pair of margins; the factor takes a sixth of the cube of its side in such additions.
    pub(crate) fn hessian_cost(&self) -> usize {
        let on = |column: &CodedColumn| {
            let codes = column.active.codes().max(1);
            (0..codes).map(|code| column.active.of(code).len()).sum::<usize>() as f64 / codes as f64
        };
        let features = 1.0 + self.features.dense().len() as f64 + self.features.coded().iter().map(on).sum::<f64>();
        let margins = outputs(self.classes) as f64;
        let gradient = 2.0 * self.features.rows() as f64 * features * margins;
        let matrix = self.features.rows() as f64 * features.powi(2) * margins * (margins + 1.0) / 2.0;
        let factor = (self.coefficients() as f64).powi(3) / 6.0;
        // At least one, so that nothing is lost.
        #[expect(clippy::cast_sign_loss)]
        let cost = ((matrix + factor) / gradient).ceil().max(1.0) as usize;
        cost
    }

    /// The diagonal of the matrix of second derivatives.
    pub(crate) fn hessian_diagonal(&self, coefficients: &[f64]) -> Vec<f64> {
        let tables = self.tables(coefficients);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut sums = vec![Scatter::new(self.features); tables.len()];
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                for (class, sums) in sums.iter_mut().enumerate() {
                    at.curvature(class, class);
                    gram_diagonal(self.features, block.clone(), &at.scratch, sums);
                }
            }
            self.unscatter(&sums)
        };
        parallel::reduce_sums(self.features.rows(), self.coefficients(), pass, |left, right| add(left, &right))
    }

    /// `Σ weight · ∂p/∂coefficients`, with p the probability of the positive one of two classes.
    pub(crate) fn score_gradient(&self, coefficients: &[f64]) -> Vec<f64> {
        let tables = self.tables(coefficients);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let mut sums = Scatter::new(self.features);
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                at.curvature(0, 0);
                sums.add(self.features, block, &at.scratch);
            }
            self.unscatter(&[sums])
        };
        parallel::reduce_sums(self.features.rows(), self.coefficients(), pass, |left, right| add(left, &right))
    }

    /// Sums of products, over rows, of the parts that `Σ influence` has from each row: with p and y of two classes,
    /// `part_k = share_k·p − level_k − weight·(p − y)·(x·direction_k)`, times the row's own weight
    /// where it is not in `weight` already. Row by row of a square.
    pub(crate) fn influence(&self, coefficients: &[f64], parts: &Parts<'_>) -> Vec<f64> {
        let tables = self.tables(coefficients);
        let directions: Vec<Tables> = parts.directions.iter().map(|one| Tables::new(self.features, one)).collect();
        let count = directions.len();
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let (mut moves, mut cells) = (vec![Vec::with_capacity(BLOCK); count], Vec::with_capacity(BLOCK));
            let (mut products, mut part) = (vec![0.0; count * count], vec![0.0; count]);
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
                    }
                    for (one, row) in part.iter().zip(products.chunks_exact_mut(count)) {
                        for (other, product) in part.iter().zip(row) {
                            *product += one * other;
                        }
                    }
                }
            }
            products
        };
        parallel::reduce(self.features.rows(), pass, |left, right| add(left, &right))
    }

    fn unscatter(&self, sums: &[Scatter]) -> Vec<f64> {
        let mut all = vec![0.0; self.coefficients()];
        for (sums, part) in sums.iter().zip(all.chunks_mut(self.stride())) {
            sums.add_to(self.features, part);
        }
        all
    }
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

    fn loss(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) -> f64 {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        rows.weights.block(block.clone(), &mut self.weights);
        if let [margins] = &self.margins[..] {
            labelled(rows.labels, block, 1, &mut self.scratch);
            return link::logistic_loss(margins, &self.scratch, &self.weights);
        }
        let own: Vec<f64> = block.clone().enumerate().map(|(at, row)| self.margins[rows.labels.get(row)][at]).collect();
        self.link();
        self.log_total.iter().zip(own).zip(&self.weights).map(|((total, own), weight)| weight * (total - own)).sum()
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

fn add(left: &mut [f64], right: &[f64]) {
    for (left, right) in left.iter_mut().zip(right) {
        *left += right;
    }
}

/// Puts the squares of pairs of margins where they belong in the lower triangle of the whole.
fn lay_out(squares: &[Vec<f64>], count: usize, stride: usize) -> Vec<f64> {
    let side = count * stride;
    let mut whole = vec![0.0; side * side];
    let pairs = (0..count).flat_map(|first| (0..=first).map(move |second| (first, second)));
    for ((first, second), square) in pairs.zip(squares) {
        for row in 0..stride {
            for column in 0..stride {
                // A square holds each pair of features once, in one triangle or the other.
                let across = if row == column { 0.0 } else { square[column * stride + row] };
                whole[(first * stride + row) * side + second * stride + column] =
                    square[row * stride + column] + across;
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
        Features::new(rows, 9, coded, vec![DenseColumn { feature: 8, values }]).unwrap()
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
