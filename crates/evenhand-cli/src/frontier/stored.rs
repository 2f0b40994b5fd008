//! `evenhand frontier` of rows that are not all in memory: encoded once, and gone through for every point of the path.

use anyhow::{Context as _, Result};
use evenhand::Logistic;
use evenhand::correction::{StoredFiles, StoredFrontier};
use evenhand::learner::LogisticModel;

use super::{Config, Traced};
use crate::many_rows::{self, Opened, PassCounts, ShownPass};
use crate::output::WarningRecord;

/// The files, where they have more rows than a search begins on and all that is asked can be had of them so; else they are read whole.
pub(super) fn files(config: &Config) -> Result<Option<Opened>> {
    let Some(streamable) = config.training.streamable() else { return Ok(None) };
    if config.report.is_some() || config.correction.check_stored().is_err() {
        return Ok(None);
    }
    many_rows::open(&streamable, config.stored.sample_rows)
}

/// Traces the path on rows in files.
pub(super) fn trace(
    config: &Config,
    learner: &Logistic,
    (files, mut warnings): Opened,
) -> Result<Traced<LogisticModel>> {
    let progress = config.training.start()?;
    let schema = config.training.streamable().context("rows in files have roles")?.schema;
    let rows = StoredFiles { files: &files, watch: Some(ShownPass::watch(progress)) };
    let mut watch = progress.fits();
    let (correction, points) = (&config.correction, config.points);
    let found = correction.frontier_files(&rows, schema, learner, points, &config.stored, &mut watch)?;
    let seconds = watch.finish();
    warnings.extend(found.warnings);
    warnings.extend(found.frontier.warnings());
    let StoredFrontier { passes, sample_rows, distinct_rows, .. } = found;
    Ok(Traced {
        tests: found.frontier.points.iter().map(|_| None).collect(),
        passes: Some(PassCounts { passes, sample_rows, distinct_rows }),
        binding: found.binding,
        frontier: found.frontier,
        seconds,
        warnings: WarningRecord::all(warnings, None),
    })
}
