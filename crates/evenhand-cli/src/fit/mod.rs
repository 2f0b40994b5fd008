//! `evenhand fit`: find the weights, and the classifier that goes with them.
//!
//! `args` is what can be typed, `config` what it means, `report` what is shown, `bounds` the verdicts in it, `rules`
//! what a method found,
//! `tables` the files of weights and loops, `report_file` the report for others. The work itself is the library's.

mod args;
mod bounds;
mod config;
mod report;
#[cfg(feature = "report")]
mod report_file;
mod rules;
mod tables;

pub(crate) use args::{FitArgs, PresetArg};

use anyhow::Result;
use evenhand::correction::{Metrics, Problem, Solution};
use evenhand::model::LearnerRecord;
use evenhand::{BoundTest, Dataset, Fitted, Learner, Method, Model, Warning};

use crate::Ending;
use crate::output::{self, WarningRecord, note};
use crate::training::Fitter;
use bounds::TestedBound;
use config::Config;
use report::{Comparison, Report};

pub(crate) fn run(args: FitArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    match config.training.fitter.clone() {
        Fitter::Logistic(settings) => {
            let record =
                |model: &evenhand::learner::LogisticModel| LearnerRecord::Logistic { settings, model: model.clone() };
            run_with(config, &settings, record)
        }
        Fitter::Process(learner) => {
            let record = |model: &evenhand::learner::ProcessModel| LearnerRecord::Process { model: model.clone() };
            run_with(config, &learner, record)
        }
    }
}

fn run_with<L: Learner>(
    mut config: Config,
    learner: &L,
    record: impl Fn(&L::Predictor) -> LearnerRecord,
) -> Result<Ending> {
    let progress = config.training.start()?;
    let rows = config.training.read(progress)?;
    rows.complete(&mut config.correction);
    let config = &config;
    let mut watch = progress.loops(most_loops(config));
    let fitted = config.correction.fit_observed(&rows.train, learner, &mut watch)?;
    let seconds = watch.finish();
    let compared = progress.during("comparing", || compare(config, learner, &fitted, rows.test.as_ref()))?;
    #[cfg(feature = "report")]
    let all_warnings: Vec<Warning> =
        rows.warnings.iter().chain(fitted.warnings()).chain(&compared.warnings).cloned().collect();
    let mut warnings =
        WarningRecord::all(rows.warnings.iter().cloned().chain(fitted.warnings().iter().cloned()).collect(), None);
    warnings.extend(WarningRecord::all(compared.warnings.clone(), Some("test")));

    let tested = compared.test.as_ref().map(|test| test.after.clone());
    if config.model.is_some() || config.report.is_some() {
        let (digest, split) = (progress.during("hashing the data", || rows.all.digest()), config.training.split());
        let model = Model::new(&config.correction, &fitted, record, tested, (digest, rows.all.rows()), split);
        let model = model.with_bound_tests(compared.bound_tests.clone()).read_as(&rows.reading, rows.all.table());
        let model = config.training.recipe().into_iter().fold(model, Model::of_recipe);
        if let Some(path) = &config.model {
            model.save(path)?;
        }
        #[cfg(feature = "report")]
        if let Some(path) = &config.report {
            let fit =
                report_file::Fit { config, learner, fitted: &fitted, compared: &compared, warnings: all_warnings };
            report_file::write(path, fit, &rows, &model, progress)?;
        }
    }
    if let Some(path) = &config.weights {
        tables::weights(&fitted, rows.train_rows.as_deref())?.write(path)?;
    }
    if let Some(path) = &config.trace {
        tables::trace(&fitted)?.write(path)?;
    }
    let bounds = TestedBound::all(compared.bound_tests, if compared.test.is_some() { "test" } else { "training" });
    let report = Report::new(config, &fitted, compared.train, compared.test, bounds, seconds, warnings);
    show(config, &report)
}

/// How many loops there may be.
fn most_loops(config: &Config) -> usize {
    match config.correction.method {
        Method::Correction => config.correction.solver.most_fits(),
        Method::Lagrangian(lagrangian) => lagrangian.passes,
        _ => 1,
    }
}

/// The classifier with and without correction, on training and on test rows.
struct Compared<P> {
    uncorrected: Solution<P>,
    /// Test rows as classifiers see them.
    tested_on: Option<Problem>,
    train: Comparison,
    test: Option<Comparison>,
    /// Of the bounds: on test rows, or without any on training rows.
    bound_tests: Vec<BoundTest>,
    warnings: Vec<Warning>,
}

fn compare<L: Learner>(
    config: &Config,
    learner: &L,
    fitted: &Fitted<L::Predictor>,
    test: Option<&Dataset>,
) -> Result<Compared<L::Predictor>> {
    let correction = &config.correction;
    let before = correction.uncorrected(fitted.problem(), learner)?;
    let after: &Metrics = &fitted.solution().train;
    let train = Comparison { before: before.train.clone(), after: after.clone() };
    let test_bounds = |problem: &Problem| {
        fitted.solution().test_bounds(problem, &correction.bounds, correction.measure, config.confidence)
    };
    let Some(test) = test else {
        let bound_tests = test_bounds(fitted.problem())?;
        let warnings = Vec::new();
        return Ok(Compared { uncorrected: before, tested_on: None, train, test: None, bound_tests, warnings });
    };
    let (problem, mut warnings) = fitted.binding().problem(test)?;
    warnings.extend(fitted.solution().unseen(&problem));
    let test = Comparison {
        before: problem.evaluate_predictor(&before.predictor, correction.measure)?,
        after: fitted.solution().evaluate(&problem, correction.measure)?,
    };
    let bound_tests = test_bounds(&problem)?;
    Ok(Compared { uncorrected: before, tested_on: Some(problem), train, test: Some(test), bound_tests, warnings })
}

fn show(config: &Config, report: &Report) -> Result<Ending> {
    if config.training.json {
        output::json(report)?;
    } else {
        output::warn(&report.warnings);
        output::text(&report.to_text())?;
        if config.model.is_none() && config.weights.is_none() && config.report.is_none() {
            note(config.nothing_saved());
        }
    }
    if let Some(warning) = report.unmeasured() {
        note(&warning);
    }
    report.bounds.iter().filter_map(TestedBound::note).for_each(|line| note(&line));
    Ok(if report.bounds.iter().any(TestedBound::is_missed) { Ending::Missed } else { Ending::Fine })
}
