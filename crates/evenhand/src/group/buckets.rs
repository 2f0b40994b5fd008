//! Quantile buckets of a numeric column.
//!
//! Holds the rule that finds edges, for numbers in memory and for those of which only some ranks are known; knows nothing of specifications or names.

use rayon::slice::ParallelSliceMut;

/// Numbers in ascending order, as far as [`edges_of`] has to know them.
pub(crate) trait Ascending {
    /// How many.
    fn len(&self) -> usize;
    /// The number of a rank that is among [`ranks`].
    fn at(&self, rank: usize) -> f64;
    /// How many are no larger than a number between two neighbours among [`ranks`], the last of these and the one after it.
    fn up_to(&self, edge: f64) -> (usize, Option<std::ops::Range<f64>>);
}

impl Ascending for Vec<f64> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn at(&self, rank: usize) -> f64 {
        self[rank]
    }

    fn up_to(&self, edge: f64) -> (usize, Option<std::ops::Range<f64>>) {
        let rows = self.partition_point(|&value| value <= edge);
        (rows, self.get(rows).filter(|_| rows > 0).map(|&next| self[rows - 1]..next))
    }
}

/// The inner edges of `count` buckets, ascending: the bucket between two edges holds
/// its upper edge and not its lower one.
///
/// Edges are linearly interpolated percentiles of the values that are not missing,
/// rounded to some six digits where that moves no row. One that would leave a bucket
/// without rows is dropped, so fewer than `count - 1` come back where many rows share a
/// value.
pub(crate) fn edges(values: &[f64], count: usize) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.par_sort_unstable_by(f64::total_cmp);
    edges_of(&sorted, count)
}

/// As [`edges`], of numbers in order.
pub(crate) fn edges_of(sorted: &dyn Ascending, count: usize) -> Vec<f64> {
    let mut edges = Vec::new();
    let mut below = 0;
    for index in 1..count {
        let Some(edge) = percentile(sorted, index, count) else { break };
        if let (rows, Some(same_rows)) = sorted.up_to(edge)
            && rows > below
        {
            edges.push(tidy(edge, same_rows));
            below = rows;
        }
    }
    edges
}

/// The ranks between which the edges of so many buckets of so many numbers lie, ascending.
pub(crate) fn ranks(numbers: usize, count: usize) -> Vec<usize> {
    let Some(last) = numbers.checked_sub(1) else { return Vec::new() };
    let mut ranks: Vec<usize> = (1..count).map(|index| rank(last, index, count).0).collect();
    ranks.extend_from_within(..);
    let half = ranks.len() / 2;
    ranks[half..].iter_mut().for_each(|rank| *rank = (*rank + 1).min(last));
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// The rank at `index / count` of the way to the last, and how many `count`ths of the way to the next one are left.
fn rank(last: usize, index: usize, count: usize) -> (usize, usize) {
    // In whole numbers, so that an edge that falls on a row is that row's value exactly; in 128 bits, since there may be very many rows.
    let at = last as u128 * index as u128;
    ((at / count as u128) as usize, (at % count as u128) as usize)
}

/// The number of fewest decimals that is within a millionth of an edge and has the same
/// rows on either side: 32.4 for 32.400000000000006. It is what names and models show.
fn tidy(edge: f64, same_rows: std::ops::Range<f64>) -> f64 {
    (0..=12)
        .filter_map(|decimals| format!("{edge:.decimals$}").parse::<f64>().ok())
        .find(|short| same_rows.contains(short) && (short - edge).abs() <= 1e-6 * edge.abs())
        .map_or(edge, |short| short + 0.0)
}

/// The value at `index / count` of the way through sorted values.
fn percentile(sorted: &dyn Ascending, index: usize, count: usize) -> Option<f64> {
    let (at, remainder) = rank(sorted.len().checked_sub(1)?, index, count);
    let low = sorted.at(at);
    if remainder == 0 {
        return Some(low);
    }
    // The difference of two equal values is 0, so ties are met exactly.
    Some(low + (sorted.at(at + 1) - low) * (remainder as f64 / count as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_interpolated_percentiles() {
        // The values that `numpy.percentile` gives for 20, 40, 60 and 80.
        let close = |found: &[f64], wanted: &[f64]| {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        let found = edges(&[10.0, 7.0, f64::NAN, 1.0, 2.0, 4.0], 5);
        assert!(close(&found, &[1.8, 3.2, 5.2, 7.6]), "{found:?}");
        assert!(close(&edges(&[1.0, 2.0, 3.0], 2), &[2.0]));
    }

    #[test]
    fn edges_that_coincide_become_one() {
        assert_eq!(edges(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0], 4), [1.0]);
        assert_eq!(edges(&[1.0, 1.0, 1.0, 2.0, 3.0], 4), [1.0, 2.0]);
    }

    #[test]
    fn no_bucket_is_empty() {
        assert_eq!(edges(&[0.0, 10.0], 5), [2.0]);
        assert!(edges(&[3.0; 7], 5).is_empty());
        assert!(edges(&[f64::NAN], 5).is_empty());
        assert!(edges(&[], 5).is_empty());
    }

    #[test]
    fn edges_are_rounded_only_between_rows() {
        assert_eq!(edges(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3), [1.666_667, 3.333_333]);
        let (low, high) = (1.000_000_000_1, 1.000_000_000_2);
        let found = edges(&[low, high], 2);
        assert!(low <= found[0] && found[0] < high, "{found:?}");
    }
}
