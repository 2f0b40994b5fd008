//! Tables as Arrow has them: batches, Parquet files, Arrow IPC files.

#[cfg(any(feature = "parquet", feature = "ipc"))]
use std::fs::File;
#[cfg(any(feature = "parquet", feature = "ipc"))]
use std::io::{self, BufWriter};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
#[cfg(feature = "ipc")]
use arrow_ipc::writer::FileWriter;
#[cfg(any(feature = "parquet", feature = "ipc"))]
use arrow_schema::ArrowError;
use arrow_schema::{Field, Schema as ArrowSchema};
#[cfg(feature = "parquet")]
use parquet::arrow::ArrowWriter;
#[cfg(feature = "parquet")]
use parquet::basic::Compression;
#[cfg(feature = "parquet")]
use parquet::file::properties::WriterProperties;

use crate::data::{Column, Table};
#[cfg(feature = "arrow")]
use crate::{Error, Result};

/// Rows in a batch of a typed file.
#[cfg(any(feature = "parquet", feature = "ipc"))]
const ROWS_IN_BATCH: usize = 1 << 16;

#[cfg(feature = "arrow")]
impl Table {
    /// The table as one Arrow batch, categories with their dictionary: what typed files hold.
    ///
    /// # Errors
    /// [`Error::NoRows`] without a column.
    pub fn to_batch(&self) -> Result<RecordBatch> {
        let arrays = arrays(self);
        let schema = Arc::new(schema(self, &arrays));
        RecordBatch::try_new(schema, arrays).map_err(|_| Error::NoRows { what: "the table".into() })
    }
}

#[cfg(feature = "parquet")]
pub(super) fn write_parquet(table: &Table, out: &mut BufWriter<&File>) -> io::Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let arrays = arrays(table);
    let mut writer = ArrowWriter::try_new(out, Arc::new(schema(table, &arrays)), Some(properties))?;
    for batch in batches(table, &arrays) {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.close()?;
    Ok(())
}

#[cfg(feature = "ipc")]
pub(super) fn write_ipc(table: &Table, out: &mut BufWriter<&File>) -> io::Result<()> {
    let arrays = arrays(table);
    let mut writer = FileWriter::try_new(out, &schema(table, &arrays)).map_err(io::Error::other)?;
    for batch in batches(table, &arrays) {
        batch.and_then(|batch| writer.write(&batch)).map_err(io::Error::other)?;
    }
    writer.finish().map_err(io::Error::other)
}

/// Whole columns as arrays, categories with their dictionary.
fn arrays(table: &Table) -> Vec<ArrayRef> {
    let array = |(_, column): (&str, &Column)| -> ArrayRef {
        match column {
            Column::Numeric(values) => {
                Arc::new(values.iter().map(|&value| (!value.is_nan()).then_some(value)).collect::<Float64Array>())
            }
            Column::Categorical(values) => {
                let missing = values.missing();
                let keys: Int32Array = values
                    .codes()
                    .iter()
                    .map(|code| (code != missing).then(|| i32::try_from(code).unwrap_or(i32::MAX)))
                    .collect();
                let texts: StringArray = values.dictionary().iter().map(Some).collect();
                Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(texts)))
            }
        }
    };
    table.columns().map(array).collect()
}

fn schema(table: &Table, arrays: &[ArrayRef]) -> ArrowSchema {
    let fields =
        table.names().iter().zip(arrays).map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    ArrowSchema::new(fields.collect::<Vec<_>>())
}

#[cfg(any(feature = "parquet", feature = "ipc"))]
fn batches<'a>(
    table: &'a Table,
    arrays: &'a [ArrayRef],
) -> impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + 'a {
    let schema = Arc::new(schema(table, arrays));
    (0..table.rows()).step_by(ROWS_IN_BATCH).map(move |start| {
        let length = ROWS_IN_BATCH.min(table.rows() - start);
        RecordBatch::try_new(schema.clone(), arrays.iter().map(|array| array.slice(start, length)).collect())
    })
}
