//! A report as a section of a model card, in Markdown.
//!
//! Names from the data are escaped: they may hold anything, a table must stay one, and no name becomes a link or a tag.

use std::fmt::Write as _;

use evenhand::audit::Estimate;
use evenhand::format::clean;
use evenhand::identify::Sensitivity;

use crate::bias::{SENSITIVITY, difference_words, quarters};
use crate::blind::MEMBERSHIPS;
use crate::number::{NONE, confidence, count, counted, decimal, factor, or_none, percent, points, range};
use crate::report::Report;
use crate::scores::{self, SCORES};
use crate::{Line, Panel};

impl Report {
    /// The report as a section of a model card.
    pub fn markdown(&self) -> String {
        let mut out = format!("## {}\n\n", escaped(&self.title()));
        for sentence in self.summary() {
            let _ = writeln!(out, "{}", escaped(&sentence));
        }
        let _ = write!(out, "\n{}\n", escaped(&self.measured_on()));
        for panel in &self.panels {
            out.push_str(&table(panel, self.about.confidence));
        }
        self.write_scores(&mut out);
        self.write_blind(&mut out);
        if let Some(bias) = &self.bias {
            out.push_str("\n### What the labels say about themselves\n\n");
            for (at, sentence) in bias.sentences().into_iter().enumerate() {
                let before = match at {
                    0 => "",
                    1 => "\n- ",
                    _ => "- ",
                };
                let _ = writeln!(out, "{before}{}", escaped(sentence));
            }
            if let Some(sensitivity) = &bias.sensitivity {
                write_sensitivity(sensitivity, bias.confidence, &mut out);
            }
        }
        if let Some(tradeoff) = &self.tradeoff {
            out.push_str(
                "\n### The trade-off\n\n| | error | largest violation, points | |\n| --- | ---: | ---: | --- |\n",
            );
            for (at, point) in tradeoff.points.iter().enumerate() {
                let chosen = if tradeoff.chosen == Some(at) { "chosen" } else { "" };
                let (name, error) = (escaped(&point.name), percent(point.error));
                let _ = writeln!(out, "| {name} | {error} | {} | {chosen} |", or_none(point.violation, points));
            }
            for baseline in &tradeoff.baselines {
                let (error, violation) = (or_none(baseline.error, percent), or_none(baseline.violation, points));
                let remark = baseline.why.clone().unwrap_or_else(|| baseline.remark());
                let _ = writeln!(out, "| method {} | {error} | {violation} | {} |", baseline.method, escaped(&remark));
            }
        }
        self.write_search(&mut out);
        self.write_record(&mut out);
        out
    }

    /// How well scores rank, and whether they are as high as labels are frequent.
    fn write_scores(&self, out: &mut String) {
        let Some(found) = &self.scores else { return };
        let sure = confidence(self.about.confidence);
        let _ = write!(out, "\n### {SCORES}\n\n{}\n\n", escaped(&scores::intro(found)));
        let _ = write!(
            out,
            "| group | rows | AUC | {sure} interval | mean score − labelled positive, points | {sure} interval | calibration error, points | by chance |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        );
        for (at, group) in scores::lines(found).enumerate() {
            let (name, rows) = (escaped(&scores::name(at, group)), count(group.rows));
            let estimate = |one: Option<Estimate>, shown: fn(f64) -> String| {
                let ends = range(one.map(|one| one.low), one.map(|one| one.high), shown);
                format!("{} | {}", or_none(one.map(|one| one.value), shown), ends.unwrap_or_else(|| NONE.into()))
            };
            let (area, gap) = (estimate(group.auc, scores::auc), estimate(group.calibration, points));
            let (error, chance) =
                (or_none(group.calibration_error, points), or_none(group.calibration_error_by_chance, points));
            let _ = writeln!(out, "| {name} | {rows} | {area} | {gap} | {error} | {chance} |");
        }
    }

    /// How well features tell groups, and what deciding by that takes.
    fn write_blind(&self, out: &mut String) {
        if !self.blind.memberships.is_empty() {
            let _ = write!(out, "\n### {MEMBERSHIPS}\n\n| group | AUC |\n| --- | ---: |\n");
            for one in &self.blind.memberships {
                let _ = writeln!(out, "| {} | {} |", escaped(&one.name()), decimal(one.auc, 3));
            }
        }
        if let Some(deciding) = &self.blind.deciding {
            let _ = write!(out, "\n{}\n", escaped(deciding));
        }
    }

    fn write_search(&self, out: &mut String) {
        let Some(search) = &self.search else { return };
        let (steps, fits) = (counted(search.steps.len(), "step"), counted(search.fits, "fit"));
        let _ = write!(out, "\n### How it was found\n\n{steps}, {fits}; {}.\n", search.ending);
        if search.cells.is_empty() {
            return;
        }
        out.push_str("\n| groups | label | rows | counts, against the mean |\n| --- | --- | ---: | ---: |\n");
        for cell in &search.cells {
            let groups = if cell.groups.is_empty() { "none".to_owned() } else { cell.groups.join(" & ") };
            let (groups, label) = (escaped(&groups), escaped(&cell.label));
            let _ = writeln!(out, "| {groups} | {label} | {} | {} × |", count(cell.rows), factor(cell.relative));
        }
    }

    fn write_record(&self, out: &mut String) {
        let record = &self.record;
        let _ = write!(out, "\n### Record\n\n- Software: {}\n", escaped(&record.software));
        let _ = writeln!(out, "- Data: {}, SHA-256 {}", counted(record.data_rows, "row"), record.data_sha256);
        if let Some(test) = &record.test_sha256 {
            let _ = writeln!(out, "- Test rows: {}, SHA-256 {test}", counted(self.about.rows, "row"));
        }
        if let Some(settings) = &record.settings_sha256 {
            let _ = writeln!(out, "- Settings: SHA-256 {settings}");
        }
        if let Some(split) = record.split {
            let _ = writeln!(out, "- Held out for testing: {}, seed {}", percent(split.holdout), split.seed);
        }
        if let Some(command) = &record.command {
            let _ = writeln!(out, "- Command: {}", escaped(command));
        }
        let _ = write!(out, "\n{}\n\n### Limits\n\n", self.statement());
        for limit in self.limits() {
            let _ = writeln!(out, "- {}", escaped(&limit));
        }
        out.push_str("\n### Definitions\n\n");
        for (word, meaning) in self.definitions() {
            let _ = writeln!(out, "- **{}**: {}", escaped(&word), escaped(&meaning));
        }
    }
}

/// How the bias depends on how far groups truly differ.
fn write_sensitivity(sensitivity: &Sensitivity, sure: f64, out: &mut String) {
    let _ = write!(out, "\n### {SENSITIVITY}\n\n{}\n\n", escaped(&sensitivity.assumption));
    for curve in &sensitivity.curves {
        let _ = writeln!(out, "- {}", escaped(&curve.sentence));
    }
    let _ = write!(
        out,
        "\n| group | deserves it | odds ratio | {sure} interval | multiplier | {sure} interval |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
        sure = confidence(sure)
    );
    for curve in &sensitivity.curves {
        for point in quarters(&curve.points) {
            let (group, words) = (escaped(&curve.group), difference_words(point.difference));
            let ratio = format!("{} | {} to {}", factor(point.odds_ratio), factor(point.low), factor(point.high));
            let [multiplier, low, high] =
                [point.multiplier, point.multiplier_low, point.multiplier_high].map(|value| decimal(value, 3));
            let _ = writeln!(out, "| {group} | {words} | {ratio} | {multiplier} | {low} to {high} |");
        }
    }
}

fn table(panel: &Panel, sure: f64) -> String {
    let mut out = format!("\n### {}\n\n| group | rows |", escaped(&panel.title()));
    for series in &panel.series {
        let _ = write!(out, " {} | {} interval |", series.name(), confidence(sure));
    }
    out.push_str("\n| --- | ---: |");
    out.push_str(&" ---: | ---: |".repeat(panel.series.len()));
    out.push('\n');
    let line = |line: &Line| {
        let small = if line.small { " (few)" } else { "" };
        let mut cells = format!("| {} | {}{small} |", escaped(&line.group), count(line.rows));
        for rate in &line.rates {
            let ends = range(rate.low, rate.high, percent).unwrap_or_else(|| crate::number::NONE.into());
            let _ = write!(cells, " {} | {ends} |", or_none(rate.value, percent));
        }
        cells + "\n"
    };
    out + &panel.lines().map(line).collect::<String>()
}

/// Text that Markdown takes for text, on one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => out.extend(['\\', character]),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_name_breaks_a_table_or_becomes_a_tag() {
        assert_eq!(escaped("a|b\n<i>`x`*"), "a\\|b\\\\n&lt;i&gt;\\`x\\`\\*");
        assert_eq!(escaped("\u{202e}\u{1b}"), r"\\u{202e}\\u{1b}");
    }
}
