//! `evenhand audit`: what labels, and predictions of any model, show group by group.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::audit::{AuditOptions, AuditedNotion, ClassAudit, Rate};
use evenhand::{Audit, Error, GroupSpec, Groups, Notion};
#[cfg(feature = "report")]
use evenhand_report::{AskedBound, Record};
use serde::Serialize;
#[cfg(feature = "report")]
use serde_json::json;

use crate::Ending;
use crate::args::{DataArgs, ResultArgs, usage_of_rows, where_reports_are};
use crate::failure::Usage;
use crate::origin::{Origin, Whole};
use crate::output::{self, WarningRecord, note};
#[cfg(feature = "report")]
use crate::outputs::Outputs;
use crate::page;
use crate::progress::Progress;
use crate::text;

/// Show how labels, and predictions of any model, differ between groups.
///
/// For every group and every intersection of groups: counts, rates and Wilson intervals.
/// For every notion: the paper's violation (largest |overall - group|), the largest
/// difference between groups, and the smallest ratio. Predictions may come from any
/// program: they are a column of the same file, holding label values.
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("audit"), after_long_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Column of predictions: values of the label. Without it the labels alone are audited.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    predictions: Option<String>,

    /// Confidence of the intervals.
    #[arg(long, value_name = "SHARE", default_value_t = AuditOptions::default().confidence)]
    confidence: f64,

    /// Exit with 1 when the violation of --notion is above this: of predictions if given, else of labels.
    #[arg(long, value_name = "VIOLATION")]
    max_violation: Option<f64>,

    /// Notion that --max-violation is a bound on.
    #[arg(long, default_value = "demographic-parity", requires = "max_violation")]
    notion: String,

    #[command(flatten)]
    pub(crate) result: ResultArgs,
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  How biased are the labels?
    evenhand audit adult.csv --label income --positive '>50K' --group sex --group race

  Fail a pipeline when predictions differ too much:
    evenhand audit scored.csv --label income --positive '>50K' --predictions decision \\
        --ignore probability --group sex --notion equal-opportunity --max-violation 0.05

JSON keys: rows, weighted, confidence, small_group, accuracy, classes, intersections_left_out,
warnings; with --max-violation also bound (notion, of, max_violation, violation, met)",
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
    options: AuditOptions,
    bound: Option<(AuditedNotion, Notion, f64)>,
}

/// The audit, with the texts of its warnings, and whether it is within the bound asked for.
#[derive(Serialize)]
struct Report {
    rows: usize,
    weighted: bool,
    confidence: f64,
    small_group: usize,
    accuracy: Option<Rate>,
    classes: Vec<ClassAudit>,
    intersections_left_out: usize,
    warnings: Vec<WarningRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
}

/// A bound that was asked for.
#[derive(Serialize)]
struct Bound {
    notion: String,
    of: &'static str,
    max_violation: f64,
    violation: f64,
    met: bool,
}

pub(crate) fn run(args: &AuditArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    let progress = Progress::new(args.result.json);
    let whole = config.origin.read(progress)?;
    let (groups, more) = Groups::of(&whole.groups(&config.groups), &whole.data)?;
    let Whole { data, mut warnings, .. } = whole;
    warnings.extend(more);
    let mut audit = progress
        .during("auditing", || Audit::of_dataset(&data, &groups, args.predictions.as_deref(), config.options))?;
    audit.warnings.splice(0..0, warnings);
    let bound = config.bound(&audit, args.predictions.is_some())?;
    #[cfg(feature = "report")]
    if let Some(path) = &args.result.report {
        let groups: Vec<&str> = groups.names().collect();
        let settings = json!({ "groups": groups, "predictions": args.predictions, "confidence": args.confidence });
        let record = Record::new(progress.during("hashing the data", || data.digest()), data.rows(), &settings, &());
        let asked = bound.as_ref().map(Bound::record);
        let report = evenhand_report::Report::from_audit(&audit, asked, &data, record.by(page::command()));
        let mut outputs = Outputs::without_tables();
        page::write(&mut outputs, path, &report)?;
        outputs.commit()?;
    }
    let met = bound.as_ref().is_none_or(|bound| bound.met);
    if args.result.json {
        output::json(&Report::new(audit, bound, args.result.report.clone()))?;
    } else {
        output::text(&(audit.to_string() + &page::wrote(args.result.report.as_deref())))?;
        if let Some(Bound { notion, of, max_violation, violation, .. }) = bound.filter(|bound| !bound.met) {
            note(&format!(
                "bound not met: violation of {notion} by {of} is {}, above {max_violation}",
                text::rate(violation)
            ));
        }
    }
    Ok(if met { Ending::Fine } else { Ending::Missed })
}

#[cfg(feature = "report")]
impl Bound {
    /// The same, as a report has it.
    fn record(&self) -> AskedBound {
        let Self { notion, of, max_violation, violation, met } = self;
        AskedBound {
            notion: notion.clone(),
            of: (*of).to_owned(),
            max_violation: *max_violation,
            violation: *violation,
            met: *met,
        }
    }
}

impl Report {
    fn new(audit: Audit, bound: Option<Bound>, page: Option<PathBuf>) -> Self {
        let Audit { rows, weighted, confidence, small_group, accuracy, classes, intersections_left_out, warnings } =
            audit;
        let warnings = WarningRecord::all(warnings, None);
        Self {
            rows,
            weighted,
            confidence,
            small_group,
            accuracy,
            classes,
            intersections_left_out,
            warnings,
            bound,
            page,
        }
    }
}

impl Config {
    fn new(args: &AuditArgs) -> Result<Self> {
        let bound = match args.max_violation {
            Some(most) => Some(bound_asked(&args.notion, most, args.predictions.is_some())?),
            None => None,
        };
        let origin = args.data.origin()?;
        if let Some(report) = &args.result.report {
            page::check(report, &origin.files().iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        }
        Ok(Self {
            origin,
            groups: args.data.groups()?,
            options: AuditOptions { confidence: args.confidence, ..AuditOptions::default() },
            bound,
        })
    }

    fn bound(&self, audit: &Audit, predicted: bool) -> Result<Option<Bound>> {
        let Some((audited, notion, max_violation)) = &self.bound else { return Ok(None) };
        let violation = audit.violation(*audited).ok_or_else(|| {
            Usage::new(format!("the violation of {notion} could not be measured")).hint("name groups with --group")
        })?;
        Ok(Some(Bound {
            notion: notion.to_string(),
            of: if predicted { "predictions" } else { "labels" },
            max_violation: *max_violation,
            violation,
            met: violation <= *max_violation,
        }))
    }
}

/// The notion and the number of a bound, if the audit measures them.
fn bound_asked(notion: &str, most: f64, predicted: bool) -> Result<(AuditedNotion, Notion, f64)> {
    let notion: Notion = notion.parse()?;
    check_bound(most)?;
    let Some(audited) = AuditedNotion::of(&notion) else {
        return Err(Usage::new(format!("an audit does not measure {notion}")).hint("give another --notion").into());
    };
    if !predicted && audited != AuditedNotion::DemographicParity {
        let message = format!("{notion} is about predictions, and there are none");
        return Err(Usage::new(message).hint("name the column of predictions with --predictions").into());
    }
    Ok((audited, notion, most))
}

/// A bound on a violation lies between 0 and 1.
pub(crate) fn check_bound(most: f64) -> evenhand::Result<()> {
    if (0.0..=1.0).contains(&most) {
        return Ok(());
    }
    Err(Error::setting("max-violation", most, "0 to 1"))
}
