//! From text to a typed file: numbers where no digit is lost by it, else text.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};

use super::records::{Record, Records, content};
use super::{CarriedFile, Carry, Feed, Out, Put, Values, unwritten};
use crate::data::Column;
use crate::data::write::Target;
use crate::data::write::arrow::{BatchWriter, array};
use crate::{Error, Result};

/// Rows in a batch.
const ROWS_IN_BATCH: usize = 1 << 14;

/// A double holds that many decimal digits, whichever they are.
const DIGITS: usize = 15;

/// The narrowest type that holds every field of a column, from narrow to wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Empty,
    Whole,
    Double,
    Text,
}

/// What the fields of a column have shown so far.
#[derive(Debug, Clone, Copy)]
struct Seen {
    kind: Kind,
    /// The most digits that count in one of its numbers.
    digits: usize,
}

/// A column of the output.
enum From<'a> {
    Field(usize, Kind),
    Fed(usize, DataType),
    Rows { fields: Vec<Option<String>>, rows: &'a [usize], kind: Kind },
}

/// Writes the records of text files as batches, with other columns beside them.
pub(super) fn carry(carry: &Carry, feed: &mut Feed<'_>, target: Target, out: &mut BufWriter<&File>) -> Result<()> {
    feed.begin(carry.path())?;
    let kinds = kinds(carry)?;
    let columns = carry.columns();
    let mut sources = Vec::with_capacity(columns.len());
    for (_, column) in &columns {
        sources.push(match column {
            Out::Carried(at) => From::Field(*at, kinds[*at]),
            Out::Put(Put { values: Values::Fed(at), .. }) => {
                From::Fed(*at, array(&feed.none_of(*at)).data_type().clone())
            }
            Out::Put(Put { values: Values::Rows { column, rows }, .. }) => {
                From::Rows { fields: fields_of(carry, *column)?, rows, kind: kinds[*column] }
            }
        });
    }
    let fields = columns.iter().zip(&sources).map(|((name, _), from)| Field::new(*name, from.data_type(), true));
    let schema = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
    let mut writer = BatchWriter::new(target, &schema, out).map_err(unwritten)?;
    let mut first = 0;
    for file in &carry.files {
        let (mut records, _) = file.rows()?;
        let mut more = true;
        while more {
            let batch = records_of(&mut records, &mut more)?;
            if batch.is_empty() {
                break;
            }
            let fed = feed.take(batch.len())?;
            let arrays = sources.iter().map(|from| from.array(file, &batch, &fed, first));
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let made = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| file.source.unreadable(error))?;
            writer.write(&made).map_err(unwritten)?;
            first += batch.len();
        }
    }
    carry.check_rows(first)?;
    feed.finish(first)?;
    writer.close().map_err(unwritten)
}

/// The next records, and whether there may be others.
fn records_of(records: &mut Records<'_>, more: &mut bool) -> Result<Vec<Record>> {
    let mut batch = Vec::with_capacity(ROWS_IN_BATCH);
    while batch.len() < ROWS_IN_BATCH {
        let mut record = Record::default();
        *more = records.next(&mut record)?;
        if !*more {
            break;
        }
        batch.push(record);
    }
    Ok(batch)
}

impl From<'_> {
    fn data_type(&self) -> DataType {
        match self {
            Self::Fed(_, found) => found.clone(),
            Self::Field(_, kind) | Self::Rows { kind, .. } => match kind {
                Kind::Whole => DataType::Int64,
                Kind::Double => DataType::Float64,
                Kind::Empty | Kind::Text => DataType::Utf8,
            },
        }
    }

    fn array(&self, file: &CarriedFile, batch: &[Record], fed: &[Column], first: usize) -> Result<ArrayRef> {
        match self {
            Self::Fed(at, _) => Ok(array(&fed[*at])),
            Self::Field(at, kind) => {
                let fields = batch.iter().map(|record| text(file, record.get(file.places[*at])));
                Ok(built(*kind, &fields.collect::<Result<Vec<_>>>()?))
            }
            Self::Rows { fields, rows, kind } => {
                let of = |row: &usize| fields.get(*row).cloned().flatten();
                let here = rows.get(first..first + batch.len()).ok_or(Error::Length {
                    what: "values in a column",
                    expected: first + batch.len(),
                    found: rows.len(),
                })?;
                Ok(built(*kind, &here.iter().map(of).collect::<Vec<_>>()))
            }
        }
    }
}

fn built(kind: Kind, fields: &[Option<String>]) -> ArrayRef {
    let number = |field: &Option<String>| field.as_ref().map(|text| text.trim().to_owned());
    match kind {
        Kind::Whole => Arc::new(fields.iter().map(|field| number(field)?.parse::<i64>().ok()).collect::<Int64Array>()),
        Kind::Double => {
            Arc::new(fields.iter().map(|field| number(field)?.parse::<f64>().ok()).collect::<Float64Array>())
        }
        Kind::Empty | Kind::Text => {
            let mut builder = StringBuilder::new();
            for field in fields {
                builder.append_option(field.as_deref());
            }
            Arc::new(builder.finish())
        }
    }
}

/// What a field says; nothing where it is empty.
fn text(file: &CarriedFile, field: &[u8]) -> Result<Option<String>> {
    let said = content(field);
    if said.is_empty() {
        return Ok(None);
    }
    match std::str::from_utf8(&said) {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => Err(file.source.unreadable("the text is not UTF-8; save the file as UTF-8")),
    }
}

/// All fields of one column.
fn fields_of(carry: &Carry, column: usize) -> Result<Vec<Option<String>>> {
    let (mut record, mut fields) = (Record::default(), Vec::new());
    for file in &carry.files {
        let (mut records, _) = file.rows()?;
        while records.next(&mut record)? {
            fields.push(text(file, record.get(file.places[column]))?);
        }
    }
    Ok(fields)
}

/// The type of every column that is carried.
fn kinds(carry: &Carry) -> Result<Vec<Kind>> {
    let mut seen = vec![Seen { kind: Kind::Empty, digits: 0 }; carry.names.len()];
    let mut record = Record::default();
    for file in &carry.files {
        let (mut records, _) = file.rows()?;
        while records.next(&mut record)? {
            for &at in &carry.kept {
                if seen[at].kind < Kind::Text {
                    seen[at].add(kind_of(&content(record.get(file.places[at]))));
                }
            }
        }
    }
    Ok(seen.into_iter().map(|seen| seen.kind).collect())
}

impl Seen {
    /// A column of whole numbers and of doubles is one of doubles, unless a whole number has more digits than these hold.
    fn add(&mut self, (kind, digits): (Kind, usize)) {
        self.digits = self.digits.max(digits);
        self.kind = self.kind.max(kind);
        if self.kind == Kind::Double && self.digits > DIGITS {
            self.kind = Kind::Text;
        }
    }
}

/// The narrowest type of a field, and how many digits count in it.
fn kind_of(field: &[u8]) -> (Kind, usize) {
    let field = field.trim_ascii();
    if field.is_empty() {
        return (Kind::Empty, 0);
    }
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    let (mantissa, exponent) = match digits.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let (before, after) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (&mantissa[..at], Some(&mantissa[at + 1..])),
        None => (mantissa, None),
    };
    let all_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    // A number with zeros before it is a code.
    let is_number = all_digits(before)
        && (before.len() == 1 || before[0] != b'0')
        && after.is_none_or(all_digits)
        && exponent.is_none_or(|part| all_digits(part.strip_prefix(b"-").or(part.strip_prefix(b"+")).unwrap_or(part)));
    let text = std::str::from_utf8(field).unwrap_or_default();
    let counted = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
    match text.parse::<f64>() {
        Ok(_)
            if is_number && after.is_none() && exponent.is_none() && text.parse::<i64>().is_ok() && field != b"-0" =>
        {
            (Kind::Whole, counted)
        }
        Ok(number) if is_number && counted <= DIGITS && (number.is_normal() || number.abs() <= 0.0) => {
            (Kind::Double, counted)
        }
        _ => (Kind::Text, counted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_widest_field() {
        let kind = |fields: &[&str]| {
            let mut seen = Seen { kind: Kind::Empty, digits: 0 };
            for field in fields {
                seen.add(kind_of(field.as_bytes()));
            }
            seen.kind
        };
        assert_eq!(kind(&["55", "", "55.5"]), Kind::Double);
        assert_eq!(kind(&["9007199254740993", "2"]), Kind::Whole);
        assert_eq!(kind(&["9007199254740993", "2.5"]), Kind::Text);
        assert_eq!(kind(&["1", "?"]), Kind::Text);
    }

    #[test]
    fn a_field_is_a_number_where_no_digit_is_lost() {
        for (field, kind) in [
            ("", Kind::Empty),
            (" 39", Kind::Whole),
            ("9007199254740993", Kind::Whole),
            ("-7", Kind::Whole),
            ("0", Kind::Whole),
            ("12345678901234567890", Kind::Text),
            ("30.0", Kind::Double),
            ("5.50e1", Kind::Double),
            ("0.1234567890123456789", Kind::Text),
            ("007", Kind::Text),
            ("-0", Kind::Double),
            ("+41", Kind::Text),
            ("1e400", Kind::Text),
            ("NA", Kind::Text),
            ("1.", Kind::Text),
        ] {
            assert_eq!(kind_of(field.as_bytes()).0, kind, "{field}");
        }
    }
}
