//! Decisions and scores, summed per cell.
//!
//! Holds [`CellSums`]: all that constraints, errors and losses are computed from. A cell's
//! rows are alike in everything but their features, so sums per cell are enough.

use std::ops::Range;

use super::{BLOCK, blocks, link};
use crate::data::Codes;
use crate::exact::{Grid, Totals, is_wide, wide_sums};
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
    #[cfg(test)]
    pub(crate) fn of_rows(decisions: &Codes, rows: CellRows<'_>) -> Self {
        let mut sums = vec![0.0; rows.cell_labels.len() * rows.classes];
        for (row, decision) in decisions.iter().enumerate() {
            let weight = rows.row_weights.map_or(1.0, |weights| weights[row]);
            sums[rows.cell_of_row.get(row) * rows.classes + decision] += weight;
        }
        Self::of_decisions(rows.classes, sums.into_iter())
    }

    /// The sums that totals over some rows stand for, these or more in the same cells.
    pub(crate) fn of_totals(totals: &Totals, rows: CellRows<'_>) -> Self {
        let (width, grids) = (width(rows.classes), CellGrids::new(rows));
        let grid = |at: usize| if at % width == width - 1 { grids.losses } else { grids.scores };
        Self { classes: rows.classes, values: totals.to_floats(grid) }
    }

    /// The sums of each cell times a number of its own.
    #[must_use]
    pub(crate) fn times_by_cell(&self, by: impl Fn(usize) -> f64) -> Self {
        let width = width(self.classes);
        let values = self.values.iter().enumerate().map(|(at, value)| by(at / width) * value);
        Self { classes: self.classes, values: values.collect() }
    }

    /// Changes of decisions and scores that are alike, class by class for each cell; none of losses.
    pub(crate) fn of_changes(classes: usize, changes: &[f64]) -> Self {
        let cell = |change: &[f64]| [change, change, &[0.0]].concat();
        Self { classes, values: changes.chunks_exact(classes).flat_map(cell).collect() }
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

    /// Whether as many rows of every cell are decided for each class.
    pub(crate) fn decides_as(&self, other: &Self) -> bool {
        let cells = self.values.len() / width(self.classes);
        let same = |(one, other): (&f64, &f64)| one.to_bits() == other.to_bits();
        (0..cells).all(|cell| self.decisions(cell).iter().zip(other.decisions(cell)).all(same))
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
    /// What no row weighs more than, of all rows of which these are a part; 1 without row weights.
    pub(crate) heaviest: f64,
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
    if is_wide(rows.row_weights, rows.cell_labels.len() * width(rows.classes)) {
        return wide_cell_sums(predictor, features, rows);
    }
    Ok(CellSums::of_totals(&cell_sum_totals(predictor, features, rows)?, rows))
}

/// The same where row weights are further apart than a grid holds: slower, and right for the lightest rows too.
fn wide_cell_sums(predictor: &dyn Predictor, features: &Features, rows: CellRows<'_>) -> Result<CellSums> {
    let (classes, width) = (rows.classes, width(rows.classes));
    let scores = crate::predictor::scores(predictor, features, classes)?;
    let own = |row: usize, add: &mut dyn FnMut(usize, f64)| {
        let (cell, scores) = (rows.cell_of_row.get(row), &scores[row * classes..(row + 1) * classes]);
        let weight = rows.row_weights.map_or(1.0, |weights| weights[row]);
        add(cell * width + decide_at(scores, rows.shift), weight);
        for (class, score) in scores.iter().enumerate() {
            add(cell * width + classes + class, weight * score);
        }
        add(cell * width + 2 * classes, -weight * scores[rows.cell_labels[cell]].max(f64::MIN_POSITIVE).ln());
    };
    let values = wide_sums(rows.cell_labels.len() * width, features.rows(), own);
    Ok(CellSums { classes, values })
}

/// What [`cell_sums`] is made of.
///
/// # Errors
/// What the predictor says when it is put to these features.
pub(crate) fn cell_sum_totals(predictor: &dyn Predictor, features: &Features, rows: CellRows<'_>) -> Result<Totals> {
    let scorer = predictor.on(features)?;
    let (count, grids) = (rows.cell_labels.len() * width(rows.classes), CellGrids::new(rows));
    let pass = |part: Range<usize>| {
        let mut sums = Sums::new(rows, grids);
        for block in blocks(part) {
            scorer(block.clone(), &mut sums.scores);
            sums.add(block);
        }
        sums.totals()
    };
    Ok(parallel::sum(features.rows(), count, pass))
}

/// A loss is minus the logarithm of at least the smallest normal number, 708.4.
const LARGEST_LOSS: f64 = 1024.0;

/// The grids of sums per cell.
#[derive(Debug, Clone, Copy)]
struct CellGrids {
    /// Of decisions and of probabilities, neither of which is more than the weight of the row.
    scores: Grid,
    losses: Grid,
}

impl CellGrids {
    fn new(rows: CellRows<'_>) -> Self {
        let sums = rows.cell_labels.len() * width(rows.classes);
        Self { scores: Grid::new(rows.heaviest, sums), losses: Grid::new(rows.heaviest * LARGEST_LOSS, sums) }
    }
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

/// The sums of a run of rows, and arrays of a block's length.
struct Sums<'a> {
    rows: CellRows<'a>,
    grids: CellGrids,
    lanes: Vec<i64>,
    valid: bool,
    scores: Vec<f64>,
    cells: Vec<u32>,
    losses: Vec<f64>,
    fixed: Fixed,
}

/// The numbers of a block's rows on their grids.
#[derive(Default)]
struct Fixed {
    /// Of each row its weight; none where all weigh the same.
    weights: Vec<i64>,
    one: i64,
    /// Class by class.
    scores: Vec<i64>,
    losses: Vec<i64>,
}

impl<'a> Sums<'a> {
    fn new(rows: CellRows<'a>, grids: CellGrids) -> Self {
        Self {
            rows,
            grids,
            lanes: vec![0; rows.cell_labels.len() * LANES * width(rows.classes)],
            valid: true,
            scores: Vec::with_capacity(BLOCK * rows.classes),
            cells: Vec::with_capacity(BLOCK),
            losses: Vec::with_capacity(BLOCK),
            fixed: Fixed { one: grids.scores.fix(1.0), ..Fixed::default() },
        }
    }

    /// Adds a block of rows whose scores have been filled in.
    fn add(&mut self, block: Range<usize>) {
        self.fix(block);
        if !self.valid {
            return;
        }
        let Self { rows, lanes, scores, cells, fixed, .. } = self;
        let (classes, width) = (rows.classes, width(rows.classes));
        if classes == 2 {
            return add_binary(lanes, cells, scores, fixed, rows.shift);
        }
        let given = cells.iter().zip(scores.chunks_exact(classes)).zip(fixed.scores.chunks_exact(classes));
        for (at, (((&cell, scores), own), loss)) in given.zip(&fixed.losses).enumerate() {
            let sums = &mut lanes[(cell as usize * LANES + at % LANES) * width..][..width];
            sums[decide(scores)] += fixed.weight(at);
            for (sum, score) in sums[classes..].iter_mut().zip(own) {
                *sum += score;
            }
            sums[2 * classes] += loss;
        }
    }

    /// Puts the weights, the weighted scores and the weighted losses of a block on their grids.
    fn fix(&mut self, block: Range<usize>) {
        let Self { rows, grids, valid, scores, cells, losses, fixed, .. } = self;
        let classes = rows.classes;
        rows.cell_of_row.block(block.clone(), cells);
        losses.clear();
        let own = |(&cell, scores): (&u32, &[f64])| scores[rows.cell_labels[cell as usize]];
        losses.extend(cells.iter().zip(scores.chunks_exact(classes)).map(own));
        link::minus_log(losses);
        if let Some(weights) = rows.row_weights.map(|weights| &weights[block]) {
            *valid &= grids.scores.fix_all(weights, &mut fixed.weights);
            *valid &= grids.scores.fix_weighted(scores, weights, &mut fixed.scores);
            losses.iter_mut().zip(weights).for_each(|(loss, weight)| *loss *= weight);
        } else {
            *valid &= grids.scores.fix_all(scores, &mut fixed.scores);
        }
        *valid &= grids.losses.fix_all(losses, &mut fixed.losses);
    }

    /// The sums, the lanes of each cell as one.
    fn totals(self) -> Totals {
        let width = width(self.rows.classes);
        let cell =
            |lanes: &[i64]| -> Vec<i64> { (0..width).map(|at| lanes.iter().skip(at).step_by(width).sum()).collect() };
        Totals::new(self.lanes.chunks_exact(LANES * width).flat_map(cell), self.valid)
    }
}

impl Fixed {
    fn weight(&self, at: usize) -> i64 {
        if self.weights.is_empty() { self.one } else { self.weights[at] }
    }
}

/// As the loop of [`Sums::add`], for the two classes most problems have.
fn add_binary(lanes: &mut [i64], cells: &[u32], scores: &[f64], fixed: &Fixed, shift: f64) {
    const WIDTH: usize = 5;
    let (lanes, _) = lanes.as_chunks_mut::<WIDTH>();
    let rows = cells.iter().zip(scores.as_chunks::<2>().0).zip(fixed.scores.as_chunks::<2>().0).zip(&fixed.losses);
    for (at, (((&cell, [negative, positive]), own), loss)) in rows.enumerate() {
        let weight = fixed.weight(at);
        let decided = if is_positive(*negative, *positive, shift) { weight } else { 0 };
        let sums = &mut lanes[cell as usize * LANES + at % LANES];
        sums[0] += weight - decided;
        sums[1] += decided;
        sums[2] += own[0];
        sums[3] += own[1];
        sums[4] += loss;
    }
}
