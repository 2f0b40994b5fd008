//! Parquet files.
//!
//! Ignored columns are never decoded. Rows are counted from 1.

use std::fs::File;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::{decode, pages, plan_of, typed_table};
use crate::data::Table;
use crate::data::read::ReadOptions;
use crate::data::read::batches::Reading;
use crate::data::read::source::Source;
use crate::{Result, Warning};

/// Values in a batch, however many columns share them: large enough to hide the cost of a
/// batch, small enough to stay in the cache.
const VALUES_IN_BATCH: usize = 1 << 18;

/// A file whose columns are known and whose rows are not read yet.
pub(in crate::data) fn open(source: &Source) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = source.bytes()?;
    let builder = decode(|| ParquetRecordBatchReaderBuilder::try_new(file))
        .map_err(|panic| source.unreadable(panic))?
        .map_err(|error| source.unreadable(error))?;
    pages::check(source.bytes()?, builder.metadata()).map_err(|error| source.unreadable(error))?;
    Ok(builder)
}

pub(in crate::data::read) fn read(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let builder = open(source)?;
    let schema = builder.schema().clone();
    let plan = plan_of(&schema, options)?;
    let rows = (VALUES_IN_BATCH / plan.kept().len().max(1)).clamp(1024, 1 << 16);
    let mask = ProjectionMask::roots(builder.parquet_schema(), plan.kept().iter().copied());
    let batches: ParquetRecordBatchReader = decode(|| builder.with_projection(mask).with_batch_size(rows).build())
        .map_err(|panic| reading.unreadable(panic))?
        .map_err(|error| reading.unreadable(error))?;
    typed_table(&schema, plan, batches, &reading)
}
