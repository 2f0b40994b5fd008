//! The null distribution: what a bound limits would be for a classifier at parity, by sampling error alone.
//!
//! Monte Carlo: for every cell a normal deviation takes the place of the sampling error of its decisions, and the worst
//! contrast is computed from them; the mean over many draws is the value expected under parity. Deviations are drawn by
//! cell, and groups are unions of cells, so contrasts of the same rows (a group and its complement, groups that
//! overlap) are correlated as they are in the data.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::contrast::Contrasts;
use crate::cells::Cells;
use crate::interval::exceeded;
use crate::kernel::CellSums;

/// The number of draws, at most and at least. The worst of several numbers has a standard deviation of about half its
/// mean, so the mean of 4,096 draws is known to about a hundredth.
const DRAWS: [usize; 2] = [4096, 256];

/// There are fewer draws where cells are so many that more normal numbers than this would be drawn.
const NUMBERS: usize = 1 << 22;

/// The seed; it matters only within the accuracy said above.
const SEED: u64 = 0;

/// The expected worst contrast of a bound under parity; `None` where these rows can measure none.
pub(super) fn expected_under_parity(contrasts: &Contrasts<'_>) -> Option<f64> {
    if contrasts.all.is_empty() {
        return None;
    }
    let cells = contrasts.cells();
    let numbers = cells.len() * cells.classes();
    let draws = (NUMBERS / numbers).clamp(DRAWS[1], DRAWS[0]);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut worst = || {
        let deviations = contrasts.deviations(&deviations(cells, &mut rng));
        contrasts.worst(contrasts.all.iter().map(|&contrast| contrasts.under_parity(contrast, &deviations)))
    };
    Some((0..draws).map(|_| worst()).sum::<f64>() / draws as f64)
}

/// For each cell and class a normal deviation, with the variance of the cell's sum if every row had variance 1.
fn deviations(cells: &Cells, rng: &mut ChaCha8Rng) -> CellSums {
    let classes = cells.classes();
    let spread = |cell: usize| match cells.effective_rows(std::iter::once(cell)) {
        rows if rows > 0.0 => cells.weight(cell) / rows.sqrt(),
        _ => 0.0,
    };
    // Keeps u inside (0, 1) so that the quantile is finite.
    let normal = |rng: &mut ChaCha8Rng| exceeded(rng.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON));
    let all = (0..cells.len()).flat_map(|cell| std::iter::repeat_n(spread(cell), classes));
    CellSums::of_decisions(classes, all.map(|spread| spread * normal(rng)))
}
