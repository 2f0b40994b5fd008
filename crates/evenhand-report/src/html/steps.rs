//! The section that says how a correction was found: steps, multipliers, weights by cell.

use super::dots::{DotLine, Dots, Mark, Shape};
use super::plot::{Curve, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::number::{count, counted, decimal, factor, factor_short, or_none, percent, points};
use crate::report::Report;
use crate::{CellWeight, Search};

/// So many cells are drawn; the table has all.
const MOST_CELLS: usize = 16;

/// So many columns fit beside the number of a step, on paper too.
const MOST_COLUMNS: usize = 6;

/// So many multipliers are named in the chart, the largest.
const MOST_NAMED: usize = 4;

/// What is shown of a search.
pub(super) struct SearchView {
    pub(super) summary: String,
    pub(super) plots: Vec<(String, Plot)>,
    pub(super) steps: Vec<Table>,
    pub(super) multipliers: Option<Table>,
    pub(super) cells: Option<(Dots, Table)>,
    /// Whether rows of a cell share a weight.
    pub(super) shared: bool,
    pub(super) small_cells: Option<String>,
}

pub(super) fn search(report: &Report, search: &Search) -> SearchView {
    let (steps, fits) = (counted(search.steps.len(), "step"), counted(search.fits, "fit"));
    let rule = search.rule.map(|rule| format!(" Multipliers become {}.", rule.describe())).unwrap_or_default();
    SearchView {
        summary: format!("{steps}, {fits}; {}.{rule}", search.ending),
        plots: if search.steps.len() > 1 { plots(report, search) } else { Vec::new() },
        steps: if search.steps.is_empty() { Vec::new() } else { steps_tables(report, search) },
        multipliers: (!search.multipliers.is_empty()).then(|| Table {
            caption: if report.blind.tilts() {
                "Multipliers that tilt probabilities; where several sets tilt alike, the smallest".to_owned()
            } else {
                "Multipliers behind the classifier’s weights; where several sets give the same weights, the smallest"
                    .to_owned()
            },
            heads: ["Constraint", "λ", "Odds of the group, against all others"].map(str::to_owned).to_vec(),
            words: 1,
            remarks: false,
            rows: search
                .multipliers
                .iter()
                .map(|one| {
                    let times = |value: f64| format!("×\u{a0}{}", factor(value));
                    vec![
                        one.name.clone(),
                        or_none(one.value, |value| decimal(value, 4)),
                        or_none(one.odds_factor, times),
                    ]
                })
                .collect(),
        }),
        cells: (!search.cells.is_empty()).then(|| (cells(&search.cells), cells_table(&search.cells))),
        shared: !report.expects_tilts(),
        small_cells: search.small_cells.map(|small| {
            let cells = counted(small.cells, "cell");
            format!(
                "Not shown one by one: {cells} of fewer than five rows each, {} together.",
                counted(small.rows, "row")
            )
        }),
    }
}

fn plots(report: &Report, search: &Search) -> Vec<(String, Plot)> {
    let number = |step: Option<&crate::Step>| step.map_or(0.0, |step| step.number as f64);
    let across = Scale::between(number(search.steps.first()), number(search.steps.last()));
    let whole = |value: f64| decimal(value, 0);
    let ticks = || across.ticks(whole).into_iter().filter(|tick| tick.value.fract().abs() < 1e-9).collect();
    let up = Scale::linear(search.steps.iter().map(|step| step.violation).chain([0.0]), 0.01);
    let spot = |step: &crate::Step| {
        let title = format!("Step {}: largest violation {} points", step.number, points(step.violation));
        Plot::spot([&across, &up], [step.number as f64, step.violation], title)
    };
    let violation = Plot {
        alt: "Largest violation on the training rows at every step. The numbers are in the table that follows.".into(),
        along: "step →".to_owned(),
        up: "↑ points".to_owned(),
        ticks_along: ticks(),
        ticks_up: Plot::ticks_up(&up, points),
        under: None,
        diagonal: None,
        bars: Vec::new(),
        curves: vec![Curve { accent: true, points: search.steps.iter().map(spot).collect() }],
        others: Vec::new(),
        is_live: false,
    };
    let mut plots = vec![("Largest violation on the training rows".to_owned(), violation)];
    if !search.multipliers.is_empty() {
        let up = Scale::linear(search.steps.iter().flat_map(|step| step.multipliers.iter().copied()).chain([0.0]), 0.1);
        let multipliers = Plot {
            alt: "The multiplier of every constraint at every step. The numbers are in the table that follows.".into(),
            along: "step →".to_owned(),
            up: "↑ λ".to_owned(),
            ticks_along: ticks(),
            ticks_up: Plot::ticks_up(&up, |value| decimal(value, 2)),
            under: None,
            diagonal: None,
            bars: Vec::new(),
            curves: curves(report, search, &across, &up),
            others: Vec::new(),
            is_live: false,
        };
        plots.push(("Multipliers".to_owned(), multipliers));
    }
    plots
}

/// A curve for each multiplier; the largest in the end have their names beside them.
fn curves(report: &Report, search: &Search, across: &Scale, up: &Scale) -> Vec<Curve> {
    let last = search.steps.last().map(|step| step.multipliers.as_slice()).unwrap_or_default();
    let mut largest: Vec<usize> = (0..last.len()).collect();
    largest.sort_by(|&one, &other| last[other].abs().total_cmp(&last[one].abs()));
    let mut named: Vec<(usize, f64)> = Vec::new();
    for &at in &largest {
        let height = up.share(last[at]);
        // A sixth of the height apart, or names of two lines lie on each other.
        if named.len() < MOST_NAMED && named.iter().all(|(_, other)| (height - other).abs() > 0.17) {
            named.push((at, height));
        }
    }
    let names: Vec<&str> = search.multipliers.iter().map(|one| report.short_name(&one.name)).collect();
    let shared = shared_column(&names);
    let curve = |at: usize| {
        let name = &search.multipliers[at].name;
        let spot = |step: &crate::Step| {
            let value = step.multipliers.get(at).copied().unwrap_or(0.0);
            let title = format!("Step {}: {name} {}", step.number, decimal(value, 3));
            Plot::spot([across, up], [step.number as f64, value], title)
        };
        let mut points: Vec<_> = search.steps.iter().map(spot).collect();
        if let Some(end) = points.last_mut().filter(|_| named.iter().any(|(one, _)| *one == at)) {
            end.label = Some(names[at][shared..].to_owned());
        }
        Curve { accent: largest.first() == Some(&at), points }
    };
    (0..search.multipliers.len().min(last.len())).map(curve).collect()
}

/// How long the column is that all names begin with, as in `team=`: beside a curve the rest of a name says enough.
fn shared_column(names: &[&str]) -> usize {
    let Some(end) = names.first().and_then(|first| first.find('=')).map(|at| at + 1) else { return 0 };
    let column = &names[0][..end];
    if names.iter().all(|name| name.starts_with(column) && name.len() > end) { end } else { 0 }
}

/// A name that fits over a column; the table of multipliers has all of it.
fn shortened(name: &str) -> String {
    const MOST: usize = 34;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

/// Every step; many multipliers are in tables of their own, below each other.
fn steps_tables(report: &Report, search: &Search) -> Vec<Table> {
    let table = |caption: &str, heads: Vec<String>, cells: &dyn Fn(&crate::Step) -> Vec<String>| Table {
        caption: caption.to_owned(),
        heads: std::iter::once("Step".to_owned()).chain(heads).collect(),
        words: 1,
        remarks: false,
        rows: search
            .steps
            .iter()
            .map(|step| std::iter::once(count(step.number)).chain(cells(step)).collect())
            .collect(),
    };
    let measured = |step: &crate::Step| vec![points(step.violation), percent(step.error)];
    let names: Vec<String> =
        search.multipliers.iter().map(|one| format!("λ {}", shortened(report.short_name(&one.name)))).collect();
    let lambda = |step: &crate::Step| -> Vec<String> { step.multipliers.iter().map(|one| decimal(*one, 4)).collect() };
    let heads = ["Largest violation, points", "Error"].map(str::to_owned);
    let caption = "Every step, on the training rows";
    if names.len() + heads.len() <= MOST_COLUMNS {
        return vec![table(caption, [heads.to_vec(), names].concat(), &|step| [measured(step), lambda(step)].concat())];
    }
    let columns = names.len().div_ceil(names.len().div_ceil(MOST_COLUMNS));
    let parts = names.chunks(columns).enumerate().map(|(at, part)| {
        let from = at * columns;
        let caption = format!("Every step: multipliers {} to {}", from + 1, from + part.len());
        table(&caption, part.to_vec(), &|step| lambda(step).into_iter().skip(from).take(part.len()).collect())
    });
    std::iter::once(table(caption, heads.to_vec(), &measured)).chain(parts).collect()
}

fn cell_name(cell: &CellWeight) -> String {
    if cell.groups.is_empty() { "no group".to_owned() } else { cell.groups.join(" & ") }
}

fn cells(cells: &[CellWeight]) -> Dots {
    let scale = Scale::factors(cells.iter().flat_map(|cell| [cell.relative, cell.least, cell.most]));
    let line = |cell: &CellWeight| DotLine {
        name: format!("{}, labelled “{}”", cell_name(cell), cell.label),
        rows: counted(cell.rows, "row"),
        small: false,
        overall: false,
        marks: Mark::new(Shape::Alone, &scale, Some(cell.relative), Some(cell.least), Some(cell.most))
            .into_iter()
            .collect(),
        numbers: format!("{}\u{a0}×", factor(cell.relative)),
    };
    Dots {
        alt: "How much a row of each cell counts, against the mean. The numbers are in the table that follows.".into(),
        ticks: scale.ticks(factor_short),
        reference: Some(scale.at(1.0)),
        heads: ["", "weight"],
        lines: cells.iter().take(MOST_CELLS).map(line).collect(),
        single: true,
        live: None,
    }
}

fn cells_table(cells: &[CellWeight]) -> Table {
    let row = |cell: &CellWeight| {
        vec![
            cell_name(cell),
            cell.label.clone(),
            count(cell.rows),
            factor(cell.relative),
            factor(cell.least),
            factor(cell.most),
        ]
    };
    Table {
        caption: "How much a row counts, against the mean of all rows".to_owned(),
        heads: ["Groups", "Label", "Rows", "Mean", "Least", "Most"].map(str::to_owned).to_vec(),
        words: 2,
        remarks: false,
        rows: cells.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_all_names_share_is_left_out() {
        assert_eq!(shared_column(&["team=a", "team=b"]), 5);
        assert_eq!(shared_column(&["é=a", "é=b"]), 3);
        for names in [&["sex=a", "race=b"][..], &["team=a", "team="], &["target-rate"], &[]] {
            assert_eq!(shared_column(names), 0, "{names:?}");
        }
    }
}
