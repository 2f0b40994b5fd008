//! Arrow IPC, as a file and as a stream.
//!
//! Ignored columns are never decoded. Rows are counted from 1. Nothing is decoded before `lengths` has looked at it.

use std::fs::File;
use std::io::BufReader;

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;

use super::{decode, lengths, plan_of, typed_table};
use crate::data::Table;
use crate::data::read::ReadOptions;
use crate::data::read::batches::Reading;
use crate::data::read::source::Source;
use crate::{Cause, Result, Warning};

pub(in crate::data::read) fn read_file(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    read(source, options, |kept| open_file(source, kept))
}

pub(in crate::data::read) fn read_stream(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    read(source, options, |kept| open_stream(source, kept))
}

/// The batches of a file, of all columns or of some.
pub(in crate::data) fn open_file(source: &Source, kept: Option<Vec<usize>>) -> Result<FileReader<BufReader<File>>> {
    opened(source, lengths::check_file, |file| FileReader::try_new_buffered(file, kept))
}

/// The batches of a stream, of all columns or of some.
pub(in crate::data) fn open_stream(source: &Source, kept: Option<Vec<usize>>) -> Result<StreamReader<BufReader<File>>> {
    opened(source, lengths::check_stream, |file| StreamReader::try_new(BufReader::new(file), kept))
}

/// Opens a file whose lengths were checked first.
fn opened<R>(
    source: &Source,
    check: impl FnOnce(File) -> std::result::Result<(), Cause>,
    open: impl FnOnce(File) -> std::result::Result<R, ArrowError>,
) -> Result<R> {
    let file = source.bytes()?;
    decode(|| check(file)).map_err(|panic| source.unreadable(panic))?.map_err(|error| source.unreadable(error))?;
    let file = source.bytes()?;
    decode(|| open(file)).map_err(|panic| source.unreadable(panic))?.map_err(|error| source.unreadable(error))
}

/// Opens the file once for its columns, and once more for those that are kept.
fn read<R: RecordBatchReader>(
    source: &Source,
    options: &ReadOptions,
    open: impl Fn(Option<Vec<usize>>) -> Result<R>,
) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let schema = open(None)?.schema();
    let plan = plan_of(&schema, options)?;
    let batches = open(Some(plan.kept().to_vec()))?;
    typed_table(&schema, plan, batches, &reading)
}
