//! The curves of the estimated bias against true differences between groups.

use evenhand::identify::{SensitivityCurve, SensitivityPoint};

use super::direction::isolated;
use super::plot::{Curve, Other, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::Bias;
use crate::bias::difference_words;
use crate::number::{confidence, decimal, factor, factor_short, percent, points_short};

/// So many groups have a chart.
const MOST_CURVES: usize = 8;

/// What is shown of a sensitivity.
pub(super) struct SensitivityView {
    pub(super) assumption: String,
    pub(super) curves: Vec<CurveView>,
    /// How many groups are not drawn.
    pub(super) left_out: usize,
}

/// What is shown of one group.
pub(super) struct CurveView {
    pub(super) group: String,
    pub(super) sentence: String,
    pub(super) plot: Plot,
    pub(super) table: Table,
}

pub(super) fn sensitivity(bias: &Bias) -> Option<SensitivityView> {
    let sensitivity = bias.sensitivity.as_ref()?;
    let curves: Vec<&SensitivityCurve> = sensitivity.curves.iter().filter(|curve| !curve.points.is_empty()).collect();
    Some(SensitivityView {
        assumption: sensitivity.assumption.clone(),
        left_out: curves.len().saturating_sub(MOST_CURVES),
        curves: curves.into_iter().take(MOST_CURVES).map(|curve| view(curve, bias.confidence)).collect(),
    })
}

fn view(curve: &SensitivityCurve, sure: f64) -> CurveView {
    CurveView {
        group: curve.group.clone(),
        sentence: isolated(&curve.sentence),
        plot: plot(curve),
        table: table(curve, &confidence(sure)),
    }
}

/// Differences grow from left to right, whichever way they are.
fn plot(curve: &SensitivityCurve) -> Plot {
    let sign = if curve.observed < 0.0 { -1.0 } else { 1.0 };
    let tipping = curve.tipping.map(|tipping| sign * tipping.difference);
    let places = curve.points.iter().map(|point| sign * point.difference);
    let across = Scale::linear(places.chain(tipping).chain([0.0]), 0.01);
    let up = Scale::factors(curve.points.iter().flat_map(|point| [point.low, point.odds_ratio, point.high]));
    let scales = [&across, &up];
    let spot = |point: &SensitivityPoint| {
        let title = format!("{}: odds ratio {}", difference_words(point.difference), factor(point.odds_ratio));
        Plot::spot(scales, [sign * point.difference, point.odds_ratio], title)
    };
    let band: Vec<[f64; 3]> = curve.points.iter().map(|one| [sign * one.difference, one.low, one.high]).collect();
    let diamond = tipping.map(|place| {
        let title = format!("No bias is left: {}", difference_words(sign * place));
        Other { spot: Plot::spot(scales, [place, 1.0], title), outline: Other::OUTLINES[1] }
    });
    let often = if sign < 0.0 { "more" } else { "less" };
    Plot {
        alt: format!(
            "Odds ratio of {} against its true difference from everyone. The numbers are in the table that follows.",
            curve.group
        ),
        along: format!("Points {often} often, truly →"),
        up: "↑ Odds ratio".to_owned(),
        ticks_along: across.ticks(points_short),
        ticks_up: Plot::ticks_up(&up, factor_short),
        under: Some(Plot::under(scales, &band, 1.0)),
        diagonal: None,
        bars: Vec::new(),
        curves: vec![Curve { accent: true, points: curve.points.iter().map(spot).collect() }],
        others: diamond.into_iter().collect(),
        is_live: false,
    }
}

fn table(curve: &SensitivityCurve, sure: &str) -> Table {
    let row = |point: &SensitivityPoint| {
        vec![
            difference_words(point.difference),
            percent(point.group_rate),
            percent(point.overall_rate),
            factor(point.odds_ratio),
            format!("{} to {}", factor(point.low), factor(point.high)),
            decimal(point.multiplier, 3),
            format!("{} to {}", decimal(point.multiplier_low, 3), decimal(point.multiplier_high, 3)),
        ]
    };
    let interval = format!("{sure} interval");
    Table {
        caption: format!("What is estimated for {} if it truly deserves the label so often", curve.group),
        heads: ["Than everyone", "True rate", "Everyone’s", "Odds ratio", &interval, "λ", &interval]
            .map(str::to_owned)
            .to_vec(),
        words: 1,
        remarks: false,
        rows: curve.points.iter().map(row).collect(),
    }
}
