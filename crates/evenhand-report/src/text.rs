//! A report as lines of text.

use evenhand::format::clean;

use crate::bias::SENSITIVITY;
use crate::blind::MEMBERSHIPS;
use crate::number::{confidence, count, counted, decimal, factor, or_none, percent, range};
use crate::report::Report;
use crate::scores::{self, SCORES};
use crate::{Line, Panel};

/// At most so many lines for groups and cells each; HTML and JSON have all.
const MOST_LINES: usize = 40;

impl Report {
    /// The report for a terminal or a letter.
    pub fn text(&self) -> String {
        let mut out = Lines::default();
        out.line(self.title()).blank().line(self.summary().join(" ")).line(self.measured_on());
        let confidence = confidence(self.about.confidence);
        for panel in &self.panels {
            out.blank().line(format!("{} ({}, {confidence} intervals)", panel.title(), panel.rate_name()));
            table(panel, &mut out);
        }
        if let Some(found) = &self.scores {
            out.blank().line(SCORES).line(scores::intro(found));
            for (at, group) in scores::lines(found).enumerate().take(MOST_LINES) {
                let rows = counted(group.rows, "row");
                out.line(format!("  {} [{rows}]: {}", scores::name(at, group), scores::describe(group)));
            }
        }
        if !self.blind.memberships.is_empty() {
            out.blank().line(MEMBERSHIPS);
            for one in self.blind.memberships.iter().take(MOST_LINES) {
                out.line(format!("  {}: AUC {}", one.name(), decimal(one.auc, 3)));
            }
        }
        if let Some(deciding) = &self.blind.deciding {
            out.blank().line(deciding);
        }
        if let Some(bias) = &self.bias {
            out.blank().line("What the labels say about themselves");
            for sentence in bias.sentences() {
                out.line(format!("  {sentence}"));
            }
            if let Some(sensitivity) = &bias.sensitivity {
                out.blank().line(SENSITIVITY).line(format!("  {}", sensitivity.assumption));
                for curve in sensitivity.curves.iter().take(MOST_LINES) {
                    out.line(format!("  {}", curve.sentence));
                }
            }
        }
        if let Some(tradeoff) = &self.tradeoff {
            out.blank().line("The trade-off");
            for (at, point) in tradeoff.points.iter().enumerate() {
                let chosen = if tradeoff.chosen == Some(at) { " (chosen)" } else { "" };
                out.line(format!("  {}{chosen}", point.describe()));
            }
            for baseline in &tradeoff.baselines {
                let remark = Some(baseline.remark()).filter(|remark| !remark.is_empty());
                let remark = remark.map(|remark| format!("; {remark}")).unwrap_or_default();
                out.line(format!("  method {}{remark}", baseline.describe()));
            }
        }
        if let Some(search) = &self.search {
            let (steps, fits) = (counted(search.steps.len(), "step"), counted(search.fits, "fit"));
            out.blank().line(format!("How it was found: {steps}, {fits}; {}.", search.ending));
            for cell in search.cells.iter().take(MOST_LINES) {
                let groups = if cell.groups.is_empty() { "no group".to_owned() } else { cell.groups.join(" & ") };
                let (times, rows) = (factor(cell.relative), counted(cell.rows, "row"));
                out.line(format!("  {times} × {groups}, labelled “{}”: {rows}", cell.label));
            }
        }
        let record = &self.record;
        let (rows, sha256) = (counted(record.data_rows, "row"), &record.data_sha256);
        out.blank().line(format!("Record: {}; data of {rows}, SHA-256 {sha256}", record.software));
        if let Some(command) = &record.command {
            out.line(format!("  {command}"));
        }
        out.line(self.statement()).blank().line("Limits");
        for limit in self.limits() {
            out.line(format!("- {limit}"));
        }
        out.0
    }
}

/// Lines of text. Whatever a name from the data holds, it stays on its line and does nothing to a terminal.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.0.push_str(&clean(text.as_ref()));
        self.blank()
    }

    /// Ends a line; after a line that has ended, leaves one blank.
    fn blank(&mut self) -> &mut Self {
        self.0.push('\n');
        self
    }
}

fn table(panel: &Panel, out: &mut Lines) {
    let lines: Vec<&Line> = panel.lines().collect();
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
        out.line(format!("  {} [{} rows{small}]: {}", line.group, count(line.rows), rates.join("; ")));
    }
    if lines.len() > MOST_LINES {
        out.line(format!("  and {} more", count(lines.len() - MOST_LINES)));
    }
}
