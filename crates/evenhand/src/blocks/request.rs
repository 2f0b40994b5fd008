//! What a search asks of all rows, and what a block answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{CellKey, Layout};
use crate::data::Codes;
use crate::exact::{Grid, Totals};
use crate::features::Features;
use crate::kernel::logistic::{LogisticRows, LogisticScorer, Parts};
use crate::kernel::{CellRows, CellSums, HALF, cell_sum_totals};
use crate::predictor::{Predictor, Scorer};
use crate::{Result, Weights};

/// What all blocks of a dataset share.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) layout: Layout,
    /// All cells, in order.
    pub(crate) cells: Vec<CellKey>,
    pub(crate) classes: usize,
    /// What no row weighs more than; 1 without row weights.
    pub(crate) heaviest: f64,
    /// The label of each cell.
    labels: Vec<usize>,
    /// No rows, laid out like all others.
    shape: Features,
}

/// A question that is answered by sums over rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Per cell: rows, their weight, and the sum of its squares.
    Cells,
    /// Gradients of the weighted loss, one for each list of weights of cells.
    Gradients { coefficients: Vec<f64>, weights: Vec<Vec<f64>> },
    /// The matrix of second derivatives of the weighted loss.
    Hessian { coefficients: Vec<f64>, weights: Vec<f64> },
    /// Its diagonal.
    HessianDiagonal { coefficients: Vec<f64>, weights: Vec<f64> },
    /// Decisions, scores and losses per cell.
    CellSums { coefficients: Vec<f64>, threshold: f64 },
    /// Sums of the derivatives of the positive one of two probabilities, one for each list of weights of cells.
    ScoreGradients { coefficients: Vec<f64>, weights: Vec<Vec<f64>> },
    /// Products of the parts that rows have in the influence on multipliers, as [`LogisticRows::influence`] adds them up.
    Influence { coefficients: Vec<f64>, parts: InfluenceParts },
}

/// What [`Request::Influence`] is about: directions of the coefficients, weights of cells, and per cell and direction a share and a level.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct InfluenceParts {
    pub(crate) directions: Vec<Vec<f64>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) shares: Vec<[f64; 2]>,
}

/// Some rows as kernels take them.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) features: Features,
    pub(super) cell_of_row: Arc<Codes>,
    pub(super) row_weights: Option<Arc<[f64]>>,
}

impl Frame {
    /// Of rows in these cells, which are in order.
    pub(crate) fn new(layout: Layout, cells: Vec<CellKey>, classes: usize, heaviest: f64) -> Self {
        let labels = cells.iter().map(|cell| cell.label as usize).collect();
        Self { shape: layout.no_rows(), layout, cells, classes, heaviest, labels }
    }

    /// No rows, laid out like all others.
    pub(crate) fn shape(&self) -> &Features {
        &self.shape
    }

    fn no_rows(&self) -> Leaf {
        let cell_of_row = Arc::new(Codes::narrow(Vec::new(), self.cells.len()));
        Leaf { features: self.shape.clone(), cell_of_row, row_weights: None }
    }

    fn cell_rows<'a>(&'a self, leaf: &'a Leaf, threshold: f64) -> CellRows<'a> {
        CellRows {
            cell_of_row: &leaf.cell_of_row,
            cell_labels: &self.labels,
            row_weights: leaf.row_weights.as_deref(),
            heaviest: self.heaviest,
            classes: self.classes,
            shift: HALF - threshold,
        }
    }

    fn weights(&self, leaf: &Leaf, of_cells: &[f64]) -> Weights {
        Weights::of_block(of_cells.to_vec(), leaf.cell_of_row.clone(), leaf.row_weights.clone(), self.heaviest)
    }

    /// The labels of the rows of a leaf.
    fn labels_of(&self, leaf: &Leaf) -> Codes {
        let table: Vec<u32> = self.labels.iter().map(|&label| label as u32).collect();
        leaf.cell_of_row.map(&table, self.classes)
    }

    /// The sums of a logistic pass over a leaf, or what becomes of them.
    fn logistic<R>(&self, leaf: &Leaf, weights: &[f64], with: impl FnOnce(LogisticRows<'_>) -> R) -> R {
        let (labels, weights) = (self.labels_of(leaf), self.weights(leaf, weights));
        with(LogisticRows { features: &leaf.features, labels: &labels, weights: &weights, classes: self.classes })
    }

    fn parts<'a>(&self, leaf: &'a Leaf, parts: &'a InfluenceParts) -> Parts<'a> {
        Parts {
            directions: &parts.directions,
            shares: &parts.shares,
            cell_of_row: &leaf.cell_of_row,
            row_weights: leaf.row_weights.as_deref(),
            heaviest: self.heaviest,
        }
    }

    /// The grids of what [`Request::Cells`] adds up.
    fn cell_grids(&self) -> [Grid; 3] {
        let sums = 3 * self.cells.len();
        [Grid::counting(), Grid::new(self.heaviest, sums), Grid::new(self.heaviest * self.heaviest, sums)]
    }
}

impl Request {
    /// What some rows add to the answer.
    pub(super) fn totals(&self, frame: &Frame, leaf: &Leaf) -> Result<Totals> {
        Ok(match self {
            Self::Cells => cell_totals(frame, leaf),
            Self::Gradients { coefficients, weights } => {
                let all: Vec<Weights> = weights.iter().map(|weights| frame.weights(leaf, weights)).collect();
                frame.logistic(leaf, &weights[0], |rows| rows.gradient_totals(coefficients, &all))
            }
            Self::Hessian { coefficients, weights } => {
                frame.logistic(leaf, weights, |rows| rows.hessian_totals(coefficients))
            }
            Self::HessianDiagonal { coefficients, weights } => {
                frame.logistic(leaf, weights, |rows| rows.diagonal_totals(coefficients))
            }
            Self::CellSums { coefficients, threshold } => {
                let model = Coefficients { classes: frame.classes, coefficients };
                cell_sum_totals(&model, &leaf.features, frame.cell_rows(leaf, *threshold))?
            }
            Self::ScoreGradients { coefficients, weights } => {
                let all: Vec<Weights> = weights.iter().map(|weights| frame.weights(leaf, weights)).collect();
                frame.logistic(leaf, &weights[0], |rows| rows.score_gradient_totals(coefficients, &all))
            }
            Self::Influence { coefficients, parts } => frame
                .logistic(leaf, &parts.weights, |rows| rows.influence_totals(coefficients, &frame.parts(leaf, parts))),
        })
    }

    /// What it is for, in a few words.
    pub(super) fn purpose(&self) -> &'static str {
        match self {
            Self::Cells => "counting cells",
            Self::Gradients { .. } => "gradients",
            Self::Hessian { .. } | Self::HessianDiagonal { .. } => "second derivatives",
            Self::CellSums { .. } => "decisions",
            Self::ScoreGradients { .. } | Self::Influence { .. } => "standard errors",
        }
    }

    /// The answer of no rows.
    pub(super) fn nothing(&self, frame: &Frame) -> Result<Totals> {
        self.totals(frame, &frame.no_rows())
    }
}

/// A logistic regression by its coefficients alone.
struct Coefficients<'a> {
    classes: usize,
    coefficients: &'a [f64],
}

impl Predictor for Coefficients<'_> {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        let scorer = LogisticScorer::new(features, self.coefficients, self.classes);
        Ok(Box::new(move |rows, out| scorer.scores(rows, out)))
    }
}

/// Per cell: rows, their weight, and the sum of its squares.
fn cell_totals(frame: &Frame, leaf: &Leaf) -> Totals {
    let [count, weight, square] = frame.cell_grids();
    let (mut sums, mut valid) = (vec![0; 3 * frame.cells.len()], true);
    for (row, cell) in leaf.cell_of_row.iter().enumerate() {
        let own = leaf.row_weights.as_ref().map_or(1.0, |weights| weights[row]);
        valid &= own <= frame.heaviest;
        sums[3 * cell] += count.fix(1.0);
        sums[3 * cell + 1] += weight.fix(own);
        sums[3 * cell + 2] += square.fix(own * own);
    }
    Totals::new(sums, valid)
}

/// What totals of all rows say.
impl Frame {
    /// Per cell: rows, their weight, and the sum of its squares.
    pub(crate) fn cell_sizes(&self, totals: &Totals) -> Vec<[f64; 3]> {
        let grids = self.cell_grids();
        totals.to_floats(|at| grids[at % 3]).as_chunks::<3>().0.to_vec()
    }

    /// The gradients, of the loss or of scores, one for each list of weights.
    pub(crate) fn gradients(&self, totals: &Totals, weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let leaf = self.no_rows();
        let all: Vec<Weights> = weights.iter().map(|weights| self.weights(&leaf, weights)).collect();
        self.logistic(&leaf, &weights[0], |rows| rows.gradients_of(totals, &all))
    }

    /// The products of the parts that rows have in an influence, row by row of a square.
    pub(crate) fn influence(&self, totals: &Totals, parts: &InfluenceParts) -> Vec<f64> {
        let leaf = self.no_rows();
        self.logistic(&leaf, &parts.weights, |rows| rows.influence_of(totals, &self.parts(&leaf, parts)))
    }

    /// The matrix of second derivatives: its lower triangle, row by row.
    pub(crate) fn hessian(&self, totals: &Totals, weights: &[f64]) -> Vec<f64> {
        self.logistic(&self.no_rows(), weights, |rows| rows.hessian_of(totals))
    }

    /// Its diagonal.
    pub(crate) fn hessian_diagonal(&self, totals: &Totals, weights: &[f64]) -> Vec<f64> {
        self.logistic(&self.no_rows(), weights, |rows| rows.diagonal_of(totals))
    }

    /// Decisions, scores and losses per cell.
    pub(crate) fn cell_sums(&self, totals: &Totals, threshold: f64) -> CellSums {
        CellSums::of_totals(totals, self.cell_rows(&self.no_rows(), threshold))
    }
}
