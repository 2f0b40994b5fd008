//! Rows that are not all in memory: what can be set about them, which files are read so, and how passes over them are shown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use clap::Args;
use evenhand::correction::{PassWatch, SAMPLE_ROWS, StoredSettings};
use evenhand::data::{RowFiles, find_files};
use evenhand::{Error, Warning};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::memory;
use crate::origin::Streamable;
use crate::progress::Progress;
use crate::text::thousands;

/// How rows are gone through that are not all in memory.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ManyRowsArgs {
    /// Memory for encoded rows, for files that are read in chunks (see --sample-rows). What does not fit goes into a scratch file in the
    /// folder for temporary files [default: half of what is free].
    #[arg(long, value_name = "SIZE", value_parser = memory::parse, help_heading = "Many rows")]
    memory: Option<usize>,

    /// Number of rows in the sample on which the search begins. Files with more rows are read in chunks and are never all in memory
    /// [default: files of more than 2097152 rows are read in chunks, and the size of the sample follows from the rows].
    #[arg(long, value_name = "NUMBER", help_heading = "Many rows")]
    sample_rows: Option<usize>,
}

impl ManyRowsArgs {
    /// The settings.
    ///
    /// # Errors
    /// That a search cannot begin on no rows.
    pub(crate) fn settings(self) -> Result<StoredSettings> {
        if self.sample_rows == Some(0) {
            return Err(Error::setting("sample-rows", 0, "one or more").into());
        }
        let (memory, sample_rows) = (self.memory.unwrap_or_else(memory::half_of_free), self.sample_rows);
        Ok(StoredSettings { memory, sample_rows, ..StoredSettings::default() })
    }
}

/// Files of rows, and what to know about them.
pub(crate) type Opened = (RowFiles, Vec<Warning>);

/// The files, where they have more rows than may all be in memory: the sample asked for, or the usual number.
///
/// # Errors
/// What keeps them from being opened.
pub(crate) fn open(streamable: &Streamable<'_>, sample_rows: Option<usize>) -> Result<Option<Opened>> {
    let (paths, most) = (find_files(streamable.path)?, sample_rows.unwrap_or(SAMPLE_ROWS));
    if streamable.reading.frequency.is_none() && !RowFiles::may_exceed(&paths, most)? {
        return Ok(None);
    }
    // What is ignored is never decoded, whatever it holds.
    let reading = streamable.reading.clone().ignore(streamable.schema.ignored());
    let (files, warnings) = RowFiles::open(&paths, &reading)?;
    let many = files.count_rows()? > most;
    Ok(many.then_some((files, warnings)))
}

/// How often all rows were gone through, and on how many of them a search began.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PassCounts {
    /// How often all rows were gone through, where they were not all in memory.
    pub(crate) passes: usize,
    /// On how many rows the search began.
    pub(crate) sample_rows: usize,
    /// How many rows were left of all, where those that repeat were kept once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) distinct_rows: Option<usize>,
}

impl PassCounts {
    /// As a part of a sentence, with a comma before it.
    pub(crate) fn to_text(self) -> String {
        let (all, sample) = (thousands(self.passes), thousands(self.sample_rows));
        let distinct = self.distinct_rows.map(|rows| format!(" ({} different ones)", thousands(rows)));
        format!(", {all} passes over all rows{} after a search on {sample} of them", distinct.unwrap_or_default())
    }
}

/// A bar for every pass over the rows.
pub(crate) struct ShownPass {
    progress: Progress,
    bar: Mutex<Option<ProgressBar>>,
}

impl ShownPass {
    /// Passes that are shown where progress is.
    pub(crate) fn watch(progress: Progress) -> Arc<dyn PassWatch> {
        Arc::new(Self { progress, bar: Mutex::new(None) })
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PassWatch for ShownPass {
    fn begin(&self, purpose: &'static str, rows: Option<usize>) {
        if let Some(last) = self.bar().replace(self.progress.rows(purpose, rows)) {
            last.finish_and_clear();
        }
    }

    fn advance(&self, rows: usize) -> bool {
        if let Some(bar) = &*self.bar() {
            bar.inc(rows as u64);
        }
        true
    }
}

impl Drop for ShownPass {
    fn drop(&mut self) {
        if let Some(last) = self.bar().take() {
            last.finish_and_clear();
        }
    }
}
