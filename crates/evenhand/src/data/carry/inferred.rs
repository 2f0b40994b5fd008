//! From text to a typed file: numbers where no digit is lost by it, else text.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};

use super::records::{Record, Records, content};
use super::{Carry, Out, Put, Values, unwritten};
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
    Put(ArrayRef),
    Rows { fields: Vec<Option<String>>, rows: &'a [usize], kind: Kind },
}

/// Writes the records of a text file as batches, with other columns beside them.
pub(super) fn carry(
    carry: &Carry,
    delimiter: u8,
    header: bool,
    target: Target,
    out: &mut BufWriter<&File>,
) -> Result<()> {
    let kinds = kinds(carry, delimiter, header)?;
    let columns = carry.columns();
    let mut sources = Vec::with_capacity(columns.len());
    for (_, column) in &columns {
        sources.push(match column {
            Out::Carried(at) => From::Field(*at, kinds[*at]),
            Out::Put(Put { values: Values::Column(column), .. }) => From::Put(array(column)),
            Out::Put(Put { values: Values::Rows { column, rows }, .. }) => {
                let fields = fields_of(carry, *column, delimiter, header)?;
                From::Rows { fields, rows, kind: kinds[*column] }
            }
        });
    }
    let fields = columns.iter().zip(&sources).map(|((name, _), from)| Field::new(*name, from.data_type(), true));
    let schema = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
    let mut writer = BatchWriter::new(target, &schema, out).map_err(unwritten)?;
    let mut records = rows_of(carry, delimiter, header)?;
    let (mut first, mut batch) = (0, Vec::with_capacity(ROWS_IN_BATCH));
    loop {
        let mut record = Record::default();
        let more = records.next(&mut record)?;
        if more {
            batch.push(record);
        }
        if batch.len() == ROWS_IN_BATCH || !more && !batch.is_empty() {
            carry.check_room(first + batch.len())?;
            let arrays = sources.iter().map(|from| from.array(carry, &batch, first)).collect::<Result<Vec<_>>>()?;
            let made = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| carry.source.unreadable(error))?;
            writer.write(&made).map_err(unwritten)?;
            first += batch.len();
            batch.clear();
        }
        if !more {
            break;
        }
    }
    carry.check_rows(first)?;
    writer.close().map_err(unwritten)
}

impl From<'_> {
    fn data_type(&self) -> DataType {
        match self {
            Self::Put(array) => array.data_type().clone(),
            Self::Field(_, kind) | Self::Rows { kind, .. } => match kind {
                Kind::Whole => DataType::Int64,
                Kind::Double => DataType::Float64,
                Kind::Empty | Kind::Text => DataType::Utf8,
            },
        }
    }

    fn array(&self, carry: &Carry, batch: &[Record], first: usize) -> Result<ArrayRef> {
        match self {
            Self::Put(array) => Ok(array.slice(first, batch.len())),
            Self::Field(at, kind) => {
                let fields = batch.iter().map(|record| text(carry, record.get(*at)));
                Ok(built(*kind, &fields.collect::<Result<Vec<_>>>()?))
            }
            Self::Rows { fields, rows, kind } => {
                let of = |row: &usize| fields.get(*row).cloned().flatten();
                Ok(built(*kind, &rows[first..first + batch.len()].iter().map(of).collect::<Vec<_>>()))
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

/// The records after the header.
fn rows_of(carry: &Carry, delimiter: u8, header: bool) -> Result<Records<'_>> {
    let mut records = Records::new(&carry.source, delimiter)?;
    if header {
        records.next(&mut Record::default())?;
    }
    Ok(records)
}

/// What a field says; nothing where it is empty.
fn text(carry: &Carry, field: &[u8]) -> Result<Option<String>> {
    let said = content(field);
    if said.is_empty() {
        return Ok(None);
    }
    match std::str::from_utf8(&said) {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => Err(carry.source.unreadable("the text is not UTF-8; save the file as UTF-8")),
    }
}

/// All fields of one column.
fn fields_of(carry: &Carry, column: usize, delimiter: u8, header: bool) -> Result<Vec<Option<String>>> {
    let mut records = rows_of(carry, delimiter, header)?;
    let (mut record, mut fields) = (Record::default(), Vec::new());
    while records.next(&mut record)? {
        fields.push(text(carry, record.get(column))?);
    }
    Ok(fields)
}

/// The type of every column.
fn kinds(carry: &Carry, delimiter: u8, header: bool) -> Result<Vec<Kind>> {
    let mut seen = vec![Seen { kind: Kind::Empty, digits: 0 }; carry.names.len()];
    let mut records = rows_of(carry, delimiter, header)?;
    let mut record = Record::default();
    while records.next(&mut record)? {
        if record.len() != seen.len() {
            return Err(Error::Length { what: "fields", expected: seen.len(), found: record.len() });
        }
        for (at, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| seen.kind < Kind::Text) {
            seen.add(kind_of(&content(record.get(at))));
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
