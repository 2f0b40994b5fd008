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
use arrow_schema::{ArrowError, SchemaRef};
use arrow_schema::{Field, Schema as ArrowSchema};
#[cfg(feature = "parquet")]
use parquet::arrow::ArrowWriter;
#[cfg(feature = "parquet")]
use parquet::basic::Compression;
#[cfg(feature = "parquet")]
use parquet::file::properties::WriterProperties;

#[cfg(any(feature = "parquet", feature = "ipc"))]
use super::Target;
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

/// A typed file that takes batches.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub(in crate::data) enum BatchWriter<'a, 'b> {
    #[cfg(feature = "parquet")]
    Parquet(Box<ArrowWriter<&'a mut BufWriter<&'b File>>>),
    #[cfg(feature = "ipc")]
    Ipc(Box<FileWriter<&'a mut BufWriter<&'b File>>>),
}

#[cfg(any(feature = "parquet", feature = "ipc"))]
impl<'a, 'b> BatchWriter<'a, 'b> {
    /// A file of that format.
    pub(in crate::data) fn new(
        target: Target,
        schema: &SchemaRef,
        out: &'a mut BufWriter<&'b File>,
    ) -> io::Result<Self> {
        match target {
            #[cfg(feature = "parquet")]
            Target::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                Ok(Self::Parquet(Box::new(ArrowWriter::try_new(out, schema.clone(), Some(properties))?)))
            }
            #[cfg(feature = "ipc")]
            Target::Ipc => Ok(Self::Ipc(Box::new(FileWriter::try_new(out, schema).map_err(io::Error::other)?))),
            Target::Text(_) => Err(io::Error::other("text takes no batches")),
        }
    }

    pub(in crate::data) fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => Ok(writer.write(batch)?),
            #[cfg(feature = "ipc")]
            Self::Ipc(writer) => writer.write(batch).map_err(io::Error::other),
        }
    }

    pub(in crate::data) fn close(self) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.close().map(|_| ()).map_err(io::Error::other),
            #[cfg(feature = "ipc")]
            Self::Ipc(mut writer) => writer.finish().map_err(io::Error::other),
        }
    }
}

#[cfg(any(feature = "parquet", feature = "ipc"))]
pub(super) fn write(table: &Table, target: Target, out: &mut BufWriter<&File>) -> io::Result<()> {
    let arrays = arrays(table);
    let schema = Arc::new(schema(table, &arrays));
    let mut writer = BatchWriter::new(target, &schema, out)?;
    for batch in batches(table, &schema, &arrays) {
        writer.write(&batch.map_err(io::Error::other)?)?;
    }
    writer.close()
}

/// Whole columns as arrays.
fn arrays(table: &Table) -> Vec<ArrayRef> {
    table.columns().map(|(_, column)| array(column)).collect()
}

/// A whole column as an array, categories with their dictionary.
pub(in crate::data) fn array(column: &Column) -> ArrayRef {
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
}

fn schema(table: &Table, arrays: &[ArrayRef]) -> ArrowSchema {
    let fields =
        table.names().iter().zip(arrays).map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    ArrowSchema::new(fields.collect::<Vec<_>>())
}

#[cfg(any(feature = "parquet", feature = "ipc"))]
fn batches<'a>(
    table: &'a Table,
    schema: &'a SchemaRef,
    arrays: &'a [ArrayRef],
) -> impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + 'a {
    (0..table.rows()).step_by(ROWS_IN_BATCH).map(move |start| {
        let length = ROWS_IN_BATCH.min(table.rows() - start);
        RecordBatch::try_new(schema.clone(), arrays.iter().map(|array| array.slice(start, length)).collect())
    })
}
