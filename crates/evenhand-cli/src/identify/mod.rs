//! `evenhand identify`: how far labels were tilted against each group; `sensitivity` shows what that depends on, `stored` is the same for rows that are
//! not all in memory.

mod sensitivity;
mod stored;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use evenhand::identify::{Effect, Identification, Multiplier};
use evenhand::{Identify, Notion, Tilt, Warning};
#[cfg(feature = "report")]
use evenhand_report::Record;
use serde::Serialize;

use crate::Ending;
use crate::args::{DataArgs, ResultArgs, usage_of_rows, where_reports_are};
use crate::many_rows::{ManyRowsArgs, PassCounts};
use crate::output::{self, WarningRecord, note};
use crate::outputs::{CsvArgs, Outputs};
use crate::progress::Progress;
use crate::text::{Lines, clean, counted, signed, thousands};
use crate::{files, page, weight_table, wide_columns};

/// Estimate how far labels were tilted for or against each group.
///
/// The estimate is a factor on the odds of a label for each group. It assumes that true labels keep a notion, such as the same rate
/// in every group, and that labels are biased as in the paper; the output says so first. There are two intervals: one for each group by
/// itself, and one that holds for all groups at once, which the sentences use. Where no factors, or several, would make groups alike, there is no estimate:
/// the output says why, and the exit code is 1. [Jiang & Nachum 2019, Prop. 1; Hothorn, Bretz & Westfall 2008]
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("identify"), after_long_help = EXAMPLES)]
pub(crate) struct IdentifyArgs {
    #[command(flatten)]
    data: DataArgs,

    /// What true labels are taken to keep, as those of evenhand fit; may be repeated [default: demographic-parity].
    #[arg(long = "notion", aliases = ["constraint", "constraints"], value_name = "NOTION")]
    notions: Vec<String>,

    /// Column the model may not see; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    withhold: Vec<String>,

    /// What a bias is taken to go by: the group itself (`centred`), or what the model's features tell of it (`expected`), where it may
    /// not see the group.
    #[arg(long, value_enum, default_value_t = IdentifyTilt::Centred)]
    tilt: IdentifyTilt,

    /// Confidence of the intervals.
    #[arg(long, value_name = "SHARE", default_value_t = Identify::default().confidence)]
    confidence: f64,

    /// How many times to draw rows again, to check the intervals; 0 does not [default: 100 for up to 20,000 rows, 0 for more].
    #[arg(long, value_name = "NUMBER")]
    resamples: Option<usize>,

    /// Seed of these draws.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// Say how far the estimate depends on groups being truly alike.
    ///
    /// The bias is estimated under true differences between groups too, from none to the observed one, and how far each group would have to
    /// differ for no bias to be left.
    #[arg(long)]
    sensitivity: bool,

    /// Penalty on the squares of the model's coefficients.
    #[arg(long, value_name = "NUMBER", default_value_t = Identify::default().learner.l2)]
    l2: f64,

    /// How many threads to use; the result is the same with any [default: all cores].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    #[command(flatten)]
    many_rows: ManyRowsArgs,

    /// Where to write the weight of every row that undoes the bias.
    ///
    /// As .csv, .parquet, .arrow, …; or `-`, CSV on standard output. For any learner, also one that may not see the groups.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    #[command(flatten)]
    pub(crate) result: ResultArgs,
}

/// What a bias is taken to go by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum IdentifyTilt {
    Centred,
    Expected,
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  evenhand identify loans.csv --label approved --positive yes --group sex --group age_band=18-24

  If those who deserve it are approved alike in every group, but not in other things:
    evenhand identify loans.csv --label approved --positive yes --group sex \\
        --notion equal-opportunity

  What if women truly deserve it less often?
    evenhand identify loans.csv --label approved --positive yes --group sex=female --sensitivity

  The labels without the bias, for a learner that may not see who is a woman:
    evenhand identify loans.csv --label approved --positive yes --group sex --weights weights.csv

  Without the check by drawing rows again, for a program to read:
    evenhand identify loans.parquet --label approved --group sex --resamples 0 --json

JSON keys: rows, confidence, assumption, missing (why there is no estimate, where there is none),
effects (group, class (where there are several), rows, odds_ratio, low, high, simultaneous_low,
simultaneous_high, resampled, sentence), unit (of multipliers), multipliers (name, value,
standard_error, low, high, resampled), violation, stop, fits, passes, sample_rows and
distinct_rows (where rows were not all in memory, and repeat), sensitivity (where it was asked for:
assumption, curves (group, observed, tipping (difference, low, high), points (difference,
overall_rate, group_rate, multiplier, multiplier_low, multiplier_high, odds_ratio, low, high),
sentence); differences are everyone's rate minus the group's), weights (where they were written to),
warnings",
    where_reports_are!(", report (where one was asked for)"),
    "."
);

/// Unless told otherwise, rows are drawn again this many times, which takes as many times as long.
const RESAMPLES: usize = 100;

/// With more rows than this they are drawn again only if asked to.
const RESAMPLED_ROWS: usize = 20_000;

/// The estimate, with the texts of warnings. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    #[serde(flatten)]
    found: Identification,
    /// How often all rows were gone through, where they were not all in memory.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    passes: Option<PassCounts>,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
    /// Where the report was written.
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
    /// Where the weights were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<PathBuf>,
    /// Whether rows were not drawn again because there are many.
    #[serde(skip)]
    many_rows: bool,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &IdentifyArgs) -> Result<Ending> {
    let mut settings = settings(args)?;
    let origin = args.data.origin()?;
    check_files(args, &origin.files())?;
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global().context("--threads")?;
    }
    let progress = Progress::new(args.result.json);
    let stored = args.many_rows.settings()?;
    if let Some(files) = stored::files(args, &origin, &settings, &stored)? {
        return show(args, &stored::run(args, &origin, settings, (files, stored), progress)?);
    }
    let whole = origin.read_as_labelled(progress)?;
    if !args.result.json {
        wide_columns::tell(&whole.data);
    }
    (settings.groups, settings.plan) = (whole.groups(&settings.groups), whole.plan());
    settings.beside.extend(whole.withheld());
    if let (Some(notion), true) = (origin.notion(&settings.groups), args.notions.is_empty()) {
        settings.notions = vec![notion];
    }
    let many_rows = args.resamples.is_none() && whole.data.rows() > RESAMPLED_ROWS;
    if many_rows {
        settings.resamples = 0;
    }
    let (found, weights, more) = progress.during("estimating", || {
        if args.weights.is_some() {
            return settings.run_with_weights(&whole.data);
        }
        settings.run(&whole.data).map(|(found, warnings)| (found, None, warnings))
    })?;
    let warnings: Vec<Warning> = whole.warnings.into_iter().chain(more).collect();
    let mut outputs = Outputs::new(args.csv);
    #[cfg(feature = "report")]
    if let Some(path) = &args.result.report {
        let data = &whole.data;
        let record = Record::new(
            progress.during("hashing the data", || data.digest()),
            data.rows(),
            &settings,
            &settings.learner,
        );
        let record = record.by(page::command());
        let report = evenhand_report::Report::from_identification(&found, &warnings, data, record);
        page::write(&mut outputs, path, &report)?;
    }
    let written = args.weights.as_ref().zip(weights.as_ref());
    if let Some((path, weights)) = written {
        outputs.table(path, &weight_table::table(weights, None)?)?;
    }
    outputs.commit()?;
    let (warnings, page) = (WarningRecord::all(warnings, None), args.result.report.clone());
    let weights = written.map(|(path, _)| path.clone());
    show(args, &Report { found, passes: None, warnings, page, weights, many_rows })
}

/// Says what was found.
fn show(args: &IdentifyArgs, report: &Report) -> Result<Ending> {
    output::report(args.result.json, report, &report.warnings, || report.to_text())?;
    Ok(match &report.found.missing {
        None => Ending::Fine,
        Some(why) => {
            if args.result.json {
                note(&format!("there is no estimate: {why}"));
            }
            Ending::Missed
        }
    })
}

/// Whether the outputs can be put where they are asked for.
fn check_files(args: &IdentifyArgs, read: &[PathBuf]) -> Result<()> {
    let mut others: Vec<&Path> = read.iter().map(PathBuf::as_path).collect();
    if let Some(report) = &args.result.report {
        page::check(report, &others)?;
        others.push(report);
    }
    if args.weights.is_some() {
        args.data.check_each_once("--weights")?;
    }
    args.weights.iter().try_for_each(|weights| files::check_table(weights, &others))
}

fn notions(asked: &[String]) -> evenhand::Result<Vec<Notion>> {
    if asked.is_empty() {
        return Ok(Identify::default().notions);
    }
    asked.iter().map(|notion| notion.parse()).collect()
}

fn settings(args: &IdentifyArgs) -> evenhand::Result<Identify> {
    let mut settings = Identify {
        groups: args.data.groups()?,
        notions: notions(&args.notions)?,
        withhold: args.withhold.clone(),
        confidence: args.confidence,
        resamples: args.resamples.unwrap_or(RESAMPLES),
        seed: args.seed,
        sensitivity: args.sensitivity,
        tilt: match args.tilt {
            IdentifyTilt::Centred => Tilt::Centred,
            IdentifyTilt::Expected => Tilt::Expected,
        },
        ..Identify::default()
    };
    settings.learner.l2 = args.l2;
    settings.check()?;
    Ok(settings)
}

impl Report {
    fn to_text(&self) -> String {
        let found = &self.found;
        let passes = self.passes.map(PassCounts::to_text).unwrap_or_default();
        let made_of = format!("{}, {}{passes}.\n", counted(found.rows, "row"), counted(found.fits, "fit"));
        let wrote = format!("{}{}", self.wrote_weights(), page::wrote(self.page.as_deref()));
        if let Some(why) = &found.missing {
            let left = format!(" The largest violation of probabilities that is left is {:.4}.", found.violation);
            let left = if found.fits > 0 { left } else { String::new() };
            return format!("{}\n{made_of}{wrote}", wrapped(&format!("There is no estimate: {why}.{left}")));
        }
        let sentences: Vec<String> = found.effects.iter().map(|effect| clean(&effect.sentence) + "\n").collect();
        let (multipliers, effects) = (self.multipliers(), self.effects());
        let sensitivity = found.sensitivity.as_ref().map(sensitivity::text).unwrap_or_default();
        let many_rows = if self.many_rows {
            format!(
                "Rows were not drawn again to check the intervals, as there are many; --resamples {RESAMPLES} does.\n"
            )
        } else {
            String::new()
        };
        let labels = if found.effects.iter().any(|one| one.class.is_some()) { "a label" } else { "a positive label" };
        format!(
            "{}\n{}\nFactor on the odds of {labels}\n{effects}\nMultipliers, in units of {}\n{multipliers}\n{sensitivity}{made_of}{many_rows}{wrote}",
            wrapped(&found.assumption),
            sentences.concat(),
            found.unit,
        )
    }

    fn wrote_weights(&self) -> String {
        let Some(path) = &self.weights else { return String::new() };
        format!(
            "Wrote to {} the weights that undo the bias: train any learner with them, also one that may not see the groups.\n",
            files::shown(path)
        )
    }

    fn effects(&self) -> String {
        let several = self.found.effects.len() > 1;
        let mut lines = Lines::default();
        let at_once = several.then(|| format!("all {} at once", self.found.effects.len()));
        lines.push("", self.heads(["rows", "factor"], at_once));
        for effect in &self.found.effects {
            let Effect { group, class, rows, odds_ratio, low, high, simultaneous_low, simultaneous_high, .. } = effect;
            let mut numbers = vec![thousands(*rows), format!("{odds_ratio:.3}"), range(*low, *high)];
            numbers.extend(several.then(|| range(*simultaneous_low, *simultaneous_high)));
            numbers.extend(effect.resampled.map(|again| range(again.low, again.high)));
            let class = class.as_ref().map(|class| format!(", {class}")).unwrap_or_default();
            lines.push(format!("  {group}{class}"), numbers);
        }
        lines.render()
    }

    fn multipliers(&self) -> String {
        let mut lines = Lines::default();
        lines.push("", self.heads(["value", "standard error"], None));
        for Multiplier { name, value, standard_error, low, high, resampled } in &self.found.multipliers {
            let mut numbers = vec![signed(*value), format!("{standard_error:.4}"), range(*low, *high)];
            numbers.extend(resampled.map(|again| range(again.low, again.high)));
            lines.push(format!("  {name}"), numbers);
        }
        lines.render()
    }

    fn heads(&self, first: [&str; 2], at_once: Option<String>) -> Vec<String> {
        let mut heads: Vec<String> = first.map(str::to_owned).to_vec();
        heads.push(format!("{} % interval", self.found.confidence * 100.0));
        heads.extend(at_once);
        let draws = self.found.effects.iter().find_map(|effect| effect.resampled).map(|again| again.draws);
        heads.extend(draws.map(|draws| format!("by {draws} draws")));
        heads
    }
}

fn range(low: f64, high: f64) -> String {
    format!("{low:.3} to {high:.3}")
}

/// Text broken into lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is one from the start");
        if last.is_empty() {
            last.push_str(word);
        } else if last.len() + 1 + word.len() <= 100 {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n") + "\n"
}
