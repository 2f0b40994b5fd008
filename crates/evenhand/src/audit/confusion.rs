//! Rows counted once, so that every rate is a sum of few numbers.
//!
//! Holds [`ConfusionMatrices`]: for one class against the rest, the rows of each membership pattern
//! by label and prediction. Leans on `parallel` and `group`.

use std::ops::{AddAssign, Range};

use crate::data::Codes;
use crate::exact::{Grid, Totals, is_wide, wide_sums};
use crate::group::Membership;
use crate::interval::effective_rows;
use crate::parallel;

/// What some rows add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) rows: usize,
    pub(super) weight: f64,
    /// Of weights, for Kish's effective number of rows.
    pub(super) squares: f64,
}

impl Sums {
    /// How many rows of equal weight these are worth (Kish).
    pub(super) fn effective(self) -> f64 {
        effective_rows(self.weight, self.squares)
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.weight += other.weight;
        self.squares += other.squares;
    }
}

/// Rows of one kind, by whether label and prediction are the class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ConfusionMatrix {
    /// `[labelled][predicted]`, 1 for the class and 0 for the rest.
    cells: [[Sums; 2]; 2],
}

impl ConfusionMatrix {
    /// Of rows, weight and squares of each cell.
    fn of(sums: &[f64]) -> Self {
        // A count is a whole number, none negative.
        #[expect(clippy::cast_sign_loss)]
        let sums =
            |at: usize| Sums { rows: sums[3 * at] as usize, weight: sums[3 * at + 1], squares: sums[3 * at + 2] };
        Self { cells: [[sums(0), sums(1)], [sums(2), sums(3)]] }
    }

    /// The rows for which `asked(labelled, predicted)`.
    pub(super) fn sum(&self, asked: impl Fn(bool, bool) -> bool) -> Sums {
        let mut sum = Sums::default();
        for (labelled, predicted) in [(false, false), (false, true), (true, false), (true, true)] {
            if asked(labelled, predicted) {
                sum += self.cells[usize::from(labelled)][usize::from(predicted)];
            }
        }
        sum
    }
}

impl AddAssign for ConfusionMatrix {
    fn add_assign(&mut self, other: Self) {
        for (mine, other) in self.cells.iter_mut().flatten().zip(other.cells.into_iter().flatten()) {
            *mine += other;
        }
    }
}

/// The rows to be counted; all lengths are equal and all codes are classes.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) labels: &'a Codes,
    pub(super) predictions: Option<&'a Codes>,
    pub(super) membership: &'a Membership,
    pub(super) row_weights: Option<&'a [f64]>,
}

/// A confusion matrix per membership pattern.
pub(super) struct ConfusionMatrices<'a> {
    membership: &'a Membership,
    patterns: Vec<ConfusionMatrix>,
}

impl<'a> ConfusionMatrices<'a> {
    /// Counts one class against the rest, in one pass.
    pub(super) fn of(view: View<'a>, class: usize) -> Self {
        let is_class = move |labelled: bool, row: usize| {
            let codes = if labelled { Some(view.labels) } else { view.predictions };
            codes.is_some_and(|codes| codes.get(row) == class)
        };
        Self::by(view, move |row| (is_class(true, row), is_class(false, row)))
    }

    /// Counts rows whose prediction is their label as if both were the class, all
    /// others as labelled and not predicted, so that their true positive rate is the
    /// share of rows predicted right.
    pub(super) fn of_hits(view: View<'a>) -> Self {
        Self::by(view, move |row| (true, view.predictions.is_some_and(|codes| codes.get(row) == view.labels.get(row))))
    }

    fn by(view: View<'a>, solution: impl Fn(usize) -> (bool, bool) + Sync) -> Self {
        let membership = view.membership;
        let heaviest = view.row_weights.map_or(1.0, |weights| weights.iter().copied().fold(0.0, f64::max));
        // Of each pattern four cells, and of each cell rows, weight and squares.
        let count = 12 * membership.patterns();
        if is_wide(view.row_weights, count) {
            let own = |row: usize, add: &mut dyn FnMut(usize, f64)| {
                let (labelled, predicted) = solution(row);
                let weight = view.row_weights.map_or(1.0, |weights| weights[row]);
                let at = 12 * membership.pattern(row) + 3 * (2 * usize::from(labelled) + usize::from(predicted));
                add(at, 1.0);
                add(at + 1, weight);
                add(at + 2, weight * weight);
            };
            let sums = wide_sums(count, membership.rows(), own);
            return Self { membership, patterns: sums.chunks_exact(12).map(ConfusionMatrix::of).collect() };
        }
        let grids = [Grid::counting(), Grid::new(heaviest, count), Grid::new(heaviest * heaviest, count)];
        let pass = |rows: Range<usize>| {
            let (mut sums, mut valid) = (vec![0; count], grids.iter().all(|grid| grid.is_bounded()));
            for row in rows {
                let (labelled, predicted) = solution(row);
                let weight = view.row_weights.map_or(1.0, |weights| weights[row]);
                valid &= grids[1].holds(weight);
                let cell = 2 * usize::from(labelled) + usize::from(predicted);
                let sums = &mut sums[12 * membership.pattern(row) + 3 * cell..][..3];
                sums[0] += 1;
                sums[1] += grids[1].fix(weight);
                sums[2] += grids[2].fix(weight * weight);
            }
            Totals::new(sums, valid)
        };
        let sums = parallel::sum(membership.rows(), count, pass).to_floats(|at| grids[at % 3]);
        let patterns = sums.chunks_exact(12).map(ConfusionMatrix::of).collect();
        Self { membership, patterns }
    }

    /// All rows.
    pub(super) fn overall(&self) -> ConfusionMatrix {
        self.sum(|_| true)
    }

    /// The rows of a group, or those without a value.
    pub(super) fn group(&self, group: usize) -> ConfusionMatrix {
        self.sum(|pattern| self.membership.contains(pattern, group))
    }

    /// The rows that are not in a group: summed, since what is left of a difference may be rounding errors alone.
    pub(super) fn others(&self, group: usize) -> ConfusionMatrix {
        self.sum(|pattern| !self.membership.contains(pattern, group))
    }

    /// The rows that are in every group of a pattern.
    pub(super) fn intersection(&self, pattern: usize) -> ConfusionMatrix {
        self.sum(|other| self.membership.covers(other, pattern))
    }

    /// How many rows have exactly the groups of a pattern.
    pub(super) fn rows(&self, pattern: usize) -> usize {
        self.patterns[pattern].sum(|_, _| true).rows
    }

    fn sum(&self, asked: impl Fn(usize) -> bool) -> ConfusionMatrix {
        let mut sum = ConfusionMatrix::default();
        for (_, &confusion) in self.patterns.iter().enumerate().filter(|(pattern, _)| asked(*pattern)) {
            sum += confusion;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_group_label_and_prediction() {
        let (labels, predictions) = (Codes::U8(vec![1, 1, 0, 2]), Codes::U8(vec![1, 0, 1, 2]));
        let masks = [vec![true, true, true, false], vec![true, false, false, false]];
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
        let row_weights = [1.0, 2.0, 3.0, 4.0];
        let view = View {
            labels: &labels,
            predictions: Some(&predictions),
            membership: &membership,
            row_weights: Some(&row_weights),
        };
        let matrices = ConfusionMatrices::of(view, 1);
        assert_eq!(matrices.overall().sum(|_, _| true), Sums { rows: 4, weight: 10.0, squares: 30.0 });
        assert_eq!(matrices.overall().sum(|labelled, _| labelled).weight.to_bits(), 3f64.to_bits());
        assert_eq!(matrices.group(0).sum(|labelled, predicted| !labelled && predicted).rows, 1);
        assert_eq!(matrices.others(1).sum(|_, _| true), Sums { rows: 3, weight: 9.0, squares: 29.0 });
        assert_eq!(matrices.intersection(membership.pattern(0)).sum(|_, _| true).rows, 1);
        // Rows in `a` alone: the intersection of one group holds those in `b` as well.
        assert_eq!(matrices.intersection(membership.pattern(1)).sum(|_, _| true).rows, 3);
        assert_eq!(matrices.rows(membership.pattern(1)), 2);
        assert_eq!(ConfusionMatrices::of_hits(view).overall().sum(|_, hit| hit).rows, 2);
    }
}
