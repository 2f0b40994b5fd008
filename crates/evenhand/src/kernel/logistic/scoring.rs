//! Probabilities of rows, and how they change as coefficients do.

use std::ops::Range;

use super::buffers::Buffers;
use crate::features::Features;
use crate::kernel::product::{Tables, margins};
use crate::kernel::{BLOCK, blocks};

/// Coefficients laid out to score rows of one table.
#[derive(Debug)]
pub(crate) struct LogisticScorer<'a> {
    features: &'a Features,
    tables: Vec<Tables>,
    classes: usize,
}

impl<'a> LogisticScorer<'a> {
    pub(crate) fn new(features: &'a Features, coefficients: &[f64], classes: usize) -> Self {
        Self { features, tables: Tables::by_margin(features, coefficients), classes }
    }

    /// Class probabilities of some rows, row by row, written over `out`.
    pub(crate) fn scores(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let mut at = Buffers::new(self.classes);
        out.clear();
        out.resize(rows.len() * self.classes, 0.0);
        for (block, out) in blocks(rows).zip(out.chunks_mut(BLOCK * self.classes)) {
            margins(self.features, &self.tables, block, &mut at.margins);
            at.link();
            if let [positive] = &at.margins[..] {
                for (out, positive) in out.as_chunks_mut::<2>().0.iter_mut().zip(positive) {
                    *out = [1.0 - positive, *positive];
                }
            } else {
                for (class, shares) in at.margins.iter().enumerate() {
                    for (out, share) in out.chunks_exact_mut(self.classes).zip(shares) {
                        out[class] = *share;
                    }
                }
            }
        }
    }
}

/// Coefficients and their directions of change laid out to tell how scores of one table change.
#[derive(Debug)]
pub(crate) struct LogisticSlopes<'a> {
    features: &'a Features,
    tables: Vec<Tables>,
    /// Per direction, per margin.
    directions: Vec<Tables>,
    classes: usize,
}

impl<'a> LogisticSlopes<'a> {
    pub(crate) fn new(features: &'a Features, coefficients: &[f64], directions: &[Vec<f64>], classes: usize) -> Self {
        let directions = directions.iter().flat_map(|direction| Tables::by_margin(features, direction)).collect();
        Self { features, tables: Tables::by_margin(features, coefficients), directions, classes }
    }

    /// Direction by direction, what no change of a probability exceeds: `p (1 − p)`, at most ¼, times the difference of two changes of margins.
    pub(crate) fn bounds(&self) -> Vec<f64> {
        let largest = |margins: &[Tables]| margins.iter().map(|one| one.bound(self.features)).fold(0.0, f64::max);
        self.directions.chunks(self.tables.len()).map(|margins| 0.5 * (1.0 + 1e-9) * largest(margins)).collect()
    }

    /// The change of each class's probability in each direction, row by row, written over `out`.
    ///
    /// For margins m and probabilities p, `dp_y = p_y (dm_y − Σ_z p_z dm_z)`; with two classes `p(1−p) dm`.
    pub(crate) fn slopes(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let mut at = Buffers::new(self.classes);
        let outputs = self.tables.len();
        let count = self.directions.len() / outputs;
        let mut moves = vec![Vec::with_capacity(BLOCK); self.directions.len()];
        let width = count * self.classes;
        out.clear();
        out.resize(rows.len() * width, 0.0);
        for (block, out) in blocks(rows).zip(out.chunks_mut(BLOCK * width)) {
            margins(self.features, &self.tables, block.clone(), &mut at.margins);
            at.link();
            margins(self.features, &self.directions, block, &mut moves);
            if let [positive] = &at.margins[..] {
                for (direction, moves) in moves.iter().enumerate() {
                    for ((out, p), change) in out.chunks_exact_mut(width).zip(positive).zip(moves) {
                        let slope = p * (1.0 - p) * change;
                        (out[2 * direction], out[2 * direction + 1]) = (-slope, slope);
                    }
                }
                continue;
            }
            for (direction, moves) in moves.chunks(outputs).enumerate() {
                for (row, out) in out.chunks_exact_mut(width).enumerate() {
                    let mean: f64 = at.margins.iter().zip(moves).map(|(p, change)| p[row] * change[row]).sum();
                    let out = &mut out[direction * self.classes..][..self.classes];
                    for ((out, p), change) in out.iter_mut().zip(&at.margins).zip(moves) {
                        *out = p[row] * (change[row] - mean);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outputs;
    use super::super::tests::features;
    use super::*;

    #[test]
    fn scores_are_the_softmax_of_the_margins_of_each_row() {
        let features = features(300);
        for classes in [2, 4] {
            let coefficients: Vec<f64> = (0..outputs(classes) * 10).map(|i| (i as f64).sin()).collect();
            let mut all = Vec::new();
            LogisticScorer::new(&features, &coefficients, classes).scores(0..300, &mut all);
            for (row, scores) in all.chunks(classes).enumerate() {
                let margin = |class: &[f64]| {
                    class[9] + features.row(row).iter().map(|&(feature, value)| class[feature] * value).sum::<f64>()
                };
                let mut margins: Vec<f64> = coefficients.chunks(10).map(margin).collect();
                if classes == 2 {
                    margins.insert(0, 0.0);
                }
                let total: f64 = margins.iter().map(|margin| margin.exp()).sum();
                for (score, margin) in scores.iter().zip(margins) {
                    assert!((score - margin.exp() / total).abs() < 1e-14);
                }
            }
        }
    }
}
