//! Decisions and scores, summed per cell.
//!
//! Holds [`Tally`]: all that constraints, errors and losses are computed from. A cell's
//! rows are alike in everything but their features, so sums per cell are enough.

use std::ops::Range;

use super::{BLOCK, blocks, link};
use crate::data::Codes;
use crate::features::Features;
use crate::learner::Predictor;
use crate::{Result, parallel};

/// What a predictor does with the rows of each cell, row weights counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    classes: usize,
    decisions: Vec<f64>,
    scores: Vec<f64>,
    losses: Vec<f64>,
}

impl Tally {
    fn new(cells: usize, classes: usize) -> Self {
        Self {
            classes,
            decisions: vec![0.0; cells * classes],
            scores: vec![0.0; cells * classes],
            losses: vec![0.0; cells],
        }
    }

    /// The weight of a cell's rows that are decided for each class.
    pub fn decisions(&self, cell: usize) -> &[f64] {
        &self.decisions[cell * self.classes..][..self.classes]
    }

    /// The sum of the probabilities of each class over a cell's rows.
    pub fn scores(&self, cell: usize) -> &[f64] {
        &self.scores[cell * self.classes..][..self.classes]
    }

    /// The sum of minus the log probability of the observed label over a cell's rows.
    pub fn loss(&self, cell: usize) -> f64 {
        self.losses[cell]
    }

    fn merge(&mut self, later: &Self) {
        let mine = [&mut self.decisions, &mut self.scores, &mut self.losses];
        for (mine, theirs) in mine.into_iter().zip([&later.decisions, &later.scores, &later.losses]) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine += theirs;
            }
        }
    }
}

/// Rows put in cells, with their labels and weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TallyRows<'a> {
    /// The cell of each row.
    pub cell_of_row: &'a Codes,
    /// The label of each cell.
    pub cell_labels: &'a [usize],
    /// The user's row weights.
    pub row_weights: Option<&'a [f64]>,
    /// How many classes there are.
    pub classes: usize,
}

/// Sums a predictor's decisions and scores over rows.
///
/// # Errors
/// What the predictor says when it is put to these features.
pub(crate) fn tally(predictor: &dyn Predictor, features: &Features, rows: TallyRows<'_>) -> Result<Tally> {
    let scorer = predictor.on(features)?;
    let pass = |part: Range<usize>| {
        let mut sums = Tally::new(rows.cell_labels.len(), rows.classes);
        let mut scores = Vec::with_capacity(BLOCK * rows.classes);
        for block in blocks(part) {
            scorer(block.clone(), &mut scores);
            sums.add(&rows, block, &scores);
        }
        sums
    };
    Ok(parallel::reduce(features.rows(), pass, |left, right| left.merge(&right)))
}

impl Tally {
    fn add(&mut self, rows: &TallyRows<'_>, block: Range<usize>, scores: &[f64]) {
        let classes = self.classes;
        let mut losses: Vec<f64> = block
            .clone()
            .zip(scores.chunks(classes))
            .map(|(row, scores)| scores[rows.cell_labels[rows.cell_of_row.get(row)]])
            .collect();
        link::minus_log(&mut losses);
        for ((row, scores), loss) in block.zip(scores.chunks(classes)).zip(losses) {
            let cell = rows.cell_of_row.get(row);
            let weight = rows.row_weights.map_or(1.0, |weights| weights[row]);
            self.decisions[cell * classes + decide(scores)] += weight;
            for (sum, score) in self.scores[cell * classes..][..classes].iter_mut().zip(scores) {
                *sum += weight * score;
            }
            self.losses[cell] += weight * loss;
        }
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
