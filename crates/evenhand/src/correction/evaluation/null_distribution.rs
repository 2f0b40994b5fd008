//! The sampling floor: what a bound limits would be by chance alone.
//!
//! A classifier that is even on all people is not even on some of them. Rows of a cell are drawn
//! again, so to say, with normal deviations in place of decisions, and the worst number taken, again and
//! again. Cells make up groups and everyone alike, so numbers that hang together (a group and its
//! complement, groups that overlap) do so here.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::contrast::Contrasts;
use crate::cells::Cells;
use crate::interval::exceeded;
use crate::kernel::CellSums;

/// How often, at most and at least. The worst of several numbers has a spread of about half its
/// mean, so the mean of 4,096 is known to about a hundredth.
const DRAWS: [usize; 2] = [4096, 256];

/// Fewer times where cells are so many that more numbers than this would be drawn.
const NUMBERS: usize = 1 << 22;

/// Nothing depends on it beyond the accuracy said above.
const SEED: u64 = 0;

/// The expected worst of what a bound limits, with all true rates even; `None` where it
/// limits nothing that these rows can measure.
pub(super) fn expected_under_parity(contrasts: &Contrasts<'_>) -> Option<f64> {
    if contrasts.all.is_empty() {
        return None;
    }
    let cells = contrasts.problem().cells();
    let numbers = cells.len() * cells.classes();
    let draws = (NUMBERS / numbers).clamp(DRAWS[1], DRAWS[0]);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut worst = || {
        let deviations = contrasts.deviations(&deviations(cells, &mut rng));
        contrasts.worst(contrasts.all.iter().map(|&contrast| contrasts.under_parity(contrast, &deviations)))
    };
    Some((0..draws).map(|_| worst()).sum::<f64>() / draws as f64)
}

/// For each cell and class a normal deviation with the variance that the rows of the cell would have,
/// did each of them have a variance of 1.
fn deviations(cells: &Cells, rng: &mut ChaCha8Rng) -> CellSums {
    let classes = cells.classes();
    let spread = |cell: usize| match cells.effective_rows(std::iter::once(cell)) {
        rows if rows > 0.0 => cells.weight(cell) / rows.sqrt(),
        _ => 0.0,
    };
    // Neither 0 nor 1, which nothing exceeds and everything.
    let normal = |rng: &mut ChaCha8Rng| exceeded(rng.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON));
    let all = (0..cells.len()).flat_map(|cell| std::iter::repeat_n(spread(cell), classes));
    CellSums::of_decisions(classes, all.map(|spread| spread * normal(rng)))
}
