//! How scores are spread among rows that are labelled positive and others, for each membership pattern.
//!
//! Holds [`ScoreCounts`], a part of a contingency table, merged in any order to the same bits. Scores are kept as they are while there are not too many different
//! ones; then they are rounded, everywhere alike. Whether they are is a property of all rows: a part that has too many is a part of rows that have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// At most so many different scores are kept, counted for each pattern and label.
const MOST_SCORES: usize = 1 << 21;

/// With more of them scores are rounded to multiples of 1 over this: a pair of rows counts as tied that is nearer than that.
pub(super) const ROUNDED: f64 = 65_536.0;

/// Weights in units are added as integers, of which this many are 1.
const ONE: f64 = (1_u128 << 64) as f64;

/// Scores in ascending order, each with the weight of its rows.
type Weighted = Vec<(f64, u128)>;

/// Scores of rows by their groups and whether they are labelled positive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Record", into = "Record")]
pub(super) struct ScoreCounts {
    parts: BTreeMap<(Vec<u64>, bool), Weighted>,
    rounded: bool,
}

/// The same as it is sent.
#[derive(Serialize, Deserialize)]
struct Record {
    parts: Vec<(Vec<u64>, bool, Weighted)>,
    rounded: bool,
}

impl ScoreCounts {
    /// Of some rows of one pattern and label, scores and weights in units.
    pub(super) fn add_rows(&mut self, sets: Vec<u64>, positive: bool, rows: Vec<(f64, f64)>) {
        // A weight below 2⁻⁶⁴ of the heaviest adds nothing to ranks.
        #[expect(clippy::cast_sign_loss, reason = "weights are not negative")]
        let fixed = |weight: f64| (weight * ONE) as u128;
        let mut scores: Weighted = rows.into_iter().map(|(score, weight)| (score, fixed(weight))).collect();
        scores.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        tie(&mut scores);
        let own = self.parts.entry((sets, positive)).or_default();
        *own = both(std::mem::take(own), scores);
        self.round_if_many();
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.rounded |= other.rounded;
        for (key, scores) in other.parts {
            let own = self.parts.entry(key).or_default();
            *own = both(std::mem::take(own), scores);
        }
        if self.rounded { self.round() } else { self.round_if_many() }
    }

    /// Whether scores were too many to be kept as they are.
    pub(super) fn are_rounded(&self) -> bool {
        self.rounded
    }

    /// The area under the ROC curve of the rows whose groups are asked for: how often a row that is labelled positive has a higher score than
    /// one that is not, a tie counting half. `None` without rows of either kind.
    pub(super) fn auc(&self, asked: impl Fn(&[u64]) -> bool) -> Option<f64> {
        let mut scores: Vec<(f64, [u128; 2])> = Vec::new();
        for ((_, positive), part) in self.parts.iter().filter(|((sets, _), _)| asked(sets)) {
            let placed = |weight| if *positive { [0, weight] } else { [weight, 0] };
            scores.extend(part.iter().map(|&(score, weight)| (score, placed(weight))));
        }
        scores.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let (mut below, mut positives, mut ahead) = (0.0, 0.0, 0.0);
        let mut at = 0;
        while at < scores.len() {
            // All weights of one score are added as integers, so that their order does not show.
            let (score, mut tied) = (scores[at].0, [0_u128; 2]);
            while at < scores.len() && scores[at].0.total_cmp(&score).is_eq() {
                tied = [tied[0] + scores[at].1[0], tied[1] + scores[at].1[1]];
                at += 1;
            }
            let [others, own] = tied.map(|weight| weight as f64 / ONE);
            ahead += own * (below + others / 2.0);
            below += others;
            positives += own;
        }
        (below > 0.0 && positives > 0.0).then(|| (ahead / below / positives).clamp(0.0, 1.0))
    }

    fn round_if_many(&mut self) {
        if !self.rounded && self.parts.values().map(Vec::len).sum::<usize>() > MOST_SCORES {
            self.round();
        }
    }

    fn round(&mut self) {
        self.rounded = true;
        for scores in self.parts.values_mut() {
            for (score, _) in scores.iter_mut() {
                *score = (*score * ROUNDED).round() / ROUNDED;
            }
            tie(scores);
        }
    }
}

/// Adds up equal scores that stand side by side.
fn tie(scores: &mut Weighted) {
    scores.dedup_by(|next, kept| {
        let same = next.0.total_cmp(&kept.0).is_eq();
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}

/// Two ascending lists as one.
fn both(one: Weighted, other: Weighted) -> Weighted {
    if one.is_empty() {
        return other;
    }
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let next = if left.0.total_cmp(&right.0).is_le() { one.next() } else { other.next() };
        all.extend(next);
    }
    all.extend(one);
    all.extend(other);
    tie(&mut all);
    all
}

impl From<Record> for ScoreCounts {
    fn from(Record { parts, rounded }: Record) -> Self {
        let parts = parts.into_iter().map(|(sets, positive, scores)| ((sets, positive), scores)).collect();
        Self { parts, rounded }
    }
}

impl From<ScoreCounts> for Record {
    fn from(ScoreCounts { parts, rounded }: ScoreCounts) -> Self {
        let parts = parts.into_iter().map(|((sets, positive), scores)| (sets, positive, scores)).collect();
        Self { parts, rounded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(positives: &[f64], others: &[f64]) -> ScoreCounts {
        let mut counts = ScoreCounts::default();
        for (positive, scores) in [(true, positives), (false, others)] {
            counts.add_rows(vec![1], positive, scores.iter().map(|&score| (score, 1.0)).collect());
        }
        counts
    }

    #[test]
    fn an_area_is_the_share_of_pairs_in_order_and_ties_are_half() {
        // Of nine pairs seven are in order and one is tied.
        let found = counts(&[0.9, 0.5, 0.4], &[0.1, 0.4, 0.45]);
        assert_eq!(found.auc(|_| true), Some(7.5 / 9.0));
        assert_eq!(found.auc(|_| false), None);
        assert_eq!(counts(&[0.5], &[]).auc(|_| true), None);
        assert_eq!(counts(&[0.2; 4], &[0.2; 5]).auc(|_| true), Some(0.5));
    }

    #[test]
    fn many_scores_are_rounded_however_they_are_cut() {
        let score = |at: usize| (at as f64 * 0.618_033_988_749_895).fract();
        let rows = MOST_SCORES + 10_000;
        let of = |parts: usize| {
            let size = rows.div_ceil(parts);
            let one = |part: usize| {
                let mut own = ScoreCounts::default();
                let scores = (part * size..((part + 1) * size).min(rows)).map(|at| (score(at), 1.0));
                own.add_rows(vec![0], part.is_multiple_of(2), scores.collect());
                own
            };
            (0..parts).map(one).collect::<Vec<_>>()
        };
        let together = |parts: Vec<ScoreCounts>| {
            let mut all = ScoreCounts::default();
            for part in parts {
                all.merge(part);
            }
            all
        };
        let parts = of(4);
        let turned: Vec<ScoreCounts> = parts.iter().rev().cloned().collect();
        assert!(parts.iter().all(|part| !part.are_rounded()));
        let all = together(parts);
        assert!(all.are_rounded() && all == together(turned));
        assert!(!counts(&[0.3], &[0.2]).are_rounded());
    }
}
