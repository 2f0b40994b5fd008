//! Decisions and scores, summed per cell.
//!
//! Holds [`CellSums`]: all that constraints, errors and losses are computed from. A cell's
//! rows are alike in everything but their features, so sums per cell are enough.

use std::ops::Range;

use super::{BLOCK, blocks, link};
use crate::data::Codes;
use crate::features::Features;
use crate::predictor::Predictor;
use crate::{Result, parallel};

/// The usual threshold between two classes.
pub(crate) const HALF: f64 = 0.5;

/// What a predictor does with the rows of each cell, row weights counted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellSums {
    pub(super) classes: usize,
    /// Per cell: the weight decided for each class, the sum of each class's probability, the sum of losses.
    pub(super) values: Vec<f64>,
}

impl CellSums {
    /// Made-up decisions, class by class for each cell; no scores and no losses.
    pub(crate) fn of_decisions(classes: usize, decisions: impl Iterator<Item = f64>) -> Self {
        let mut sums = Vec::new();
        for (at, weight) in decisions.enumerate() {
            sums.push(weight);
            if at % classes == classes - 1 {
                sums.resize(sums.len() + width(classes) - classes, 0.0);
            }
        }
        Self { classes, values: sums }
    }

    /// Decisions that are given, row by row; no scores and no losses.
    pub(crate) fn of_rows(decisions: &Codes, rows: CellRows<'_>) -> Self {
        let pass = |part: Range<usize>| {
            let mut sums = vec![0.0; rows.cell_labels.len() * rows.classes];
            for row in part {
                let weight = rows.row_weights.map_or(1.0, |weights| weights[row]);
                sums[rows.cell_of_row.get(row) * rows.classes + decisions.get(row)] += weight;
            }
            sums
        };
        let sums = parallel::reduce(decisions.len(), pass, |left, right| {
            for (left, right) in left.iter_mut().zip(right) {
                *left += right;
            }
        });
        Self::of_decisions(rows.classes, sums.into_iter())
    }

    /// Changes of decisions and scores that are alike, class by class for each cell; none of losses.
    pub(crate) fn of_changes(classes: usize, changes: &[f64]) -> Self {
        let cell = |change: &[f64]| [change, change, &[0.0]].concat();
        Self { classes, values: changes.chunks_exact(classes).flat_map(cell).collect() }
    }

    /// All sums times a number.
    #[must_use]
    pub(crate) fn times(&self, by: f64) -> Self {
        Self { classes: self.classes, values: self.values.iter().map(|value| by * value).collect() }
    }

    /// The same scores with other decisions between two classes: the weight of each cell's rows decided positive.
    #[must_use]
    pub(crate) fn redecided(mut self, positive: &[f64]) -> Self {
        for (cell, &positive) in self.values.chunks_exact_mut(width(2)).zip(positive) {
            let weight = cell[0] + cell[1];
            (cell[0], cell[1]) = (weight - positive, positive);
        }
        self
    }

    /// The weight of a cell's rows that are decided for each class.
    pub(crate) fn decisions(&self, cell: usize) -> &[f64] {
        &self.of(cell)[..self.classes]
    }

    /// The sum of the probabilities of each class over a cell's rows.
    pub(crate) fn scores(&self, cell: usize) -> &[f64] {
        &self.of(cell)[self.classes..2 * self.classes]
    }

    /// The sum of minus the log probability of the observed label over a cell's rows.
    pub(crate) fn loss(&self, cell: usize) -> f64 {
        self.of(cell)[2 * self.classes]
    }

    /// The sums of these rows and of others in the same cells.
    #[must_use]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self { classes: self.classes, values: self.values.iter().zip(&other.values).map(|(a, b)| a + b).collect() }
    }

    fn of(&self, cell: usize) -> &[f64] {
        let width = width(self.classes);
        &self.values[cell * width..(cell + 1) * width]
    }
}

/// Rows put in cells, with their labels and weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellRows<'a> {
    /// The cell of each row.
    pub(crate) cell_of_row: &'a Codes,
    /// The label of each cell.
    pub(crate) cell_labels: &'a [usize],
    /// The user's row weights.
    pub(crate) row_weights: Option<&'a [f64]>,
    /// How many classes there are.
    pub(crate) classes: usize,
    /// By how much the threshold between two classes is below ½; 0 with more.
    pub(crate) shift: f64,
}

/// Sums a predictor's decisions and scores over rows.
///
/// # Errors
/// What the predictor says when it is put to these features.
pub(crate) fn cell_sums(predictor: &dyn Predictor, features: &Features, rows: CellRows<'_>) -> Result<CellSums> {
    let scorer = predictor.on(features)?;
    let pass = |part: Range<usize>| {
        let mut sums = Sums::new(rows);
        for block in blocks(part) {
            scorer(block.clone(), &mut sums.scores);
            sums.add(block);
        }
        sums.fold()
    };
    let sums = parallel::reduce(features.rows(), pass, |left, right| {
        for (left, right) in left.iter_mut().zip(right) {
            *left += right;
        }
    });
    Ok(CellSums { classes: rows.classes, values: sums })
}

/// The class with the largest score, the first of equals: with two classes, positive above ½.
pub(crate) fn decide(scores: &[f64]) -> usize {
    let mut best = 0;
    for (class, score) in scores.iter().enumerate().skip(1) {
        if *score > scores[best] {
            best = class;
        }
    }
    best
}

/// As [`decide`], where the threshold between two classes is by `shift` below ½.
pub(crate) fn decide_at(scores: &[f64], shift: f64) -> usize {
    match *scores {
        [negative, positive] => usize::from(is_positive(negative, positive, shift)),
        _ => decide(scores),
    }
}

/// Whether the second of two classes is decided for. Without a shift it is a comparison of the scores, bit for bit.
#[inline]
fn is_positive(negative: f64, positive: f64, shift: f64) -> bool {
    positive + shift > negative - shift
}

/// Neighbouring rows add into separate copies: they often share a cell, and an addition that
/// waits for the one before it costs several times one that does not.
const LANES: usize = 4;

/// Numbers kept per cell.
pub(super) fn width(classes: usize) -> usize {
    2 * classes + 1
}

/// The sums of a leaf of rows, and arrays of a block's length.
struct Sums<'a> {
    rows: CellRows<'a>,
    lanes: Vec<f64>,
    scores: Vec<f64>,
    cells: Vec<u32>,
    losses: Vec<f64>,
}

impl<'a> Sums<'a> {
    fn new(rows: CellRows<'a>) -> Self {
        Self {
            rows,
            lanes: vec![0.0; rows.cell_labels.len() * LANES * width(rows.classes)],
            scores: Vec::with_capacity(BLOCK * rows.classes),
            cells: Vec::with_capacity(BLOCK),
            losses: Vec::with_capacity(BLOCK),
        }
    }

    /// Adds a block of rows whose scores have been filled in.
    fn add(&mut self, block: Range<usize>) {
        let Self { rows, lanes, scores, cells, losses } = self;
        let (classes, width) = (rows.classes, width(rows.classes));
        rows.cell_of_row.block(block.clone(), cells);
        losses.clear();
        let own = |(&cell, scores): (&u32, &[f64])| scores[rows.cell_labels[cell as usize]];
        losses.extend(cells.iter().zip(scores.chunks_exact(classes)).map(own));
        link::minus_log(losses);
        let row_weights = rows.row_weights.map(|weights| &weights[block]);
        if classes == 2 {
            return add_binary(lanes, cells, scores, losses, row_weights, rows.shift);
        }
        for (at, ((&cell, scores), loss)) in cells.iter().zip(scores.chunks_exact(classes)).zip(losses).enumerate() {
            let weight = row_weights.map_or(1.0, |weights| weights[at]);
            let sums = &mut lanes[(cell as usize * LANES + at % LANES) * width..][..width];
            sums[decide(scores)] += weight;
            for (sum, score) in sums[classes..].iter_mut().zip(scores) {
                *sum += weight * score;
            }
            sums[2 * classes] += weight * *loss;
        }
    }

    /// The lanes of each cell as one.
    fn fold(self) -> Vec<f64> {
        let width = width(self.rows.classes);
        let cell =
            |lanes: &[f64]| -> Vec<f64> { (0..width).map(|at| lanes.iter().skip(at).step_by(width).sum()).collect() };
        self.lanes.chunks_exact(LANES * width).flat_map(cell).collect()
    }
}

/// As the loop of [`Sums::add`], for the two classes most problems have.
fn add_binary(
    lanes: &mut [f64],
    cells: &[u32],
    scores: &[f64],
    losses: &[f64],
    row_weights: Option<&[f64]>,
    shift: f64,
) {
    const WIDTH: usize = 5;
    let (lanes, _) = lanes.as_chunks_mut::<WIDTH>();
    let rows = cells.iter().zip(scores.as_chunks::<2>().0).zip(losses);
    for (at, ((&cell, [negative, positive]), loss)) in rows.enumerate() {
        let weight = row_weights.map_or(1.0, |weights| weights[at]);
        let decided = if is_positive(*negative, *positive, shift) { weight } else { 0.0 };
        let sums = &mut lanes[cell as usize * LANES + at % LANES];
        sums[0] += weight - decided;
        sums[1] += decided;
        sums[2] += weight * negative;
        sums[3] += weight * positive;
        sums[4] += weight * loss;
    }
}
