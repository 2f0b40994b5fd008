//! How many rows a search begins on.

use super::{SAMPLE_ROWS, Sampled};
use crate::correction::problem::Problem;

/// What a sample brings near is to be known by this part of what all rows can tell: errors of the sample that is to be enough are so much smaller than those of all rows.
const PRECISION: f64 = 32.0;

/// How large a sample is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleSize {
    /// So many rows; `None` for as many as tell enough.
    pub(crate) rows: Option<usize>,
    /// No more than these.
    pub(crate) most: usize,
    /// The seed by which they are drawn.
    pub(crate) seed: u64,
}

impl From<Sampled> for SampleSize {
    fn from(Sampled { sample_rows, seed }: Sampled) -> Self {
        Self { rows: Some(sample_rows), most: usize::MAX, seed }
    }
}

impl SampleSize {
    /// About how many of so many rows are drawn.
    pub(super) fn sampled(&self, problem: &Problem, rows: usize) -> Sampled {
        let enough = || if rows <= SAMPLE_ROWS { rows } else { enough(problem, rows).min(SAMPLE_ROWS) };
        Sampled { sample_rows: self.rows.unwrap_or_else(enough).min(self.most), seed: self.seed }
    }
}

/// How many rows are enough for the multipliers and for the second derivatives.
///
/// With s rows in a group the rates that a search sees, and their derivatives, are wrong by about 1/√s. So a step on all rows from where the sample leads
/// is wrong by about 1/s, and that is to be small beside 1/√n, by which the n rows that the group has of all can tell its rate: s is so many times √n, of
/// the smallest group. Of p coefficients the second derivatives are wrong by about √(p/s), which every step of a fit leaves of what it was to do.
fn enough(problem: &Problem, rows: usize) -> usize {
    let by_groups = problem.fewest_rows().map_or(rows as f64, |fewest| rows as f64 * PRECISION / fewest.sqrt());
    let by_coefficients = PRECISION * PRECISION * problem.coefficients() as f64;
    // A number of rows is not negative.
    #[expect(clippy::cast_sign_loss)]
    let enough = by_groups.max(by_coefficients).ceil() as usize;
    enough
}
