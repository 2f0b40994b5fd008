//! The batches of a typed file, arrays as they are.

use std::collections::BTreeMap;

use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::take::take;

use super::{CarriedFile, Carry, Values};
use crate::data::read::arrow::decode;
use crate::data::read::source::{Format, Source};
use crate::{Error, Result};

/// A typed file, opened: its columns, and its batches one by one.
pub(super) struct Batches<'a> {
    pub(super) schema: SchemaRef,
    source: &'a Source,
    next: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>,
}

impl<'a> Batches<'a> {
    pub(super) fn open(source: &'a Source) -> Result<Self> {
        let (schema, next): (_, Box<dyn Iterator<Item = _>>) = match source.format() {
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let reader = crate::data::read::arrow::parquet::open(source)?;
                let schema = reader.schema().clone();
                let batches = decode(|| reader.build()).map_err(|panic| source.unreadable(panic))?;
                (schema, Box::new(batches.map_err(|error| source.unreadable(error))?))
            }
            #[cfg(feature = "ipc")]
            Format::ArrowFile => {
                let reader = crate::data::read::arrow::ipc::open_file(source, None)?;
                (arrow_array::RecordBatchReader::schema(&reader), Box::new(reader))
            }
            #[cfg(feature = "ipc")]
            Format::ArrowStream => {
                let reader = crate::data::read::arrow::ipc::open_stream(source, None)?;
                (arrow_array::RecordBatchReader::schema(&reader), Box::new(reader))
            }
            #[cfg(not(all(feature = "parquet", feature = "ipc")))]
            format => return Err(source.not_built(if format == Format::Parquet { "parquet" } else { "ipc" })),
            #[cfg(all(feature = "parquet", feature = "ipc"))]
            Format::Text | Format::Gzip => return Err(source.unreadable("it is text")),
        };
        Ok(Self { schema, source, next })
    }

    /// The next batch, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let source = self.source;
        match decode(|| self.next.next().transpose()) {
            Ok(Ok(Some(batch))) if batch.num_columns() != self.schema.fields().len() => {
                let (found, expected) = (batch.num_columns(), self.schema.fields().len());
                Err(source.unreadable(format!("a batch has {found} columns where {expected} were expected")))
            }
            Ok(batch) => batch.map_err(|error| source.unreadable(error)),
            Err(panic) => Err(source.unreadable(panic)),
        }
    }
}

/// The names of the columns of a typed file.
pub(super) fn names(source: &Source) -> Result<Vec<String>> {
    Ok(Batches::open(source)?.schema.fields().iter().map(|field| field.name().clone()).collect())
}

/// The types of the columns of a typed file.
pub(super) fn types(source: &Source) -> Result<Vec<DataType>> {
    Ok(Batches::open(source)?.schema.fields().iter().map(|field| field.data_type().clone()).collect())
}

/// Values of the file that are to be put elsewhere: an array of them, and for each row of the output which.
pub(super) struct Palette {
    values: ArrayRef,
    places: Vec<u32>,
}

impl Palette {
    /// The values of some rows of the output.
    pub(super) fn slice(&self, start: usize, length: usize) -> Result<ArrayRef, ArrowError> {
        let places = self.places.get(start..start + length).unwrap_or_default();
        take(&self.values, &UInt32Array::from(places.to_vec()), None)
    }

    /// The values of one column of the file in the rows that are asked for.
    pub(super) fn of(carry: &Carry, column: usize, rows: &[usize]) -> Result<Self> {
        let numbered: BTreeMap<usize, u32> = {
            let distinct: std::collections::BTreeSet<usize> = rows.iter().copied().collect();
            distinct.into_iter().zip(0..).collect()
        };
        let (mut first, mut parts) = (0, Vec::new());
        for CarriedFile { source, places, .. } in &carry.files {
            let mut batches = Batches::open(source)?;
            while let Some(batch) = batches.next()? {
                let here = numbered.range(first..first + batch.num_rows()).map(|(row, _)| (row - first) as u32);
                let here = UInt32Array::from(here.collect::<Vec<_>>());
                if !here.is_empty() {
                    let taken = take(batch.column(places[column]), &here, None);
                    parts.push(taken.map_err(|error| source.unreadable(error))?);
                }
                first += batch.num_rows();
            }
        }
        if numbered.last_key_value().is_some_and(|(&last, _)| last >= first) || parts.is_empty() {
            return Err(Error::Length { what: "rows", expected: rows.len(), found: first });
        }
        let values = concat(&parts.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        let values = values.map_err(|error| carry.files[0].source.unreadable(error))?;
        Ok(Self { values, places: rows.iter().map(|row| numbered[row]).collect() })
    }

    /// By the place of what is put, the values it takes from the file.
    pub(super) fn all(carry: &Carry) -> Result<BTreeMap<String, Self>> {
        let mut all = BTreeMap::new();
        for put in &carry.put {
            if let Values::Rows { column, rows } = &put.values {
                all.insert(put.name.clone(), Self::of(carry, *column, rows)?);
            }
        }
        Ok(all)
    }
}

/// One column of all files in one piece.
pub(super) fn whole(carry: &Carry, column: usize) -> Result<ArrayRef> {
    let mut parts = Vec::new();
    for CarriedFile { source, places, .. } in &carry.files {
        let mut batches = Batches::open(source)?;
        while let Some(batch) = batches.next()? {
            parts.push(batch.column(places[column]).clone());
        }
    }
    let source = &carry.files[0].source;
    if parts.is_empty() {
        return Ok(arrow_array::new_empty_array(&types(source)?[column]));
    }
    let whole = concat(&parts.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>());
    whole.map_err(|error| source.unreadable(error))
}
