//! `evenhand audit`: what labels, and predictions of any model, show group by group.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::audit::{AskedRate, AuditOptions, AuditedNotion, ClassAudit, Rate, ScoreAudit, ScoreColumn};
use evenhand::{Audit, Bound, GroupSpec, Groups, Notion};
#[cfg(feature = "report")]
use evenhand_report::Record;
use serde::Serialize;
#[cfg(feature = "report")]
use serde_json::json;

use crate::Ending;
use crate::args::{DataArgs, ResultArgs, usage_of_rows, where_reports_are};
use crate::bounds::{self, TestedBound, TestedOn};
use crate::failure::Usage;
use crate::many_rows::{self, Opened, ShownPass};
use crate::origin::{Origin, Whole};
use crate::output::{self, WarningRecord};
#[cfg(feature = "report")]
use crate::outputs::Outputs;
use crate::page;
use crate::progress::Progress;
use crate::text::quoted;

/// Show how labels, and predictions of any model, differ between groups.
///
/// A summary: for every notion the violation (largest |overall - group| rate) with its interval, and the rates of
/// every group. With --full also every interval and intersection, differences and ratios; --json and --report have all of it
/// anyway. Predictions may come from any program: they are a column of the same file, with values of the label. Scores
/// are audited by AUC and calibration. More than two million rows are read in chunks.
#[derive(Debug, Args)]
#[command(
    override_usage = usage_of_rows!("audit"),
    after_long_help = EXAMPLES,
    mut_arg("label", |label| label.required_unless_present("predictions"))
)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Column of predictions: values of the label. Without it, and without --score, the labels alone are audited; without --label the predictions.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    predictions: Option<String>,

    /// Column of scores, probabilities of the positive class: AUC and calibration by group, and decisions where there are no --predictions.
    #[arg(long, alias = "scores", value_name = "COLUMN", requires = "label", help_heading = "Columns")]
    score: Option<String>,

    /// From which score on rows are decided positive [default: 0.5].
    #[arg(long, value_name = "SCORE", requires = "score", conflicts_with = "predictions", help_heading = "Columns")]
    threshold: Option<f64>,

    /// Ask for no more than this: largest |overall - group| rate, of predictions if given, else of labels.
    #[arg(long, value_name = "RATE", help_heading = "Bounds")]
    max_violation: Option<f64>,

    /// Ask for no more than this between any two groups: largest difference of their rates.
    #[arg(long, value_name = "RATE", help_heading = "Bounds")]
    max_difference: Option<f64>,

    /// Ask for no less than this between any two groups: smallest ratio of their rates (0.8 is the four-fifths rule).
    #[arg(long, value_name = "RATIO", help_heading = "Bounds")]
    min_ratio: Option<f64>,

    /// Notion to be shown in detail, and that bounds are on; may be given several times [default: a summary of all, and bounds on
    /// demographic-parity]. A rate of your own (`rate=…`) and a given one (`target-rate`, `known-rate`, `pinned`) are measured too.
    #[arg(long = "notion", aliases = ["constraint", "constraints"], value_name = "NOTION", help_heading = "Bounds")]
    notions: Vec<String>,

    /// Confidence of the intervals, and of the verdicts on bounds.
    #[arg(long, value_name = "SHARE", default_value_t = AuditOptions::default().confidence, help_heading = "Bounds")]
    confidence: f64,

    /// Exit with 1 wherever a bound is not met for sure: also with too few rows to tell.
    #[arg(long, help_heading = "Bounds")]
    strict: bool,

    /// Print everything: all rates of all groups and intersections with their intervals, differences and ratios.
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    pub(crate) result: ResultArgs,
}

/// Where to find what a summary leaves out.
const MORE: &str = "\n--full prints every rate with its interval, intersections, differences and ratios;\n--notion NOTION prints what one notion is about.\n";

const EXAMPLES: &str = concat!(
    "\
Examples:
  How do labels differ between groups?
    evenhand audit adult.csv --label income --positive '>50K' --group sex --group race

  Fail a pipeline when predictions differ too much:
    evenhand audit scored.csv --label approved --positive yes --predictions decision \\
        --ignore probability --group sex --notion equal-opportunity --max-violation 0.05

  The same, and a file too small to tell fails it as well:
    evenhand audit scored.csv --label approved --positive yes --predictions decision \\
        --ignore probability --group sex --min-ratio 0.8 --strict

  Scores: AUC and calibration by group, and what a threshold decides:
    evenhand audit scored.csv --label approved --positive yes --score probability --threshold 0.6 \\
        --group sex

  Decisions alone, without labels:
    evenhand audit scored.csv --predictions decision --positive yes --group sex

  A rate of your own:
    evenhand audit scored.csv --label approved --positive yes --predictions decision \\
        --ignore probability --notion 'rate=predicted wrongly given sex=female against sex=male'

Verdicts: as those of evenhand fit. A bound is met, or not met, when the whole interval at
--confidence says so; otherwise there are too few rows to tell. Where a group cannot be measured, or
there is nobody to compare any group with, nobody can tell, and the group is named.

Exit codes: 0 fine; 1 a bound was not met, by its verdict or by the value as measured, or it
cannot be told, because a group cannot be measured or there is nobody to compare it with; 2 bad
input. With too few rows to tell and a value within the bound the exit code is 0, with a note;
with --strict it is 1.

JSON keys: rows, weighted, confidence, small_group, accuracy, classes (labels is null without
--label), scores (with --score: auc, calibration, calibration_error, bins), intersections_left_out,
warnings, notion (of the bounds), rates (those of your own and given ones: name, rate, reference,
gap, low, high, rows), bounds (of, bound, value, low, high, confidence, verdict, worst, unmeasured,
own_reference, expected_under_parity, row_count; as those of evenhand fit)",
    where_reports_are!(
        ", with --report
also report"
    ),
    "."
);

/// Arguments that make sense together.
struct Config {
    origin: Origin,
    groups: Vec<GroupSpec>,
    /// The column of predictions beside that of labels.
    predictions: Option<String>,
    options: AuditOptions,
    /// Whether notions were asked for, by the user or by a recipe.
    asked: bool,
}

/// The error of predictions that are fractions names the options for scores.
fn about_scores(error: anyhow::Error, args: &AuditArgs) -> anyhow::Error {
    let inner = match error.downcast_ref::<evenhand::Error>() {
        Some(evenhand::Error::InFile { source, .. }) => Some(source.as_ref()),
        other => other,
    };
    let (Some(evenhand::Error::UnknownClass { column, found, .. }), Some(predictions)) = (inner, &args.predictions)
    else {
        return error;
    };
    let fraction = found.parse().is_ok_and(|score: f64| (0.0..=1.0).contains(&score));
    if column != predictions || !fraction {
        return error;
    }
    let name = quoted(predictions);
    let hint = format!("for probabilities give --score {name} --threshold 0.5 in place of --predictions {name}");
    Usage::new(error.to_string()).hint(hint).into()
}

/// The audit, with the texts of its warnings, and whether bounds asked for hold.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// How many rows.
    rows: usize,
    /// Whether rows have weights.
    weighted: bool,
    /// Of intervals and verdicts.
    confidence: f64,
    /// Shares of fewer rows than this say little.
    small_group: usize,
    /// The share of right predictions, where there are predictions.
    accuracy: Option<Rate>,
    /// Rates by group, for the positive class, or for each where none is named.
    classes: Vec<ClassAudit>,
    /// AUC and calibration by group, where there are scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<ScoreAudit>,
    /// How many intersections of groups are left out because there are too many.
    intersections_left_out: usize,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
    /// What bounds are on.
    notion: Vec<String>,
    /// Rates of your own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rates: Vec<AskedRate>,
    /// The bounds that were asked for, each with its verdict.
    bounds: Vec<TestedBound>,
    /// Where the report was written.
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &AuditArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    let progress = Progress::new(args.result.json);
    let audited = match config.files(args)? {
        Some(opened) => config.of_files(opened, progress),
        None => config.in_memory(args, progress),
    };
    let audit = audited.map_err(|error| about_scores(error, args))?;
    let text = (!args.result.json).then(|| args.text(&audit, &config) + &page::wrote(args.result.report.as_deref()));
    let report = Report::new(audit, args.result.report.clone());
    match text {
        Some(text) => output::text(&text)?,
        None => output::json(&report)?,
    }
    Ok(bounds::ending(&report.bounds, args.strict))
}

impl AuditArgs {
    /// Everything, what some notions are about, or a summary.
    fn text(&self, audit: &Audit, config: &Config) -> String {
        match (self.full, config.asked) {
            (true, _) => audit.to_string(),
            (false, false) => audit.summary() + MORE,
            (false, true) => audit.text_of(&config.options.notions),
        }
    }
}

impl Config {
    /// The files, where they have more rows than are read into memory; a report is of rows in memory.
    fn files(&self, args: &AuditArgs) -> Result<Option<Opened>> {
        match self.origin.streamable() {
            Some(streamable) if args.result.report.is_none() => many_rows::open(&streamable, None),
            _ => Ok(None),
        }
    }

    /// Audits rows a chunk at a time.
    fn of_files(&self, (files, warnings): Opened, progress: Progress) -> Result<Audit> {
        let Origin::File { schema, .. } = &self.origin else { unreachable!("rows of a recipe are in memory") };
        let (shown, predictions) = (ShownPass::watch(progress), self.predictions.as_deref());
        let mut audit = Audit::of_files(&files, schema, &self.groups, predictions, &self.options, Some(&*shown))?;
        audit.warnings.splice(0..0, warnings);
        Ok(audit)
    }

    /// Audits rows that are read into memory, and writes the report that was asked for.
    #[cfg_attr(not(feature = "report"), expect(unused_variables))]
    fn in_memory(&self, args: &AuditArgs, progress: Progress) -> Result<Audit> {
        let whole = self.origin.read_as_labelled(progress)?;
        let (groups, more) = Groups::of(&whole.groups(&self.groups), &whole.data)?;
        let Whole { data, mut warnings, .. } = whole;
        warnings.extend(more);
        let mut audit = progress
            .during("auditing", || Audit::of_dataset(&data, &groups, self.predictions.as_deref(), &self.options))?;
        audit.warnings.splice(0..0, warnings);
        #[cfg(feature = "report")]
        if let Some(path) = &args.result.report {
            let groups: Vec<&str> = groups.names().collect();
            let mut settings =
                json!({ "groups": groups, "predictions": args.predictions, "confidence": args.confidence });
            if let Some(score) = &self.options.score {
                settings["score"] = json!({ "column": score.column, "threshold": score.threshold });
            }
            let record =
                Record::new(progress.during("hashing the data", || data.digest()), data.rows(), &settings, &());
            let report = evenhand_report::Report::from_audit(&audit, &data, record.by(page::command()));
            let mut outputs = Outputs::without_tables();
            page::write(&mut outputs, path, &report)?;
            outputs.commit()?;
        }
        Ok(audit)
    }
}

impl Report {
    fn new(audit: Audit, page: Option<PathBuf>) -> Self {
        let on = TestedOn::Of(audit.tested());
        Self {
            rows: audit.rows,
            weighted: audit.weighted,
            confidence: audit.confidence,
            small_group: audit.small_group,
            accuracy: audit.accuracy,
            classes: audit.classes,
            scores: audit.scores,
            intersections_left_out: audit.intersections_left_out,
            warnings: WarningRecord::all(audit.warnings, None),
            notion: audit.notions.iter().map(ToString::to_string).collect(),
            rates: audit.rates,
            bounds: TestedBound::all(audit.bounds, on),
            page,
        }
    }
}

impl Config {
    fn new(args: &AuditArgs) -> Result<Self> {
        let (bounds, mut notions) = (bounds_asked(args)?, notions_asked(args)?);
        bounds::check_strict(args.strict, &bounds)?;
        // Predictions alone are read as labels are.
        let unlabelled = args.data.is_unlabelled();
        let origin = args.data.origin_labelled(args.predictions.as_deref())?;
        if let Some(report) = &args.result.report {
            page::check(report, &origin.files().iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        }
        let threshold = args.threshold.unwrap_or(0.5);
        let score = args.score.clone().map(|column| ScoreColumn { column, threshold });
        let groups = args.data.groups()?;
        let of_recipe = if args.notions.is_empty() { origin.notion(&groups) } else { None };
        let asked = !args.notions.is_empty() || of_recipe.is_some();
        if let Some(notion) = of_recipe {
            notions = vec![notion];
        }
        Ok(Self {
            origin,
            groups,
            asked,
            predictions: args.predictions.clone().filter(|_| !unlabelled),
            options: AuditOptions {
                confidence: args.confidence,
                bounds,
                notions,
                score,
                unlabelled,
                ..AuditOptions::default()
            },
        })
    }
}

fn bounds_asked(args: &AuditArgs) -> Result<Vec<Bound>> {
    let asked = [
        args.max_violation.map(Bound::MaxViolation),
        args.max_difference.map(Bound::MaxDifference),
        args.min_ratio.map(Bound::MinRatio),
    ];
    let bounds: Vec<Bound> = asked.into_iter().flatten().collect();
    bounds.iter().try_for_each(Bound::check)?;
    Ok(bounds)
}

/// The notions that are shown, and that bounds are on, if the audit measures them.
fn notions_asked(args: &AuditArgs) -> Result<Vec<Notion>> {
    if args.notions.is_empty() {
        return Ok(AuditOptions::default().notions);
    }
    let check = |notion: &String| -> Result<Notion> {
        let notion: Notion = notion.parse()?;
        // Rates as they are.
        let Some(audited) = AuditedNotion::of(&notion) else { return Ok(notion) };
        if audited != AuditedNotion::DemographicParity && args.data.is_unlabelled() {
            let message = format!("{notion} compares predictions with labels, and there are none");
            return Err(Usage::new(message).hint("name the column of labels with --label").into());
        }
        if audited != AuditedNotion::DemographicParity && args.predictions.is_none() && args.score.is_none() {
            let message = format!("{notion} is about predictions, and there are none");
            return Err(Usage::new(message).hint("name the column of predictions with --predictions").into());
        }
        Ok(notion)
    };
    args.notions.iter().map(check).collect()
}
