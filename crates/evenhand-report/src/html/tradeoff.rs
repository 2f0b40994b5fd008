//! The section of what less violation costs: a curve, other methods beside it, and the groups that a slider moves.

use super::dots::{DotLine, Dots, Mark, Shape};
use super::groups::rows_of;
use super::plot::{Curve, Other, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::number::{or_none, percent, percent_short, points, points_short};
use crate::report::{Kind, Report};
use crate::{Baseline, Panel, Tradeoff, TradeoffPoint};

/// A method so many times as far from the points as these from each other is described, but not drawn.
const FARTHEST: f64 = 1.5;

/// What is shown of a trade-off.
pub(super) struct TradeoffView {
    pub(super) intro: &'static str,
    pub(super) plot: Plot,
    /// Other methods: the outline of the mark, if there is one, and its description.
    pub(super) others: Vec<(Option<&'static str>, String)>,
    pub(super) table: Table,
    pub(super) dots: Dots,
    pub(super) slider: &'static str,
    pub(super) groups_title: String,
    pub(super) last: usize,
    /// Where the slider stands at first.
    pub(super) start: usize,
    /// The description of the point there.
    pub(super) described: String,
}

pub(super) fn tradeoff(report: &Report, tradeoff: &Tradeoff) -> Option<TradeoffView> {
    let panel = report.panels.get(tradeoff.panel)?;
    let last = tradeoff.points.len().checked_sub(1)?;
    let start = tradeoff.chosen.unwrap_or(last);
    let others = others(tradeoff);
    let drawn = others.iter().filter(|(_, outline)| outline.is_some()).map(|(baseline, _)| *baseline);
    let across = Scale::linear(
        tradeoff
            .points
            .iter()
            .map(across_of)
            .chain(drawn.clone().filter_map(|baseline| baseline.violation))
            .chain([0.0]),
        0.01,
    );
    let up = Scale::linear(
        tradeoff.points.iter().map(|point| point.error).chain(drawn.filter_map(|baseline| baseline.error)),
        0.004,
    );
    let spots = tradeoff.points.iter().enumerate().map(|(at, point)| {
        let mut spot = Plot::spot([&across, &up], [across_of(point), point.error], point.describe());
        spot.filled = Some(at) == tradeoff.chosen;
        spot.label = match at {
            _ if spot.filled => Some("chosen".to_owned()),
            0 => Some(crate::tradeoff::NOTHING.to_owned()),
            _ if tradeoff.chosen.is_none() && at == last => Some("end of the path".to_owned()),
            _ => None,
        };
        spot
    });
    let marks = others.iter().filter_map(|(baseline, outline)| {
        let values = [baseline.violation.unwrap_or(0.0), baseline.error?];
        Some(Other { spot: Plot::spot([&across, &up], values, baseline.describe()), outline: (*outline)? })
    });
    Some(TradeoffView {
        intro: intro(report),
        plot: Plot {
            alt: "Error against the largest violation, from no correction on, with other methods beside it. The numbers are in the table that follows.".into(),
            along: "Largest violation, in points →".to_owned(),
            up: "↑ Error on the observed labels".to_owned(),
            ticks_along: across.ticks(points_short),
            ticks_up: Plot::ticks_up(&up, percent),
            under: None,
            diagonal: None,
            bars: Vec::new(),
            curves: vec![Curve { accent: true, points: spots.collect() }],
            others: marks.collect(),
            is_live: true,
        },
        others: others.iter().map(|(baseline, outline)| (*outline, describe(baseline, outline.is_some()))).collect(),
        table: table(tradeoff),
        dots: live(panel, tradeoff, start),
        slider: match report.kind {
            Kind::Frontier => "Along the path",
            _ => "Strength of the correction",
        },
        groups_title: panel.title(),
        last,
        start,
        described: tradeoff.points[start].describe(),
    })
}

fn intro(report: &Report) -> &'static str {
    match report.kind {
        Kind::Frontier => {
            "Less violation usually costs agreement with the observed labels. Each point is the classifier with the least correction that was found for less and less violation asked for on the training rows."
        }
        _ => {
            "Less violation usually costs agreement with the observed labels. Each point is a classifier with more or less of the correction."
        }
    }
}

/// What is not known is drawn at the left end.
fn across_of(point: &TradeoffPoint) -> f64 {
    point.violation.unwrap_or(0.0)
}

/// Other methods, each with an outline of its own if it can be drawn without making everything else small.
fn others(tradeoff: &Tradeoff) -> Vec<(&Baseline, Option<&'static str>)> {
    let reach = |values: Vec<f64>| {
        let (low, high) =
            values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &value| (low.min(value), high.max(value)));
        let spread = FARTHEST * (high - low).max(0.02);
        low - spread..=high + spread
    };
    let errors = reach(tradeoff.points.iter().map(|point| point.error).collect());
    let violations = reach(tradeoff.points.iter().map(across_of).collect());
    let near = |baseline: &Baseline| {
        baseline.error.is_some_and(|error| errors.contains(&error))
            && baseline.violation.is_some_and(|violation| violations.contains(&violation))
    };
    let outlined = tradeoff.baselines.iter().zip(Other::OUTLINES.iter().cycle());
    outlined.map(|(baseline, outline)| (baseline, near(baseline).then_some(*outline))).collect()
}

fn describe(baseline: &Baseline, is_drawn: bool) -> String {
    let remark = Some(baseline.remark()).filter(|remark| !remark.is_empty()).map(|remark| format!("; {remark}"));
    let off = if is_drawn || baseline.error.is_none() { "" } else { " (too far away to be drawn)" };
    format!("{}{off}{}", baseline.describe(), remark.unwrap_or_default())
}

fn table(tradeoff: &Tradeoff) -> Table {
    let point = |(at, point): (usize, &TradeoffPoint)| {
        let remark = if Some(at) == tradeoff.chosen { "chosen" } else { "" };
        vec![point.name.clone(), percent(point.error), or_none(point.violation, points), remark.to_owned()]
    };
    let baseline = |baseline: &Baseline| {
        let remark = baseline.why.clone().unwrap_or_else(|| baseline.remark());
        let name = format!("method {}", baseline.method);
        vec![name, or_none(baseline.error, percent), or_none(baseline.violation, points), remark]
    };
    let along = tradeoff.points.iter().enumerate().map(point);
    Table {
        caption: "Error and largest violation".to_owned(),
        heads: ["Classifier", "Error", "Largest violation, points", "Remark"].map(str::to_owned).to_vec(),
        words: 1,
        remarks: true,
        rows: along.chain(tradeoff.baselines.iter().map(baseline)).collect(),
    }
}

/// The groups where the slider stands at first, for the script to move.
fn live(panel: &Panel, tradeoff: &Tradeoff, start: usize) -> Dots {
    let scale = Scale::shares(tradeoff.points.iter().flat_map(|point| &point.rates).flatten().copied().flatten());
    let rates = tradeoff.points.get(start).map(|point| point.rates.as_slice()).unwrap_or_default();
    let lines = panel.drawn().zip(rates).enumerate();
    Dots {
        alt: format!("{}, by group, where the slider stands.", panel.title()),
        ticks: scale.ticks(percent_short),
        reference: None,
        heads: ["", ""],
        lines: lines
            .map(|(at, (line, &[value, low, high]))| DotLine {
                name: if at == 0 { "Everyone".to_owned() } else { line.group.clone() },
                rows: rows_of(panel, line),
                small: line.small,
                overall: at == 0,
                marks: Mark::new(Shape::Alone, &scale, value, low, high).into_iter().collect(),
                numbers: or_none(value, percent),
            })
            .collect(),
        single: true,
        live: Some(scale),
    }
}
