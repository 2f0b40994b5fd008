//! Percentile thresholds: an uncorrected learner, and for each pattern of groups a percentile of its scores. [Jiang & Nachum 2019, App. F]
//!
//! The paper's *calibration*, as its published numbers came about. A pattern is decided positive above the percentile of its own training scores at which it has the
//! rate of the uncorrected classifier among everyone: of all rows, or where the notion asks about rows of a label, of those. The threshold lies on the
//! line between two neighbouring scores, as numpy's percentiles do. Nothing is random and nothing is optimised: `threshold_postprocessing` has the
//! least error there is at no violation.

use super::pattern_rows::PatternRows;
use super::single_fit;
use crate::Result;
use crate::correction::evaluation::thresholds::{PatternRule, Thresholds, names};
use crate::correction::settings::Correction;
use crate::correction::{Problem, Solution, Termination};
use crate::learner::{Learner, Predictor};
use crate::notion::Notion;

/// Fits without correction, and finds thresholds.
pub(in crate::correction) fn train<L: Learner>(
    settings: &Correction,
    problem: &Problem,
    learner: &L,
) -> Result<Solution<L::Predictor>> {
    let solution = single_fit(problem, settings, learner, vec![1.0; problem.cells().len()])?;
    let thresholds = thresholds(settings, problem, &solution.predictor)?;
    solution.deciding_by(thresholds, Termination::Converged, settings, problem)
}

/// The thresholds that the scores of a predictor on training rows lead to.
///
/// # Errors
/// What the predictor says.
pub(crate) fn thresholds(settings: &Correction, problem: &Problem, predictor: &dyn Predictor) -> Result<Thresholds> {
    let label = labelled(settings);
    let rate = overall_rate(problem, predictor, label)?;
    let rule = |pattern: PatternRows| {
        let counted = pattern.rows.iter().filter(|row| label.is_none_or(|label| row.1 == label));
        let scores: Vec<(f64, f64)> = counted.map(|&(score, _, weight)| (score, weight)).collect();
        // Where training has no such row, nothing is known to be mended.
        let above = percentile(scores, 1.0 - rate).unwrap_or(problem.threshold());
        let groups = names(problem, pattern.cell()).into_iter().map(str::to_owned).collect();
        PatternRule::mixing(groups, pattern.count, vec![(Some(above.next_up()), 1.0)])
    };
    let patterns = PatternRows::of(problem, predictor)?.into_iter().map(rule).collect();
    Ok(Thresholds { seed: None, patterns })
}

/// The label of the rows whose rate is set; `None` for all rows.
fn labelled(settings: &Correction) -> Option<bool> {
    match settings.notions.first() {
        Some(Notion::EqualOpportunity) => Some(true),
        Some(Notion::PredictiveEquality) => Some(false),
        _ => None,
    }
}

/// The share that a predictor decides positive, of the rows with this label.
fn overall_rate(problem: &Problem, predictor: &dyn Predictor, label: Option<bool>) -> Result<f64> {
    let sums = problem.cell_sums(predictor)?;
    let cells = (0..problem.cells().len())
        .filter(|&cell| label.is_none_or(|label| (problem.cells().label(cell) == 1) == label));
    let (mut positive, mut all) = (0.0, 0.0);
    for decided in cells.map(|cell| sums.decisions(cell)) {
        positive += decided[1];
        all += decided[0] + decided[1];
    }
    Ok(positive / all)
}

/// The number below which a share of the values lies, on the line between neighbours: numpy's percentile, with every value
/// repeated as often as it weighs. `None` of no values.
fn percentile(mut values: Vec<(f64, f64)>, share: f64) -> Option<f64> {
    values.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let last = values.last()?.0;
    let total: f64 = values.iter().map(|value| value.1).sum();
    let position = (share * (total - 1.0)).max(0.0);
    let at = |place: f64| {
        let mut passed = 0.0;
        let here = values.iter().find(|value| {
            passed += value.1;
            passed > place
        });
        here.map_or(last, |value| value.0)
    };
    let (low, high) = (at(position.floor()), at(position.floor() + 1.0));
    let part = position.fract();
    // Rounded from the nearer neighbour, as numpy does.
    Some(if part < 0.5 { low + (high - low) * part } else { high - (high - low) * (1.0 - part) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_that_of_values_repeated_as_often_as_they_weigh() {
        let plain = |values: &[f64], share| percentile(values.iter().map(|&value| (value, 1.0)).collect(), share);
        assert_eq!(plain(&[0.4, 0.1, 0.3, 0.2], 0.5), Some(0.25));
        assert_eq!(plain(&[0.5], 0.9), Some(0.5));
        assert_eq!(plain(&[], 0.5), None);
        assert_eq!([0.0, 1.0].map(|share| plain(&[0.2, 0.7], share)), [Some(0.2), Some(0.7)]);
        for share in [0.0, 0.1, 0.37, 0.5, 0.81, 1.0] {
            let weighted = percentile(vec![(0.6, 1.0), (0.1, 2.0), (0.3, 3.0)], share);
            assert_eq!(weighted, plain(&[0.1, 0.1, 0.3, 0.3, 0.3, 0.6], share), "{share}");
        }
    }
}
