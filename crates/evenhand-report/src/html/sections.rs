//! Sections of the page that have charts: groups, gaps, the bias of labels, the trade-off.
//!
//! Each becomes a [`Charted`]: a chart, and a table with the same numbers.

use evenhand::audit::{Rate, RateKind};

use super::dots::{DotLine, Dots, Mark, Shape};
use super::plot::{Curve, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::number::{NONE, confidence, count, counted, factor, or_none, percent, points, range};
use crate::report::{About, Report};
use crate::text::percent_whole;
use crate::{Bias, Gap, Line, Panel, Series, Tradeoff};

/// So many lines of intersections are drawn, those with the most rows; the table has all.
const MOST_INTERSECTIONS: usize = 24;

/// A chart and its text alternative.
pub(super) struct Charted {
    pub(super) title: String,
    pub(super) note: String,
    pub(super) dots: Dots,
    pub(super) table: Table,
    /// More lines, behind a click.
    pub(super) more: Option<(String, Dots)>,
    /// Which shapes there are.
    pub(super) key: Vec<(&'static str, &'static str)>,
}

/// The trade-off: a curve, and the groups that the slider moves.
pub(super) struct TradeoffView {
    pub(super) plot: Plot,
    pub(super) table: Table,
    pub(super) dots: Dots,
    pub(super) groups_title: String,
    pub(super) last: usize,
    pub(super) chosen: usize,
    /// What the slider says at the chosen place.
    pub(super) said: String,
}

/// The rates of groups.
pub(super) fn panel(panel: &Panel, about: &About) -> Charted {
    let drawn: Vec<&Line> = std::iter::once(&panel.overall).chain(&panel.groups).collect();
    let crossed = drawn_intersections(panel);
    let ends =
        drawn.iter().chain(&crossed).flat_map(|line| &line.rates).flat_map(|rate| [rate.value, rate.low, rate.high]);
    let scale = Scale::shares(ends.flatten());
    let reference = panel.overall.rates.last().and_then(|rate| rate.value).map(|value| scale.at(value));
    let chart = |lines: &[&Line], first: bool| Dots {
        alt: format!("{}, by group. The numbers are in the table that follows.", panel.title()),
        ticks: scale.ticks(percent_short),
        reference: reference.clone(),
        heads: ["", numbers_head(panel)],
        lines: lines.iter().enumerate().map(|(at, line)| dot_line(panel, line, &scale, first && at == 0)).collect(),
        single: !panel.series.contains(&Series::Before),
        live: None,
    };
    let left = panel.intersections.len() - crossed.len();
    let more = (!crossed.is_empty()).then(|| {
        let rest = if left > 0 {
            format!(" ({} with the most rows; the table has all)", count(crossed.len()))
        } else {
            String::new()
        };
        (format!("Rows in several groups at once{rest}"), chart(&crossed, false))
    });
    Charted {
        title: panel.title(),
        note: format!("The {}, with {} intervals. Lowest first.", panel.rate_name(), confidence(about.confidence)),
        dots: chart(&drawn, true),
        table: rates_table(panel, about),
        more,
        key: if panel.series.len() > 1 { key(panel) } else { Vec::new() },
    }
}

/// The intersections with the most rows, in the order of the panel.
fn drawn_intersections(panel: &Panel) -> Vec<&Line> {
    let mut sizes: Vec<usize> = panel.intersections.iter().map(|line| line.rows).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let least = sizes.get(MOST_INTERSECTIONS - 1).copied().unwrap_or(0);
    panel.intersections.iter().filter(|line| line.rows >= least).take(MOST_INTERSECTIONS).collect()
}

fn key(panel: &Panel) -> Vec<(&'static str, &'static str)> {
    panel.series.iter().map(|series| (series_class(*series), series.name())).collect()
}

fn series_class(series: Series) -> &'static str {
    match series {
        Series::Labels => "label",
        Series::Before => "before",
        Series::After | Series::Predictions => "after",
    }
}

/// Rates of rows with certain labels are of some of the rows only.
fn is_of_some(panel: &Panel) -> bool {
    matches!(panel.rate, RateKind::TruePositiveRate | RateKind::FalsePositiveRate)
}

/// How many rows a line is about: `137 of 384 rows`.
fn rows_of(panel: &Panel, line: &Line) -> String {
    let asked = line.rates.last().filter(|_| is_of_some(panel)).map(|rate| format!("{} of ", count(rate.count)));
    asked.unwrap_or_default() + &counted(line.rows, "row")
}

fn numbers_head(panel: &Panel) -> &'static str {
    if panel.series.contains(&Series::Before) { "before → after" } else { "" }
}

fn dot_line(panel: &Panel, line: &Line, scale: &Scale, overall: bool) -> DotLine {
    let has_two = panel.series.contains(&Series::Before);
    let alone = panel.series == [Series::Labels];
    let mark = |(series, rate): (&Series, &Rate)| {
        let shape = match series {
            Series::Labels if alone => Shape::Alone,
            Series::Labels => Shape::Label,
            Series::Before => Shape::Before,
            Series::After if has_two => Shape::After,
            Series::After | Series::Predictions => Shape::Alone,
        };
        Mark::new(shape, scale, rate.value, rate.low, rate.high)
    };
    let shown: Vec<String> = panel
        .series
        .iter()
        .zip(&line.rates)
        .filter(|(series, _)| alone || **series != Series::Labels)
        .map(|(_, rate)| or_none(rate.value, percent))
        .collect();
    DotLine {
        name: if overall { "Everyone".to_owned() } else { line.group.clone() },
        rows: rows_of(panel, line),
        small: line.small,
        overall,
        marks: panel.series.iter().zip(&line.rates).filter_map(mark).collect(),
        numbers: shown.join(" → "),
    }
}

fn rates_table(panel: &Panel, about: &About) -> Table {
    let of_some = is_of_some(panel);
    let mut heads = vec!["Group".to_owned(), "Rows".to_owned()];
    for series in &panel.series {
        heads.push(capital(series.name()));
        heads.push(format!("{} interval", confidence(about.confidence)));
        if of_some {
            heads.push("Of".to_owned());
        }
    }
    let line = |line: &Line, name: &str| {
        let few = if line.small { " (few)" } else { "" };
        let mut cells = vec![name.to_owned(), format!("{}{few}", count(line.rows))];
        for rate in &line.rates {
            cells.push(or_none(rate.value, percent));
            cells.push(range(rate.low, rate.high, points).unwrap_or_else(|| NONE.to_owned()));
            if of_some {
                cells.push(count(rate.count));
            }
        }
        cells
    };
    let rest = panel.groups.iter().chain(&panel.intersections).map(|one| line(one, &one.group));
    Table {
        caption: format!("{} ({})", panel.title(), panel.rate_name()),
        heads,
        words: 1,
        rows: std::iter::once(line(&panel.overall, "Everyone")).chain(rest).collect(),
    }
}

/// How far each group is from what was asked.
pub(super) fn gaps(report: &Report) -> Option<Charted> {
    let mut constraints: Vec<_> = report.constraints.iter().collect();
    constraints.sort_by(|one, other| other.before.size().total_cmp(&one.before.size()));
    let ends =
        constraints.iter().flat_map(|one| [one.before, one.after]).flat_map(|gap| [gap.value, gap.low, gap.high]);
    let scale = Scale::linear(ends.flatten().chain([0.0]), 0.02);
    let sure = confidence(report.about.confidence);
    let mark = |shape, gap: Gap| Mark::new(shape, &scale, gap.value, gap.low, gap.high);
    let shown = |gap: Gap| or_none(gap.value, points);
    let ends = |gap: Gap| gap.range().unwrap_or_else(|| NONE.to_owned());
    let lines = constraints.iter().map(|one| DotLine {
        name: report.short_name(&one.name).to_owned(),
        rows: String::new(),
        small: false,
        overall: false,
        marks: [mark(Shape::Before, one.before), mark(Shape::After, one.after)].into_iter().flatten().collect(),
        numbers: format!("{} → {}", shown(one.before), shown(one.after)),
    });
    let row = |one: &&crate::Constrained| {
        let [before, after] = [one.before, one.after];
        vec![one.name.clone(), shown(before), ends(before), shown(after), ends(after)]
    };
    let heads = ["Constraint", "Before", &format!("{sure} interval"), "After", &format!("{sure} interval")];
    (!constraints.is_empty()).then(|| Charted {
        title: "Distance from what was asked".to_owned(),
        note: "In points, overall (or asked) rate minus the group’s: right of zero, the group has less. Largest before correction first.".to_owned(),
        dots: Dots {
            alt: "Signed violation of every constraint before and after. The numbers are in the table that follows.".into(),
            ticks: scale.ticks(points_short),
            reference: Some(scale.at(0.0)),
            heads: ["", "before → after"],
            lines: lines.collect(),
            single: false,
            live: None,
        },
        table: Table {
            caption: "Violation of every constraint, in points".to_owned(),
            heads: heads.map(str::to_owned).to_vec(),
            words: 1,
            rows: constraints.iter().map(row).collect(),
        },
        more: None,
        key: vec![("before", "before"), ("after", "after")],
    })
}

/// The bias as odds ratios.
pub(super) fn bias(bias: &Bias) -> Option<Charted> {
    if !bias.found {
        return None;
    }
    let ends = bias.groups.iter().flat_map(|one| [one.odds_ratio, one.low, one.high]);
    let scale = Scale::factors(ends.flatten());
    let sure = confidence(bias.confidence);
    let lines = bias.groups.iter().map(|one| DotLine {
        name: one.group.clone(),
        rows: counted(one.rows, "row"),
        small: false,
        overall: false,
        marks: Mark::new(Shape::Alone, &scale, one.odds_ratio, one.low, one.high).into_iter().collect(),
        numbers: or_none(one.odds_ratio, factor),
    });
    let row = |one: &crate::Tilted| {
        let ends = range(one.low, one.high, factor).unwrap_or_else(|| NONE.to_owned());
        vec![one.group.clone(), count(one.rows), or_none(one.odds_ratio, factor), ends]
    };
    Some(Charted {
        title: "Odds of a positive label, against those that the data otherwise support".to_owned(),
        note: format!(
            "Odds ratios with {sure} intervals, on a scale where half and double are equally far from 1, which is no bias."
        ),
        dots: Dots {
            alt: "Odds ratio of each group. The numbers are in the table that follows.".into(),
            ticks: scale.ticks(factor_short),
            reference: Some(scale.at(1.0)),
            heads: ["", "odds ratio"],
            lines: lines.collect(),
            single: true,
            live: None,
        },
        table: Table {
            caption: "Odds ratios".to_owned(),
            heads: ["Group", "Rows", "Odds ratio", &format!("{sure} interval")].map(str::to_owned).to_vec(),
            words: 1,
            rows: bias.groups.iter().map(row).collect(),
        },
        more: None,
        key: Vec::new(),
    })
}

/// Error against violation, and the groups along the way.
pub(super) fn tradeoff(report: &Report, tradeoff: &Tradeoff) -> Option<TradeoffView> {
    let panel = report.panels.get(tradeoff.panel)?;
    let chosen = tradeoff.chosen.unwrap_or(0);
    let violations = tradeoff.places.iter().map(|place| place.violation.unwrap_or(0.0));
    let across = Scale::linear(violations.chain([0.0]), 0.01);
    let up = Scale::linear(tradeoff.places.iter().map(|place| place.error), 0.004);
    let told: Vec<String> = tradeoff.places.iter().map(said).collect();
    let spots = tradeoff.places.iter().enumerate().map(|(at, place)| {
        let mut spot = Plot::spot([&across, &up], [place.violation.unwrap_or(0.0), place.error], told[at].clone());
        spot.filled = at == chosen;
        spot.label = match at {
            _ if at == chosen => Some("chosen".to_owned()),
            0 => Some("no correction".to_owned()),
            _ => None,
        };
        spot
    });
    let row = |(at, place): (usize, &crate::Place)| {
        let remark = if at == chosen { "chosen" } else { "" };
        let violation = or_none(place.violation, points);
        vec![percent_whole(place.strength), percent(place.error), violation, remark.to_owned()]
    };
    Some(TradeoffView {
        plot: Plot {
            alt: "Error against the largest violation, from no correction to full. The numbers are in the table that follows.".into(),
            along: "Largest violation, in points →".to_owned(),
            up: "↑ Error on the observed labels".to_owned(),
            ticks_along: across.ticks(points_short),
            ticks_up: Plot::ticks_up(&up, percent),
            curves: vec![Curve { accent: true, points: spots.collect() }],
            is_live: true,
        },
        table: Table {
            caption: "More and less of the correction".to_owned(),
            heads: ["Strength", "Error", "Largest violation, points", ""].map(str::to_owned).to_vec(),
            words: 1,
            rows: tradeoff.places.iter().enumerate().map(row).collect(),
        },
        dots: live(panel, tradeoff, chosen),
        groups_title: panel.title(),
        last: tradeoff.places.len() - 1,
        chosen,
        said: told.get(chosen).cloned().unwrap_or_default(),
    })
}

/// A place in words; the script says the same.
fn said(place: &crate::Place) -> String {
    let violation = or_none(place.violation, points);
    format!(
        "{} of the correction: error {}, largest violation {violation} points",
        percent_whole(place.strength),
        percent(place.error)
    )
}

/// The groups at the chosen place, for the script to move.
fn live(panel: &Panel, tradeoff: &Tradeoff, chosen: usize) -> Dots {
    let scale = Scale::shares(tradeoff.places.iter().flat_map(|place| &place.rates).flatten().copied().flatten());
    let rates = tradeoff.places.get(chosen).map(|place| place.rates.as_slice()).unwrap_or_default();
    let lines = std::iter::once(&panel.overall).chain(&panel.groups).zip(rates).enumerate();
    Dots {
        alt: format!("{}, by group, at the strength that the slider says.", panel.title()),
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

/// A percentage on an axis, without a decimal that is zero.
pub(super) fn percent_short(share: f64) -> String {
    percent(share).replace(".0\u{a0}", "\u{a0}")
}

/// A factor on an axis, without zeros at its end.
pub(super) fn factor_short(value: f64) -> String {
    let text = factor(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Points on an axis.
fn points_short(distance: f64) -> String {
    let text = points(distance);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
