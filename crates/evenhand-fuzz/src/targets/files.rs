//! Files with types of their own: made of random batches, damaged, read, written and read again.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use evenhand::{ReadOptions, Table};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::{Checked, choice, holds};
use crate::ground::Ground;
use crate::mutate::mutate;

pub(super) fn make_parquet(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    make(ground, "parquet", from, parquet)
}

pub(super) fn make_arrow(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    make(ground, "arrow", from, arrow)
}

/// A kept file or a new one, mostly damaged.
fn make(
    ground: &Ground,
    target: &str,
    from: &mut Unstructured<'_>,
    fresh: fn(&mut Unstructured<'_>) -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut bytes = match ground.kept(target, from)? {
        Some(kept) => kept,
        None => fresh(from)?,
    };
    if from.ratio(7, 8)? {
        mutate(&mut bytes, from)?;
    }
    Ok(bytes)
}

fn parquet(from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let batch = batch(from)?;
    let codec = match from.int_in_range(0..=4)? {
        0 => Compression::SNAPPY,
        1 => Compression::ZSTD(ZstdLevel::default()),
        2 => Compression::LZ4_RAW,
        3 => Compression::GZIP(parquet::basic::GzipLevel::default()),
        _ => Compression::UNCOMPRESSED,
    };
    let properties = WriterProperties::builder().set_compression(codec).set_dictionary_enabled(from.arbitrary()?);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).map_err(wrong)?;
    writer.write(&batch).map_err(wrong)?;
    writer.close().map_err(wrong)?;
    Ok(bytes)
}

fn arrow(from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let batch = batch(from)?;
    let codec = *from.choose(&[None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)])?;
    let options = IpcWriteOptions::default().try_with_compression(codec).map_err(wrong)?;
    let mut bytes = Vec::new();
    if from.arbitrary()? {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).map_err(wrong)?;
        writer.write(&batch).and_then(|()| writer.finish()).map_err(wrong)?;
    } else {
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).map_err(wrong)?;
        writer.write(&batch).and_then(|()| writer.finish()).map_err(wrong)?;
    }
    Ok(bytes)
}

fn wrong<E>(_: E) -> arbitrary::Error {
    arbitrary::Error::IncorrectFormat
}

fn batch(from: &mut Unstructured<'_>) -> Result<RecordBatch> {
    let (columns, rows) = (from.int_in_range(1..=4)?, *from.choose(&[0, 1, 3, 40, 300])?);
    let arrays = (0..columns).map(|at| Ok((format!("c{at}"), array(rows, from)?, true))).collect::<Result<Vec<_>>>()?;
    RecordBatch::try_from_iter_with_nullable(arrays).map_err(wrong)
}

fn array(rows: usize, from: &mut Unstructured<'_>) -> Result<ArrayRef> {
    let kind = from.int_in_range(0..=11)?;
    let whole = |from: &mut Unstructured<'_>| -> Result<Vec<Option<i64>>> {
        let (few, start): (bool, i64) = (from.arbitrary()?, from.arbitrary()?);
        let value = |row: i64| start.wrapping_add(if few { row % 3 } else { row * 7919 });
        let every = from.int_in_range(2..=9)?;
        Ok((0..i64::try_from(rows).unwrap_or(0)).map(|row| (row % every != 1).then(|| value(row))).collect())
    };
    let numbers = whole(from)?;
    let texts: Vec<Option<String>> = numbers.iter().map(|one| one.map(|one| format!("t{}", one % 97))).collect();
    let floats =
        |one: &Option<i64>| one.map(|one| f64::from_bits(one.cast_unsigned())).filter(|one| !one.is_infinite());
    Ok(match kind {
        0 => Arc::new(Int64Array::from(numbers)),
        1 => Arc::new(numbers.iter().map(floats).collect::<Float64Array>()),
        2 => Arc::new(numbers.iter().map(|one| one.map(|one| one as f32 / 3.0)).collect::<Float32Array>()),
        3 => Arc::new(numbers.iter().map(|one| one.map(i64::cast_unsigned)).collect::<UInt64Array>()),
        4 => Arc::new(numbers.iter().map(|one| one.map(|one| one % 2 == 0)).collect::<BooleanArray>()),
        5 => Arc::new(texts.into_iter().collect::<StringArray>()),
        6 => Arc::new(texts.into_iter().collect::<LargeStringArray>()),
        7 => Arc::new(texts.into_iter().collect::<StringViewArray>()),
        8 => Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int8Type>>()),
        9 => {
            let decimals =
                numbers.iter().map(|one| one.map(|one| i128::from(one) % 1_000_000)).collect::<Decimal128Array>();
            Arc::new(decimals.with_precision_and_scale(9, 2).map_err(wrong)?)
        }
        10 => Arc::new(NullArray::new(rows)),
        _ => Arc::new(numbers.iter().map(|one| one.map(|one| one as i32)).collect::<Date32Array>()),
    })
}

pub(super) fn check_parquet(ground: &Ground, input: &[u8]) -> Checked {
    check(ground, "input.parquet", input)
}

pub(super) fn check_arrow(ground: &Ground, input: &[u8]) -> Checked {
    check(ground, "input.arrow", input)
}

fn check(ground: &Ground, name: &str, input: &[u8]) -> Checked {
    let path = ground.write(name, input)?;
    let Ok((table, _)) = Table::read(&path, &ReadOptions::default()) else { return Ok(false) };
    if choice(input, 8) == 0 {
        holds::comes_out_as_it_went_in(ground, &table, choice(input, 3))?;
    }
    Ok(true)
}
