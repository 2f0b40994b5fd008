//! Derivatives of sums per cell: smoothed, and row by row close to the decision boundary.

use std::ops::Range;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};

use super::{CellRows, CellSums, blocks, decide};
use crate::exact::{Grid, Totals, run};
use crate::features::Features;
use crate::predictor::{Predictor, Scorer, Sensitivity};
use crate::{Result, parallel};

/// The derivative of the sums per cell in each direction of a sensitivity; and the second derivatives of the expected
/// weight of errors, direction by direction.
///
/// Decisions are steps; for the derivative alone each is smoothed, as a function of how far the
/// largest probability is ahead of the second, over a `bandwidth` on either side of the tie. Losses
/// are left out, and scores too unless they are wanted: then only rows close to a tie count. The second derivatives are those of calibrated probabilities: a row that is decided for a class `2δ` less
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
    with_scores: bool,
) -> Result<(Vec<CellSums>, Vec<f64>)> {
    let (scorer, slopes) = (predictor.on(features)?, sensitivity.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let of_cells = cells * directions * 2 * classes;
    let count = of_cells + directions * (directions + 1) / 2;
    let grids = SlopeGrids::new(rows, &sensitivity.bounds(features), bandwidth, count);
    let pass = |part: Range<usize>| {
        let (mut sums, mut valid) = (vec![0; of_cells], true);
        let (mut swaps, mut curvature) = (vec![0.0; directions], Curvature::new(&grids));
        each_row(rows, part, [&scorer, &slopes], directions, |scores, changes, cell, weight| {
            let (first, second) = two_largest(scores);
            let ahead = (scores[first] - scores[second]) / (2.0 * bandwidth);
            valid &= weight <= rows.heaviest;
            if ahead >= 1.0 && !with_scores {
                return;
            }
            // The kernel of Epanechnikov in the largest probability's distance from the tie.
            let density = if ahead < 1.0 { 0.75 * (1.0 - ahead * ahead) / bandwidth } else { 0.0 };
            let sums = &mut sums[cell as usize * directions * 2 * classes..][..directions * 2 * classes];
            let each = sums.chunks_exact_mut(2 * classes).zip(changes.chunks_exact(classes)).zip(&mut swaps);
            for (((sums, change), swap), grids) in each.zip(&grids.directions) {
                *swap = 0.5 * (change[first] - change[second]);
                let swapped = grids.decisions.fix(weight * density * *swap);
                sums[first] += swapped;
                sums[second] -= swapped;
                valid &= change.iter().all(|change| change.abs() <= grids.bound);
                if with_scores {
                    let sums = sums[classes..].iter_mut().zip(change);
                    sums.for_each(|(sum, change)| *sum += grids.scores.fix(weight * change));
                }
            }
            if density > 0.0 {
                curvature.push(2.0 * weight * density, &swaps);
            }
        });
        sums.extend(curvature.into_triangle());
        Totals::new(sums, valid && grids.are_bounded())
    };
    let totals = parallel::sum(features.rows(), count, pass);
    let sums = totals.to_floats(|at| grids.of(at, classes, of_cells));
    let slope = |direction: usize| {
        let cell = |cell: usize| {
            let sums = &sums[(cell * directions + direction) * 2 * classes..][..2 * classes];
            sums.iter().copied().chain([0.0])
        };
        CellSums { classes, values: (0..cells).flat_map(cell).collect() }
    };
    let entry = |at: usize| {
        let (row, column) = (at / directions, at % directions);
        let (row, column) = (row.max(column), row.min(column));
        sums[of_cells + row * (row + 1) / 2 + column] * grids.units[row] * grids.units[column]
    };
    Ok(((0..directions).map(slope).collect(), (0..directions * directions).map(entry).collect()))
}

/// The grids of derivatives of sums per cell, and the units of those of errors.
struct SlopeGrids {
    directions: Vec<DirectionGrids>,
    /// Per direction, what its numbers in a row of [`Curvature`] are multiples of.
    units: Vec<f64>,
}

struct DirectionGrids {
    /// What no change of a probability exceeds.
    bound: f64,
    decisions: Grid,
    scores: Grid,
}

impl SlopeGrids {
    /// Given bounds on changes of probabilities, direction by direction.
    fn new(rows: CellRows<'_>, bounds: &[f64], bandwidth: f64, sums: usize) -> Self {
        // What no density of a decision exceeds, with room for rounding.
        let density = 0.75 / bandwidth * (1.0 + 1e-9);
        let of = |&bound: &f64| DirectionGrids {
            bound,
            decisions: Grid::new(rows.heaviest * density * bound, sums),
            scores: Grid::new(rows.heaviest * bound, sums),
        };
        let root = (2.0 * rows.heaviest * density).sqrt() * (1.0 + 1e-9);
        // Half of the bits each, so that the products of a run fit in 64 bits.
        let bits = 31 - run(sums).ilog2().div_ceil(2).cast_signed();
        let unit = |bound: &f64| root * bound.max(f64::MIN_POSITIVE) / 2f64.powi(bits);
        Self { directions: bounds.iter().map(of).collect(), units: bounds.iter().map(unit).collect() }
    }

    fn are_bounded(&self) -> bool {
        self.directions.iter().all(|grids| grids.decisions.is_bounded() && grids.scores.is_bounded())
    }

    /// That of one sum: direction by direction of each cell decisions and then scores, and then of products, which are counted in units.
    fn of(&self, at: usize, classes: usize, of_cells: usize) -> Grid {
        if at >= of_cells {
            return Grid::counting();
        }
        let grids = &self.directions[at / (2 * classes) % self.directions.len()];
        if at % (2 * classes) < classes { grids.decisions } else { grids.scores }
    }
}

/// Rows whose products are added together: as many as stay in a near cache beside a few hundred directions.
const ROWS_TOGETHER: usize = 128;

/// `Σ weight · x xᵀ` over rows with a number per direction. Rows are gathered, and every pair of directions is gone through
/// once for all of them: with hundreds of directions the matrix is too large to be gone through for every row.
///
/// Each number is first rounded to a whole number of its direction's unit, of at most 23 bits: products of these and their sums over the rows
/// gathered are whole numbers below 2⁵³, so that no order of additions, and no fused one, rounds anything. [Ozaki et al. 2012]
struct Curvature<'a> {
    units: &'a [f64],
    /// Its lower triangle, row by row.
    triangle: Vec<i64>,
    /// The rows gathered, times the roots of their weights, in units.
    rows: Vec<f64>,
}

impl<'a> Curvature<'a> {
    fn new(grids: &'a SlopeGrids) -> Self {
        let directions = grids.units.len();
        let rows = Vec::with_capacity(ROWS_TOGETHER * directions);
        Self { units: &grids.units, triangle: vec![0; directions * (directions + 1) / 2], rows }
    }

    fn push(&mut self, weight: f64, row: &[f64]) {
        let root = weight.sqrt();
        self.rows.extend(row.iter().zip(self.units).map(|(value, unit)| (root * value / unit).round_ties_even()));
        if self.rows.len() == ROWS_TOGETHER * row.len() {
            self.add();
        }
    }

    /// Adds the products of the rows gathered.
    fn add(&mut self) {
        let directions = self.units.len();
        if self.rows.is_empty() {
            return;
        }
        let rows = MatRef::from_column_major_slice(&self.rows, directions, self.rows.len() / directions);
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let mut matrix = Mat::<f64>::zeros(directions, directions);
        triangular::matmul(&mut matrix, lower, Accum::Add, rows, whole, rows.transpose(), whole, 1.0, Par::Seq);
        let entries = (0..directions).flat_map(|row| (0..=row).map(move |column| (row, column)));
        for (total, entry) in self.triangle.iter_mut().zip(entries) {
            *total += matrix[entry] as i64;
        }
        self.rows.clear();
    }

    /// The lower triangle, row by row, in products of units.
    fn into_triangle(mut self) -> Vec<i64> {
        self.add();
        self.triangle
    }
}

/// Rows near the decision boundary, with the derivatives of their probabilities in some directions.
#[derive(Debug)]
pub(crate) struct BoundaryRows {
    classes: usize,
    grid: Grid,
    /// The sums of the decisions of all other rows: class by class for each cell.
    others: Vec<i128>,
    valid: bool,
    cells: Vec<u32>,
    /// The weights of these rows, on the grid.
    weights: Vec<i64>,
    /// Row by row, a number per class.
    scores: Vec<f64>,
    /// Per direction the same: how fast each changes.
    slopes: Vec<Vec<f64>>,
}

impl BoundaryRows {
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
        for ((scores, &cell), &weight) in scores.chunks_exact(self.classes).zip(&self.cells).zip(&self.weights) {
            sums[cell as usize * self.classes + decide(scores)] += i128::from(weight);
        }
        let float = |sum| if self.valid { self.grid.float(sum) } else { f64::NAN };
        CellSums::of_decisions(self.classes, sums.into_iter().map(float))
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
pub(crate) fn boundary_rows(
    predictor: &dyn Predictor,
    sensitivity: &dyn Sensitivity,
    directions: usize,
    features: &Features,
    rows: CellRows<'_>,
    reach: f64,
) -> Result<BoundaryRows> {
    let (scorer, slopes) = (predictor.on(features)?, sensitivity.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let grid = Grid::new(rows.heaviest, cells * classes);
    let pass = |part: Range<usize>| {
        let (cells, weights, slopes_of) = (Vec::new(), Vec::new(), vec![Vec::new(); directions]);
        let others = vec![0; rows.cell_labels.len() * classes];
        let (scores_of, valid) = (Vec::new(), grid.is_bounded());
        let mut found =
            BoundaryRows { classes, grid, others, valid, cells, weights, scores: scores_of, slopes: slopes_of };
        each_row(rows, part, [&scorer, &slopes], directions, |scores, slopes, cell, weight| {
            let (first, second) = two_largest(scores);
            found.valid &= grid.holds(weight);
            if scores[first] - scores[second] > 2.0 * reach {
                found.others[cell as usize * classes + first] += i128::from(grid.fix(weight));
                return;
            }
            found.cells.push(cell);
            found.weights.push(grid.fix(weight));
            found.scores.extend_from_slice(scores);
            for (all, own) in found.slopes.iter_mut().zip(slopes.chunks_exact(classes)) {
                all.extend_from_slice(own);
            }
        });
        found
    };
    Ok(parallel::reduce(features.rows(), pass, |left, right| {
        left.others.iter_mut().zip(right.others).for_each(|(left, right)| *left += right);
        left.valid &= right.valid;
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
