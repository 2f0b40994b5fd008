//! Sums that are the same to the last bit in whatever order rows stand, and however they are cut.
//!
//! Floating-point addition is not associative, so a sum of rounded sums depends on their order. Here each contribution is
//! rounded once, to a multiple of a unit, and multiples are added as integers, which are associative: [`Grid`] and
//! [`Totals`]. The unit follows from a bound on the size of a single contribution and from how many sums there are, both of
//! which are properties of all rows (the encoding, the weights of cells, the heaviest row), never of a part of them. So a
//! function of a range of rows that returns [`Totals`] may be run on any machine, twice or in any order, and merging what it
//! returns gives the same bits; whoever calls it on a block of a larger dataset gives the block the bounds of all rows
//! (`features::DenseColumn::bound`, `Weights::bound`, `kernel::CellRows::heaviest`).
//! [Demmel & Nguyen 2013, 2015; Rump 2010]
//!
//! [`ExactSum`] needs no bound and rounds nothing on the way, at the cost of some nanoseconds a number: for sums that are not in the innermost loops.
//! `wide` has those by cells, where row weights are too far apart for a grid; `whole` the arithmetic from exact sums to a mean and a spread.

mod exact_sum;
mod grid;
mod whole;
mod wide;

pub(crate) use exact_sum::ExactSum;
pub(crate) use grid::{Grid, GridSums, Totals, largest_size, run, sum, sum_of};
pub(crate) use whole::Float;
pub(crate) use wide::{is_wide, wide_sums};
