//! Chunks of formats with types of their own: Parquet row groups, Arrow batches.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema};

use super::files::Columns;
use super::{CHUNK_ROWS, EachChunk, Part};
use crate::data::read::ReadOptions;
use crate::data::read::arrow::{builders, decode, kind_of, plan_of};
use crate::data::read::batches::{Reading, finish};
use crate::data::read::plan::{Kind, Plan};
use crate::data::read::source::Source;
use crate::{Result, Warning};

/// Columns, parts, and what to know about them.
type Opened = (Columns, Vec<Part>, Vec<Warning>);

#[cfg(feature = "parquet")]
pub(super) fn open_parquet(source: &Source, options: &ReadOptions) -> Result<Opened> {
    let builder = crate::data::read::arrow::parquet::open(source)?;
    let (columns, warnings) = columns(builder.schema(), options)?;
    let mut first_row = 1;
    let part = |(index, group): (usize, &parquet::file::metadata::RowGroupMetaData)| {
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        first_row += rows;
        Part { index, first_row: first_row - rows, rows: Some(rows) }
    };
    let parts = builder.metadata().row_groups().iter().enumerate().map(part).collect();
    Ok((columns, parts, warnings))
}

/// How many rows a file says it has.
#[cfg(feature = "parquet")]
pub(super) fn rows_of_parquet(source: &Source) -> Result<usize> {
    let builder = crate::data::read::arrow::parquet::open(source)?;
    Ok(usize::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0))
}

#[cfg(feature = "ipc")]
pub(super) fn open_ipc(source: &Source, options: &ReadOptions) -> Result<Opened> {
    let (columns, warnings) = columns(ipc_schema(source)?.as_ref(), options)?;
    Ok((columns, vec![Part { index: 0, first_row: 1, rows: None }], warnings))
}

/// The columns that are kept, each with what it is read as.
fn columns(schema: &ArrowSchema, options: &ReadOptions) -> Result<(Columns, Vec<Warning>)> {
    let plan = plan_of(schema, options)?;
    let column = |&at: &usize| {
        let kind = match kind_of(plan.name(at), schema.field(at).data_type())? {
            Kind::Numeric => "numeric",
            Kind::Categorical => "categorical",
        };
        Ok((plan.name(at).to_owned(), Some(kind)))
    };
    let columns = plan.kept().iter().map(column).collect::<Result<_>>()?;
    Ok((Columns(columns), plan.warnings))
}

/// Reads a row group, texts with the dictionaries they are stored with.
#[cfg(feature = "parquet")]
pub(super) fn read_row_group(source: &Source, part: Part, options: &ReadOptions, each: EachChunk<'_>) -> Result<()> {
    use parquet::arrow::ProjectionMask;
    use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

    let reading =
        Reading { first_row: part.first_row, ..Reading::typed(source.path(), source.format().name(), options) };
    let file = source.bytes()?;
    let open = |with: ArrowReaderOptions| -> Result<ParquetRecordBatchReaderBuilder<std::fs::File>> {
        let file = file.try_clone().map_err(|error| source.unreadable(error))?;
        decode(|| ParquetRecordBatchReaderBuilder::try_new_with_options(file, with))
            .map_err(|panic| source.unreadable(panic))?
            .map_err(|error| source.unreadable(error))
    };
    let plain = open(ArrowReaderOptions::new())?;
    let schema = plain.schema().clone();
    let plan = plan_of(&schema, options)?;
    let builder = open(ArrowReaderOptions::new().with_schema(with_dictionaries(&schema)))?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), plan.kept().iter().copied());
    let builder = builder.with_row_groups(vec![part.index]).with_projection(mask).with_batch_size(CHUNK_ROWS / 2);
    let batches = decode(|| builder.build())
        .map_err(|panic| reading.unreadable(panic))?
        .map_err(|error| reading.unreadable(error))?;
    in_chunks(&schema, &plan, batches, reading, each)
}

/// The same columns, texts asked for as the dictionaries that they are stored with.
#[cfg(feature = "parquet")]
fn with_dictionaries(schema: &ArrowSchema) -> Arc<ArrowSchema> {
    let field = |field: &Arc<Field>| match field.data_type() {
        text @ (DataType::Utf8 | DataType::LargeUtf8) => {
            let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(text.clone()));
            Arc::new(field.as_ref().clone().with_data_type(coded))
        }
        _ => field.clone(),
    };
    Arc::new(ArrowSchema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

#[cfg(feature = "ipc")]
fn ipc_schema(source: &Source) -> Result<Arc<ArrowSchema>> {
    use crate::data::read::arrow::ipc;
    use crate::data::read::source::Format;
    Ok(match source.format() {
        Format::ArrowFile => ipc::open_file(source, None)?.schema(),
        _ => ipc::open_stream(source, None)?.schema(),
    })
}

/// Reads an Arrow file or stream from its start.
#[cfg(feature = "ipc")]
pub(super) fn read_ipc(source: &Source, options: &ReadOptions, each: EachChunk<'_>) -> Result<()> {
    use crate::data::read::arrow::ipc;
    use crate::data::read::source::Format;
    let reading = Reading::typed(source.path(), source.format().name(), options);
    let schema = ipc_schema(source)?;
    let plan = plan_of(&schema, options)?;
    let kept = Some(plan.kept().to_vec());
    match source.format() {
        Format::ArrowFile => in_chunks(&schema, &plan, ipc::open_file(source, kept)?, reading, each),
        _ => in_chunks(&schema, &plan, ipc::open_stream(source, kept)?, reading, each),
    }
}

/// Turns batches into tables of at most so many rows.
fn in_chunks(
    schema: &ArrowSchema,
    plan: &Plan,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    mut reading: Reading,
    each: EachChunk<'_>,
) -> Result<()> {
    let (mut columns, mut rows) = (builders(schema, plan)?, 0);
    let mut hand_over = |columns, rows: &mut usize, reading: &mut Reading| -> Result<()> {
        if *rows > 0 {
            each(finish(columns, reading)?)?;
            reading.first_row += std::mem::take(rows);
        }
        Ok(())
    };
    loop {
        let batch = match decode(|| batches.next().transpose()) {
            Ok(batch) => batch.map_err(|error| reading.unreadable(error))?,
            Err(panic) => return Err(reading.unreadable(panic)),
        };
        let Some(batch) = batch else { return hand_over(columns, &mut rows, &mut reading) };
        for start in (0..batch.num_rows()).step_by(CHUNK_ROWS) {
            let part = batch.slice(start, CHUNK_ROWS.min(batch.num_rows() - start));
            if rows + part.num_rows() > CHUNK_ROWS {
                let full = std::mem::replace(&mut columns, builders(schema, plan)?);
                hand_over(full, &mut rows, &mut reading)?;
            }
            for (builder, array) in columns.iter_mut().zip(part.columns()) {
                builder.push_array(array, &reading)?;
            }
            rows += part.num_rows();
        }
    }
}
