//! Chunks of text files.
//!
//! A text file does not say what its columns hold: a first reading tells which of them hold numbers in all files, and the chunks of
//! later readings are read so.

use super::files::Columns;
use super::{CHUNK_ROWS, EachChunk, RowFile};
use crate::data::read::ReadOptions;
use crate::data::read::batches::finish;
use crate::data::read::column::ColumnBuilder;
use crate::data::read::csv::{Text, builder, reading_of};
use crate::data::read::plan::Plan;
use crate::data::read::source::{Format, Source};
use crate::{Result, Warning};

/// The columns of a text file; what they hold is not known.
pub(super) fn columns(source: &Source, options: &ReadOptions) -> Result<(Columns, Vec<Warning>)> {
    let names = Text::open(source, options)?.names()?;
    if names.is_empty() {
        return Err(reading_of(source, options).no_rows());
    }
    let plan = Plan::new(names, options)?;
    let columns = plan.kept().iter().map(|&at| (plan.name(at).to_owned(), None)).collect();
    Ok((Columns(columns), plan.warnings))
}

/// The options with the kinds of all columns of text files: numbers where all files have nothing else.
pub(super) fn settle_kinds(files: &[RowFile], options: &ReadOptions) -> Result<ReadOptions> {
    let mut settled = options.clone();
    if options.keep_text {
        // Then a column is what the options say, or text: there is nothing to find out.
        return Ok(settled);
    }
    let texts = files.iter().filter(|file| matches!(file.format, Format::Text | Format::Gzip));
    let mut kinds: Vec<(String, Option<bool>)> = Vec::new();
    for file in texts {
        let source = Source::open(&file.path)?;
        let found = numeric_columns(&source, options)?;
        if kinds.is_empty() {
            kinds = found;
            continue;
        }
        for (name, numeric) in found {
            for (_, all) in kinds.iter_mut().filter(|(one, _)| *one == name) {
                // A file without any value says nothing.
                *all = match (*all, numeric) {
                    (Some(one), Some(other)) => Some(one && other),
                    (one, other) => one.or(other),
                };
            }
        }
    }
    for (name, numeric) in kinds {
        let listed = if numeric == Some(true) { &mut settled.numeric } else { &mut settled.categorical };
        if !listed.contains(&name) {
            listed.push(name);
        }
    }
    Ok(settled)
}

/// Per column whether it holds numbers; `None` where it has no value.
fn numeric_columns(source: &Source, options: &ReadOptions) -> Result<Vec<(String, Option<bool>)>> {
    let plan = Plan::new(Text::open(source, options)?.names()?, options)?;
    let mut numeric: Vec<Option<bool>> = vec![None; plan.kept().len()];
    chunks(source, options, &mut |builders| {
        for (builder, numeric) in builders.iter().zip(&mut numeric) {
            // A chunk without any value says nothing.
            if let Some(found) = builder.holds_numbers() {
                *numeric = Some(found && numeric.unwrap_or(true));
            }
        }
        Ok(())
    })?;
    Ok(plan.kept().iter().zip(numeric).map(|(&at, numeric)| (plan.name(at).to_owned(), numeric)).collect())
}

/// Reads a text file, the kinds of whose columns are settled.
pub(super) fn read(source: &Source, options: &ReadOptions, each: EachChunk<'_>) -> Result<()> {
    let mut reading = reading_of(source, options);
    chunks(source, options, &mut |builders| {
        let table = finish(builders, &reading)?;
        reading.first_row += table.rows();
        each(table)
    })
}

/// Builds the columns of every chunk.
fn chunks(
    source: &Source,
    options: &ReadOptions,
    each: &mut dyn FnMut(Vec<ColumnBuilder>) -> Result<()>,
) -> Result<()> {
    let text = Text::open(source, options)?;
    let plan = Plan::new(text.names()?, options)?;
    let mut reading = reading_of(source, options);
    let new =
        || -> Vec<ColumnBuilder> { plan.kept().iter().map(|&at| builder(&plan, at, options.keep_text)).collect() };
    let (mut builders, mut rows) = (new(), 0);
    text.each_batch(plan.kept(), &mut |fields| {
        for (column, builder) in builders.iter_mut().enumerate() {
            builder.push_texts(&fields.of(column), &reading)?;
        }
        rows += fields.rows();
        if rows >= CHUNK_ROWS {
            each(std::mem::replace(&mut builders, new()))?;
            reading.first_row += std::mem::take(&mut rows);
        }
        Ok(())
    })?;
    if rows > 0 { each(builders) } else { Ok(()) }
}
