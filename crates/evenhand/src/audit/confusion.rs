//! Rows counted once, so that every rate is a sum of few numbers.
//!
//! Holds [`ConfusionMatrices`]: for one class against the rest, the rows of each membership pattern
//! by label and prediction. Leans on `group` and on rows that are counted already.

use std::ops::AddAssign;

use crate::data::Codes;
use crate::group::Membership;
use crate::interval::effective_rows;

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

/// The rows of an audit, each of which stands for many that are alike; all lengths are equal and all codes are classes.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) labels: &'a Codes,
    pub(super) predictions: Option<&'a Codes>,
    pub(super) membership: &'a Membership,
    /// What the rows that a row stands for add up to.
    pub(super) sums: &'a [Sums],
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

    fn by(view: View<'a>, solution: impl Fn(usize) -> (bool, bool)) -> Self {
        let membership = view.membership;
        let mut patterns = vec![ConfusionMatrix::default(); membership.patterns()];
        for (row, &sums) in view.sums.iter().enumerate() {
            let (labelled, predicted) = solution(row);
            patterns[membership.pattern(row)].cells[usize::from(labelled)][usize::from(predicted)] += sums;
        }
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
        let sums = [1.0, 2.0, 3.0, 4.0].map(|weight| Sums { rows: 1, weight, squares: weight * weight });
        let view = View { labels: &labels, predictions: Some(&predictions), membership: &membership, sums: &sums };
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
