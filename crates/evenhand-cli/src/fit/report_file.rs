//! The report that `evenhand fit --report` writes.
//!
//! Gathers what the fit left behind and hands it to the report crate.

use std::path::Path;

use anyhow::Result;
use evenhand::{Fitted, Learner, Model, Warning};
use evenhand_report::{FitResult, Record, Report, Rows};

use super::Compared;
use super::config::Config;
use crate::page;
use crate::progress::Progress;
use crate::training::Read;

/// What was asked, by whom it was learned, and what came of it.
pub(super) struct Fit<'a, L: Learner> {
    pub(super) config: &'a Config,
    pub(super) learner: &'a L,
    pub(super) fitted: &'a Fitted<L::Predictor>,
    pub(super) compared: &'a Compared<L::Predictor>,
    pub(super) warnings: Vec<Warning>,
}

/// Writes the report of a fit: on test rows, or without any on the training rows.
pub(super) fn write<L: Learner>(
    path: &Path,
    fit: Fit<'_, L>,
    rows: &Read,
    model: &Model,
    progress: Progress,
) -> Result<()> {
    let Fit { config, learner, fitted, compared, warnings } = fit;
    let test = rows.test.as_ref().zip(compared.tested_on.as_ref());
    let measured_on = Rows::of((&rows.train, fitted.problem()), test);
    let mut watch = progress.fits();
    let result = FitResult {
        correction: &config.correction,
        learner,
        binding: fitted.binding(),
        trained_on: fitted.problem(),
        found: fitted.solution(),
        uncorrected: &compared.uncorrected,
        rows: measured_on,
        bound_tests: &compared.bound_tests,
        identify_on: Some(&rows.train),
        strengths: config.training.fitter.strengths(),
        confidence: config.confidence,
        warnings,
        record: Record::of_model(model, &config.training.fitter.record())
            .tested_on(config.training.test_digest(rows))
            .by(page::command()),
    };
    let report = Report::from_fit(&result, &mut watch).map_err(page::convert_error)?;
    watch.finish();
    page::write(path, &report)
}
