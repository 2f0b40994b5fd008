//! What scores show, in words and as lines: the same in text, Markdown and HTML.

use evenhand::audit::{Estimate, GroupScores, ScoreAudit};

use crate::Report;
use crate::number::{confidence, decimal, or_none, points};

/// The heading of it.
pub(crate) const SCORES: &str = "What scores show, by group";

pub(crate) const AUC: &str = "AUC: of a row labelled positive and one that is not, how often the first has the higher score, a tie counting half";
pub(crate) const CALIBRATION: &str = "The mean score minus the share labelled positive";
pub(crate) const CALIBRATION_ERROR: &str =
    "How far mean scores and shares labelled positive are apart on average, in ten bins of scores";

/// Everyone, the groups, and rows without a value.
pub(crate) fn lines(found: &ScoreAudit) -> impl Iterator<Item = &GroupScores> {
    std::iter::once(&found.overall).chain(&found.groups).chain(&found.missing)
}

/// How the line at a place is called: the first is of everyone.
pub(crate) fn name(at: usize, group: &GroupScores) -> String {
    if at == 0 { "Everyone".to_owned() } else { group.group.clone() }
}

/// An area under the curve: `0.771`.
pub(crate) fn auc(area: f64) -> String {
    decimal(area, 3)
}

/// Which scores they are.
pub(crate) fn intro(found: &ScoreAudit) -> String {
    let rounded =
        if found.rounded { " There are so many that ranks are those of scores rounded to 1/65,536." } else { "" };
    let from = crate::number::factor_short(found.threshold);
    format!(
        "Scores are in the column “{}”. Rows are decided positive from a score of {from} on.{rounded}",
        found.column
    )
}

/// AUC, calibration and calibration error of some rows, in words.
pub(crate) fn describe(group: &GroupScores) -> String {
    let estimate = |one: Option<Estimate>, shown: fn(f64) -> String| {
        one.map_or_else(|| "none".to_owned(), |one| with_interval(one, shown))
    };
    format!(
        "AUC {}; mean score minus share labelled positive {} points; calibration error {} points, by chance {}",
        estimate(group.auc, auc),
        estimate(group.calibration, points),
        or_none(group.calibration_error, points),
        or_none(group.calibration_error_by_chance, points)
    )
}

impl Report {
    /// Between which groups scores differ most.
    pub(crate) fn found_in_scores(&self) -> Option<String> {
        let found = self.scores.as_ref()?;
        let spread = |of: fn(&GroupScores) -> Option<Estimate>, shown: fn(f64) -> String| {
            let large = found.groups.iter().filter(|group| group.rows >= self.about.small_group);
            let known = large.filter_map(|group| Some((of(group)?, group.group.as_str())));
            let mut known: Vec<(Estimate, &str)> = known.collect();
            known.sort_by(|one, other| one.0.value.total_cmp(&other.0.value));
            let words = |(one, group): &(Estimate, &str)| format!("{} in {group}", with_interval(*one, shown));
            match known.as_slice() {
                [low, .., high] => Some(format!("from {} to {}", words(low), words(high))),
                _ => None,
            }
        };
        let areas = spread(|group| group.auc, auc).map(|areas| format!("the AUC of scores is {areas}"));
        let gaps = spread(|group| group.calibration, points)
            .map(|gaps| format!("mean score minus share labelled positive is {gaps}, in points"));
        let both: Vec<String> = areas.into_iter().chain(gaps).collect();
        let sure = confidence(self.about.confidence);
        (!both.is_empty()).then(|| format!("With {sure} intervals, {}.", both.join("; ")))
    }
}

/// `0.771 (0.765 to 0.777)`.
fn with_interval(one: Estimate, shown: fn(f64) -> String) -> String {
    format!("{} ({} to {})", shown(one.value), shown(one.low), shown(one.high))
}
