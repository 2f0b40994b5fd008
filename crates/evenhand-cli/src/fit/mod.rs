//! `evenhand fit`: find the weights, and the classifier that goes with them; `evenhand correct`: the same for scores that there are.
//!
//! `args` is what can be typed (of `correct` in the file of that name), `config` what it means, `report` what is shown, `rules` what a method found,
//! `tables` the files of weights and loops, `report_file` the report for others, `stored` the same for rows that are not all in memory. The work itself is the library's.

mod args;
mod config;
mod correct;
mod read_columns;
mod report;
#[cfg(feature = "report")]
mod report_file;
mod rules;
mod stored;
mod tables;

pub(crate) use args::{FitArgs, PresetArg};
pub(crate) use correct::{CorrectArgs, run as run_correct};

use anyhow::Result;
use evenhand::correction::{Effect, Evaluated, Problem, Solution};
use evenhand::model::LearnerRecord;
use evenhand::{BoundTest, Dataset, Fitted, Learner, Method, Model, Warning};

use crate::Ending;
use crate::bounds::{self, TestedBound, TestedOn};
use crate::output::{self, WarningRecord, note};
use crate::outputs::Outputs;
use crate::predict;
#[cfg(feature = "network")]
use crate::progress::ShownSteps;
use crate::progress::Watch;
use crate::training::{Costly, Fitter, Read};
use crate::weight_table;
use config::Config;
use report::{Comparison, Found, Report, ShownEffect};

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: FitArgs) -> Result<Ending> {
    run_config(Config::new(args)?)
}

fn run_config(config: Config) -> Result<Ending> {
    match config.training.fitter.clone() {
        Fitter::Logistic(settings) => {
            let record =
                |model: &evenhand::learner::LogisticModel| LearnerRecord::Logistic { settings, model: model.clone() };
            match stored::files(&config)? {
                Some(files) => stored::run(&config, &settings, files),
                None => run_with(config, &settings, record, |_| ()),
            }
        }
        Fitter::Given(learner) => run_with(config, &learner, LearnerRecord::of_given(learner.membership), |_| ()),
        #[cfg(feature = "network")]
        Fitter::Network(network) => {
            let shown = ShownSteps::default();
            let learner = Costly::Network { network: &network, watch: &|done, of| shown.step(done, of) };
            run_with(config, &learner, LearnerRecord::clone, |watch| shown.on(watch))
        }
        Fitter::Process(learner) => run_with(config, &Costly::Process(&learner), LearnerRecord::clone, |_| ()),
    }
}

fn run_with<L: Learner>(
    mut config: Config,
    learner: &L,
    record: impl Fn(&L::Predictor) -> LearnerRecord,
    watched: impl Fn(&Watch),
) -> Result<Ending> {
    let progress = config.training.start()?;
    let rows = config.training.read(progress)?;
    rows.complete(&mut config.correction);
    let config = &config;
    let mut watch = progress.loops(most_loops(config));
    watched(&watch);
    let fitted = config.correction.fit_observed(rows.train(), learner, &mut watch)?;
    let seconds = watch.finish();
    let tested_on = rows.test.as_ref().map(|test| fitted.binding().problem(test)).transpose()?;
    let test = rows.test.as_ref().zip(tested_on.as_ref().map(|(problem, _)| problem));
    let compared = progress.during("comparing", || compare(config, learner, &fitted, &rows, test))?;
    let classes = fitted.binding().classes();
    let one_decision = compared.test.as_ref().unwrap_or(&compared.train).after.one_decision(classes);
    let mut of_decisions = compared.effect.warnings();
    of_decisions.extend(one_decision.clone());
    let of_test: Vec<Warning> = tested_on
        .iter()
        .flat_map(|(problem, warnings)| warnings.iter().cloned().chain(fitted.solution().unseen(problem)))
        .collect();
    // What is said of decisions is said of those on the rows that bounds are tested on.
    let of_training = rows.warnings.iter().chain(fitted.warnings()).filter(|warning| !warning.is_of_decisions());
    let of_training: Vec<Warning> = of_training.cloned().collect();

    let mut outputs = Outputs::new(config.csv);
    let tested = compared.test.as_ref().map(|test| test.after.clone());
    if config.model.is_some() || config.report.is_some() || config.predictions.is_some() {
        let (digest, split) = (progress.during("hashing the data", || rows.all.digest()), config.training.split());
        let model = Model::new(&config.correction, &fitted, record, tested, (digest, rows.all.rows()), split)?;
        let model = model.with_bound_tests(compared.bound_tests.clone()).read_as(&rows.reading, rows.all.table());
        let model = config.training.recipe().into_iter().fold(model, Model::of_recipe);
        if let Some(path) = &config.model {
            let file = model.to_file(|message| config.signing_key.as_ref().map(|key| key.sign(message)))?;
            outputs.text(path, &file)?;
        }
        if let Some((rows, path)) = &config.predictions {
            predict::write(&model, rows, (&mut outputs, path), progress)?;
        }
        #[cfg(feature = "report")]
        if let Some(path) = &config.report {
            let evaluated = compared.evaluated.each_ref();
            let warnings = of_training.iter().chain(&of_test).chain(&one_decision).cloned().collect();
            let fit = report_file::Fit { config, learner, fitted: &fitted, test, evaluated, warnings };
            report_file::write(&mut outputs, path, fit, &rows, &model, progress)?;
        }
    }
    let tested_on = if compared.test.is_some() { "test" } else { "training" };
    let mut warnings = WarningRecord::all(of_decisions, Some(tested_on));
    warnings.extend(WarningRecord::all(of_training, None));
    warnings.extend(WarningRecord::all(of_test, Some("test")));
    if let Some(path) = &config.weights {
        outputs.table(path, &weight_table::table(fitted.weights(), rows.train_rows.as_deref())?)?;
    }
    if let Some(path) = &config.trace {
        outputs.table(path, &tables::trace(&fitted)?)?;
    }
    outputs.commit()?;
    let bounds = TestedBound::all(compared.bound_tests, TestedOn::Rows(tested_on));
    let effect = ShownEffect { rows: tested_on, effect: compared.effect };
    let found = Found { train: compared.train, test: compared.test, bounds, effect };
    let report = Report::new(config, &fitted, found, seconds, warnings)?;
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
struct MeasuredFit<'a> {
    train: Comparison,
    test: Option<Comparison>,
    /// Of the bounds: on test rows, or without any on training rows.
    bound_tests: Vec<BoundTest>,
    /// What the correction changes on the same rows.
    effect: Effect,
    /// Without correction and with it on the same rows.
    #[cfg_attr(not(feature = "report"), expect(dead_code, reason = "for reports"))]
    evaluated: [Evaluated<'a>; 2],
}

/// Scores test rows, or without any the training rows: each classifier once.
fn compare<'a, L: Learner>(
    config: &Config,
    learner: &L,
    fitted: &'a Fitted<L::Predictor>,
    rows: &'a Read,
    test: Option<(&'a Dataset, &'a Problem)>,
) -> Result<MeasuredFit<'a>> {
    let correction = &config.correction;
    let solution = fitted.solution();
    let fitted_again;
    let uncorrected = if let Some(begun_with) = &solution.uncorrected {
        begun_with
    } else {
        fitted_again = correction.uncorrected(fitted.problem(), learner)?;
        &fitted_again
    };
    let (data, problem) = test.unwrap_or((rows.train(), fitted.problem()));
    let groups = config.report.as_ref().map(|_| fitted.binding().membership(data.table())).transpose()?;
    let score = |solution: &Solution<L::Predictor>| match &groups {
        Some(groups) => solution.evaluated_with_decisions(problem, groups, correction.measure),
        None => solution.evaluated(problem, correction.measure),
    };
    let (before, after) = (score(uncorrected)?, score(solution)?);
    Ok(MeasuredFit {
        train: Comparison { before: uncorrected.train.clone(), after: solution.train.clone() },
        test: test.map(|_| Comparison { before: before.metrics(), after: after.metrics() }),
        bound_tests: after.test_bounds(&correction.bounds, config.confidence)?,
        effect: after.effect(&before, correction.notable_change, config.confidence)?,
        evaluated: [before, after],
    })
}

fn show(config: &Config, report: &Report) -> Result<Ending> {
    if config.training.json {
        output::json(report)?;
    } else {
        output::warn(&report.warnings);
        output::text(&report.to_text())?;
        let saved = [&config.model, &config.weights, &config.report].into_iter().any(Option::is_some);
        if !saved && config.predictions.is_none() {
            note(config.nothing_saved());
        }
    }
    if let Some(warning) = report.unmeasured() {
        note(&warning);
    }
    Ok(bounds::ending(&report.bounds, config.strict))
}
