//! `evenhand fit`: find the weights, and the classifier that goes with them.
//!
//! `args` is what can be typed, `config` what it means, `report` what is shown, `bounds` the verdicts in it,
//! `tables` the files of weights and loops. The work itself is the library's.

mod args;
mod bounds;
mod config;
mod report;
mod tables;

pub(crate) use args::FitArgs;

use anyhow::{Context as _, Result};
use evenhand::correction::{Assessment, Problem};
use evenhand::data::holdout;
use evenhand::model::LearnerRecord;
use evenhand::{Dataset, Fitted, Judgement, Learner, Model, Table, Warning};

use crate::Ending;
use crate::output::{self, Told, note};
use crate::progress::Progress;
use bounds::Judged;
use config::{Config, Method, Rows};
use report::{Comparison, Report};

pub(crate) fn run(args: FitArgs) -> Result<Ending> {
    let config = Config::new(args)?;
    if let Some(threads) = config.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
    }
    match config.method.clone() {
        Method::Logistic(settings) => {
            let record =
                |model: &evenhand::learner::LogisticModel| LearnerRecord::Logistic { settings, model: model.clone() };
            run_with(&config, &settings, record)
        }
        Method::Process(learner) => {
            let record = |model: &evenhand::learner::ProcessModel| LearnerRecord::Process { model: model.clone() };
            run_with(&config, &learner, record)
        }
    }
}

fn run_with<L: Learner>(
    config: &Config,
    learner: &L,
    record: impl FnOnce(&L::Predictor) -> LearnerRecord,
) -> Result<Ending> {
    let progress = Progress::new(config.quiet || config.json);
    let rows = read(config, progress)?;
    let mut watch = progress.loops(config.correction.solver.most_fits());
    let fitted = config.correction.fit_observed(&rows.train, learner, &mut watch)?;
    let seconds = watch.finish();
    let compared = progress.during("comparing", || compare(config, learner, &fitted, rows.test.as_ref()))?;
    let mut warnings = Told::all(rows.warnings.into_iter().chain(fitted.warnings().iter().cloned()).collect(), None);
    warnings.extend(Told::all(compared.warnings, Some("test")));

    let tested = compared.test.as_ref().map(|test| test.after.clone());
    if let Some(path) = &config.model {
        let (digest, split) = (progress.during("hashing the data", || rows.all.digest()), config.split());
        let model = Model::new(
            &config.correction,
            &fitted,
            record(fitted.predictor()),
            tested,
            (digest, rows.all.rows()),
            split,
        );
        model.judged(compared.judgements.clone()).read_as(&config.reading, rows.all.table()).save(path)?;
    }
    if let Some(path) = &config.weights {
        tables::weights(&fitted, rows.train_rows.as_deref())?.write(path)?;
    }
    if let Some(path) = &config.trace {
        tables::trace(&fitted)?.write(path)?;
    }
    let bounds = Judged::all(compared.judgements, if compared.test.is_some() { "test" } else { "training" });
    let report = Report::new(config, &fitted, compared.train, compared.test, bounds, seconds, warnings);
    show(config, &report)
}

/// The rows to fit and to test on.
struct Read {
    all: Dataset,
    train: Dataset,
    /// Which of all rows are trained on, where some are held out.
    train_rows: Option<Vec<usize>>,
    test: Option<Dataset>,
    warnings: Vec<Warning>,
}

fn read(config: &Config, progress: Progress) -> Result<Read> {
    let (all, mut warnings) = progress.during(format!("reading {}", config.data.display()), || {
        Dataset::read(&config.data, &config.schema, &config.reading)
    })?;
    match &config.rows {
        Rows::All => Ok(Read { train: all.clone(), all, train_rows: None, test: None, warnings }),
        Rows::Split(split) => {
            let (train, test) = holdout(all.rows(), split.holdout, split.seed)?;
            let (train, train_rows, test) = (all.select(&train), Some(train), Some(all.select(&test)));
            Ok(Read { all, train, train_rows, test, warnings })
        }
        Rows::TestFile(path) => {
            let options = config.reading.like(all.table()).ignore(config.schema.ignored());
            let (table, more) =
                progress.during(format!("reading {}", path.display()), || Table::read(path, &options))?;
            warnings.extend(more);
            let test = Some(all.like(table).with_context(|| path.display().to_string())?);
            Ok(Read { train: all.clone(), all, train_rows: None, test, warnings })
        }
    }
}

/// The classifier with and without correction, on training and on test rows.
struct Compared {
    train: Comparison,
    test: Option<Comparison>,
    /// Of the bounds: on test rows, or without any on training rows.
    judgements: Vec<Judgement>,
    warnings: Vec<Warning>,
}

fn compare<L: Learner>(
    config: &Config,
    learner: &L,
    fitted: &Fitted<L::Predictor>,
    test: Option<&Dataset>,
) -> Result<Compared> {
    let correction = &config.correction;
    let before = correction.uncorrected(fitted.problem(), learner)?;
    let after: &Assessment = &fitted.outcome().train;
    let train = Comparison { before: before.train, after: after.clone() };
    let judge = |problem: &Problem| {
        problem.judge(fitted.predictor(), &correction.bounds, correction.measure, config.confidence)
    };
    let Some(test) = test else {
        let judgements = judge(fitted.problem())?;
        return Ok(Compared { train, test: None, judgements, warnings: Vec::new() });
    };
    let (problem, warnings) = fitted.binding().problem(test)?;
    let test = Comparison {
        before: problem.assess_predictor(&before.predictor, correction.measure)?,
        after: problem.assess_predictor(fitted.predictor(), correction.measure)?,
    };
    Ok(Compared { train, test: Some(test), judgements: judge(&problem)?, warnings })
}

fn show(config: &Config, report: &Report) -> Result<Ending> {
    if config.json {
        output::json(report)?;
    } else {
        output::warn(&report.warnings);
        output::text(&report.to_text())?;
        if config.model.is_none() && config.weights.is_none() {
            note("nothing was saved; give --model FILE, or --weights FILE for a learner elsewhere");
        }
    }
    if let Some(warning) = report.unmeasured() {
        note(&warning);
    }
    report.bounds.iter().filter_map(Judged::note).for_each(|said| note(&said));
    Ok(if report.bounds.iter().any(Judged::is_missed) { Ending::Missed } else { Ending::Fine })
}
