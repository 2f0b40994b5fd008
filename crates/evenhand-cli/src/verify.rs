//! `evenhand verify`: a model computed again from the data it came from.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::Table;
use evenhand::model::{Check, Verdict};
use serde::Serialize;

use crate::output::{self, Told, note};
use crate::predict::load;
use crate::progress::Progress;
use crate::{Ending, text};

/// Compute a model's weights and rates again from its data, and say what matches.
///
/// Weights are derived from the multipliers in the model and from the groups in the data;
/// rates and violations from the saved classifier; and the classifier must be where the
/// weighted loss is least. Thresholds of a calibration are found again from the classifier's
/// scores, and a model of the Lagrangian approach is trained again. Exits with 1 when anything differs.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// Model file that `evenhand fit` wrote.
    model: PathBuf,

    /// The data given to that fit, before any rows were held out; in any format.
    data: PathBuf,

    /// Agree to run this command, for a model that was fitted by one.
    #[arg(long, value_name = "COMMAND")]
    learner: Option<String>,

    /// Write the checks as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Example:
  evenhand verify model.json loans.csv

JSON keys: matches, checks (name, matches, detail; matches is null where it cannot be told), warnings.";

/// The verdict, with what was noticed on the way.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    verdict: Verdict,
    warnings: Vec<Told>,
}

pub(crate) fn run(args: &VerifyArgs) -> Result<Ending> {
    let model = load(&args.model, args.learner.as_deref())?;
    let progress = Progress::new(args.json);
    let (table, warnings) = progress
        .during(format!("reading {}", args.data.display()), || Table::read(&args.data, &model.reading_all()))?;
    let verdict = progress.during("verifying", || model.verify(table))?;
    let report = Report { verdict, warnings: Told::all(warnings, None) };
    if args.json {
        output::json(&report)?;
    } else {
        output::warn(&report.warnings);
        output::text(&to_text(&report.verdict))?;
        if !report.verdict.matches {
            note("the model does not match these data");
        }
    }
    Ok(if report.verdict.matches { Ending::Fine } else { Ending::Missed })
}

fn to_text(verdict: &Verdict) -> String {
    let line = |Check { name, matches, detail }: &Check| {
        let found = match matches {
            Some(true) => "matches",
            Some(false) => "DIFFERS",
            None => "unknown",
        };
        format!("{found}  {name:14}  {}\n", text::clean(detail))
    };
    verdict.checks.iter().map(line).collect()
}
