//! The report that `evenhand fit --report` writes.

use std::path::Path;

use anyhow::Result;
use evenhand::correction::{Evaluated, Problem};
use evenhand::{Dataset, Fitted, Learner, Model, Warning};
use evenhand_report::{FitResult, Record, Report, Trained};

use super::config::Config;
use crate::outputs::Outputs;
use crate::page;
use crate::progress::Progress;
use crate::training::Read;

/// What was asked, by whom it was learned, and what came of it.
pub(super) struct Fit<'a, L: Learner> {
    pub(super) config: &'a Config,
    pub(super) learner: &'a L,
    pub(super) fitted: &'a Fitted<L::Predictor>,
    pub(super) test: Option<(&'a Dataset, &'a Problem)>,
    pub(super) evaluated: [&'a Evaluated<'a>; 2],
    pub(super) warnings: Vec<Warning>,
}

/// Writes the report of a fit: on test rows, or without any on the training rows.
pub(super) fn write<L: Learner>(
    outputs: &mut Outputs,
    path: &Path,
    fit: Fit<'_, L>,
    rows: &Read,
    model: &Model,
    progress: Progress,
) -> Result<()> {
    let Fit { config, learner, fitted, test, evaluated, warnings } = fit;
    let training = &config.training;
    let record = Record::of_model(model, &training.fitter.record());
    let mut watch = progress.fits();
    let trained = Trained {
        correction: &config.correction,
        learner,
        binding: fitted.binding(),
        trained_on: fitted.problem(),
        train: rows.train(),
        test,
        confidence: config.confidence,
        warnings,
        record: record.tested_on(training.test_digest(rows)).by(page::command()),
    };
    let result = FitResult {
        trained,
        found: fitted.solution(),
        evaluated: Some(evaluated),
        identify: true,
        strengths: training.fitter.strengths(),
    };
    let report = Report::from_fit(&result, &mut watch).map_err(page::convert_error)?;
    watch.finish();
    page::write(outputs, path, &report)
}
