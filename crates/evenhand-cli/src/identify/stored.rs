//! `evenhand identify` of rows that are not all in memory: estimated from all of them, from where a sample leads.

use anyhow::{Context as _, Result};
use evenhand::Identify;
use evenhand::correction::{StoredFiles, StoredSettings};
use evenhand::identify::StoredIdentification;

use super::{IdentifyArgs, Report};
use crate::many_rows::{self, Opened, PassCounts, ShownPass};
use crate::origin::Origin;
use crate::output::WarningRecord;
use crate::progress::Progress;

/// The files, where they have more rows than a search begins on and all that is asked can be had of them so; else they are read whole.
pub(super) fn files(
    args: &IdentifyArgs,
    origin: &Origin,
    settings: &Identify,
    stored: &StoredSettings,
) -> Result<Option<Opened>> {
    let Some(streamable) = origin.streamable() else { return Ok(None) };
    let in_memory = args.weights.is_some() || args.result.report.is_some();
    if in_memory || unsampled(args, settings.clone()).check_stored().is_err() {
        return Ok(None);
    }
    many_rows::open(&streamable, stored.sample_rows)
}

/// Many rows are drawn again only if that is asked for.
fn unsampled(args: &IdentifyArgs, settings: Identify) -> Identify {
    if args.resamples.is_none() { Identify { resamples: 0, ..settings } } else { settings }
}

/// Estimates the bias of rows in files.
pub(super) fn run(
    args: &IdentifyArgs,
    origin: &Origin,
    settings: Identify,
    ((files, mut warnings), stored): (Opened, StoredSettings),
    progress: Progress,
) -> Result<Report> {
    let schema = origin.streamable().context("rows in files have roles")?.schema;
    let rows = StoredFiles { files: &files, watch: Some(ShownPass::watch(progress)) };
    let found = unsampled(args, settings).run_files(&rows, schema, &stored)?;
    warnings.extend(found.warnings);
    let StoredIdentification { passes, sample_rows, distinct_rows, .. } = found;
    Ok(Report {
        passes: Some(PassCounts { passes, sample_rows, distinct_rows }),
        found: found.found,
        warnings: WarningRecord::all(warnings, None),
        page: None,
        weights: None,
        many_rows: args.resamples.is_none(),
    })
}
