//! `evenhand fit` of rows that are not all in memory: read in chunks, encoded into blocks, and gone through as often as a search needs.

use anyhow::{Context as _, Result};
use evenhand::correction::StoredFit;
use evenhand::data::RowFiles;
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Logistic, Model};

use super::config::Config;
use super::report::{Comparison, Found, Report, ShownEffect};
use super::{most_loops, show, tables};
use crate::Ending;
use crate::bounds::{TestedBound, TestedOn};
use crate::many_rows::{self, Opened, PassCounts, ShownPass};
use crate::output::WarningRecord;
use crate::outputs::Outputs;

/// The files, where they have more rows than a search begins on and all that is asked can be had of them so; else they are read whole.
pub(super) fn files(config: &Config) -> Result<Option<Opened>> {
    let Some(streamable) = config.training.streamable() else { return Ok(None) };
    let in_memory = config.weights.is_some() || config.report.is_some() || config.predictions.is_some();
    if in_memory || config.correction.check_stored().is_err() {
        return Ok(None);
    }
    many_rows::open(&streamable, config.stored.sample_rows)
}

/// Fits to rows in files.
pub(super) fn run(config: &Config, learner: &Logistic, (files, mut warnings): Opened) -> Result<Ending> {
    let progress = config.training.start()?;
    let schema = config.training.streamable().context("rows in files have roles")?.schema;
    let mut watch = progress.loops(most_loops(config));
    let shown = Some(ShownPass::watch(progress));
    let found = config.correction.fit_files(&files, schema, learner, &config.stored, shown, &mut watch)?;
    let seconds = watch.finish();
    let fitted = &found.fitted;
    warnings.extend(fitted.warnings().iter().filter(|warning| !warning.is_of_decisions()).cloned());
    let [before, after] = found.evaluated();
    let effect = after.effect(&before, config.correction.notable_change, config.confidence)?;
    let bound_tests = after.test_bounds(&config.correction.bounds, config.confidence)?;

    let mut outputs = Outputs::new(config.csv);
    if let Some(path) = &config.model {
        let model = model(config, *learner, &found, &files)?.with_bound_tests(bound_tests.clone());
        let file = model.to_file(|message| config.signing_key.as_ref().map(|key| key.sign(message)))?;
        outputs.text(path, &file)?;
    }
    if let Some(path) = &config.trace {
        outputs.table(path, &tables::trace(fitted)?)?;
    }
    outputs.commit()?;
    let train = Comparison { before: before.metrics(), after: after.metrics() };
    let mut of_decisions = effect.warnings();
    of_decisions.extend(train.after.one_decision(fitted.binding().classes()));
    let mut records = WarningRecord::all(of_decisions, Some("training"));
    records.extend(WarningRecord::all(warnings, None));
    let bounds = TestedBound::all(bound_tests, TestedOn::Rows("training"));
    let shown = Found { train, test: None, bounds, effect: ShownEffect { rows: "training", effect } };
    let StoredFit { passes, sample_rows, distinct_rows, .. } = found;
    let passes = PassCounts { passes, sample_rows, distinct_rows };
    show(config, &Report::new(config, fitted, shown, seconds, records)?.with_passes(passes))
}

fn model(config: &Config, settings: Logistic, found: &StoredFit, files: &RowFiles) -> Result<Model> {
    let record = |model: &LogisticModel| LearnerRecord::Logistic { settings, model: model.clone() };
    let model = Model::of_stored(&config.correction, found, record)?;
    Ok(model.read_as(files.options(), &found.columns))
}
