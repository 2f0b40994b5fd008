//! The seam between a model of biased labels and its rows: in memory, or in blocks.
//!
//! Holds [`Rows`], over which passes make sums, and the [`View`] of some rows that a pass is given. Rows in blocks are in `stored`.

use std::ops::Range;

use crate::Result;
use crate::correction::Problem;
use crate::data::Codes;
use crate::exact::Totals as Sums;
use crate::features::Features;
use crate::parallel;

/// Rows that sums are made over, wherever they are.
pub(super) trait Rows: Sync {
    /// Their cells and constraints, and how they are laid out; the rows themselves need not be there.
    fn problem(&self) -> &Problem;

    /// What no row weighs more than.
    fn heaviest(&self) -> f64;

    /// What a pass says of all of them, parts of no more than a run of so many sums at a time.
    ///
    /// # Errors
    /// What keeps rows from being read.
    fn sum(&self, sums: usize, pass: &RowPass<'_>) -> Result<Part>;
}

/// Sums over some rows, and the least of something that each has.
pub(super) type Part = (Sums, f64);

/// Makes sums over some rows of a view.
pub(super) type RowPass<'a> = dyn Fn(View<'_>, Range<usize>) -> Part + Sync + 'a;

/// Rows in memory, all or some of them.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) features: &'a Features,
    pub(super) cell_of_row: &'a Codes,
    pub(super) row_weights: Option<&'a [f64]>,
}

impl Rows for Problem {
    fn problem(&self) -> &Problem {
        self
    }

    fn heaviest(&self) -> f64 {
        self.cells().cell_rows().heaviest
    }

    fn sum(&self, sums: usize, pass: &RowPass<'_>) -> Result<Part> {
        let cells = self.cells();
        let (features, row_weights) = (self.features(), cells.row_weights().map(|weights| &**weights));
        let view = View { features, cell_of_row: cells.cell_of_row(), row_weights };
        let merge = |left: &mut Part, right: Part| {
            left.0.merge(&right.0);
            left.1 = left.1.min(right.1);
        };
        Ok(parallel::sum_and(self.labels().len(), sums, |rows| pass(view, rows), merge))
    }
}

impl View<'_> {
    /// The user's own weight of a row.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.row_weights.map_or(1.0, |weights| weights[row])
    }
}
