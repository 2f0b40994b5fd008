//! `evenhand correct`: scores by somebody else's model, corrected without training it.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::correction::{Apply, CorrectionOptions, Score};
use evenhand::{BoundTest, Correction, Logistic};

use super::config::Config;
use crate::Ending;
use crate::args::{DataArgs, where_reports_are};
use crate::bounds::{self, BoundsArgs};
use crate::failure::Usage;
use crate::many_rows::ManyRowsArgs;
use crate::outputs::CsvArgs;
use crate::signature::SigningKey;
use crate::training::{MeasureArg, ScoreRowsArgs, ThresholdArg, Training, notions_below};

/// Correct the scores of an existing model, without training it again.
///
/// One column holds its probabilities of the positive class. They are shifted, by what all other columns tell of groups, until groups
/// are treated alike in the sense of --notion, or just within a bound you give. The columns that define groups are not used: new rows need
/// the score and the other columns, and no group. Without other columns, only the score tells the group. For two classes.
///
/// Decisions then depend on an estimate of who is in a group, or with --with-group on the group itself. Where that is not allowed, train with
/// weights: `evenhand fit`. [Jiang & Nachum 2019, Corollary 1]
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // switches on a command line
pub(crate) struct CorrectArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Column of the probability of the positive class, from 0 to 1.
    #[arg(long, value_name = "COLUMN")]
    score: String,

    /// What should be equal across groups; may be repeated.
    #[arg(long = "notion", aliases = ["constraint", "constraints"], value_name = "NOTION", required = true)]
    notions: Vec<String>,

    /// Decide by the groups themselves, in place of what other columns tell of them: new rows need the columns of groups then.
    #[arg(long)]
    with_group: bool,

    /// Column that is not to tell groups; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    withhold: Vec<String>,

    #[command(flatten)]
    bounds: BoundsArgs,

    /// Confidence of the verdicts on bounds.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Bounds")]
    confidence: f64,

    /// Exit with 1 wherever a bound is not met for sure: also with too few rows to tell.
    #[arg(long, help_heading = "Bounds")]
    strict: bool,

    /// File of rows to test on, with the same columns.
    #[arg(long, value_name = "FILE", conflicts_with = "holdout", help_heading = "Test rows")]
    test: Option<PathBuf>,

    /// Share of rows to hold out and test on.
    #[arg(long, value_name = "SHARE", help_heading = "Test rows")]
    holdout: Option<f64>,

    /// Seed by which rows are held out.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "holdout", help_heading = "Test rows")]
    seed: u64,

    /// Compare decisions, or probabilities.
    #[arg(long, value_enum, default_value_t = MeasureArg::Decisions, help_heading = "Correction")]
    measure: MeasureArg,

    /// The probability from which a row is decided positive: `half`, or `best`, the threshold at which the given scores have the fewest
    /// errors. With `best` a correction is found for both thresholds and the better one is kept.
    #[arg(long, value_enum, default_value_t = ThresholdArg::Half, help_heading = "Correction")]
    threshold: ThresholdArg,

    /// Safety margin below a bound, in standard errors, so that the bound also holds on new rows [default: 1.645].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    margin: Option<f64>,

    /// Smallest group to correct for, counting the rows that its rate is about. Smaller groups are still measured, shown and tested
    /// [default: 30].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    min_group: Option<usize>,

    /// Penalty on the squares of the coefficients of the models of membership [default: 1].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    l2: Option<f64>,

    /// How many threads to use; the result is the same with any [default: all cores].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Correction")]
    threads: Option<u16>,

    /// Where to write the model (JSON), for `evenhand predict` and `verify`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    model: Option<PathBuf>,

    /// Where to write all rows of DATA with the corrected `probability` and the `decision` added.
    ///
    /// As `evenhand predict` does (.csv, .parquet, .arrow, …; or `-`, CSV on standard output).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    predictions: Option<PathBuf>,

    /// Sign the model with this private key; see `evenhand fit`.
    #[arg(long, value_name = "KEY", requires = "model", help_heading = "Output")]
    sign: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    /// Where to write one line per iteration (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,

    /// Where to write a report: one page (.html), a section of a model card (.md) or text (.txt).
    #[cfg_attr(feature = "report", arg(long, value_name = "FILE", help_heading = "Output"))]
    #[cfg_attr(not(feature = "report"), arg(skip))]
    report: Option<PathBuf>,

    /// Write the result as JSON.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show no progress.
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

const EXAMPLES: &str = concat!(
    notions_below!(),
    "
Examples:
  evenhand correct scored.csv --score probability --label approved --positive yes \\
      --ignore decision --group sex --notion demographic-parity --max-violation 0.02 \\
      --holdout 0.3 --model model.json
  evenhand predict model.json new.csv --out corrected.csv

  The same file with corrected scores and decisions, at once:
    evenhand correct scores.csv --score p --label approved --group sex \\
        --notion demographic-parity --predictions corrected.csv
",
    where_reports_are!(
        "
  The group itself decides:
    evenhand correct scores.csv --score p --label approved --group sex --with-group \\
        --notion equal-opportunity --report report.html
"
    ),
    "
JSON keys: those of `evenhand fit --apply tilt`, and predictions (with --predictions)."
);

pub(crate) fn run(args: CorrectArgs) -> Result<Ending> {
    super::run_config(config(args)?)
}

fn config(args: CorrectArgs) -> Result<Config> {
    if args.data.is_recipe() {
        let message = "--recipe has no scores, and --score names a column of some";
        return Err(Usage::new(message).hint("give a file of scores").into());
    }
    let correction = correction(&args)?;
    let usual = Logistic::default();
    let membership = Logistic { l2: args.l2.unwrap_or(usual.l2), ..usual };
    let CorrectArgs { test, holdout, seed, threads, json, quiet, .. } = args;
    let rows = ScoreRowsArgs { test, holdout, seed, threads, json, quiet };
    let training = Training::of_scores(rows, args.data.origin()?, membership)?;
    super::config::check_files(&training, [&args.model, &args.report], &[&args.trace, &args.predictions])?;
    let predictions = args.predictions.map(|path| -> Result<_> { Ok((rows_again(&training)?, path)) }).transpose()?;
    BoundTest::check_confidence(args.confidence)?;
    bounds::check_strict(args.strict, &correction.bounds)?;
    Ok(Config {
        stored: ManyRowsArgs::default().settings()?,
        training,
        correction,
        model: args.model,
        signing_key: args.sign.as_deref().map(SigningKey::read).transpose()?,
        weights: None,
        trace: args.trace,
        report: args.report,
        predictions,
        csv: args.csv,
        confidence: args.confidence,
        strict: args.strict,
    })
}

/// The file of the rows, which is read once more to carry its columns along.
fn rows_again(training: &Training) -> Result<PathBuf> {
    match training.files().first() {
        Some(path) if path.is_file() => Ok(path.to_path_buf()),
        _ => {
            Err(Usage::new("--predictions reads DATA once more, and this can be read once").hint("give a file").into())
        }
    }
}

fn correction(args: &CorrectArgs) -> Result<Correction> {
    let options = CorrectionOptions {
        notions: args.notions.iter().map(|one| one.parse()).collect::<evenhand::Result<_>>()?,
        groups: args.data.groups()?,
        withhold: args.withhold.clone(),
        max_violation: args.bounds.max_violation.clone(),
        max_difference: args.bounds.max_difference.clone(),
        min_ratio: args.bounds.min_ratio.clone(),
        margin: args.margin,
        min_group: args.min_group,
        measure: args.measure.into(),
        threshold: args.threshold.into(),
        apply: Apply::Tilt,
        score: Some(Score { column: args.score.clone(), with_group: args.with_group }),
        ..CorrectionOptions::default()
    };
    Ok(options.build()?)
}
