//! A report as lines of text.

use std::fmt::Write as _;

use crate::number::{count, counted, factor, or_none, percent, range};
use crate::report::Report;
use crate::{Line, Panel};

/// At most so many lines for groups and cells each; HTML and JSON have all.
const MOST_LINES: usize = 40;

impl Report {
    /// The report for a terminal or a letter.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n{}\n{}\n", self.title(), self.summary().join(" "), self.measured_on());
        for panel in &self.panels {
            let _ = write!(
                out,
                "\n{} ({}, {} intervals)\n",
                panel.title(),
                panel.rate_name(),
                crate::number::confidence(self.about.confidence)
            );
            out.push_str(&table(panel));
        }
        if let Some(bias) = &self.bias {
            out.push_str("\nWhat the labels say about themselves\n");
            for sentence in bias.sentences() {
                let _ = writeln!(out, "  {sentence}");
            }
        }
        if let Some(tradeoff) = &self.tradeoff {
            out.push_str("\nThe trade-off\n");
            for (at, point) in tradeoff.points.iter().enumerate() {
                let chosen = if tradeoff.chosen == Some(at) { " (chosen)" } else { "" };
                let _ = writeln!(out, "  {}{chosen}", point.describe());
            }
            for baseline in &tradeoff.baselines {
                let remark = Some(baseline.remark()).filter(|remark| !remark.is_empty());
                let remark = remark.map(|remark| format!("; {remark}")).unwrap_or_default();
                let _ = writeln!(out, "  method {}{remark}", baseline.describe());
            }
        }
        if let Some(search) = &self.search {
            let (steps, fits) = (counted(search.steps.len(), "step"), counted(search.fits, "fit"));
            let _ = write!(out, "\nHow it was found: {steps}, {fits}; {}.\n", search.ending);
            for cell in search.cells.iter().take(MOST_LINES) {
                let groups = if cell.groups.is_empty() { "no group".to_owned() } else { cell.groups.join(" & ") };
                let _ = writeln!(
                    out,
                    "  {} × {}, labelled “{}”: {}",
                    factor(cell.relative),
                    groups,
                    cell.label,
                    counted(cell.rows, "row")
                );
            }
        }
        let record = &self.record;
        let _ = write!(
            out,
            "\nRecord: {}; data of {}, SHA-256 {}\n",
            record.software,
            counted(record.data_rows, "row"),
            record.data_sha256
        );
        if let Some(command) = &record.command {
            let _ = writeln!(out, "  {command}");
        }
        let _ = write!(out, "{}\n\nLimits\n", self.statement());
        for limit in self.limits() {
            let _ = writeln!(out, "- {limit}");
        }
        out
    }
}

fn table(panel: &Panel) -> String {
    let mut out = String::new();
    let lines: Vec<&Line> = std::iter::once(&panel.overall).chain(&panel.groups).chain(&panel.intersections).collect();
    for line in lines.iter().take(MOST_LINES) {
        let rates: Vec<String> = panel
            .series
            .iter()
            .zip(&line.rates)
            .map(|(series, rate)| {
                let ends = range(rate.low, rate.high, percent).map(|ends| format!(" ({ends})")).unwrap_or_default();
                format!("{} {}{ends}", series.name(), or_none(rate.value, percent))
            })
            .collect();
        let small = if line.small { ", few" } else { "" };
        let _ = writeln!(out, "  {} [{} rows{small}]: {}", line.group, count(line.rows), rates.join("; "));
    }
    if lines.len() > MOST_LINES {
        let _ = writeln!(out, "  and {} more", count(lines.len() - MOST_LINES));
    }
    out
}
