//! From text to text: fields to the letter.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use super::feed::SpelledFeed;
use super::records::{Record, is_quoted};
use super::{Carry, Out, Put, Values, unwritten};
use crate::Result;
use crate::data::write::Delimited;

/// Writes the records of text files with other columns beside them.
pub(super) fn carry(carry: &Carry, mut feed: SpelledFeed<'_, '_>, to: Delimited, out: &mut impl Write) -> Result<()> {
    let columns = carry.columns();
    let palettes = palettes(carry)?;
    let fields: Vec<Field<'_>> = columns.iter().map(|(_, column)| Field::of(*column, &palettes)).collect();
    let (mut record, mut line, mut rows) = (Record::default(), Vec::new(), 0);
    for (number, file) in carry.files.iter().enumerate() {
        let (mut records, from) = file.records()?;
        let header = file.has_header() && records.next(&mut record)?;
        if number == 0 {
            for (at, (name, column)) in columns.iter().enumerate() {
                push(&mut line, at, to, &heading(name, *column, header.then_some(&record), from, to));
            }
            line.push(b'\n');
            out.write_all(&line).map_err(unwritten)?;
        }
        while records.next(&mut record)? {
            feed.advance()?;
            line.clear();
            for (at, field) in fields.iter().enumerate() {
                separate(&mut line, at, to);
                match field {
                    Field::Carried(at) => {
                        line.extend_from_slice(&requoted(record.get(file.places[*at]), from, to));
                    }
                    Field::Fed(at) => feed.spell(*at, &mut line)?,
                    Field::Rows(places, palette) => {
                        let field = places.get(rows).and_then(|row| palette.get(row));
                        line.extend_from_slice(&requoted(field.map(Vec::as_slice).unwrap_or_default(), from, to));
                    }
                }
            }
            if line.is_empty() {
                // A row of one empty field would be an empty line, which readers skip.
                line.extend_from_slice(b"\"\"");
            }
            line.push(b'\n');
            out.write_all(&line).map_err(unwritten)?;
            rows += 1;
        }
    }
    carry.check_rows(rows)?;
    feed.finish(rows)
}

/// A column's heading: as the file spells it, or quoted so that no reader takes a part of it for the delimiter.
fn heading<'a>(name: &str, column: Out<'_>, header: Option<&'a Record>, from: u8, to: Delimited) -> Cow<'a, [u8]> {
    let place = match column {
        Out::Carried(at) => Some(at),
        Out::Put(_) => None,
    };
    match place.zip(header) {
        Some((at, header)) => requoted(header.get(at), from, to),
        None => Cow::Owned(to.heading(name).into_bytes()),
    }
}

/// By column and row, the fields that are to be put elsewhere.
type Palettes = BTreeMap<usize, BTreeMap<usize, Vec<u8>>>;

/// One column of the output.
enum Field<'a> {
    Carried(usize),
    Fed(usize),
    /// Values of the file, by the row they are taken from.
    Rows(&'a [usize], &'a BTreeMap<usize, Vec<u8>>),
}

impl<'a> Field<'a> {
    fn of(column: Out<'a>, palettes: &'a Palettes) -> Self {
        match column {
            Out::Carried(at) => Self::Carried(at),
            Out::Put(Put { values: Values::Fed(at), .. }) => Self::Fed(*at),
            Out::Put(Put { values: Values::Rows { column, rows }, .. }) => Self::Rows(rows, &palettes[column]),
        }
    }
}

fn palettes(carry: &Carry) -> Result<Palettes> {
    let mut wanted = Palettes::new();
    for put in &carry.put {
        if let Values::Rows { column, rows } = &put.values {
            wanted.entry(*column).or_default().extend(rows.iter().map(|&row| (row, Vec::new())));
        }
    }
    if wanted.is_empty() {
        return Ok(wanted);
    }
    let (mut record, mut row) = (Record::default(), 0);
    for file in &carry.files {
        let (mut records, _) = file.rows()?;
        while records.next(&mut record)? {
            for (&column, fields) in &mut wanted {
                if let Some(field) = fields.get_mut(&row) {
                    *field = record.get(file.places[column]).to_vec();
                }
            }
            row += 1;
        }
    }
    Ok(wanted)
}

/// A field as it is spelled; between other delimiters quoted, where it would read otherwise, and with an apostrophe where a
/// spreadsheet is not to take it for a formula.
fn requoted(field: &[u8], from: u8, to: Delimited) -> Cow<'_, [u8]> {
    if to.options.safe_csv
        && let Ok(said) = std::str::from_utf8(&super::records::content(field))
        && to.options.text(said) != said
    {
        return Cow::Owned(to.field(said).into_bytes());
    }
    let to = to.delimiter as u8;
    if from == to || is_quoted(field) || !(field.contains(&to) || field.starts_with(b"\"")) {
        return Cow::Borrowed(field);
    }
    let said = super::records::content(field);
    let mut quoted = vec![b'"'];
    for &byte in said.iter() {
        if byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    Cow::Owned(quoted)
}

fn push(line: &mut Vec<u8>, at: usize, to: Delimited, field: &[u8]) {
    separate(line, at, to);
    line.extend_from_slice(field);
}

fn separate(line: &mut Vec<u8>, at: usize, to: Delimited) {
    if at > 0 {
        line.push(to.delimiter as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::WriteOptions;

    #[test]
    fn fields_between_other_delimiters_say_the_same() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b" a ", b" a "),
            (b"1,5", b"\"1,5\""),
            (b"\"1,5\"", b"\"1,5\""),
            (b"\"x\"y,", b"\"xy,\""),
            (b"say \"a,b\"", b"\"say \"\"a,b\"\"\""),
        ];
        for (field, expected) in cases {
            let to = Delimited { delimiter: ',', options: WriteOptions::default() };
            assert_eq!(requoted(field, b';', to), expected);
            assert_eq!(&*requoted(field, b',', to), field);
        }
        let safe = Delimited { delimiter: ',', options: WriteOptions { safe_csv: true } };
        assert_eq!(&*requoted(b"\"=1,2\"", b',', safe), b"\"'=1,2\"");
        assert_eq!(&*requoted(b"-5", b',', safe), b"-5");
    }
}
