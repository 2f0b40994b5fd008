//! What scores show, group by group: how well they rank rows, and whether they are as high as rows are positive.
//!
//! Holds [`ScoreAudit`]. The area under the ROC curve has Newcombe's interval, which is made as Wilson's is: at
//! both ends the area is as far off as its variance there allows [Newcombe 2006, method 5]. Calibration is the mean score minus the positive rate, with a
//! normal interval, and a table of ten bins of scores with Wilson's. Leans on `contingency_table`, `rate` and `score_counts`.

use serde::{Deserialize, Serialize};

use super::contingency_table::{ScoreRow, Scored};
use super::rate::Rate;

/// Bins of equal width that scores fall into.
pub(super) const BINS: usize = 10;

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What the scores of some rows show.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `group` | the group |
/// | `rows`, `weight` | how many rows it has, and their weight |
/// | `auc` | area under the ROC curve: how often a row labelled positive has a higher score than one that is not, a tie counting half; null without rows of both kinds |
/// | `mean_score` | the mean of the scores; null without rows |
/// | `positive_rate` | share of rows labelled positive |
/// | `calibration` | `mean_score` − `positive_rate`, calibration in the large: above 0 scores are too high |
/// | `calibration_error` | expected calibration error: the mean over rows of abs(mean score − positive rate) in the bin of their score |
/// | `calibration_error_by_chance` | what that would be on average if scores were probabilities: it is above 0 for want of rows |
/// | `bins` | ten bins of scores of equal width, those that have rows |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupScores {
    /// The group.
    pub group: String,
    /// How many rows it has.
    pub rows: usize,
    /// Their weight.
    pub weight: f64,
    /// Area under the ROC curve.
    pub auc: Option<Estimate>,
    /// The mean of the scores.
    pub mean_score: Option<f64>,
    /// Share of rows labelled positive.
    pub positive_rate: Rate,
    /// Mean score minus positive rate.
    pub calibration: Option<Estimate>,
    /// Expected calibration error.
    pub calibration_error: Option<f64>,
    /// The same by chance alone.
    pub calibration_error_by_chance: Option<f64>,
    /// Scores against positive rates.
    pub bins: Vec<ScoreBin>,
}

/// Rows whose scores are alike, the reliability of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreBin {
    /// The lowest score of the bin.
    pub from: f64,
    /// Scores are below this; the last bin has 1 as well.
    pub to: f64,
    /// The mean of the scores in it.
    pub mean_score: f64,
    /// Share of its rows labelled positive.
    pub positive_rate: Rate,
}

/// What scores show, with how far groups are apart.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `column` | the column of scores |
/// | `threshold` | from which score on rows are decided positive |
/// | `rounded` | whether there were so many different scores that ranks are those of scores rounded to 1/65536 |
/// | `overall`, `groups`, `missing` | as those of predictions |
/// | `auc_difference`, `calibration_difference` | the largest minus the smallest over groups; null below two groups |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreAudit {
    /// The column.
    pub column: String,
    /// From which score on rows are decided positive.
    pub threshold: f64,
    /// Whether ranks are those of rounded scores.
    pub rounded: bool,
    /// All rows.
    pub overall: GroupScores,
    /// Each group asked for.
    pub groups: Vec<GroupScores>,
    /// Rows that lack a value that defines groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<GroupScores>,
    /// The largest area under the curve of a group minus the smallest.
    pub auc_difference: Option<f64>,
    /// The same of calibration in the large.
    pub calibration_difference: Option<f64>,
}

impl ScoreAudit {
    pub(super) fn of(scored: &Scored<'_>, column: &str, threshold: f64, z: f64) -> Self {
        let set = |set: usize| GroupScores::of(scored, Some(set), z);
        let groups: Vec<GroupScores> = (0..scored.membership.groups()).map(set).collect();
        let spread = |of: fn(&GroupScores) -> Option<f64>| {
            let known: Vec<f64> = groups.iter().filter_map(of).collect();
            let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (known.len() > 1).then(|| most - known.iter().copied().fold(f64::INFINITY, f64::min))
        };
        Self {
            column: column.to_owned(),
            threshold,
            rounded: scored.counts.are_rounded(),
            overall: GroupScores::of(scored, None, z),
            missing: scored.membership.missing().map(set).collect(),
            auc_difference: spread(|group| group.auc.map(|auc| auc.value)),
            calibration_difference: spread(|group| group.calibration.map(|gap| gap.value)),
            groups,
        }
    }
}

impl GroupScores {
    /// Of the rows of a group, or those without a value; of all without one.
    fn of(scored: &Scored<'_>, set: Option<usize>, z: f64) -> Self {
        let inside = |row: usize| set.is_none_or(|set| scored.membership.is_member(row, set));
        let mut all = ScoreRow::default();
        let mut bins = vec![ScoreRow::default(); BINS];
        for (row, of_row) in scored.rows.iter().enumerate().filter(|(row, _)| inside(*row)) {
            all += *of_row;
            bins[scored.bins[row]] += *of_row;
        }
        let effective = all.all.effective();
        let auc = scored.auc(set).map(|auc| {
            let (low, high) = auc_interval(auc, all.positives.effective(), all.others.effective(), z);
            Estimate { value: auc, low, high }
        });
        let mean = all.mean_score();
        let known: Vec<(usize, ScoreRow)> =
            bins.into_iter().enumerate().filter(|(_, bin)| bin.all.weight > 0.0).collect();
        let error = |of: fn(&ScoreRow) -> f64| {
            mean.map(|_| known.iter().map(|(_, bin)| bin.all.weight / all.all.weight * of(bin)).sum::<f64>())
        };
        Self {
            group: set.map_or_else(|| "overall".to_owned(), |set| scored.membership.names()[set].clone()),
            rows: all.all.rows,
            weight: all.all.weight,
            auc,
            mean_score: mean,
            positive_rate: Rate::new(all.positives, all.all, z),
            calibration: mean.map(|_| {
                let (value, half) = (all.gap(), z * (all.gap_variance() / effective).sqrt());
                Estimate { value, low: value - half, high: value + half }
            }),
            calibration_error: error(|bin| bin.gap().abs()),
            calibration_error_by_chance: error(|bin| {
                // The mean size of a normal deviation with the variance that scores have if they are probabilities.
                (2.0 / std::f64::consts::PI * bin.chance_variance() / bin.all.effective()).sqrt()
            }),
            bins: known.iter().map(|&(at, bin)| ScoreBin::of(at, bin, z)).collect(),
        }
    }
}

impl ScoreBin {
    fn of(at: usize, bin: ScoreRow, z: f64) -> Self {
        let edge = |at: usize| at as f64 / BINS as f64;
        Self {
            from: edge(at),
            to: edge(at + 1),
            mean_score: bin.mean_score().unwrap_or(f64::NAN),
            positive_rate: Rate::new(bin.positives, bin.all, z),
        }
    }
}

impl ScoreRow {
    fn mean_score(&self) -> Option<f64> {
        (self.all.weight > 0.0).then(|| (self.scores / self.all.weight).clamp(0.0, 1.0))
    }

    /// Mean score minus positive rate.
    fn gap(&self) -> f64 {
        (self.scores - self.positives.weight) / self.all.weight
    }

    /// The variance of score − label.
    fn gap_variance(&self) -> f64 {
        let squares = self.score_squares - 2.0 * self.positive_scores + self.positives.weight;
        (squares / self.all.weight - self.gap().powi(2)).max(0.0)
    }

    /// The variance of a label, if scores are its probability.
    fn chance_variance(&self) -> f64 {
        ((self.scores - self.score_squares) / self.all.weight).max(0.0)
    }
}

/// Newcombe's interval of an area under the curve, for so many rows labelled positive and others. [Newcombe 2006, method 5]
fn auc_interval(auc: f64, positives: f64, others: f64, z: f64) -> (f64, f64) {
    let more = f64::midpoint(positives, others) - 1.0;
    // Hanley & McNeil's variance, with the same number of rows on both sides.
    let variance = |area: f64| {
        area * (1.0 - area) * (1.0 + more * ((1.0 - area) / (2.0 - area) + area / (1.0 + area))) / (positives * others)
    };
    // How far an area is inside: at the end of the interval the distance is z standard deviations.
    let inside = |area: f64| (area - auc).abs() <= z * variance(area).sqrt();
    let end = |mut within: f64, mut beyond: f64| {
        // Halving until a double holds no number between the two.
        for _ in 0..60 {
            let middle = f64::midpoint(within, beyond);
            if inside(middle) { within = middle } else { beyond = middle }
        }
        within
    };
    (end(auc, 0.0), end(auc, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::quantile;

    #[test]
    fn an_interval_of_an_area_is_where_it_may_be_and_has_a_width_at_the_ends() {
        let z = quantile(0.95).unwrap();
        let (low, high) = auc_interval(0.8, 40.0, 60.0, z);
        assert!(low < 0.8 && 0.8 < high && high < 0.9 && low > 0.69, "{low} {high}");
        let (low, high) = auc_interval(1.0, 10.0, 10.0, z);
        assert!(low > 0.6 && low < 0.9 && (high - 1.0).abs() < 1e-12, "{low} {high}");
        let (turned, _) = auc_interval(0.2, 40.0, 60.0, z);
        assert!((turned - (1.0 - auc_interval(0.8, 60.0, 40.0, z).1)).abs() < 1e-12);
    }
}
