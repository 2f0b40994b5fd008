//! The options that `fit` and `frontier` share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use evenhand::Measure;
use evenhand::correction::Threshold;

use crate::args::DataArgs;

/// Rows, what is asked of them, and who learns.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // switches on a command line
pub(crate) struct TrainingArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,

    /// What should be equal across groups; may be repeated.
    #[arg(long = "notion", aliases = ["constraint", "constraints"], value_name = "NOTION", required = true)]
    pub(super) notions: Vec<String>,

    /// Column the learner may not see; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub(super) withhold: Vec<String>,

    /// File of rows to test on, with the same columns.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["holdout", "recipe"], help_heading = "Test rows")]
    pub(super) test: Option<PathBuf>,

    /// Share of rows to hold out and test on; with --recipe in place of its published split.
    #[arg(long, value_name = "SHARE", help_heading = "Test rows")]
    pub(super) holdout: Option<f64>,

    /// Seed by which rows are held out.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "holdout", help_heading = "Test rows")]
    pub(super) seed: u64,

    /// Write the result as JSON.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show no progress.
    #[arg(long, help_heading = "Output")]
    pub(super) quiet: bool,

    /// Compare decisions, or probabilities.
    #[arg(long, value_enum, default_value_t = MeasureArg::Decisions, help_heading = "Correction")]
    pub(super) measure: MeasureArg,

    /// The probability from which a row is decided positive: `half`, or `best`, the threshold with the fewest training errors without
    /// correction. With `best` a correction is found for both thresholds and the better one is kept; other methods use their own best
    /// threshold. For two classes only.
    #[arg(long, value_enum, default_value_t = ThresholdArg::Half, help_heading = "Correction")]
    pub(super) threshold: ThresholdArg,

    /// Weighting also changes the distribution of the features. The paper's algorithms ignore that (`ignored`); `corrected` divides each
    /// row's weight by an estimate of the change, from the learner's probabilities without correction. Rarely helps.
    #[arg(long, value_enum, default_value_t = CovariateShiftArg::Ignored, help_heading = "Correction")]
    pub(super) covariate_shift: CovariateShiftArg,

    /// What the multipliers change: the `weights` of the training rows, with a new fit for each set of multipliers tried; or the
    /// probabilities of one fitted model (`tilt`). With `tilt`, decisions depend on an estimate of group membership, or on the group itself
    /// where it is a feature.
    #[arg(long, value_enum, default_value_t = ApplyArg::Weights, help_heading = "Correction")]
    pub(super) apply: ApplyArg,

    /// How multipliers enter the weights: by the probability of group membership given the features (`expected`), by the row's own groups as
    /// in the paper's theory (`centred`), or by bare membership as in its algorithms (`paper`) [default: `expected` for disparate impact with
    /// the built-in learner and for --apply tilt, `paper` for --preset paper or notebook, otherwise `centred`].
    #[arg(long, value_enum, help_heading = "Correction")]
    pub(super) tilt: Option<TiltArg>,

    /// Smallest group to correct for, counting the rows that its rate is about. Smaller groups are still measured, shown and tested
    /// [default: 30].
    #[arg(long, value_name = "NUMBER", help_heading = "Correction")]
    pub(super) min_group: Option<usize>,

    /// Penalty on the squares of the coefficients [default: 1].
    #[arg(long, value_name = "NUMBER", conflicts_with = "learner", help_heading = "Learner")]
    pub(super) l2: Option<f64>,

    /// Penalise the intercept too.
    #[arg(long, conflicts_with = "learner", help_heading = "Learner")]
    pub(super) penalise_intercept: bool,

    /// Use numbers as they are, neither centred nor scaled.
    #[arg(long, conflicts_with = "recipe", help_heading = "Learner")]
    pub(super) no_standardise: bool,

    /// Do not add the intersections among the groups (`sex*race`) as features. Without them a linear learner can only add up the effects
    /// of the single groups.
    #[arg(long, conflicts_with = "recipe", help_heading = "Learner")]
    pub(super) no_interactions: bool,

    #[cfg_attr(
        feature = "network",
        doc = "Learner in place of the built-in logistic regression: a command (--help-all says how it is called) or `network`."
    )]
    #[cfg_attr(
        not(feature = "network"),
        doc = "Command to use in place of the built-in logistic regression; --help-all says how it is called."
    )]
    #[arg(long, value_name = "COMMAND", help_heading = "Learner")]
    pub(super) learner: Option<String>,

    #[cfg(feature = "network")]
    #[command(flatten)]
    pub(super) network: super::network::NetworkArgs,

    /// How many threads to use; the result is the same with any [default: all cores].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Learner")]
    pub(super) threads: Option<u16>,
}

/// What is compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MeasureArg {
    Decisions,
    Scores,
}

impl From<MeasureArg> for Measure {
    fn from(measure: MeasureArg) -> Self {
        match measure {
            MeasureArg::Decisions => Self::Decisions,
            MeasureArg::Scores => Self::Scores,
        }
    }
}

/// The probability from which a row is decided positive.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ThresholdArg {
    Half,
    Best,
}

impl From<ThresholdArg> for Threshold {
    fn from(threshold: ThresholdArg) -> Self {
        match threshold {
            ThresholdArg::Half => Self::Half,
            ThresholdArg::Best => Self::Best,
        }
    }
}

/// What the multipliers change.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ApplyArg {
    Weights,
    Tilt,
}

/// How multipliers enter the weights.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum TiltArg {
    Expected,
    Centred,
    Paper,
}

/// What is done about covariate shift.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum CovariateShiftArg {
    Ignored,
    Corrected,
}

/// The notions: what `see below` means in the options above.
macro_rules! notions_below {
    () => {
        "\
Notions:
  demographic-parity    every group is predicted positive at the overall rate
  disparate-impact      the same, by a learner that may not see the sensitive columns
  paper-disparate-impact
                        the same, by a learner that may not see the groups' own indicators, as
                        in the paper's table; other values of their columns stay features
  equal-opportunity     every group has the overall true positive rate
  equalized-odds        every group has the overall true and false positive rates
  predictive-equality   every group has the overall false positive rate
  equal-accuracy        every group is predicted as accurately as everyone
  target-rate=[CLASS:]RATE, group-target-rate=[CLASS:]RATE
                        a class is predicted at this rate, overall or in every group
  pinned=GROUP[:ACCURACY]
                        these rows, known to be labelled right, are predicted right
  known-rate=GROUP:RATE these rows are predicted positive at this rate, known from elsewhere
  'rate=predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET|RATE]'
                        your own: any rate of decisions, over any rows, is that of others, or a
                        number

A rate of your own reads as a sentence:
  EVENT    positive, negative, CLASS, 'as labelled' or wrongly
  COLUMN   numbers, none of them negative or missing: how much a row counts. Not with --apply tilt,
           thresholds by group, disparate-impact or identify
  SUBSET   everyone, 'each group' (those of --group), a group such as 'sex=female' or 'age<=30',
           'labelled CLASS', 'not labelled CLASS', or several of these joined by `and`
  against  a subset or a number; or 'at least NUMBER', 'at most NUMBER'. Left out: the same rate
           among everyone with the same label
  'rate=predicted positive given age<=30 and sex=female against age>30 and sex=female'
  'rate=predicted wrongly given each group at most 0.2'
  'rate=predicted positive weighted by amount given sex=female'       the share of all money
  'rate=predicted positive given each group and labelled positive'    equal opportunity
Names that hold such words are written in backquotes.
"
    };
}
pub(crate) use notions_below;

/// The notions, and what learns.
macro_rules! see_below {
    () => {
        concat!(
            $crate::training::notions_below!(),
            "\n",
            crate::args::where_networks_are!(
                "\
With --learner network, a fully connected network learns: ReLU layers, a softmax, Adam. A program of
that name is called as ./network.

"
            ),
            "\
A learner of your own is called as
  COMMAND fit TRAIN MODEL          TRAIN is in LIBSVM format, TRAIN.weight has a weight per line
  COMMAND predict MODEL ROWS OUT   OUT gets a line per row: the probability of class 1, or of
                                   each class
"
        )
    };
}
pub(crate) use see_below;
