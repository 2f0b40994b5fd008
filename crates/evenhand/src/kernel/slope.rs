//! Derivatives of sums per cell: smoothed, and row by row close to the decision boundary.

use std::ops::Range;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};

use super::cell_sums::width;
use super::{CellRows, CellSums, blocks, decide};
use crate::features::Features;
use crate::predictor::{Predictor, Scorer, Sensitivity};
use crate::{Result, parallel};

/// The derivative of the sums per cell in each direction of a sensitivity; and the second derivatives of the expected
/// weight of errors, direction by direction.
///
/// Decisions are steps; for the derivative alone each is smoothed, as a function of how far the
/// largest probability is ahead of the second, over a `bandwidth` on either side of the tie. Losses
/// are left out. The second derivatives are those of calibrated probabilities: a row that is decided for a class `2δ` less
/// probable than the other adds `2δ` to the expected errors.
///
/// # Errors
/// The errors of the predictor and of the sensitivity on these features.
pub(crate) fn cell_sum_derivatives(
    predictor: &dyn Predictor,
    sensitivity: &dyn Sensitivity,
    directions: usize,
    features: &Features,
    rows: CellRows<'_>,
    bandwidth: f64,
) -> Result<(Vec<CellSums>, Vec<f64>)> {
    let (scorer, slopes) = (predictor.on(features)?, sensitivity.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let of_cells = cells * directions * 2 * classes;
    let pass = |part: Range<usize>| {
        let mut sums = vec![0.0; of_cells];
        let (mut swaps, mut curvature) = (vec![0.0; directions], Curvature::new(directions));
        each_row(rows, part, [&scorer, &slopes], directions, |scores, changes, cell, weight| {
            let (first, second) = two_largest(scores);
            let ahead = (scores[first] - scores[second]) / (2.0 * bandwidth);
            // The kernel of Epanechnikov in the largest probability's distance from the tie.
            let density = if ahead < 1.0 { 0.75 * (1.0 - ahead * ahead) / bandwidth } else { 0.0 };
            let sums = &mut sums[cell as usize * directions * 2 * classes..][..directions * 2 * classes];
            let each = sums.chunks_exact_mut(2 * classes).zip(changes.chunks_exact(classes)).zip(&mut swaps);
            for ((sums, change), swap) in each {
                *swap = 0.5 * (change[first] - change[second]);
                let swapped = weight * density * *swap;
                sums[first] += swapped;
                sums[second] -= swapped;
                for (sum, change) in sums[classes..].iter_mut().zip(change) {
                    *sum += weight * change;
                }
            }
            if density > 0.0 {
                curvature.push(2.0 * weight * density, &swaps);
            }
        });
        sums.extend(curvature.into_matrix());
        sums
    };
    let sums = parallel::reduce(features.rows(), pass, |left, right| {
        for (left, right) in left.iter_mut().zip(right) {
            *left += right;
        }
    });
    let slope = |direction: usize| {
        let cell = |cell: usize| {
            let sums = &sums[(cell * directions + direction) * 2 * classes..][..2 * classes];
            sums.iter().copied().chain([0.0])
        };
        CellSums { classes, values: (0..cells).flat_map(cell).collect() }
    };
    Ok(((0..directions).map(slope).collect(), sums[of_cells..].to_vec()))
}

/// Rows whose products are added together: as many as stay in a near cache beside a few hundred directions.
const ROWS_TOGETHER: usize = 128;

/// `Σ weight · x xᵀ` over rows with a number per direction. Rows are gathered, and every pair of directions is gone through
/// once for all of them: with hundreds of directions the matrix is too large to be gone through for every row.
struct Curvature {
    /// Its lower triangle.
    matrix: Mat<f64>,
    /// The rows gathered, times the roots of their weights.
    rows: Vec<f64>,
}

impl Curvature {
    fn new(directions: usize) -> Self {
        Self { matrix: Mat::zeros(directions, directions), rows: Vec::with_capacity(ROWS_TOGETHER * directions) }
    }

    fn push(&mut self, weight: f64, row: &[f64]) {
        let root = weight.sqrt();
        self.rows.extend(row.iter().map(|value| root * value));
        if self.rows.len() == ROWS_TOGETHER * row.len() {
            self.add();
        }
    }

    /// Adds the products of the rows gathered.
    fn add(&mut self) {
        let directions = self.matrix.nrows();
        let rows = MatRef::from_column_major_slice(&self.rows, directions, self.rows.len() / directions);
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular::matmul(&mut self.matrix, lower, Accum::Add, rows, whole, rows.transpose(), whole, 1.0, Par::Seq);
        self.rows.clear();
    }

    /// The whole matrix, row by row.
    fn into_matrix(mut self) -> Vec<f64> {
        self.add();
        let directions = self.matrix.nrows();
        let entry = |row: usize, column: usize| self.matrix[(row.max(column), row.min(column))];
        (0..directions * directions).map(|at| entry(at / directions, at % directions)).collect()
    }
}

/// Rows near the decision boundary, with the derivatives of their probabilities in some directions.
#[derive(Debug)]
pub(crate) struct Band {
    classes: usize,
    /// The sums of all other rows: decisions alone.
    others: CellSums,
    cells: Vec<u32>,
    weights: Vec<f64>,
    /// Row by row, a number per class.
    scores: Vec<f64>,
    /// Per direction the same: how fast each changes.
    slopes: Vec<Vec<f64>>,
}

impl Band {
    /// The probabilities of these rows after a step along the directions, to first order.
    pub(crate) fn moved(&self, moves: &[f64]) -> Vec<f64> {
        let mut scores = self.scores.clone();
        for (direction, &by) in moves.iter().enumerate() {
            self.add(&mut scores, direction, by);
        }
        scores
    }

    /// Adds a further step along one direction.
    pub(crate) fn add(&self, scores: &mut [f64], direction: usize, by: f64) {
        for (score, slope) in scores.iter_mut().zip(&self.slopes[direction]) {
            *score += by * slope;
        }
    }

    /// The sums per cell of the decisions of all rows, given these probabilities of the rows near the boundary.
    pub(crate) fn cell_sums(&self, scores: &[f64]) -> CellSums {
        let mut sums = self.others.clone();
        let width = width(self.classes);
        for ((scores, &cell), weight) in scores.chunks_exact(self.classes).zip(&self.cells).zip(&self.weights) {
            sums.values[cell as usize * width + decide(scores)] += weight;
        }
        sums
    }

    /// How many directions there are.
    pub(crate) fn directions(&self) -> usize {
        self.slopes.len()
    }
}

/// Finds the rows whose largest probability is within `reach` of a tie.
///
/// # Errors
/// As [`cell_sum_derivatives`].
pub(crate) fn band(
    predictor: &dyn Predictor,
    sensitivity: &dyn Sensitivity,
    directions: usize,
    features: &Features,
    rows: CellRows<'_>,
    reach: f64,
) -> Result<Band> {
    let (scorer, slopes) = (predictor.on(features)?, sensitivity.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let pass = |part: Range<usize>| {
        let others = CellSums { classes, values: vec![0.0; cells * width(classes)] };
        let (cells, weights, slopes_of) = (Vec::new(), Vec::new(), vec![Vec::new(); directions]);
        let mut band = Band { classes, others, cells, weights, scores: Vec::new(), slopes: slopes_of };
        each_row(rows, part, [&scorer, &slopes], directions, |scores, slopes, cell, weight| {
            let (first, second) = two_largest(scores);
            if scores[first] - scores[second] > 2.0 * reach {
                band.others.values[cell as usize * width(classes) + first] += weight;
                return;
            }
            band.cells.push(cell);
            band.weights.push(weight);
            band.scores.extend_from_slice(scores);
            for (all, own) in band.slopes.iter_mut().zip(slopes.chunks_exact(classes)) {
                all.extend_from_slice(own);
            }
        });
        band
    };
    Ok(parallel::reduce(features.rows(), pass, |left, right| {
        left.others = left.others.plus(&right.others);
        left.cells.extend(right.cells);
        left.weights.extend(right.weights);
        left.scores.extend(right.scores);
        for (left, right) in left.slopes.iter_mut().zip(right.slopes) {
            left.extend(right);
        }
    }))
}

/// Every row of a part: its scores and, direction by direction, how they change; its cell, and its weight.
fn each_row(
    rows: CellRows<'_>,
    part: Range<usize>,
    [scorer, slopes]: [&Scorer<'_>; 2],
    directions: usize,
    mut with: impl FnMut(&[f64], &[f64], u32, f64),
) {
    let (mut scores, mut changes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for block in blocks(part) {
        scorer(block.clone(), &mut scores);
        slopes(block.clone(), &mut changes);
        // Probabilities with the tie where decisions change: their derivatives are the same.
        if rows.shift.abs() > 0.0 {
            for scores in scores.chunks_exact_mut(2) {
                (scores[0], scores[1]) = (scores[0] - rows.shift, scores[1] + rows.shift);
            }
        }
        rows.cell_of_row.block(block.clone(), &mut numbers);
        let all = scores.chunks_exact(rows.classes).zip(changes.chunks_exact(directions * rows.classes)).zip(&numbers);
        for (at, ((scores, changes), &cell)) in all.enumerate() {
            let weight = rows.row_weights.map_or(1.0, |weights| weights[block.start + at]);
            with(scores, changes, cell, weight);
        }
    }
}

/// The classes with the largest score and the largest of the others, the first of equals.
fn two_largest(scores: &[f64]) -> (usize, usize) {
    let first = decide(scores);
    let mut second = usize::from(first == 0);
    for (class, score) in scores.iter().enumerate() {
        if class != first && *score > scores[second] {
            second = class;
        }
    }
    (first, second)
}
