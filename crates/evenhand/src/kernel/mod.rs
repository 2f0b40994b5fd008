//! One kernel: a block of rows in, mergeable sums out.
//!
//! Everything a pass over the data computes is here: `product` multiplies features by
//! coefficients and back, `link` turns margins into probabilities and losses, `logistic`
//! sums loss, gradient and curvature over rows, `cell_sums` sums decisions and scores per
//! cell, `slope` their derivatives. Each takes a range of rows and returns exact sums (`exact`) that are the same in whatever order `parallel`
//! merges them; none knows how many threads there are, or whether blocks come from memory.
//! Knows nothing of groups, notions or solvers.

mod cell_sums;
pub(crate) mod link;
pub(crate) mod logistic;
pub(crate) mod product;
mod slope;

pub(crate) use cell_sums::CellSums;
pub(crate) use cell_sums::{CellRows, HALF, cell_sum_totals, cell_sums, decide, decide_at};
pub(crate) use slope::{BoundaryRows, boundary_rows, cell_sum_derivatives};

use std::ops::Range;

/// Rows handled at once: the few arrays of this length that a kernel keeps stay in the innermost cache.
pub(crate) const BLOCK: usize = 1024;

/// Cuts a range of rows into blocks.
pub(crate) fn blocks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
}
