//! The report that `evenhand fit --report` writes.
//!
//! Gathers what the fit left behind, asks what the labels say about themselves, and hands both to the report crate.

use std::path::Path;

use anyhow::Result;
use evenhand::identify::Identification;
use evenhand::{Dataset, Fitted, Identify, Learner, Model, Warning};
use evenhand_report::{FitResult, Record, Report, Rows};

use super::Compared;
use super::config::Config;
use crate::page;
use crate::progress::Progress;

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
    train: &Dataset,
    test: Option<&Dataset>,
    model: &Model,
    progress: Progress,
) -> Result<()> {
    let Fit { config, learner, fitted, compared, warnings } = fit;
    let rows = match (test, &compared.tested_on) {
        (Some(data), Some(problem)) => Rows { data, problem, are_training: false },
        _ => Rows { data: train, problem: fitted.problem(), are_training: true },
    };
    let identified = progress.during("asking the labels", || identify(config, train))?;
    let mut watch = progress.fits();
    let result = FitResult {
        correction: &config.correction,
        learner,
        fitted,
        uncorrected: &compared.uncorrected,
        rows,
        judgements: &compared.judgements,
        identification: identified.as_ref(),
        confidence: config.confidence,
        warnings,
        record: Record::of_model(model, &config.training.fitter.record()).by(page::command()),
    };
    let report = Report::of_fit(&result, &mut watch).map_err(page::told)?;
    watch.finish();
    page::write(path, &report)
}

/// The bias in the labels of training rows, where it can be asked about: for groups, and labels of two classes.
fn identify(config: &Config, train: &Dataset) -> evenhand::Result<Option<Identification>> {
    let correction = &config.correction;
    if correction.groups.is_empty() || train.labels().classes().len() != 2 {
        return Ok(None);
    }
    let asked = Identify {
        groups: correction.groups.clone(),
        withhold: correction.withhold.clone(),
        plan: correction.plan.clone(),
        confidence: config.confidence,
        ..Identify::default()
    };
    asked.run(train).map(|(found, _)| Some(found))
}
