//! The report that `evenhand frontier --report` writes.

use std::path::Path;

use anyhow::Result;
use evenhand::correction::{Binding, Evaluated, Frontier, Problem};
use evenhand::{Dataset, Learner, Warning};
use evenhand_report::{FrontierResult, Record, Report, Trained};

use super::Config;
use crate::outputs::Outputs;
use crate::page;
use crate::progress::Progress;
use crate::training::Read;

/// What was asked, by whom it was learned, and what came of it.
pub(super) struct Traced<'a, L: Learner> {
    pub(super) config: &'a Config,
    pub(super) learner: &'a L,
    pub(super) binding: &'a Binding,
    pub(super) problem: &'a Problem,
    pub(super) frontier: &'a Frontier<L::Predictor>,
    pub(super) test: Option<(&'a Dataset, &'a Problem)>,
    pub(super) evaluated: Option<&'a [Evaluated<'a>]>,
    pub(super) warnings: Vec<Warning>,
}

/// Writes the report of a frontier: on test rows, or without any on the training rows.
pub(super) fn write<L: Learner>(
    outputs: &mut Outputs,
    path: &Path,
    traced: Traced<'_, L>,
    rows: &Read,
    progress: Progress,
) -> Result<()> {
    let Traced { config, learner, binding, problem, frontier, test, evaluated, warnings } = traced;
    let training = &config.training;
    let digest = progress.during("hashing the data", || rows.all.digest());
    let record = Record::new(digest, rows.all.rows(), &config.correction, &training.fitter.record());
    let record = record.of_rows(training.split(), training.recipe()).tested_on(training.test_digest(rows));
    let trained = Trained {
        correction: &config.correction,
        learner,
        binding,
        trained_on: problem,
        train: rows.train(),
        test,
        confidence: config.confidence,
        warnings,
        record: record.by(page::command()),
    };
    let result = FrontierResult { trained, frontier, evaluated };
    let mut watch = progress.fits();
    let report = Report::from_frontier(&result, &mut watch).map_err(page::convert_error)?;
    watch.finish();
    page::write(outputs, path, &report)
}
