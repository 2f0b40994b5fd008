//! The options of `evenhand inject`, and the biases that are written in them.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use evenhand::correction::{AskedViolation, Problem};
use evenhand::{Error, Identify, Labels};
use evenhand_datasets::inject::{Flip, Truth};

use crate::args::{DataArgs, usage_of_rows};
use crate::failure::Usage;
use crate::outputs::CsvArgs;
use crate::text::listed;

/// Put a known bias into labels, and keep the true ones beside them.
///
/// The labels of DATA are taken for the truth. With --multiplier, biased labels are drawn as in the paper's
/// Proposition 1: the odds of a positive label are multiplied for a group by a factor that the multiplier decides.
/// With --violation, multipliers are found that give so much of a violation (Assumption 1). With --flip, labels of a group are turned around at
/// a rate. What is trained on the biased labels can then be evaluated by the true ones. [Jiang & Nachum 2019]
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("inject --out <FILE>"), after_long_help = EXAMPLES)]
pub(crate) struct InjectArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,

    /// Where to write all columns, with the biased label in its place and the truth in another.
    ///
    /// As they are, those of --ignore included (.csv, .parquet, .arrow, …; or `-`, CSV on standard output).
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,

    #[command(flatten)]
    pub(super) csv: CsvArgs,

    /// Multiplier of a group, such as `sex=female=0.4`: above 0 is a bias against it; may be repeated.
    #[arg(long = "multiplier", value_name = "GROUP=NUMBER", conflicts_with = "flips", help_heading = "Bias")]
    multipliers: Vec<String>,

    /// Violation of a group's biased labels, overall rate minus its own, such as `sex=female=0.1`; may be repeated.
    ///
    /// Above 0 is a bias against it. The labels closest to the truth that have it are drawn, and their multipliers shown.
    #[arg(long = "violation", value_name = "GROUP=NUMBER", conflicts_with_all = ["flips", "multipliers"], help_heading = "Bias")]
    violations: Vec<String>,

    /// Share of a group's positive labels that become negative, such as `sex=female=0.3`; may be repeated.
    ///
    /// With `:negative`, `sex=male:negative=0.1`, the other way round.
    #[arg(long = "flip", id = "flips", value_name = "GROUP[:negative]=RATE", help_heading = "Bias")]
    flips: Vec<String>,

    /// Notion whose constraints the multipliers or violations belong to.
    #[arg(
        long,
        aliases = ["constraint", "constraints"],
        value_name = "NOTION",
        default_value = "demographic-parity",
        conflicts_with = "flips",
        help_heading = "Bias"
    )]
    pub(super) notion: String,

    /// What the truth is: the labels there are, or labels drawn anew from a model of them, for which Proposition 1
    /// holds to the letter.
    #[arg(long, value_enum, default_value_t = TruthArg::Labels, conflicts_with = "flips", help_heading = "Bias")]
    pub(super) truth: TruthArg,

    /// Penalty on the squares of the coefficients of that model.
    #[arg(long, value_name = "NUMBER", default_value_t = Identify::default().learner.l2, conflicts_with = "flips", help_heading = "Bias")]
    pub(super) l2: f64,

    /// Seed of the draw.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) seed: u64,

    /// Column for the true labels [default: the label's name and `_true`].
    #[arg(long, value_name = "COLUMN")]
    pub(super) truth_column: Option<String>,

    /// Write what was done as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is taken for the truth.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum TruthArg {
    Labels,
    Model,
}

impl From<TruthArg> for Truth {
    fn from(truth: TruthArg) -> Self {
        match truth {
            TruthArg::Labels => Self::Labels,
            TruthArg::Model => Self::Model,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  evenhand inject loans.csv --label approved --positive yes --group sex \\
      --multiplier sex=female=0.4 --out biased.csv
  evenhand fit biased.csv --label approved --positive yes --ignore approved_true --group sex \\
      --notion demographic-parity

  Three in ten positive labels of women are lost:
    evenhand inject --recipe adult --flip sex=Female=0.3 --out biased.parquet

  Women are labelled positive 15 points less often than everyone:
    evenhand inject loans.csv --label approved --positive yes --group sex \\
        --violation sex=female=0.15 --out biased.csv

Multipliers are in units of g/Z - 1, as `evenhand identify` gives them: one of 0.4 on a group that
is half of all multiplies its odds by exp(-0.4), and those of the others by exp(0.4). With --notion
equalized-odds they are named `tpr GROUP` and `fpr GROUP`, and with a rate of your own by its
sentence; `evenhand identify --notion` finds them where the truth keeps the notion.
A violation is that of the probabilities by which labels are drawn; the labels themselves vary about
it. It must be one that the true labels do not have already. Groups without one have no multiplier.
Columns given to --ignore are not written; of a recipe those that it uses are, of all its rows.

JSON keys: label, classes, positive, truth, truth_column, multipliers (name, value) or flips
(group, from, to, rate), violations (with --violation: name, asked, before, that of the true
labels), divergence (of the biased from the true labels, nats a row), seed, rows, changed,
true_rates and biased_rates (in the order of classes), groups (name, rows, changed, true_rates,
biased_rates), out, warnings.";

/// A bias as it was written: of what, and how much.
pub(super) enum Asked {
    Multipliers(Vec<(String, f64)>),
    Violations(Vec<(String, f64)>),
    Flips(Vec<(String, f64)>),
}

impl Asked {
    pub(super) fn new(args: &InjectArgs) -> Result<Self> {
        if args.flips.is_empty() && args.multipliers.is_empty() && args.violations.is_empty() {
            let message =
                "a bias is needed: --multiplier 'GROUP=NUMBER', --violation 'GROUP=NUMBER' or --flip 'GROUP=RATE'";
            return Err(Usage::new(message).hint("`evenhand inject --help` says what they mean").into());
        }
        if !args.violations.is_empty() {
            return Ok(Self::Violations(parsed("--violation", "GROUP=NUMBER", &args.violations)?));
        }
        if args.flips.is_empty() {
            return Ok(Self::Multipliers(parsed("--multiplier", "GROUP=NUMBER", &args.multipliers)?));
        }
        let flips = parsed("--flip", "GROUP=RATE or GROUP:negative=RATE", &args.flips)?;
        match flips.iter().find(|(_, rate)| !(0.0..=1.0).contains(rate)) {
            Some((_, rate)) => {
                let (found, allowed) = (rate.to_string(), "a rate from 0 to 1");
                Err(Error::setting("flip", found, allowed).into())
            }
            None => Ok(Self::Flips(flips)),
        }
    }
}

/// What stands before the last `=` of each, and the number behind it.
fn parsed(option: &str, form: &str, texts: &[String]) -> Result<Vec<(String, f64)>> {
    let mut all: Vec<(String, f64)> = Vec::new();
    for text in texts {
        let parts = text.rsplit_once('=').and_then(|(name, number)| Some((name.trim(), number.trim().parse().ok()?)));
        let Some((name, number)) = parts.filter(|(name, number): &(&str, f64)| !name.is_empty() && number.is_finite())
        else {
            let message = format!("{option} is `{text}`; it must be {form}");
            return Err(Usage::new(message).hint(format!("for example {option} 'sex=female=0.3'")).into());
        };
        if all.iter().any(|(known, _)| known == name) {
            return Err(Usage::new(format!("{option}: `{name}` is given twice")).into());
        }
        all.push((name.to_owned(), number));
    }
    Ok(all)
}

/// One multiplier per constraint: zero where none was asked for.
pub(super) fn multipliers(asked: &[(String, f64)], problem: &Problem) -> Result<Vec<f64>> {
    let mut multipliers = vec![0.0; problem.constraints().len()];
    for (place, value) in of_constraints("--multiplier", asked, problem)? {
        multipliers[place] = value;
    }
    Ok(multipliers)
}

/// Violations of constraints there are.
pub(super) fn violations(asked: &[(String, f64)], problem: &Problem) -> Result<Vec<AskedViolation>> {
    let found = of_constraints("--violation", asked, problem)?.into_iter();
    Ok(found.map(|(constraint, violation)| AskedViolation { constraint, violation }).collect())
}

/// Numbers that belong to constraints, by the place of each.
fn of_constraints(option: &str, asked: &[(String, f64)], problem: &Problem) -> Result<Vec<(usize, f64)>> {
    let short = |name: &str, notion: String| match name.strip_prefix(&notion).map(str::trim_start) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => name.to_owned(),
    };
    let names: Vec<String> = problem.constraints().iter().map(|one| short(&one.name, one.notion.to_string())).collect();
    let place =
        |name: &String| names.iter().position(|known| known == name).ok_or_else(|| unknown(option, name, &names));
    asked.iter().map(|(name, value)| Ok((place(name)?, *value))).collect()
}

/// Flips of groups there are.
pub(super) fn flips(asked: &[(String, f64)], problem: &Problem, labels: &Labels) -> Result<Vec<Flip>> {
    let (Some(positive), [_, _]) = (labels.positive(), labels.classes()) else {
        let message = format!("--flip turns over labels of two classes, and there are {}", labels.classes().len());
        return Err(Usage::new(message).hint("give --multiplier").into());
    };
    let flip = |(name, rate): &(String, f64)| {
        let (group, from) = match (name.strip_suffix(":negative"), name.strip_suffix(":positive")) {
            (Some(group), _) => (group, 1 - positive),
            (None, Some(group)) => (group, positive),
            (None, None) => (name.as_str(), positive),
        };
        let names = problem.group_names();
        let group = names.iter().position(|known| known == group).ok_or_else(|| unknown("--flip", group, names))?;
        Ok(Flip { group, from, to: 1 - from, rate: *rate })
    };
    asked.iter().map(flip).collect()
}

/// At most so many names are listed.
const MOST_NAMES: usize = 12;

fn unknown(option: &str, name: &str, known: &[String]) -> anyhow::Error {
    let known = listed(known, MOST_NAMES, |known| format!("`{known}`"));
    let message = format!("{option}: there is no group `{name}`; there are: {known}");
    Usage::new(message).hint("name groups with --group, and biases of them by these names").into()
}
