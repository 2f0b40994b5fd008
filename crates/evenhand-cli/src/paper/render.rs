//! The table as text, Markdown, CSV and JSON.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use evenhand::Table;
use evenhand_experiments::{Estimate, PaperMethod};

use super::args::Protocol;
use super::results::Results;
use crate::columns::Columns;
use crate::outputs::Outputs;
use crate::text::{Lines, counted, or_dash, rate};

/// What stands under the table, in every form.
fn remarks(results: &Results) -> Vec<String> {
    let mut remarks = vec!["Violation: largest |overall rate - group rate| of decisions on the test rows.".to_owned()];
    match results.protocol {
        Protocol::Notebook => {
            remarks.push(
                "One split is weak evidence: `under parity` is the violation that a perfectly even classifier would show on these test rows. See --protocol repeated."
                    .into(),
            );
            if results.rows.iter().any(|row| row.method == PaperMethod::Lagrangian) {
                remarks.push("The authors' code for the Lagrangian approach was not published. The paper gives the rate, the passes and the steps of the slack; the batches of 100 rows, the average over the second half of the passes and the definition of degenerate (97 % of a constant classifier's error) were chosen here.".into());
            }
        }
        Protocol::Repeated => {
            remarks.push(format!(
            "Means over {} random splits, the same for all methods, ± standard error of the mean; `under parity` is the violation that a perfectly even classifier would show on such test rows.",
            results.splits
            ));
            if results.has_published() {
                remarks.push("It is not known on which rows of communities the authors tested, so their numbers are compared with random splits: they agree if error and violation are each within the interval that contains a further split with a probability of 95 % (wider than that of the mean).".into());
            }
        }
    }
    if results.rows.iter().any(|row| row.method.decides_by_group()) {
        remarks.push("Calibration uses a percentile of the training scores as the threshold of every combination of groups, as the paper ran it. Threshold post-processing is the exact optimum on the training rows, with random decisions between thresholds, so that its violation there is 0. Both know the groups of the rows that they decide; the other methods do not, unless a feature determines them.".into());
    }
    remarks
}

/// For a terminal.
pub(super) fn text(results: &Results) -> String {
    let mut lines = Lines::default();
    let published = results.has_published();
    let mut last = None;
    for row in &results.rows {
        if last != Some((row.dataset, &row.notion)) {
            last = Some((row.dataset, &row.notion));
            let mut head = vec!["error".to_owned(), "violation".into(), "under parity".into()];
            head.extend(if published { vec!["published".into(), String::new(), String::new()] } else { Vec::new() });
            lines.push(String::new(), Vec::new());
            lines.push(format!("{}, {}, {}", row.dataset, row.notion, counted(row.test_rows, "test row")), head);
        }
        let mut numbers = vec![
            estimate(Some(row.test.error)),
            estimate(row.test.violation),
            or_dash(row.expected_under_parity, rate),
        ];
        if published {
            numbers.push(or_dash(row.published.map(|one| one.error), rate));
            numbers.push(or_dash(row.published.map(|one| one.violation), rate));
            numbers.push(row.agreement.map_or("", |agreement| agreement.words()).to_owned());
        }
        lines.push(format!("  {}", row.method), numbers);
    }
    let remarks: Vec<String> = remarks(results).iter().map(|remark| folded(remark)).collect();
    format!("{}\n{}\n", lines.render().trim_start_matches('\n'), remarks.join("\n"))
}

pub(super) fn estimate(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".into(),
        Some(Estimate { mean, error: None, .. }) => rate(mean),
        Some(Estimate { mean, error: Some(error), .. }) => format!("{} ± {}", rate(mean), rate(error)),
    }
}

/// Lines of at most a hundred characters.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let long = word.chars().count();
        if length > 0 && length + long >= 100 {
            folded.push('\n');
            length = 0;
        } else if length > 0 {
            folded.push(' ');
            length += 1;
        }
        folded.push_str(word);
        length += long;
    }
    folded
}

fn markdown(results: &Results) -> String {
    let (timed, published) = (results.protocol == Protocol::Repeated, results.has_published());
    let mut head =
        vec!["dataset", "notion", "method", "test error", "test violation", "under parity", "training violation"];
    head.extend(if timed { ["seconds", "fits"].as_slice() } else { &[] });
    head.extend(if published { ["published error", "published violation", "agreement"].as_slice() } else { &[] });
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&head.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
    text += &line(&vec!["---".to_owned(); head.len()]);
    for row in &results.rows {
        let mut cells = vec![row.dataset.to_owned(), row.notion.to_string(), row.method.to_string()];
        cells.extend([estimate(Some(row.test.error)), estimate(row.test.violation)]);
        cells.extend([or_dash(row.expected_under_parity, rate), estimate(row.train.violation)]);
        if timed {
            cells.extend([format!("{:.3}", row.seconds), format!("{:.0}", row.fits)]);
        }
        if published {
            cells.extend([or_dash(row.published.map(|one| one.error), rate)]);
            cells.extend([or_dash(row.published.map(|one| one.violation), rate)]);
            cells.push(row.agreement.map_or("", |agreement| agreement.words()).to_owned());
        }
        text += &line(&cells);
    }
    let remarks: Vec<String> = remarks(results).iter().map(|remark| format!("- {remark}\n")).collect();
    format!("{}\n{text}", remarks.concat())
}

fn csv(results: &Results) -> Result<Table> {
    Columns::of(&results.rows)
        .words("dataset", |row| row.dataset.to_owned())
        .words("notion", |row| row.notion.to_string())
        .words("method", |row| row.method.to_string())
        .numbers("train_error", |row| Some(row.train.error.mean))
        .numbers("train_violation", |row| Some(row.train.violation?.mean))
        .numbers("test_error", |row| Some(row.test.error.mean))
        .numbers("test_error_se", |row| row.test.error.error)
        .numbers("test_violation", |row| Some(row.test.violation?.mean))
        .numbers("test_violation_se", |row| row.test.violation?.error)
        .numbers("expected_under_parity", |row| row.expected_under_parity)
        .numbers("test_rows", |row| Some(row.test_rows as f64))
        .numbers("fits", |row| Some(row.fits))
        .numbers("seconds", |row| Some(row.seconds))
        .numbers("slack", |row| row.slack)
        .numbers("published_error", |row| Some(row.published?.error))
        .numbers("published_violation", |row| Some(row.published?.violation))
        .words("agreement", |row| row.agreement.map_or("", |agreement| agreement.words()).to_owned())
        .table()
}

/// All forms, into a folder.
pub(super) fn write(results: &Results, folder: &Path, outputs: &mut Outputs) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    outputs.text(&folder.join("table.md"), &markdown(results))?;
    outputs.text(&folder.join("table.json"), &(serde_json::to_string_pretty(results)? + "\n"))?;
    outputs.table(&folder.join("table.csv"), &csv(results)?)
}
