//! The section of what less violation costs: a curve, other methods beside it, and the groups that a slider moves.

use super::dots::{DotLine, Dots, Mark, Shape};
use super::groups::rows_of;
use super::plot::{Curve, Other, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::number::{or_none, percent, percent_short, points, points_short};
use crate::report::{Kind, Report};
use crate::{Panel, Place, Rival, Tradeoff};

/// A method so many times as far from the places as these from each other is told, but not drawn.
const FARTHEST: f64 = 1.5;

/// What is shown of a trade-off.
pub(super) struct TradeoffView {
    pub(super) intro: &'static str,
    pub(super) plot: Plot,
    /// Other methods: the outline of the mark, if there is one, and what is said.
    pub(super) others: Vec<(Option<&'static str>, String)>,
    pub(super) table: Table,
    pub(super) dots: Dots,
    pub(super) slider: &'static str,
    pub(super) groups_title: String,
    pub(super) last: usize,
    /// Where the slider stands at first.
    pub(super) start: usize,
    /// What it says there.
    pub(super) said: String,
}

pub(super) fn tradeoff(report: &Report, tradeoff: &Tradeoff) -> Option<TradeoffView> {
    let panel = report.panels.get(tradeoff.panel)?;
    let last = tradeoff.places.len().checked_sub(1)?;
    let start = tradeoff.chosen.unwrap_or(last);
    let others = others(tradeoff);
    let drawn = others.iter().filter(|(_, outline)| outline.is_some()).map(|(rival, _)| *rival);
    let across = Scale::linear(
        tradeoff.places.iter().map(across_of).chain(drawn.clone().filter_map(|rival| rival.violation)).chain([0.0]),
        0.01,
    );
    let up = Scale::linear(
        tradeoff.places.iter().map(|place| place.error).chain(drawn.filter_map(|rival| rival.error)),
        0.004,
    );
    let spots = tradeoff.places.iter().enumerate().map(|(at, place)| {
        let mut spot = Plot::spot([&across, &up], [across_of(place), place.error], place.said());
        spot.filled = Some(at) == tradeoff.chosen;
        spot.label = match at {
            _ if spot.filled => Some("chosen".to_owned()),
            0 => Some(crate::tradeoff::NOTHING.to_owned()),
            _ if tradeoff.chosen.is_none() && at == last => Some("end of the path".to_owned()),
            _ => None,
        };
        spot
    });
    let marks = others.iter().filter_map(|(rival, outline)| {
        let values = [rival.violation.unwrap_or(0.0), rival.error?];
        Some(Other { spot: Plot::spot([&across, &up], values, rival.said()), outline: (*outline)? })
    });
    Some(TradeoffView {
        intro: intro(report),
        plot: Plot {
            alt: "Error against the largest violation, from no correction on, with other methods beside it. The numbers are in the table that follows.".into(),
            along: "Largest violation, in points →".to_owned(),
            up: "↑ Error on the observed labels".to_owned(),
            ticks_along: across.ticks(points_short),
            ticks_up: Plot::ticks_up(&up, percent),
            curves: vec![Curve { accent: true, points: spots.collect() }],
            others: marks.collect(),
            is_live: true,
        },
        others: others.iter().map(|(rival, outline)| (*outline, told(rival, outline.is_some()))).collect(),
        table: table(tradeoff),
        dots: live(panel, tradeoff, start),
        slider: match report.kind {
            Kind::Frontier => "Along the path",
            _ => "Strength of the correction",
        },
        groups_title: panel.title(),
        last,
        start,
        said: tradeoff.places[start].said(),
    })
}

fn intro(report: &Report) -> &'static str {
    match report.kind {
        Kind::Frontier => {
            "Less violation usually costs agreement with the observed labels. Each point is the classifier with the least correction that was found for less and less violation asked for on the training rows."
        }
        _ => {
            "Less violation usually costs agreement with the observed labels. Each point is a classifier trained with more or less of the correction."
        }
    }
}

/// What is not known is drawn at the left end.
fn across_of(place: &Place) -> f64 {
    place.violation.unwrap_or(0.0)
}

/// Other methods, each with an outline of its own if it can be drawn without making everything else small.
fn others(tradeoff: &Tradeoff) -> Vec<(&Rival, Option<&'static str>)> {
    let reach = |values: Vec<f64>| {
        let (low, high) =
            values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &value| (low.min(value), high.max(value)));
        let spread = FARTHEST * (high - low).max(0.02);
        low - spread..=high + spread
    };
    let errors = reach(tradeoff.places.iter().map(|place| place.error).collect());
    let violations = reach(tradeoff.places.iter().map(across_of).collect());
    let near = |rival: &Rival| {
        rival.error.is_some_and(|error| errors.contains(&error))
            && rival.violation.is_some_and(|violation| violations.contains(&violation))
    };
    let outlined = tradeoff.rivals.iter().zip(Other::OUTLINES.iter().cycle());
    outlined.map(|(rival, outline)| (rival, near(rival).then_some(*outline))).collect()
}

fn told(rival: &Rival, is_drawn: bool) -> String {
    let remark = Some(rival.remark()).filter(|remark| !remark.is_empty()).map(|remark| format!("; {remark}"));
    let off = if is_drawn || rival.error.is_none() { "" } else { " (too far away to be drawn)" };
    format!("{}{off}{}", rival.said(), remark.unwrap_or_default())
}

fn table(tradeoff: &Tradeoff) -> Table {
    let place = |(at, place): (usize, &Place)| {
        let remark = if Some(at) == tradeoff.chosen { "chosen" } else { "" };
        vec![place.name.clone(), percent(place.error), or_none(place.violation, points), remark.to_owned()]
    };
    let rival = |rival: &Rival| {
        let remark = rival.why.clone().unwrap_or_else(|| rival.remark().to_owned());
        let name = format!("method {}", rival.method);
        vec![name, or_none(rival.error, percent), or_none(rival.violation, points), remark]
    };
    let places = tradeoff.places.iter().enumerate().map(place);
    Table {
        caption: "Error and largest violation".to_owned(),
        heads: ["Classifier", "Error", "Largest violation, points", "Remark"].map(str::to_owned).to_vec(),
        words: 1,
        remarks: true,
        rows: places.chain(tradeoff.rivals.iter().map(rival)).collect(),
    }
}

/// The groups where the slider stands at first, for the script to move.
fn live(panel: &Panel, tradeoff: &Tradeoff, start: usize) -> Dots {
    let scale = Scale::shares(tradeoff.places.iter().flat_map(|place| &place.rates).flatten().copied().flatten());
    let rates = tradeoff.places.get(start).map(|place| place.rates.as_slice()).unwrap_or_default();
    let lines = std::iter::once(&panel.overall).chain(&panel.groups).zip(rates).enumerate();
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
