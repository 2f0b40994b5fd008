//! The section of rates by group.

use evenhand::audit::{Rate, RateKind};

use super::charted::Charted;
use super::dots::{DotLine, Dots, Mark, Shape};
use super::scale::Scale;
use super::table::Table;
use crate::number::{NONE, capital, confidence, count, counted, or_none, percent, percent_short, points, range};
use crate::report::About;
use crate::{Line, Panel, Series};

/// So many lines of intersections are drawn, those with the most rows; the table has all.
const MOST_INTERSECTIONS: usize = 24;

/// The rates of groups.
pub(super) fn panel(panel: &Panel, about: &About) -> Charted {
    let drawn: Vec<&Line> = panel.drawn().collect();
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
pub(super) fn rows_of(panel: &Panel, line: &Line) -> String {
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
    let apart = !panel.series.contains(&Series::Before);
    if apart {
        heads.push("Everyone minus group, points".to_owned());
        heads.push(format!("{} interval", confidence(about.confidence)));
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
        if apart {
            cells.push(or_none(line.gap.and_then(|gap| gap.value), points));
            cells.push(line.gap.and_then(|gap| gap.range()).unwrap_or_else(|| NONE.to_owned()));
        }
        cells
    };
    let rest = panel.lines().skip(1).map(|one| line(one, &one.group));
    Table {
        caption: format!("{} ({})", panel.title(), panel.rate_name()),
        heads,
        words: 1,
        remarks: false,
        rows: std::iter::once(line(&panel.overall, "Everyone")).chain(rest).collect(),
    }
}
