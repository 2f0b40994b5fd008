//! `evenhand sweep`: what more and less of a correction does, as in the paper's figures.
//!
//! `curve` is a line of points as table and as panels of a figure. The work itself is the library's.

mod curve;

pub(crate) use curve::{Curve, Point, table};

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::correction::{Binding, NamedValue};
use evenhand::{Correction, Error, Learner, Preset};
use evenhand_experiments::Part;
use serde::Serialize;

use crate::Ending;
use crate::args::usage_of_rows;
use crate::figure::{Axes, Figure};
use crate::files;
use crate::output::{self, WarningRecord};
use crate::outputs::{CsvArgs, Outputs};
use crate::text::{Lines, percent, rate};
use crate::training::{Costly, Fitter, Training, TrainingArgs, see_below};

/// Show what more and less of a correction does, for x times its multipliers.
///
/// At x = 0 there is no correction, at x = 1 the one that was found, and x goes up to 1.5. Error and violation against x show how much of it is
/// needed, and whether more would help.
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("sweep --notion <NOTION>"), after_long_help = EXAMPLES)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,

    /// How many values of x to try, both ends counted; 2 to 1000.
    #[arg(long, value_name = "NUMBER", default_value_t = 31)]
    steps: usize,

    /// The last value of x.
    #[arg(long, value_name = "NUMBER", default_value_t = LAST)]
    until: f64,

    /// How the multipliers are found.
    #[arg(long, value_enum, default_value_t = crate::fit::PresetArg::Default, help_heading = "Correction")]
    preset: crate::fit::PresetArg,

    /// Where to write one line per value of x (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    /// Where to draw it (.svg).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    figure: Option<PathBuf>,
}

/// As far as the paper's figures go.
pub(crate) const LAST: f64 = 1.5;

/// More values of x than this make no smoother line, and their classifiers are all kept.
const MOST_STEPS: usize = 1000;

pub(crate) const CAPTION: &str = "Error, and violation (largest |overall rate − group rate|), of classifiers trained with weights from x times the multipliers found.";

const EXAMPLES: &str = concat!(
    see_below!(),
    "
Example:
  evenhand sweep adult.csv --label income --positive '>50K' --group sex --group race \\
      --notion demographic-parity --holdout 0.3 --figure sweep.svg --out sweep.csv

Columns of --out: notion, x, train_error, train_violation; with test rows test_error,
test_violation.

JSON keys: notion, groups, multipliers (name, value; those at x = 1), points (x, train and test:
rows, error, violation), fits, seconds, warnings, out, figure."
);

/// What is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// What was asked to be equal across groups.
    notion: Vec<String>,
    /// The groups.
    groups: Vec<String>,
    /// Those at x = 1.
    multipliers: Vec<NamedValue>,
    /// Errors and violations with more and less of the correction.
    points: Vec<Point>,
    /// How many times the learner was called.
    fits: usize,
    /// How long it took.
    seconds: f64,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
    /// Where the points were written.
    out: Option<PathBuf>,
    /// Where the figure was written.
    figure: Option<PathBuf>,
}

/// Arguments that make sense together.
struct Config {
    training: Training,
    correction: Correction,
    scales: Vec<f64>,
    out: Option<PathBuf>,
    csv: CsvArgs,
    figure: Option<PathBuf>,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: SweepArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    match config.training.fitter.clone() {
        Fitter::Logistic(learner) => run_with(config, &learner),
        Fitter::Given(learner) => run_with(config, &learner),
        #[cfg(feature = "network")]
        Fitter::Network(network) => run_with(config, &Costly::Network { network: &network, watch: &|_, _| false }),
        Fitter::Process(learner) => run_with(config, &Costly::Process(&learner)),
    }
}

impl Config {
    fn new(args: SweepArgs) -> Result<Self> {
        let preset: Preset = args.preset.into();
        let correction = args.training.options(preset)?.build()?;
        let usual = args.training.usual(preset);
        let training = Training::new(args.training, usual)?;
        let wrong = |setting, found: String, allowed: &str| Error::setting(setting, found, allowed);
        if !(2..=MOST_STEPS).contains(&args.steps) {
            return Err(wrong("steps", args.steps.to_string(), &format!("2 to {MOST_STEPS}")).into());
        }
        if !(args.until.is_finite() && args.until > 0.0) {
            return Err(wrong("until", args.until.to_string(), "a number above 0").into());
        }
        let mut others = training.files();
        if let Some(out) = &args.out {
            files::check_table(out, &others)?;
            others.push(out);
        }
        if let Some(figure) = &args.figure {
            files::check_output(figure, &others)?;
        }
        let scales = scales(args.until, args.steps);
        Ok(Self { training, correction, scales, out: args.out, csv: args.csv, figure: args.figure })
    }
}

/// Values from 0 on, evenly spaced.
pub(crate) fn scales(until: f64, steps: usize) -> Vec<f64> {
    (0..steps).map(|at| until * at as f64 / (steps - 1) as f64).collect()
}

fn run_with<L: Learner>(mut config: Config, learner: &L) -> Result<Ending> {
    let report = sweep(&mut config, learner)?;
    let points = report.points.iter().map(|point| Point { ..*point }).collect();
    let curve = Curve { name: report.notion.join(", "), points };
    let mut outputs = Outputs::new(config.csv);
    if let Some(path) = &config.figure {
        let figure = Figure {
            title: "More and less of a correction".into(),
            caption: CAPTION.into(),
            across: "x".into(),
            axes: Axes::Linear,
            mark: Some((1.0, "λ found")),
            columns: vec![curve.column()],
        };
        outputs.text(path, &figure.svg())?;
    }
    if let Some(path) = &config.out {
        outputs.table(path, &table(&[curve])?)?;
    }
    outputs.commit()?;
    output::report(config.training.json, &report, &report.warnings, || to_text(&report))?;
    Ok(Ending::Fine)
}

fn sweep<L: Learner>(config: &mut Config, learner: &L) -> Result<Report> {
    let progress = config.training.start()?;
    let rows = config.training.read(progress)?;
    rows.complete(&mut config.correction);
    let settings = &config.correction;
    let (binding, problem, mut warnings) = Binding::new(settings, rows.train())?;
    let mut watch = progress.fits();
    let found = settings.solve(&problem, learner, &mut watch)?;
    let swept = settings.sweep(&problem, learner, &found, &config.scales, &mut watch)?;
    let seconds = watch.finish();
    let unseen = rows.test.as_ref().map(|test| binding.problem(test)).transpose()?;
    let mut points = Vec::new();
    for (&x, solution) in config.scales.iter().zip(&swept) {
        let test = unseen.as_ref().map(|(unseen, _)| solution.evaluate(unseen, settings.measure)).transpose()?;
        points.push(Point { x, train: Part::of(&solution.train), test: test.as_ref().map(Part::of) });
    }
    let names = binding.constraints().iter().map(|constraint| constraint.name.clone());
    let multipliers = names.zip(&found.multipliers).map(|(name, &value)| NamedValue { name, value: Some(value) });
    let fits = found.fits + swept.iter().map(|solution| solution.fits).sum::<usize>();
    warnings.extend(found.warnings);
    let mut warnings = WarningRecord::all(rows.warnings.into_iter().chain(warnings).collect(), None);
    warnings.extend(WarningRecord::all(unseen.map(|(_, warnings)| warnings).unwrap_or_default(), Some("test")));
    Ok(Report {
        notion: settings.notions.iter().map(ToString::to_string).collect(),
        groups: binding.group_names(),
        multipliers: multipliers.collect(),
        points,
        fits,
        seconds,
        warnings,
        out: config.out.clone(),
        figure: config.figure.clone(),
    })
}

fn to_text(report: &Report) -> String {
    let mut lines = Lines::default();
    let tested = report.points.iter().any(|point| point.test.is_some());
    let mut head = vec!["error".to_owned(), "violation".into()];
    head.extend(if tested { vec!["test error".into(), "test violation".into()] } else { Vec::new() });
    lines.push("x", head);
    for point in &report.points {
        let parts = [Some(point.train), point.test];
        let numbers = parts
            .iter()
            .flatten()
            .flat_map(|part| [percent(part.error), part.violation.map_or_else(|| "-".into(), rate)]);
        lines.push(format!("{:.2}", point.x), numbers.collect());
    }
    let ending = format!("{} fits, {:.2} s; x = 1 is the correction that was found.", report.fits, report.seconds);
    format!("{}\n{ending}\n", lines.render())
}
