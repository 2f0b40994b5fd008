//! Quantile buckets of a numeric column.
//!
//! Holds the rule that finds edges; knows nothing of specifications or names.

use rayon::slice::ParallelSliceMut;

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
    let mut edges = Vec::new();
    let mut below = 0;
    for index in 1..count {
        let Some(edge) = percentile(&sorted, index, count) else { break };
        let rows = sorted.partition_point(|&value| value <= edge);
        if rows > below && rows < sorted.len() {
            edges.push(tidy(edge, sorted[rows - 1]..sorted[rows]));
            below = rows;
        }
    }
    edges
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
fn percentile(sorted: &[f64], index: usize, count: usize) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    // In whole numbers, so that an edge that falls on a row is that row's value exactly.
    let (at, remainder) = (last * index / count, last * index % count);
    let low = sorted[at];
    if remainder == 0 {
        return Some(low);
    }
    // The difference of two equal values is 0, so ties are met exactly.
    Some(low + (sorted[at + 1] - low) * (remainder as f64 / count as f64))
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
