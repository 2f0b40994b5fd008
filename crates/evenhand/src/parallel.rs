//! Threads whose number never shows in a result.
//!
//! Holds the one way this crate walks over rows on several cores: [`sum`] for sums, which are exact (`exact`), so that neither how rows are cut nor the order
//! in which parts are merged shows in them, and [`reduce`] for what is not a sum of floats, merged in row order.

use std::ops::Range;

use crate::exact::{self, Totals};

/// Rows in the smallest leaf. A leaf of this size takes some 20 µs in the cheapest
/// kernel, well above what handing it to another thread costs.
const LEAF: usize = 4096;

/// At most this many leaves, so that large partial sums (a Hessian) stay few.
const LEAVES: usize = 64;

/// Computes `leaf` on every part of `0..rows` and merges the results in row order.
///
/// `merge(left, right)` folds `right`, which comes after, into `left`.
pub(crate) fn reduce<S: Send>(
    rows: usize,
    leaf: impl Fn(Range<usize>) -> S + Sync,
    merge: impl Fn(&mut S, S) + Sync,
) -> S {
    in_leaves(rows, leaf_size(rows), leaf, merge)
}

/// As [`reduce`], for leaves that return many sums: none has fewer rows than it returns sums, so that to set these to zero and
/// to merge them costs no more than the rows do, however many there are.
pub(crate) fn reduce_sums<S: Send>(
    rows: usize,
    sums: usize,
    leaf: impl Fn(Range<usize>) -> S + Sync,
    merge: impl Fn(&mut S, S) + Sync,
) -> S {
    in_leaves(rows, leaf_size(rows).max(sums), leaf, merge)
}

fn in_leaves<S: Send>(
    rows: usize,
    size: usize,
    leaf: impl Fn(Range<usize>) -> S + Sync,
    merge: impl Fn(&mut S, S) + Sync,
) -> S {
    let leaves = rows.div_ceil(size).max(1);
    walk(0..leaves, &|index| leaf(index * size..((index + 1) * size).min(rows)), &merge)
}

/// Adds up what `leaf` returns for the parts of `0..rows`, none of them longer than a run of so many sums. Neither the parts nor the order in which
/// they are merged show in the result.
pub(crate) fn sum(rows: usize, sums: usize, leaf: impl Fn(Range<usize>) -> Totals + Sync) -> Totals {
    sum_and(rows, sums, leaf, |left, right| left.merge(&right))
}

/// As [`sum`], for what is more than sums; merging it may not depend on its order.
pub(crate) fn sum_and<S: Send>(
    rows: usize,
    sums: usize,
    leaf: impl Fn(Range<usize>) -> S + Sync,
    merge: impl Fn(&mut S, S) + Sync,
) -> S {
    let size = leaf_size(rows).max(sums).min(exact::run(sums));
    in_leaves(rows, size, leaf, merge)
}

/// Runs work that walks over rows many times on one of the threads that do the walking.
///
/// Each walk that starts from outside costs two hand-overs between threads.
pub(crate) fn inside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

/// Cuts `out` into the leaves of [`reduce`], `width` values a row, and fills each.
pub(crate) fn fill<T: Send>(out: &mut [T], width: usize, leaf: impl Fn(Range<usize>, &mut [T]) + Sync) {
    use rayon::prelude::*;
    let rows = out.len() / width.max(1);
    let size = leaf_size(rows);
    out.par_chunks_mut(size * width.max(1)).enumerate().for_each(|(index, part)| {
        let start = index * size;
        leaf(start..start + part.len() / width.max(1), part);
    });
}

/// The values of the given rows, in the given order.
pub(crate) fn gather<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| values[row]).collect()
}

fn leaf_size(rows: usize) -> usize {
    rows.div_ceil(LEAVES).next_multiple_of(LEAF).max(LEAF)
}

fn walk<S: Send>(leaves: Range<usize>, leaf: &(impl Fn(usize) -> S + Sync), merge: &(impl Fn(&mut S, S) + Sync)) -> S {
    if leaves.len() <= 1 {
        return leaf(leaves.start);
    }
    let middle = leaves.start + leaves.len() / 2;
    let (mut left, right) =
        rayon::join(|| walk(leaves.start..middle, leaf, merge), || walk(middle..leaves.end, leaf, merge));
    merge(&mut left, right);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_visited_once_and_in_order() {
        for rows in [0, 1, LEAF, LEAF + 1, LEAF * LEAVES + 17] {
            let seen = reduce(rows, Iterator::collect::<Vec<usize>>, Extend::extend);
            assert_eq!(seen, (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_leaf_has_as_many_rows_as_sums() {
        let sizes = |sums| reduce_sums(10 * LEAF, sums, |rows| vec![rows.len()], Extend::extend);
        assert_eq!(sizes(1), [LEAF; 10]);
        assert_eq!(sizes(4 * LEAF), [4 * LEAF, 4 * LEAF, 2 * LEAF]);
        assert_eq!(sizes(usize::MAX), [10 * LEAF]);
    }

    #[test]
    fn sums_of_floats_do_not_depend_on_the_number_of_threads() {
        let value = |row: usize| (row as f64 * 0.1).sin() / 3.0;
        let total = || reduce(100_003, |rows| rows.map(value).sum::<f64>(), |left, right| *left += right);
        let on =
            |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(total).to_bits();
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(5));
    }
}
