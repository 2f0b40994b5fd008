//! The options of `evenhand fit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use evenhand::Preset;

use crate::args::{usage_of_rows, where_reports_are};
use crate::bounds::BoundsArgs;
use crate::many_rows::ManyRowsArgs;
use crate::outputs::CsvArgs;
use crate::training::{TrainingArgs, see_below};

/// Find row weights that make a classifier even-handed, and train it with them.
///
/// Weights depend on a row's groups and label alone; where the learner may not see a group, on what its features tell of it (see --tilt and
/// --covariate-shift). They are found by a few fits, so that groups
/// are treated alike in the sense of --notion, or by the least correction that meets a bound you give. Without a bound: as even as the rows
/// can tell, unless what is left costs more error than it is worth (about a point of error for a point of violation).
/// The same
/// classifier without correction is fitted for comparison. [Jiang & Nachum 2019]
///
/// --method has other methods to compare with, on the same rows, groups and notions.
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("fit --notion <NOTION>"), after_long_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // switches on a command line
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,

    #[command(flatten)]
    pub(super) bounds: BoundsArgs,

    /// Confidence of the verdicts on bounds.
    #[cfg_attr(feature = "report", doc = "Also that of the intervals of --report.")]
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Bounds")]
    pub(super) confidence: f64,

    /// Exit with 1 wherever a bound is not met for sure: also with too few rows to tell.
    #[arg(long, help_heading = "Bounds")]
    pub(super) strict: bool,

    /// Warn in the first lines if the correction changes the share of rows predicted positive, or predicted wrongly, by more than this
    /// share of the larger of the two rates; 1 never warns.
    #[arg(long, value_name = "SHARE", default_value_t = evenhand::Correction::NOTABLE_CHANGE, help_heading = "Bounds")]
    pub(super) notable_change: f64,

    #[command(flatten)]
    pub(super) many_rows: ManyRowsArgs,

    /// Where to write the model (JSON).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) model: Option<PathBuf>,

    /// Sign the model with this private key (Ed25519, PEM, as `openssl genpkey -algorithm ed25519` makes it), so that
    /// `evenhand verify --key` can tell who wrote it.
    #[arg(long, value_name = "KEY", requires = "model", help_heading = "Output")]
    pub(super) sign: Option<PathBuf>,

    /// Where to write the weight of every training row, for a learner elsewhere.
    ///
    /// As .csv, .parquet, .arrow, …; or `-`, CSV on standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) weights: Option<PathBuf>,

    #[command(flatten)]
    pub(super) csv: CsvArgs,

    /// Where to write one line per iteration (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,

    /// Where to write a report: one page (.html), a section of a model card (.md) or text (.txt).
    ///
    /// For other people to read. It fits with more and less of the correction, which takes some fifteen further fits (with --apply tilt, a few).
    #[cfg_attr(feature = "report", arg(long, value_name = "FILE", help_heading = "Output"))]
    #[cfg_attr(not(feature = "report"), arg(skip))]
    pub(super) report: Option<PathBuf>,

    /// The method by which groups are treated alike; --help-all describes each.
    #[arg(long, value_enum, default_value_t = MethodArg::Correction, help_heading = "Method")]
    pub(super) method: MethodArg,

    /// Whether --method threshold-postprocessing draws decisions between two thresholds at random (`randomised`, the optimum in
    /// expectation) or has one threshold for each group (`deterministic`) [default: randomised].
    #[arg(long, value_enum, help_heading = "Method")]
    pub(super) decisions: Option<DecisionsArg>,

    /// Seed of the random decisions of --method threshold-postprocessing and of the order of rows in --method lagrangian [default: 0].
    #[arg(long, value_name = "NUMBER", help_heading = "Method")]
    pub(super) method_seed: Option<u64>,

    /// How weights are found: by Evenhand's own solver, by the loop printed in the paper, or as in its authors'
    /// notebooks (which also penalise the intercept and do not standardise).
    #[arg(long, value_enum, default_value_t = PresetArg::Default, help_heading = "Correction")]
    pub(super) preset: PresetArg,

    /// Whether weights lie between 0 and 1, as in the paper, or have no upper limit [default: bounded; unbounded if bounded weights do not
    /// reach what is asked].
    #[arg(long, alias = "weight-range", value_enum, help_heading = "Correction")]
    pub(super) range: Option<RangeArg>,

    /// Safety margin below a bound, in standard errors, so that the bound also holds on new rows [default: 1.645].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) margin: Option<f64>,

    /// Largest number of fits in the search [default: 100].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) max_fits: Option<usize>,

    /// Step size of the multipliers, with --preset paper or notebook [default: 1].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) step: Option<f64>,

    /// Number of steps of the multipliers, with --preset paper or notebook [default: 100].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) loops: Option<usize>,

    /// Which classifier is kept, with --preset paper or notebook [default: last].
    #[arg(long, value_enum, help_heading = "Correction")]
    pub(super) keep: Option<KeepArg>,

    /// The rows by which weights are chosen: `training`, `holdout[=SHARE]` (rows that the classifier is not trained on) or
    /// `k-fold[=FOLDS]` (all rows, each decided by a model that was fitted without it).
    #[arg(long, value_name = "ROWS", default_value = "training", help_heading = "Correction")]
    pub(super) validation: String,

    /// Seed of the rows that --validation draws.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = "Correction")]
    pub(super) validation_seed: u64,

    /// Weight rows, or keep each with a probability equal to its weight (with --preset default, over the largest weight).
    #[arg(long, value_enum, default_value_t = TechniqueArg::Weighting, help_heading = "Correction")]
    pub(super) technique: TechniqueArg,

    /// Seed by which --technique sampling keeps rows [default: 0].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) sampling_seed: Option<u64>,

    /// Do not penalise the intercept, whatever the preset says.
    #[arg(long, conflicts_with = "learner", overrides_with = "penalise_intercept", help_heading = "Learner")]
    pub(super) no_penalise_intercept: bool,

    /// Centre and scale numbers, whatever the preset says.
    #[arg(long, overrides_with = "no_standardise", conflicts_with = "recipe", help_heading = "Learner")]
    pub(super) standardise: bool,
}

/// Named conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetArg {
    Default,
    Paper,
    Notebook,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Default => Self::Default,
            PresetArg::Paper => Self::Paper,
            PresetArg::Notebook => Self::Notebook,
        }
    }
}

/// By which method. The hidden ones are how Python says two methods with an option of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    #[value(alias = "weighting")]
    Correction,
    #[value(hide = true)]
    Sampling,
    Unconstrained,
    Reweighing,
    ThresholdPostprocessing,
    #[value(hide = true)]
    Thresholds,
    #[value(alias = "calibration")]
    PercentileThresholds,
    Lagrangian,
}

/// Whether decisions are drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DecisionsArg {
    Randomised,
    Deterministic,
}

/// Whether weights are bounded.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RangeArg {
    Bounded,
    Unbounded,
}

/// Which classifier is kept.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum KeepArg {
    Best,
    Last,
}

/// How weights reach the learner.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum TechniqueArg {
    Weighting,
    Sampling,
}

const EXAMPLES: &str = concat!(
    see_below!(),
    "
Methods:
  correction     multipliers, and weights from them (or with --apply tilt, tilted probabilities):
                 what this program is for
  unconstrained  one fit, with nothing asked of it
  reweighing     one fit, with weights that make label and groups independent, whatever the notion
                 [Kamiran & Calders 2012]
  threshold-postprocessing
                 one fit, then thresholds by group that keep the notion, or the bounds, on the
                 training rows at the least error; two classes [Hardt, Price & Srebro 2016].
                 THE MODEL NEEDS THE GROUPS TO DECIDE: every file to be predicted must have the
                 columns that define them, also where the learner may not see them
  percentile-thresholds
                 one fit, then for each pattern of groups the percentile of its training scores at
                 which it has the overall rate of that fit; one notion of one rate. The paper's
                 calibration as it was run (by that name too), to repeat its numbers; the method
                 above has the optimum. It needs the groups in the same way
  lagrangian     a linear model and multipliers trained jointly by gradients, violations relaxed by
                 hinges; two classes, built-in learner only [Eban et al. 2017]
`correction` and `threshold-postprocessing` look for a classifier within the bounds; verdicts on
bounds are given for every method. Options under Correction belong to `correction`, but --preset
notebook also sets how others fit.

Examples:
  evenhand fit adult.csv --label income --positive '>50K' --group sex --group race \\
      --notion demographic-parity --holdout 0.3 --seed 7 --model model.json

  Two notions at once, weights for a learner elsewhere, failing above a bound:
    evenhand fit loans.parquet --label approved --group sex --group 'age<=30' \\
        --notion equal-opportunity --notion target-rate=0.2 --weights weights.parquet \\
        --test later.parquet --max-violation 0.02 --max-violation target-rate=0.005

",
    where_reports_are!(
        "  A page to show to others, who need nothing but a browser:
    evenhand fit loans.csv --label approved --group sex --notion demographic-parity \\
        --holdout 0.3 --report report.html
"
    ),
    "
  A public dataset, prepared and split as in the paper (see evenhand data):
    evenhand fit --recipe adult --notion equalized-odds --max-violation 0.03 --model model.json
  Disparate impact as in its table is `paper-disparate-impact`; `disparate-impact` withholds whole
  columns, and so has other numbers.

Columns of --weights: row, the number of the row in the data file, from 1 (of a recipe in the
published file), and weight.

Columns of --trace: iteration, violation, error, loss, seconds; then `multiplier: NAME` for each
constraint, and `violation: NAME` for each.

Bounds for one notion: with several notions a number is for all of them, and NOTION=NUMBER for one:
`--max-violation 0.05 --max-violation target-rate=0.005` holds a target rate closely. A notion
without any bound becomes as even as the rows can tell.

Verdicts: a bound is tested on the test rows, or on the training rows where there are none; there it
is easier to meet than on new rows. It is about every group that was asked for, also one of which
training had no rows. It is met, or not met, when the whole interval at --confidence says so;
otherwise there are too few rows to tell. Where a group cannot be measured, or there is nobody to
compare any group with, nobody can tell, and the group is named.

Exit codes: 0 fine; 1 a bound was not met, by its verdict or by the value as measured, or it cannot
be told, because a group cannot be measured there or there is nobody to compare it with; 2 bad
input. With too few rows to tell and a value within the bound the exit code is 0, with a note; with
--strict it is 1.

Changes: a bound can be met by predicting fewer rows positive, or by taking from those who had less
(levelling down). Where a correction changes the positive rate by more than --notable-change, beyond
chance, or raises the error so, or moves rows without a value away from the others, the first lines
say so. `--notion target-rate=RATE --max-violation target-rate=CLOSE` beside another notion keeps
positives at RATE.

JSON keys: effect (what the correction changes: rows, notable_change, confidence, error and
positive_rate with before, after, low, high and notable, helped, missing, summary), method,
notion, groups, classes (in the order of class_rates), columns (numeric and categorical, as they
were read), multipliers (name, value, odds_factor: by what the odds of the group are multiplied,
against all others), apply (of a correction, `weights` or `tilt`), rule (how they become weights:
tilt, factor, range, relative), memberships (how well features tell each group that the learner
may not see, where that was modelled: group, labelled, null for all rows, and auc), train and test
(rows, wrong, error, violation, violations, positive_rate, class_rates, groups), validation (with
--validation), threshold (with --threshold best), thresholds (with methods that decide by group),
groups_needed (there, and with --apply tilt where features tell groups), slack (with --method
lagrangian), uncorrected (train, test), stop, trade_off (bound, violation and cost, where a search
without a bound stopped for the cost), iterations, fits, seconds, warnings, model, weights, trace, ",
    where_reports_are!("report (where one was asked for), "),
    "bounds.
Keys of a bound: rows (`test` or `training`), bound, notion (where it is for one), value, low,
high, confidence, verdict (`met`, `not-met`, `too-few-rows`, `cannot-tell`), worst, unmeasured,
own_reference (constraints whose group is everyone), expected_under_parity (what a perfectly even
classifier would show by chance), row_count."
);
