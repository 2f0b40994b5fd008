//! Rows read, predicted and written a chunk at a time, in their order: never are all of them in memory.
//!
//! One thread reads what the model needs and predicts; the other goes through the files once more for the columns that are carried along, and writes.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::Result;
use evenhand::data::{Carry, RowFiles, find_files};
use evenhand::{Column, Error, Model, ReadOptions};

use super::{Written, added_columns, added_names};
use crate::files;
use crate::outputs::Outputs;
use crate::progress::Progress;

/// How many chunks may wait to be written.
const AHEAD: usize = 2;

/// Writes all rows, with the columns of the chunks that the function given hands over.
type WriteAll<'a> = dyn FnMut(&mut dyn FnMut() -> Option<Vec<Column>>) -> Result<()> + 'a;

/// The rows of a file, or of all files of a folder or a pattern, with predictions added.
pub(super) fn write(
    model: &Model,
    path: &Path,
    reading: &ReadOptions,
    (outputs, out): (&mut Outputs, &Path),
    progress: Progress,
) -> Result<Written> {
    let paths = find_files(path)?;
    let mut carry = Carry::open_all(&paths, reading)?;
    let names = carry.names();
    let extra = model.check_columns(&names)?;
    let written = Written::new(added_names(model, &names)?, model);
    written.columns.iter().for_each(|name| carry.put_fed(name));
    let others = names.into_iter().filter(|name| !model.needs(name));
    let (rows, mut warnings) = RowFiles::open(&paths, &reading.clone().ignore(others))?;
    let bar = progress.rows("predicting", rows.rows());
    let mut write_all = |next: &mut dyn FnMut() -> Option<Vec<Column>>| {
        outputs.carry_fed(out, &carry, &mut || {
            let chunk = next();
            bar.inc(chunk.iter().flatten().next().map_or(0, Column::len) as u64);
            Ok(chunk)
        })
    };
    // Standard input is read at one place only: there what is predicted waits until all is.
    let by = if files::is_stdin(path) { one_after_the_other } else { side_by_side };
    let predicted = by(model, &rows, written, &mut write_all);
    bar.finish_and_clear();
    let mut written = predicted?;
    warnings.append(&mut written.warnings);
    warnings.extend(extra);
    Ok(Written { warnings, ..written })
}

/// Predicts on a thread of its own while what is predicted is written.
fn side_by_side(model: &Model, rows: &RowFiles, written: Written, write_all: &mut WriteAll<'_>) -> Result<Written> {
    let (sender, receiver) = sync_channel(AHEAD);
    thread::scope(|scope| {
        let predicting = scope.spawn(move || predict(model, rows, written, |chunk| sender.send(chunk).is_ok()));
        let wrote = write_all(&mut || receiver.recv().ok());
        drop(receiver);
        let (written, predicted) = predicting.join().unwrap_or_else(|panic| resume_unwind(panic));
        match predicted {
            // Nobody took chunks any more: what writing says is why.
            Err(Error::Interrupted) => {}
            // Else rows end early for the writer, which is no fault of its own.
            predicted => predicted?,
        }
        wrote?;
        Ok(written)
    })
}

/// Predicts all, and then writes.
fn one_after_the_other(
    model: &Model,
    rows: &RowFiles,
    written: Written,
    write_all: &mut WriteAll<'_>,
) -> Result<Written> {
    let mut chunks = VecDeque::new();
    let (written, predicted) = predict(model, rows, written, |chunk| {
        chunks.push_back(chunk);
        true
    });
    predicted?;
    write_all(&mut || chunks.pop_front())?;
    Ok(written)
}

/// Hands over what is predicted of every chunk, until nobody takes it: then it is interrupted.
fn predict(
    model: &Model,
    rows: &RowFiles,
    mut written: Written,
    mut take: impl FnMut(Vec<Column>) -> bool,
) -> (Written, evenhand::Result<()>) {
    let classes = model.binding.classes();
    let found = model.predict_files(rows, |predictions| {
        written.add(&predictions);
        if take(added_columns(&predictions, classes)) { Ok(()) } else { Err(Error::Interrupted) }
    });
    let done = found.map(|warnings| written.warnings = warnings);
    (written, done)
}
