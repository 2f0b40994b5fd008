//! From a typed file to text: every value spelled so that none of it is lost.

use std::collections::BTreeMap;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTemporalType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;

use super::batches::{Batches, Palette};
use super::feed::SpelledFeed;
use super::{CarriedFile, Carry, Out, Put, Values, unwritten};
use crate::data::write::{Delimited, check_text, write_number};
use crate::{Error, Result};

/// Writes the rows of typed files as text, with other columns beside them.
pub(super) fn carry(carry: &Carry, mut feed: SpelledFeed<'_, '_>, to: Delimited, out: &mut impl Write) -> Result<()> {
    let palettes = Palette::all(carry)?;
    let columns = carry.columns();
    columns.iter().try_for_each(|(name, _)| check_text(name, name)).map_err(unwritten)?;
    let line: Vec<String> = columns.iter().map(|(name, _)| to.heading(name)).collect();
    writeln!(out, "{}", line.join(&to.delimiter.to_string())).map_err(unwritten)?;
    let mut rows = 0;
    for file in &carry.files {
        let mut batches = Batches::open(&file.source)?;
        while let Some(batch) = batches.next()? {
            let prepared = prepared(file, &columns, &palettes, &batch, rows)?;
            write_batch(&columns, &prepared, (batch.num_rows(), to), &mut feed, out)?;
            rows += batch.num_rows();
        }
    }
    carry.check_rows(rows)?;
    feed.finish(rows)
}

/// One column of a batch, ready to be spelled row by row.
enum Spelled {
    Fed(usize),
    Array(ArrayRef),
}

fn prepared(
    file: &CarriedFile,
    columns: &[(&str, Out<'_>)],
    palettes: &BTreeMap<String, Palette>,
    batch: &RecordBatch,
    first: usize,
) -> Result<Vec<Spelled>> {
    let unreadable = |error| file.source.unreadable(error);
    let mut prepared = Vec::with_capacity(columns.len());
    for &(name, column) in columns {
        let array = match column {
            Out::Carried(at) => batch.column(file.places[at]).clone(),
            Out::Put(Put { values: Values::Fed(at), .. }) => {
                prepared.push(Spelled::Fed(*at));
                continue;
            }
            Out::Put(_) => {
                let taken = palettes[name].slice(first, batch.num_rows()).map_err(unreadable)?;
                if taken.len() != batch.num_rows() {
                    let (expected, found) = (first + batch.num_rows(), first + taken.len());
                    return Err(Error::Length { what: "values in a column", expected, found });
                }
                taken
            }
        };
        let array = plain(array).map_err(unreadable)?;
        if !is_spelled(array.data_type()) {
            return Err(Error::ColumnType { column: name.to_owned(), found: array.data_type().to_string() });
        }
        prepared.push(Spelled::Array(array));
    }
    Ok(prepared)
}

fn write_batch(
    columns: &[(&str, Out<'_>)],
    prepared: &[Spelled],
    (rows, to): (usize, Delimited),
    feed: &mut SpelledFeed<'_, '_>,
    out: &mut impl Write,
) -> Result<()> {
    let mut line = Vec::new();
    for row in 0..rows {
        feed.advance()?;
        line.clear();
        for (at, column) in prepared.iter().enumerate() {
            if at > 0 {
                line.push(to.delimiter as u8);
            }
            let begins = line.len();
            match column {
                Spelled::Fed(at) => feed.spell(*at, &mut line)?,
                Spelled::Array(array) => spell(array, row, to, &mut line).map_err(unwritten)?,
            }
            if line[begins..].contains(&0) {
                check_text(columns[at].0, "\0").map_err(unwritten)?;
            }
        }
        if line.is_empty() {
            line.extend_from_slice(b"\"\"");
        }
        line.push(b'\n');
        out.write_all(&line).map_err(unwritten)?;
    }
    Ok(())
}

/// An array without a dictionary.
fn plain(array: ArrayRef) -> Result<ArrayRef, arrow_schema::ArrowError> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            take(dictionary.values(), dictionary.keys(), None)
        }
        _ => Ok(array),
    }
}

fn is_spelled(found: &DataType) -> bool {
    found.is_numeric()
        || matches!(
            found,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Boolean
                | DataType::Null
                | DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
                | DataType::Timestamp(..)
        )
}

/// The text of a value: nothing for null, and quotes around a text that is empty.
fn spell(array: &dyn Array, row: usize, to: Delimited, out: &mut Vec<u8>) -> std::io::Result<()> {
    if array.is_null(row) {
        return Ok(());
    }
    match array.data_type() {
        DataType::Utf8 => text(array.as_string::<i32>().value(row), to, out),
        DataType::LargeUtf8 => text(array.as_string::<i64>().value(row), to, out),
        DataType::Utf8View => text(array.as_string_view().value(row), to, out),
        DataType::Boolean => write!(out, "{}", array.as_boolean().value(row))?,
        DataType::Int8 => whole::<Int8Type>(array, row, out)?,
        DataType::Int16 => whole::<Int16Type>(array, row, out)?,
        DataType::Int32 => whole::<Int32Type>(array, row, out)?,
        DataType::Int64 => whole::<Int64Type>(array, row, out)?,
        DataType::UInt8 => whole::<UInt8Type>(array, row, out)?,
        DataType::UInt16 => whole::<UInt16Type>(array, row, out)?,
        DataType::UInt32 => whole::<UInt32Type>(array, row, out)?,
        DataType::UInt64 => whole::<UInt64Type>(array, row, out)?,
        DataType::Float16 => write!(out, "{}", array.as_primitive::<Float16Type>().value(row))?,
        DataType::Float32 => write!(out, "{}", array.as_primitive::<Float32Type>().value(row))?,
        DataType::Float64 => write_number(array.as_primitive::<Float64Type>().value(row), out)?,
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array, row, out)?,
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array, row, out)?,
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array, row, out)?,
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array, row, out)?,
        DataType::Date32 => date::<Date32Type>(array, row, out)?,
        DataType::Date64 => moment::<Date64Type>(array, row, "", out)?,
        DataType::Time32(TimeUnit::Second) => time::<Time32SecondType>(array, row, out)?,
        DataType::Time32(_) => time::<Time32MillisecondType>(array, row, out)?,
        DataType::Time64(TimeUnit::Microsecond) => time::<Time64MicrosecondType>(array, row, out)?,
        DataType::Time64(_) => time::<Time64NanosecondType>(array, row, out)?,
        DataType::Timestamp(unit, zone) => {
            // A moment of a zone is stored as that of Greenwich, and is spelled so.
            let zone = if zone.is_some() { "Z" } else { "" };
            match unit {
                TimeUnit::Second => moment::<TimestampSecondType>(array, row, zone, out)?,
                TimeUnit::Millisecond => moment::<TimestampMillisecondType>(array, row, zone, out)?,
                TimeUnit::Microsecond => moment::<TimestampMicrosecondType>(array, row, zone, out)?,
                TimeUnit::Nanosecond => moment::<TimestampNanosecondType>(array, row, zone, out)?,
            }
        }
        _ => {}
    }
    Ok(())
}

fn text(value: &str, to: Delimited, out: &mut Vec<u8>) {
    let field = if value.is_empty() { "\"\"".to_owned() } else { to.field(value) };
    out.extend_from_slice(field.as_bytes());
}

fn whole<T: ArrowPrimitiveType>(array: &dyn Array, row: usize, out: &mut Vec<u8>) -> std::io::Result<()>
where
    T::Native: std::fmt::Display,
{
    write!(out, "{}", array.as_primitive::<T>().value(row))
}

fn decimal<T: DecimalType + ArrowPrimitiveType>(
    array: &dyn Array,
    row: usize,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    write!(out, "{}", array.as_primitive::<T>().value_as_string(row))
}

/// What no calendar has is spelled as the number that is stored.
fn date<T: ArrowTemporalType>(array: &dyn Array, row: usize, out: &mut Vec<u8>) -> std::io::Result<()>
where
    i64: std::convert::From<T::Native>,
{
    let array = array.as_primitive::<T>();
    match array.value_as_date(row) {
        Some(date) => write!(out, "{date}"),
        None => write!(out, "{}", i64::from(array.value(row))),
    }
}

fn time<T: ArrowTemporalType>(array: &dyn Array, row: usize, out: &mut Vec<u8>) -> std::io::Result<()>
where
    i64: std::convert::From<T::Native>,
{
    let array = array.as_primitive::<T>();
    match array.value_as_time(row) {
        Some(time) => write!(out, "{time}"),
        None => write!(out, "{}", i64::from(array.value(row))),
    }
}

fn moment<T: ArrowTemporalType>(array: &dyn Array, row: usize, zone: &str, out: &mut Vec<u8>) -> std::io::Result<()>
where
    i64: std::convert::From<T::Native>,
{
    let array = array.as_primitive::<T>();
    match array.value_as_datetime(row) {
        // The debugging form is that of ISO 8601, with a T.
        Some(moment) => write!(out, "{moment:?}{zone}"),
        None => write!(out, "{}", i64::from(array.value(row))),
    }
}
