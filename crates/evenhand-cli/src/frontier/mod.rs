//! `evenhand frontier`: what less violation costs, from no correction to the floor.
//!
//! `report` is what is shown, `table` the file for plots, `report_file` the report for others, `stored` the same for rows that are not all in memory.
//! The work itself is the library's.

mod report;
#[cfg(feature = "report")]
mod report_file;
mod stored;
mod table;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use evenhand::audit::AuditOptions;
use evenhand::correction::{
    Binding, CorrectionOptions, Evaluated, Frontier, Limit, Metrics, Point, Problem, StoredSettings,
};
use evenhand::{BoundTest, Correction, Dataset, Learner, Preset, Warning};

use crate::Ending;
use crate::args::{usage_of_rows, where_reports_are};
use crate::files;
use crate::many_rows::{ManyRowsArgs, PassCounts};
use crate::output::{self, WarningRecord};
use crate::outputs::{CsvArgs, Outputs};
use crate::page;
use crate::training::{Costly, Fitter, Training, TrainingArgs, see_below};
use report::Report;

/// Show what a smaller violation costs in error, from no correction on.
///
/// Smaller and smaller violations are asked for; each point starts from the one before it.
/// Weights are bounded, as in the paper, until a point needs more. Choose a point by its test rows, and give its bound to `evenhand fit --max-violation`
/// with the same --apply.
#[derive(Debug, Args)]
#[command(override_usage = usage_of_rows!("frontier --notion <NOTION>"), after_long_help = EXAMPLES)]
pub(crate) struct FrontierArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,

    /// How many points to look for, both ends counted; 2 to 1000.
    #[arg(long, value_name = "NUMBER", default_value_t = 12)]
    points: usize,

    /// Hold one notion to this all along the path, such as a target rate, while smaller and smaller violations of the others
    /// are asked for: largest |overall - group| rate, or |asked - found| (repeatable).
    #[arg(long, value_name = "NOTION=RATE")]
    max_violation: Vec<Limit>,

    #[command(flatten)]
    many_rows: ManyRowsArgs,

    /// Where to write one line per point (.csv, .parquet, .arrow, …).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    /// Where to write a report: one page (.html), a section of a model card (.md) or text (.txt).
    #[cfg_attr(feature = "report", arg(long, value_name = "FILE", help_heading = "Output"))]
    #[cfg_attr(not(feature = "report"), arg(skip))]
    report: Option<PathBuf>,

    /// Confidence of the intervals of --report.
    #[cfg_attr(
        feature = "report",
        arg(long, value_name = "SHARE", default_value_t = AuditOptions::default().confidence, requires = "report")
    )]
    #[cfg_attr(not(feature = "report"), arg(skip))]
    confidence: f64,
}

const EXAMPLES: &str = concat!(
    see_below!(),
    "
Examples:
  evenhand frontier adult.csv --label income --positive '>50K' --group sex --group race \\
      --notion equalized-odds --holdout 0.3 --out frontier.csv",
    where_reports_are!(" --report frontier.html"),
    "

  Then fit the point of your choice:
    evenhand fit adult.csv --label income --positive '>50K' --group sex --group race \\
        --notion equalized-odds --holdout 0.3 --max-violation 0.03 --model model.json

Columns of --out: asked (`nothing`, `max-violation` or `evenness`), max_violation, violation,
error, positive_rate; with test rows test_violation, test_error, test_positive_rate; weights
(`bounded` or `unbounded`, with `-expected` where they go by what features tell of groups, and
`-bare` where they go by group membership alone, which can move all rows towards one class; `tilt`
with --apply tilt, which has no weights), threshold (from which probability on rows are decided
positive), stop, fits, dominated (1 where another point has no more violation and no more error on
the training rows); then `multiplier: NAME` for each constraint.

JSON keys: notion, groups, classes (in the order of class_rates), apply (`weights` or `tilt`),
points (asked, max_violation, multipliers, weights, threshold (with --threshold best), train,
test, stop, fits, dominated), memberships (group, labelled and auc, where groups that features do
not tell were modelled), floor, fits, passes, sample_rows and distinct_rows (where rows were not
all in memory, and repeat), seconds, warnings, out",
    where_reports_are!(", report (where one was asked for)"),
    "."
);

/// Arguments that make sense together.
struct Config {
    training: Training,
    correction: Correction,
    points: usize,
    /// How rows are gone through that are not all in memory.
    stored: StoredSettings,
    out: Option<PathBuf>,
    csv: CsvArgs,
    report: Option<PathBuf>,
    confidence: f64,
}

/// A frontier, and how its points do on test rows.
struct Traced<P> {
    binding: Binding,
    frontier: Frontier<P>,
    tests: Vec<Option<Metrics>>,
    /// How often all rows were gone through, where they were not all in memory.
    passes: Option<PassCounts>,
    seconds: f64,
    warnings: Vec<WarningRecord>,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: FrontierArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    match config.training.fitter.clone() {
        Fitter::Logistic(learner) => match stored::files(&config)? {
            Some(files) => show(&config, stored::trace(&config, &learner, files)?, Outputs::new(config.csv)),
            None => run_with(config, &learner),
        },
        Fitter::Given(learner) => run_with(config, &learner),
        #[cfg(feature = "network")]
        Fitter::Network(network) => run_with(config, &Costly::Network { network: &network, watch: &|_, _| false }),
        Fitter::Process(learner) => run_with(config, &Costly::Process(&learner)),
    }
}

impl Config {
    fn new(args: FrontierArgs) -> Result<Self> {
        let usual = args.training.options(Preset::Default)?;
        let correction = CorrectionOptions { max_violation: args.max_violation.clone(), ..usual }.build()?;
        let usual = args.training.usual(Preset::Default);
        let training = Training::new(args.training, usual)?;
        Correction::check_points(args.points)?;
        if let Some(out) = &args.out {
            files::check_table(out, &training.files())?;
        }
        if let Some(report) = &args.report {
            BoundTest::check_confidence(args.confidence)?;
            let others: Vec<&Path> = training.files().into_iter().chain(args.out.as_deref()).collect();
            page::check(report, &others)?;
        }
        let stored = args.many_rows.settings()?;
        let FrontierArgs { points, out, csv, report, confidence, .. } = args;
        Ok(Self { training, correction, points, stored, out, csv, report, confidence })
    }
}

fn run_with<L: Learner>(mut config: Config, learner: &L) -> Result<Ending>
where
    L::Predictor: Clone,
{
    let mut outputs = Outputs::new(config.csv);
    let traced = trace(&mut config, learner, &mut outputs)?;
    show(&config, traced, outputs)
}

/// Writes what is asked for, and says what was found.
fn show<P: evenhand::Predictor>(config: &Config, traced: Traced<P>, mut outputs: Outputs) -> Result<Ending> {
    if let Some(path) = &config.out {
        outputs.table(path, &table::of(&traced, config.correction.apply)?)?;
    }
    outputs.commit()?;
    let report = Report::new(config, traced);
    output::report(config.training.json, &report, &report.warnings, || report.to_text())?;
    Ok(Ending::Fine)
}

#[cfg_attr(not(feature = "report"), expect(unused_variables, reason = "outputs are for reports"))]
fn trace<L: Learner>(config: &mut Config, learner: &L, outputs: &mut Outputs) -> Result<Traced<L::Predictor>>
where
    L::Predictor: Clone,
{
    let progress = config.training.start()?;
    let rows = config.training.read(progress)?;
    rows.complete(&mut config.correction);
    let config = &*config;
    let (binding, problem, bound) = Binding::new(&config.correction, rows.train())?;
    let mut watch = progress.fits();
    let frontier = config.correction.frontier(&problem, learner, config.points, &mut watch)?;
    let seconds = watch.finish();
    let (tested_on, of_test) = match &rows.test {
        Some(test) => binding.problem(test).map(|(problem, warnings)| (Some(problem), warnings))?,
        None => (None, Vec::new()),
    };
    let test = rows.test.as_ref().zip(tested_on.as_ref());
    let evaluated = progress.during("testing", || evaluate(config, &binding, &frontier, test))?;
    let of_training: Vec<Warning> = rows.warnings.iter().cloned().chain(bound).chain(frontier.warnings()).collect();
    #[cfg(feature = "report")]
    if let Some(path) = &config.report {
        let warnings = of_training.iter().chain(&of_test).cloned().collect();
        let traced = report_file::Traced {
            config,
            learner,
            binding: &binding,
            problem: &problem,
            frontier: &frontier,
            test,
            evaluated: evaluated.as_deref(),
            warnings,
        };
        report_file::write(outputs, path, traced, &rows, progress)?;
    }
    let tests = match evaluated {
        Some(evaluated) => evaluated.iter().map(|one| Some(one.metrics())).collect(),
        None => frontier.points.iter().map(|_| None).collect(),
    };
    let mut warnings = WarningRecord::all(of_training, None);
    warnings.extend(WarningRecord::all(of_test, Some("test")));
    Ok(Traced { binding, frontier, tests, passes: None, seconds, warnings })
}

/// Every point on test rows, if there are any; with decisions where a report needs them.
fn evaluate<'a, P: evenhand::Predictor>(
    config: &Config,
    binding: &Binding,
    frontier: &Frontier<P>,
    test: Option<(&Dataset, &'a Problem)>,
) -> Result<Option<Vec<Evaluated<'a>>>> {
    let Some((data, problem)) = test else { return Ok(None) };
    let measure = config.correction.measure;
    let groups = config.report.as_ref().map(|_| binding.membership(data.table())).transpose()?;
    let score = |point: &Point<P>| match &groups {
        Some(groups) => point.solution.evaluated_with_decisions(problem, groups, measure),
        None => point.solution.evaluated(problem, measure),
    };
    Ok(Some(frontier.points.iter().map(score).collect::<evenhand::Result<_>>()?))
}
