//! `evenhand evaluate`: a saved model evaluated on new labelled rows.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use evenhand::correction::{Estimated, Metrics, SAMPLE_ROWS, StoredFiles};
use evenhand::data::{Carry, RowFiles, find_files};
use evenhand::model::Evaluation;
use evenhand::{Error, Model, NotionBound, ReadOptions, Table, Warning};
use serde::Serialize;

use crate::args::NewRowsArgs;
use crate::bounds::{self, BoundsArgs, TestedBound, TestedOn};
use crate::failure::Usage;
use crate::many_rows::ShownPass;
use crate::output::{self, WarningRecord};
use crate::predict::load;
use crate::progress::Progress;
use crate::text::{Lines, clean, error_share, or_dash, percent, rate, signed, thousands};
use crate::{Ending, files};

/// At most so many lines for constraints and groups each; JSON has all.
const MOST_LINES: usize = 40;

/// Evaluate a saved model on new labelled rows.
///
/// Error, rates by group and the violation of every constraint that the model was made for, with intervals; and whether
/// bounds hold on these rows, those that the model was asked to keep unless others are given, with the verdicts and exit codes of evenhand fit and evenhand audit. Rows need the features of
/// training, the label and the columns that tell groups. What training read as missing, as numbers and as categories is read so here too.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// Model file that `evenhand fit` wrote.
    model: PathBuf,

    /// File, folder or pattern of labelled rows that the model has not seen; in any format. Many rows are read a chunk at a time.
    data: PathBuf,

    #[command(flatten)]
    bounds: BoundsArgs,

    /// Confidence of the intervals, and of the verdicts on bounds.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Bounds")]
    confidence: f64,

    /// Exit with 1 wherever a bound is not met for sure: also with too few rows to tell.
    #[arg(long, help_heading = "Bounds")]
    strict: bool,

    #[command(flatten)]
    new_rows: NewRowsArgs,

    /// Agree to run this command, for a model that was fitted by one.
    #[arg(long, value_name = "COMMAND")]
    learner: Option<String>,

    /// Write the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  How does the model do on this year's rows?
    evenhand evaluate model.json later.csv

  Fail a pipeline when it has become uneven, or the rows are too few to tell:
    evenhand evaluate model.json later.csv --max-violation 0.05 --strict

Exit codes: 0 fine; 1 a bound was not met, by its verdict or by the value as measured, or it
cannot be told; 2 bad input. With too few rows to tell and a value within the bound the exit code
is 0, with a note; with --strict it is 1.

JSON keys: model, notion, metrics (rows, errors, error, violation, violations, positive_rate,
class_rates, groups), violations (name, value, low, high), confidence, bounds (as those of
evenhand fit), warnings.";

/// Everything that is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// The model file.
    model: PathBuf,
    /// What was asked to be equal across groups.
    notion: Vec<String>,
    /// Errors and rates on these rows.
    metrics: Metrics,
    /// Overall rate minus group rate, for each constraint: above 0 the group gets less.
    violations: Vec<Estimated>,
    /// Of intervals and verdicts.
    confidence: f64,
    /// The bounds that were asked for, each with its verdict.
    bounds: Vec<TestedBound>,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<Ending> {
    let model = load(&args.model, args.learner.as_deref())?;
    let asked = args.bounds.on(&model.settings.notions)?;
    let tested = if asked.is_empty() { &model.settings.bounds } else { &asked };
    bounds::check_strict(args.strict, tested)?;
    if model.provenance.recipe.is_some() {
        let usage = Usage::new("the model was fitted by --recipe, whose files are not one table");
        return Err(usage.hint("evenhand fit --recipe NAME evaluates it on the test rows of the recipe").into());
    }
    let reading = args.new_rows.reading(model.reading_all())?;
    // Columns that are not there are told before those that are there are taken for others.
    let copied = files::copy_of_pipe(&args.data)?;
    let data = copied.as_ref().map_or(&args.data, |(_, path)| path);
    model.check_columns(&Carry::open_all(&find_files(data)?, &reading)?.names())?;
    let (found, warnings) = evaluate(&model, args, (data, &reading), &asked)?;
    let report = Report::new(args, &model, found, WarningRecord::all(warnings, None));
    output::report(args.json, &report, &report.warnings, || report.to_text(&model))?;
    Ok(bounds::ending(&report.bounds, args.strict))
}

/// Evaluates rows a chunk at a time where there are many and the model allows it, else all at once.
fn evaluate(
    model: &Model,
    args: &EvaluateArgs,
    (data, reading): (&Path, &ReadOptions),
    asked: &[NotionBound],
) -> Result<(Evaluation, Vec<Warning>)> {
    let (progress, paths) = (Progress::new(args.json), find_files(data)?);
    let many = || Ok::<_, Error>(reading.frequency.is_some() || RowFiles::may_exceed(&paths, SAMPLE_ROWS)?);
    if !files::is_stdin(data) && model.check_evaluate_files().is_ok() && many()? {
        let (files, mut warnings) = RowFiles::open(&paths, reading)?;
        let rows = StoredFiles { files: &files, watch: Some(ShownPass::watch(progress)) };
        let (found, more) = model.evaluate_files(&rows, asked, args.confidence)?;
        warnings.extend(more);
        return Ok((found, warnings));
    }
    let (table, mut warnings) =
        progress.during(format!("reading {}", args.data.display()), || Table::read(data, reading))?;
    let (found, more) = progress.during("evaluating", || model.evaluate(&table, asked, args.confidence))?;
    warnings.extend(more);
    Ok((found, warnings))
}

impl Report {
    fn new(args: &EvaluateArgs, model: &Model, found: Evaluation, warnings: Vec<WarningRecord>) -> Self {
        Self {
            model: args.model.clone(),
            notion: model.settings.notions.iter().map(ToString::to_string).collect(),
            metrics: found.metrics,
            violations: found.violations,
            confidence: found.confidence,
            bounds: TestedBound::all(found.bounds, TestedOn::Rows("new")),
            warnings,
        }
    }

    fn to_text(&self, model: &Model) -> String {
        let definition =
            |notion: &evenhand::Notion| format!("{}: {}\n", clean(&notion.to_string()), notion.definition());
        let definitions: String = model.settings.notions.iter().map(definition).collect();
        let bounds: String = self.bounds.iter().map(TestedBound::to_text).collect();
        let bounds = if bounds.is_empty() { bounds } else { format!("\nBounds\n{bounds}") };
        format!("{}{definitions}\n{}{bounds}", output::alike(&self.warnings), self.table(model))
    }

    fn table(&self, model: &Model) -> String {
        let (mut lines, metrics) = (Lines::default(), &self.metrics);
        lines.push("rows", vec![thousands(metrics.rows)]);
        lines.push("error", vec![error_share(metrics.error, metrics.rows)]);
        lines.push("violation", vec![or_dash(metrics.violation, rate)]);
        for notion in &model.settings.notions {
            lines.push(format!("  largest {}", notion.measured()), Vec::new());
        }
        let confidence = format!("{} % interval", 100.0 * self.confidence);
        lines.push("overall - group rate (+: the group gets less)", vec![String::new(), confidence]);
        lines.push_some(&self.violations, MOST_LINES, |one| {
            let ends = one.low.zip(one.high).map(|(low, high)| format!("{} to {}", signed(low), signed(high)));
            (format!("  {}", one.name), vec![or_dash(one.value, signed), ends.unwrap_or_else(|| "-".into())])
        });
        let classes = model.binding.classes();
        let shown = model.binding.positive().map_or_else(|| (0..classes.len()).collect(), |class| vec![class]);
        for class in shown {
            lines.push(format!("predicted `{}`", classes[class]), Vec::new());
            lines.push("  overall", vec![percent(metrics.class_rates[class])]);
            lines.push_some(&metrics.groups, MOST_LINES, |group| {
                (format!("  {}", group.name), vec![or_dash(group.class_rates.get(class).copied(), percent)])
            });
        }
        lines.render()
    }
}
