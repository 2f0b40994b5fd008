//! Sums by cells of rows whose weights are too far apart for one grid, added without any rounding.

use super::ExactSum;

/// Row weights that are further apart than this are beyond one grid: what the lightest rows add would be lost below its unit.
const ONE_GRID: f64 = 1.0 / 65_536.0;

/// At most this many sums are added so, which take half a kilobyte each.
const MOST_SUMS: usize = 1 << 16;

/// Whether sums of so many cells are to be added without rounding, since row weights are further apart than a grid holds.
pub(crate) fn is_wide(row_weights: Option<&[f64]>, sums: usize) -> bool {
    let Some(weights) = row_weights.filter(|_| sums <= MOST_SUMS) else { return false };
    let ends = |(least, most): (f64, f64), &weight: &f64| {
        (if weight > 0.0 { least.min(weight) } else { least }, most.max(weight))
    };
    let (least, most) = weights.iter().fold((f64::INFINITY, 0.0), ends);
    least < ONE_GRID * most
}

/// Sums that are added without rounding: `add` is called for every row with what adds a number to one of them.
pub(crate) fn wide_sums(count: usize, rows: usize, mut add: impl FnMut(usize, &mut dyn FnMut(usize, f64))) -> Vec<f64> {
    let mut sums = vec![ExactSum::default(); count];
    for row in 0..rows {
        add(row, &mut |at, value| sums[at].add(value));
    }
    sums.iter().map(ExactSum::value).collect()
}
