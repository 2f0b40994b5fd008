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
    read(source, options, lengths::check_file, FileReader::try_new_buffered)
}

pub(in crate::data::read) fn read_stream(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    read(source, options, lengths::check_stream, |file, kept| StreamReader::try_new(BufReader::new(file), kept))
}

/// Opens the file once for its columns, and once more for those that are kept.
fn read<R: RecordBatchReader>(
    source: &Source,
    options: &ReadOptions,
    check: impl FnOnce(File) -> std::result::Result<(), Cause>,
    open: impl Fn(File, Option<Vec<usize>>) -> std::result::Result<R, ArrowError>,
) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let file = source.bytes()?;
    decode(|| check(file)).map_err(|panic| reading.unreadable(panic))?.map_err(|error| reading.unreadable(error))?;
    let open = |kept| {
        let file = source.bytes()?;
        decode(|| open(file, kept))
            .map_err(|panic| reading.unreadable(panic))?
            .map_err(|error| reading.unreadable(error))
    };
    let schema = open(None)?.schema();
    let plan = plan_of(&schema, options)?;
    let batches = open(Some(plan.kept().to_vec()))?;
    typed_table(&schema, plan, batches, &reading)
}
