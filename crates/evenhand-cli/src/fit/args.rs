//! The options of `evenhand fit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::DataArgs;

/// Find row weights that make a classifier even-handed, and train it with them.
///
/// Weights depend on a row's groups and label alone. They are found by a few fits, so that groups
/// are treated alike in the sense of --notion, or just within a bound you give. The same
/// classifier without correction is fitted for comparison. [Jiang & Nachum 2019]
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // switches on a command line
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,

    /// What should be equal across groups; may be repeated, see below.
    #[arg(long = "notion", value_name = "NOTION", required = true)]
    pub(super) notions: Vec<String>,

    /// Ask for no more than this: largest |overall - group| rate. The least correction that meets it is looked for.
    #[arg(long, value_name = "RATE", help_heading = "Bounds")]
    pub(super) max_violation: Option<f64>,

    /// Ask for no more than this between any two groups: largest difference of their rates.
    #[arg(long, value_name = "RATE", help_heading = "Bounds")]
    pub(super) max_difference: Option<f64>,

    /// Ask for no less than this between any two groups: smallest ratio of their rates (0.8 is the four-fifths rule).
    #[arg(long, value_name = "RATIO", help_heading = "Bounds")]
    pub(super) min_ratio: Option<f64>,

    /// Confidence of the verdicts on bounds.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, help_heading = "Bounds")]
    pub(super) confidence: f64,

    /// Column the learner may not see; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(super) withhold: Vec<String>,

    /// File of rows to test on, with the same columns.
    #[arg(long, value_name = "FILE", conflicts_with = "holdout", help_heading = "Test rows")]
    pub(super) test: Option<PathBuf>,

    /// Share of rows to hold out and test on.
    #[arg(long, value_name = "SHARE", help_heading = "Test rows")]
    pub(super) holdout: Option<f64>,

    /// Seed by which rows are held out.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "holdout", help_heading = "Test rows")]
    pub(super) seed: u64,

    /// Where to write the model (JSON).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) model: Option<PathBuf>,

    /// Where to write the weight of every training row (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) weights: Option<PathBuf>,

    /// Where to write one line per loop (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,

    /// Write the result as JSON.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show no progress.
    #[arg(long, help_heading = "Output")]
    pub(super) quiet: bool,

    /// How weights are found: by our own method, by the loop of the paper, or as its authors'
    /// notebooks do (which also penalise the intercept and do not standardise).
    #[arg(long, value_enum, default_value_t = PresetArg::Default, help_heading = "Correction")]
    pub(super) preset: PresetArg,

    /// Whether weights are bounded, as in the paper [default: unless the bound asked for needs more].
    #[arg(long, value_enum, help_heading = "Correction")]
    pub(super) range: Option<RangeArg>,

    /// How many times to fit at most [default: 60].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) max_fits: Option<usize>,

    /// How multipliers enter the weights, with --preset paper or notebook [default: bare membership].
    #[arg(long, value_enum, help_heading = "Correction")]
    pub(super) tilt: Option<TiltArg>,

    /// How far multipliers move in a loop, with --preset paper or notebook [default: 1].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) step: Option<f64>,

    /// How many times multipliers move, with --preset paper or notebook [default: 100].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) loops: Option<usize>,

    /// Which classifier is kept, with --preset paper or notebook [default: last].
    #[arg(long, value_enum, help_heading = "Correction")]
    pub(super) keep: Option<KeepArg>,

    /// Compare decisions, or probabilities.
    #[arg(long, value_enum, default_value_t = MeasureArg::Decisions, help_heading = "Correction")]
    pub(super) measure: MeasureArg,

    /// Weight rows, or keep each with a probability equal to its weight.
    #[arg(long, value_enum, default_value_t = TechniqueArg::Weighting, help_heading = "Correction")]
    pub(super) technique: TechniqueArg,

    /// Seed by which --technique sampling keeps rows [default: 0].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) sampling_seed: Option<u64>,

    /// Penalty on the squares of the coefficients [default: 1].
    #[arg(long, value_name = "NUMBER", conflicts_with = "learner", help_heading = "Learner")]
    pub(super) l2: Option<f64>,

    /// Penalise the intercept too.
    #[arg(long, conflicts_with = "learner", overrides_with = "no_penalise_intercept", help_heading = "Learner")]
    pub(super) penalise_intercept: bool,

    /// Do not penalise the intercept, whatever the preset says.
    #[arg(long, conflicts_with = "learner", help_heading = "Learner")]
    pub(super) no_penalise_intercept: bool,

    /// Use numbers as they are, neither centred nor scaled.
    #[arg(long, overrides_with = "standardise", help_heading = "Learner")]
    pub(super) no_standardise: bool,

    /// Centre and scale numbers, whatever the preset says.
    #[arg(long, help_heading = "Learner")]
    pub(super) standardise: bool,

    /// Command to use in place of the built-in logistic regression, see below.
    #[arg(long, value_name = "COMMAND", help_heading = "Learner")]
    pub(super) learner: Option<String>,

    /// How many threads to use; the result is the same with any [default: all cores].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Learner")]
    pub(super) threads: Option<u16>,
}

/// Named conventions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum PresetArg {
    Default,
    Paper,
    Notebook,
}

/// Whether weights are bounded.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RangeArg {
    Bounded,
    Unbounded,
}

/// How multipliers enter the weights.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum TiltArg {
    Centred,
    Paper,
}

/// What is compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum MeasureArg {
    Decisions,
    Scores,
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

const EXAMPLES: &str = "\
Notions:
  demographic-parity    every group is predicted positive at the overall rate
  disparate-impact      the same, by a learner that may not see the sensitive columns
  equal-opportunity     every group has the overall true positive rate
  equalized-odds        every group has the overall true and false positive rates
  predictive-equality   every group has the overall false positive rate
  equal-accuracy        every group is predicted as accurately as everyone
  target-rate=[CLASS:]RATE, group-target-rate=[CLASS:]RATE
                        a class is predicted at this rate, overall or in every group
  pinned=GROUP[:ACCURACY]
                        these rows, known to be labelled right, are predicted right

A learner of your own is called as
  COMMAND fit TRAIN MODEL          TRAIN is in LIBSVM format, TRAIN.weight has a weight per line
  COMMAND predict MODEL ROWS OUT   OUT gets a line per row: the probability of class 1, or of each class

Examples:
  evenhand fit adult.csv --label income --positive '>50K' --group sex --group race \\
      --notion demographic-parity --holdout 0.3 --seed 7 --model model.json

  Two notions at once, weights for a learner elsewhere, failing above a bound:
    evenhand fit loans.parquet --label approved --group sex --group 'age<=30' \\
        --notion equal-opportunity --notion target-rate=0.2 --weights weights.parquet \\
        --test later.parquet --max-violation 0.02

Columns of --trace: loop, violation, error, loss, seconds; then `multiplier: NAME` for each
constraint, and `violation: NAME` for each.

Verdicts: a bound is judged on the test rows, or on the training rows where there are none; there it
is easier to meet than on new rows. It is met, or not met, when the whole interval at --confidence
says so; otherwise there are too few rows to tell.

Exit codes: 0 fine; 1 a bound was not met, by its verdict, by the value as measured, or because a
group has no rows there; 2 bad input. With too few rows to tell and a value within the bound the
exit code is 0, with a note; a stricter pipeline can read `verdict` from --json.

JSON keys: notion, groups, classes (in the order of class_rates), multipliers (name, value),
train and test (rows, wrong, error, violation, violations, positive_rate, class_rates, groups),
uncorrected (train, test), stop, loops, fits, seconds, warnings, model, weights, trace, bounds.
Keys of a bound: rows (`test` or `training`), bound, value, low, high, confidence, verdict (`met`,
`not-met`, `too-few-rows`), worst, unmeasured, floor (what chance alone would show), row_count.";
