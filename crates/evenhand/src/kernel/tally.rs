//! Decisions and scores, summed per cell.
//!
//! Holds [`Tally`]: all that constraints, errors and losses are computed from. A cell's
//! rows are alike in everything but their features, so sums per cell are enough.

use std::ops::Range;

use super::{BLOCK, blocks, link};
use crate::data::Codes;
use crate::features::Features;
use crate::predictor::{Predictor, Tangent};
use crate::{Result, parallel};

/// What a predictor does with the rows of each cell, row weights counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    classes: usize,
    /// Per cell: the weight decided for each class, the sum of each class's probability, the sum of losses.
    sums: Vec<f64>,
}

impl Tally {
    /// Made-up decisions, class by class for each cell; no scores and no losses.
    pub(crate) fn of_decisions(classes: usize, decisions: impl Iterator<Item = f64>) -> Self {
        let mut sums = Vec::new();
        for (at, weight) in decisions.enumerate() {
            sums.push(weight);
            if at % classes == classes - 1 {
                sums.resize(sums.len() + width(classes) - classes, 0.0);
            }
        }
        Self { classes, sums }
    }

    /// The weight of a cell's rows that are decided for each class.
    pub fn decisions(&self, cell: usize) -> &[f64] {
        &self.of(cell)[..self.classes]
    }

    /// The sum of the probabilities of each class over a cell's rows.
    pub fn scores(&self, cell: usize) -> &[f64] {
        &self.of(cell)[self.classes..2 * self.classes]
    }

    /// The sum of minus the log probability of the observed label over a cell's rows.
    pub fn loss(&self, cell: usize) -> f64 {
        self.of(cell)[2 * self.classes]
    }

    /// The sums of these rows and of others in the same cells.
    #[must_use]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self { classes: self.classes, sums: self.sums.iter().zip(&other.sums).map(|(a, b)| a + b).collect() }
    }

    fn of(&self, cell: usize) -> &[f64] {
        let width = width(self.classes);
        &self.sums[cell * width..(cell + 1) * width]
    }
}

/// Rows put in cells, with their labels and weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TallyRows<'a> {
    /// The cell of each row.
    pub(crate) cell_of_row: &'a Codes,
    /// The label of each cell.
    pub(crate) cell_labels: &'a [usize],
    /// The user's row weights.
    pub(crate) row_weights: Option<&'a [f64]>,
    /// How many classes there are.
    pub(crate) classes: usize,
}

/// Sums a predictor's decisions and scores over rows.
///
/// # Errors
/// What the predictor says when it is put to these features.
pub(crate) fn tally(predictor: &dyn Predictor, features: &Features, rows: TallyRows<'_>) -> Result<Tally> {
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
    Ok(Tally { classes: rows.classes, sums })
}

/// How the sums of a tally answer to each direction of a tangent.
///
/// Decisions are steps; for the derivative alone each is smoothed, as a function of how far the
/// largest probability is ahead of the second, over a `bandwidth` on either side of the tie. Losses
/// are left out.
///
/// # Errors
/// What the predictor or the tangent says when it is put to these features.
pub(crate) fn tally_slopes(
    predictor: &dyn Predictor,
    tangent: &dyn Tangent,
    directions: usize,
    features: &Features,
    rows: TallyRows<'_>,
    bandwidth: f64,
) -> Result<Vec<Tally>> {
    let (scorer, slopes) = (predictor.on(features)?, tangent.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let pass = |part: Range<usize>| {
        let mut sums = vec![0.0; cells * directions * 2 * classes];
        let (mut scores, mut changes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks(part) {
            scorer(block.clone(), &mut scores);
            slopes(block.clone(), &mut changes);
            rows.cell_of_row.block(block.clone(), &mut numbers);
            let changes = changes.chunks_exact(directions * classes);
            for (at, ((scores, changes), &cell)) in scores.chunks_exact(classes).zip(changes).zip(&numbers).enumerate()
            {
                let weight = rows.row_weights.map_or(1.0, |weights| weights[block.start + at]);
                let (first, second) = two_largest(scores);
                let ahead = (scores[first] - scores[second]) / (2.0 * bandwidth);
                // The kernel of Epanechnikov in the largest probability's distance from the tie.
                let density = if ahead < 1.0 { 0.75 * (1.0 - ahead * ahead) / bandwidth } else { 0.0 };
                let sums = &mut sums[cell as usize * directions * 2 * classes..][..directions * 2 * classes];
                for (sums, change) in sums.chunks_exact_mut(2 * classes).zip(changes.chunks_exact(classes)) {
                    let swap = weight * density * 0.5 * (change[first] - change[second]);
                    sums[first] += swap;
                    sums[second] -= swap;
                    for (sum, change) in sums[classes..].iter_mut().zip(change) {
                        *sum += weight * change;
                    }
                }
            }
        }
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
        Tally { classes, sums: (0..cells).flat_map(cell).collect() }
    };
    Ok((0..directions).map(slope).collect())
}

/// Rows whose decision is close to a tie, with how their probabilities answer to some directions.
#[derive(Debug)]
pub(crate) struct Band {
    classes: usize,
    /// The sums of all other rows: decisions alone.
    others: Tally,
    cells: Vec<u32>,
    weights: Vec<f64>,
    /// Row by row, a number per class.
    scores: Vec<f64>,
    /// Per direction the same: how fast each changes.
    slopes: Vec<Vec<f64>>,
}

impl Band {
    /// The probabilities of the close rows after a move in each direction, by the tangent.
    pub(crate) fn moved(&self, moves: &[f64]) -> Vec<f64> {
        let mut scores = self.scores.clone();
        for (direction, &by) in moves.iter().enumerate() {
            self.add(&mut scores, direction, by);
        }
        scores
    }

    /// Moves probabilities further in one direction.
    pub(crate) fn add(&self, scores: &mut [f64], direction: usize, by: f64) {
        for (score, slope) in scores.iter_mut().zip(&self.slopes[direction]) {
            *score += by * slope;
        }
    }

    /// The decisions of all rows, the close ones with these probabilities.
    pub(crate) fn tally(&self, scores: &[f64]) -> Tally {
        let mut tally = self.others.clone();
        let width = width(self.classes);
        for ((scores, &cell), weight) in scores.chunks_exact(self.classes).zip(&self.cells).zip(&self.weights) {
            tally.sums[cell as usize * width + decide(scores)] += weight;
        }
        tally
    }

    /// How many directions there are.
    pub(crate) fn directions(&self) -> usize {
        self.slopes.len()
    }
}

/// Finds the rows whose largest probability is within `reach` of a tie.
///
/// # Errors
/// As [`tally_slopes`].
pub(crate) fn band(
    predictor: &dyn Predictor,
    tangent: &dyn Tangent,
    directions: usize,
    features: &Features,
    rows: TallyRows<'_>,
    reach: f64,
) -> Result<Band> {
    let (scorer, slopes) = (predictor.on(features)?, tangent.on(features)?);
    let (classes, cells) = (rows.classes, rows.cell_labels.len());
    let pass = |part: Range<usize>| {
        let others = Tally { classes, sums: vec![0.0; cells * width(classes)] };
        let (cells, weights, slopes_of) = (Vec::new(), Vec::new(), vec![Vec::new(); directions]);
        let mut band = Band { classes, others, cells, weights, scores: Vec::new(), slopes: slopes_of };
        let (mut scores, mut changes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks(part) {
            scorer(block.clone(), &mut scores);
            slopes(block.clone(), &mut changes);
            rows.cell_of_row.block(block.clone(), &mut numbers);
            let changes = changes.chunks_exact(directions * classes);
            for (at, ((scores, slopes), &cell)) in scores.chunks_exact(classes).zip(changes).zip(&numbers).enumerate() {
                let weight = rows.row_weights.map_or(1.0, |weights| weights[block.start + at]);
                let (first, second) = two_largest(scores);
                if scores[first] - scores[second] > 2.0 * reach {
                    band.others.sums[cell as usize * width(classes) + first] += weight;
                    continue;
                }
                band.cells.push(cell);
                band.weights.push(weight);
                band.scores.extend_from_slice(scores);
                for (all, own) in band.slopes.iter_mut().zip(slopes.chunks_exact(classes)) {
                    all.extend_from_slice(own);
                }
            }
        }
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

/// Neighbouring rows add into separate copies: they often share a cell, and an addition that
/// waits for the one before it costs several times one that does not.
const LANES: usize = 4;

/// Numbers kept per cell.
fn width(classes: usize) -> usize {
    2 * classes + 1
}

/// The sums of a leaf of rows, and arrays of a block's length.
struct Sums<'a> {
    rows: TallyRows<'a>,
    lanes: Vec<f64>,
    scores: Vec<f64>,
    cells: Vec<u32>,
    losses: Vec<f64>,
}

impl<'a> Sums<'a> {
    fn new(rows: TallyRows<'a>) -> Self {
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
            return add_binary(lanes, cells, scores, losses, row_weights);
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
fn add_binary(lanes: &mut [f64], cells: &[u32], scores: &[f64], losses: &[f64], row_weights: Option<&[f64]>) {
    const WIDTH: usize = 5;
    let (lanes, _) = lanes.as_chunks_mut::<WIDTH>();
    let rows = cells.iter().zip(scores.as_chunks::<2>().0).zip(losses);
    for (at, ((&cell, [negative, positive]), loss)) in rows.enumerate() {
        let weight = row_weights.map_or(1.0, |weights| weights[at]);
        let decided = if positive > negative { weight } else { 0.0 };
        let sums = &mut lanes[cell as usize * LANES + at % LANES];
        sums[0] += weight - decided;
        sums[1] += decided;
        sums[2] += weight * negative;
        sums[3] += weight * positive;
        sums[4] += weight * loss;
    }
}
