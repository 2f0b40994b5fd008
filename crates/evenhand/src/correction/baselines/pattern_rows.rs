//! Rows by their pattern of groups: what thresholds by group are found from.
//!
//! Holds [`PatternRows`]. Rows that are in the same groups, and no others, have one rule; groups may overlap.

use std::collections::BTreeMap;

use crate::Result;
use crate::correction::Problem;
use crate::learner::{Predictor, scores};

/// Rows that are in the same groups.
pub(super) struct PatternRows {
    /// Their cells, of rows labelled otherwise and of positive ones: cells of one label differ in the values that are missing alone.
    pub(super) cells: [Vec<usize>; 2],
    /// How many there are.
    pub(super) count: usize,
    /// The score of each, whether it is labelled positive, and its weight.
    pub(super) rows: Vec<(f64, bool, f64)>,
}

impl PatternRows {
    /// The rows of each pattern, in the order of their groups, with the scores of a predictor of two classes.
    ///
    /// # Errors
    /// What the predictor says.
    pub(super) fn of(problem: &Problem, predictor: &dyn Predictor) -> Result<Vec<Self>> {
        let cells = problem.cells();
        let mut places: BTreeMap<Vec<usize>, [Vec<usize>; 2]> = BTreeMap::new();
        for cell in 0..cells.len() {
            places.entry(cells.groups(cell).collect()).or_default()[cells.label(cell)].push(cell);
        }
        let mut pattern_of = vec![0; cells.len()];
        for (at, both) in places.values().enumerate() {
            both.iter().flatten().for_each(|&cell| pattern_of[cell] = at);
        }
        let mut rows = vec![Vec::new(); places.len()];
        let scores = scores(predictor, problem.features(), 2)?;
        for (row, cell) in cells.cell_of_row().iter().enumerate() {
            rows[pattern_of[cell]].push((scores[2 * row + 1], cells.label(cell) == 1, problem.row_weight(row)));
        }
        let count = |both: &[Vec<usize>; 2]| both.iter().flatten().map(|&cell| cells.count(cell)).sum();
        let pattern = |(both, rows)| Self { count: count(&both), cells: both, rows };
        Ok(places.into_values().zip(rows).map(pattern).collect())
    }

    /// One of the cells.
    pub(super) fn cell(&self) -> usize {
        self.cells.iter().flatten().copied().next().expect("a pattern has a cell")
    }
}
