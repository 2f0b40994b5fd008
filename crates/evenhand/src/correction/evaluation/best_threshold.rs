//! The threshold at which a classifier errs least on some rows.
//!
//! Rows are gone through from the highest score to the lowest. Between two neighbouring scores all thresholds decide alike, so that there is one
//! candidate a gap: ½ where it is inside, else the middle.

use super::Classifier;
use crate::Result;
use crate::correction::problem::Problem;
use crate::exact::Grid;
use crate::kernel::{CellSums, HALF};

/// A threshold, with the error that it makes and how far from ½ its gap begins.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    threshold: f64,
    errors: f64,
    distance: f64,
}

impl Candidate {
    /// The threshold of a gap from `low`, which is decided negative, to `high`, which is decided positive.
    fn between(low: f64, high: f64, errors: f64) -> Self {
        let (threshold, distance) = if low <= HALF && HALF < high {
            (HALF, 0.0)
        } else {
            (low + (high - low) / 2.0, if low > HALF { low - HALF } else { HALF - high })
        };
        Self { threshold, errors, distance }
    }

    fn is_better_than(&self, other: &Self) -> bool {
        (self.errors, self.distance) < (other.errors, other.distance)
    }
}

impl Classifier<'_> {
    /// The threshold of least error on the rows of a problem of two classes, nearest to ½ among equals, of those whose decisions, summed per cell,
    /// are `allowed`; ½ where none is better.
    ///
    /// # Errors
    /// What the predictor says.
    pub(in crate::correction) fn best_threshold(
        &self,
        problem: &Problem,
        allowed: impl Fn(&CellSums) -> bool,
    ) -> Result<f64> {
        let cells = problem.cells();
        let scores = self.scores(problem)?;
        // As decisions are made: how far the positive class is ahead, halfway between 0 and 1 at a tie.
        let mut rows: Vec<(f64, u32)> =
            scores.chunks_exact(2).zip(0..).map(|(score, row)| (HALF + (score[1] - score[0]) / 2.0, row)).collect();
        rows.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let usual = self.at(HALF).cell_sums(problem)?;
        let mut best = Candidate { threshold: HALF, errors: problem.errors(&usual), distance: 0.0 };
        // Integers, so that the order of rows with one score does not show.
        let grid = Grid::new(cells.cell_rows().heaviest, 1);
        let floats = |sums: &[i128]| sums.iter().map(|&sum| grid.float(sum)).collect::<Vec<f64>>();
        let (mut positive, mut more) = (vec![0; cells.len()], 0);
        let least: f64 = (0..cells.len()).filter(|&cell| cells.label(cell) == 1).map(|cell| cells.weight(cell)).sum();
        let mut high = 1.0;
        let mut at = 0;
        loop {
            let low = rows.get(at).map_or(0.0, |row| row.0);
            let candidate = Candidate::between(low, high, least + grid.float(more));
            if low < high && candidate.is_better_than(&best) && allowed(&usual.clone().redecided(&floats(&positive))) {
                best = candidate;
            }
            if at == rows.len() {
                return Ok(best.threshold);
            }
            // All rows of the next score change sides together.
            while let Some(&(_, row)) = rows.get(at).filter(|row| row.0.total_cmp(&low).is_eq()) {
                let cell = cells.cell_of_row().get(row as usize);
                let weight = i128::from(grid.fix(problem.row_weight(row as usize)));
                positive[cell] += weight;
                more += if cells.label(cell) == 1 { -weight } else { weight };
                at += 1;
            }
            high = low;
        }
    }
}
