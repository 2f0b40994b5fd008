//! Arrow IPC, as a file and as a stream.
//!
//! Ignored columns are never decoded. Rows are counted from 1.

use std::io::BufReader;

use arrow::ipc::reader::{FileReader, StreamReader};

use super::ReadOptions;
use super::batches::{Reading, decode, plan_of, typed_table};
use super::source::Source;
use crate::data::Table;
use crate::{Result, Warning};

pub(super) fn read_file(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let open = |projection| {
        let file = source.bytes()?;
        decode(|| FileReader::try_new_buffered(file, projection))
            .map_err(|panic| reading.unreadable(&panic))?
            .map_err(|error| reading.unreadable(&error))
    };
    let schema = open(None)?.schema();
    let plan = plan_of(&schema, options)?;
    let batches = open(Some(plan.kept().to_vec()))?;
    typed_table(&schema, plan, batches, &reading)
}

pub(super) fn read_stream(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let open = |projection| {
        let file = BufReader::new(source.bytes()?);
        decode(|| StreamReader::try_new(file, projection))
            .map_err(|panic| reading.unreadable(&panic))?
            .map_err(|error| reading.unreadable(&error))
    };
    let schema = open(None)?.schema();
    let plan = plan_of(&schema, options)?;
    let batches = open(Some(plan.kept().to_vec()))?;
    typed_table(&schema, plan, batches, &reading)
}
