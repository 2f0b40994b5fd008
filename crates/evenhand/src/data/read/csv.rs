//! Text files: fields between delimiters, quoted where needed.
//!
//! The parser is the `csv` crate's; what a text means is `values`' business. A column that turns out not to hold
//! numbers is read a second time.

use std::io::{BufReader, Read};

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::ReadOptions;
use super::batches::{Reading, collect, finish};
use super::column::ColumnBuilder;
use super::plan::{Kind, Plan};
use super::quotes::{UnclosedQuote, UnclosedQuoteCheck};
use super::source::Source;
use super::stray::stray_texts;
use super::texts::Texts;
use super::values::Values;
use crate::data::Table;
use crate::{Error, Result, Warning};

/// Bytes looked at to find the delimiter, and to tell a text from something else.
const HEAD: u64 = 1 << 16;

/// Bytes handed to the parser at a time.
const BUFFER: usize = 1 << 18;

/// Fields in a batch, however many columns share them.
const FIELDS_IN_BATCH: usize = 1 << 17;

/// What may separate fields when nobody says: on a tie the earlier one does.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A text file whose layout is known.
pub(in crate::data) struct Text<'a> {
    source: &'a Source,
    delimiter: u8,
    header: bool,
}

/// Some rows of some columns, row by row.
pub(super) struct Fields {
    columns: usize,
    bytes: Vec<u8>,
    /// Where each field ends in `bytes`, and the next begins.
    ends: Vec<usize>,
}

/// One of these columns.
pub(super) struct FieldsOf<'a> {
    fields: &'a Fields,
    column: usize,
}

pub(super) fn read(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    let reading = reading_of(source, options);
    let text = Text::open(source, options)?;
    let names = text.names()?;
    if names.is_empty() {
        return Err(reading.no_rows());
    }
    let mut plan = Plan::new(names, options)?;
    let mut builders: Vec<ColumnBuilder> =
        plan.kept().iter().map(|&at| builder(&plan, at, options.keep_text)).collect();
    text.collect(plan.kept(), &mut builders, &reading)?;
    read_again_as_categories(&text, &plan, &mut builders, &reading)?;
    let table = finish(builders, &reading)?;
    if !options.keep_text {
        let inferred = plan.kept().iter().filter(|&&at| plan.asked(at).is_none()).map(|&at| plan.name(at));
        let stray: Vec<Warning> = inferred.filter_map(|name| stray_texts(&table, name, &reading.values)).collect();
        plan.warnings.extend(stray);
    }
    Ok((table, plan.warnings))
}

/// What builders need to know of a text file.
pub(super) fn reading_of(source: &Source, options: &ReadOptions) -> Reading {
    Reading {
        path: source.path().to_owned(),
        format: source.format().name(),
        first_row: if options.header { 2 } else { 1 },
        values: Values::new(&options.missing, options.trim.unwrap_or(true)),
    }
}

pub(super) fn builder(plan: &Plan, at: usize, keep_text: bool) -> ColumnBuilder {
    match plan.asked(at) {
        None if keep_text => ColumnBuilder::categorical(plan.name(at)),
        None => ColumnBuilder::inferred(plan.name(at)),
        Some(Kind::Numeric) => ColumnBuilder::numeric(plan.name(at)),
        Some(Kind::Categorical) => ColumnBuilder::categorical(plan.name(at)),
    }
}

fn read_again_as_categories(
    text: &Text<'_>,
    plan: &Plan,
    builders: &mut [ColumnBuilder],
    reading: &Reading,
) -> Result<()> {
    let wrong: Vec<usize> = (0..builders.len()).filter(|&at| builders[at].is_not_numeric()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let mut again: Vec<ColumnBuilder> =
        wrong.iter().map(|&at| ColumnBuilder::categorical(builders[at].name())).collect();
    let columns: Vec<usize> = wrong.iter().map(|&at| plan.kept()[at]).collect();
    text.collect(&columns, &mut again, reading)?;
    for (at, builder) in wrong.into_iter().zip(again) {
        builders[at] = builder;
    }
    Ok(())
}

impl<'a> Text<'a> {
    /// A text file, its delimiter found where none is given.
    pub(in crate::data) fn open(source: &'a Source, options: &ReadOptions) -> Result<Self> {
        let delimiter = delimiter(options.delimiter, &source.extension(), &head(source)?)?;
        Ok(Self { source, delimiter, header: options.header })
    }

    /// What separates its fields.
    pub(in crate::data) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Its records from the start, a header being one of them.
    fn records(&self) -> Result<Reader<impl Read>> {
        let checked = UnclosedQuoteCheck::new(self.source.text()?, self.delimiter);
        let buffered = BufReader::with_capacity(BUFFER, checked);
        Ok(ReaderBuilder::new().delimiter(self.delimiter).has_headers(false).from_reader(buffered))
    }

    /// The names in the first line, or one empty name a field without a header.
    pub(in crate::data) fn names(&self) -> Result<Vec<String>> {
        let mut first = ByteRecord::new();
        self.records()?.read_byte_record(&mut first).map_err(|error| self.explain(error))?;
        let name = |field: &[u8]| match std::str::from_utf8(field) {
            _ if !self.header => Ok(String::new()),
            Ok(name) => Ok(name.trim().to_owned()),
            Err(_) => Err(self.source.unreadable("row 1: the text is not UTF-8; save the file as UTF-8")),
        };
        first.iter().map(name).collect()
    }

    /// Feeds the given columns of every row to the builders.
    fn collect(&self, columns: &[usize], builders: &mut [ColumnBuilder], reading: &Reading) -> Result<()> {
        let push = |builder: &mut ColumnBuilder, column: usize, fields: &Fields| {
            builder.push_texts(&fields.of(column), reading)
        };
        collect(self.batches(columns)?, builders, push)
    }

    /// Hands over the given columns of every row, some rows at a time.
    pub(super) fn each_batch(&self, columns: &[usize], each: &mut dyn FnMut(&Fields) -> Result<()>) -> Result<()> {
        let mut next = self.batches(columns)?;
        while let Some(fields) = next()? {
            each(&fields)?;
        }
        Ok(())
    }

    /// What gives the next rows of the given columns.
    fn batches<'b>(&'b self, columns: &'b [usize]) -> Result<impl FnMut() -> Result<Option<Fields>> + use<'a, 'b>> {
        let mut records = self.records()?;
        let mut record = ByteRecord::new();
        if self.header {
            records.read_byte_record(&mut record).map_err(|error| self.explain(error))?;
        }
        let rows = (FIELDS_IN_BATCH / columns.len().max(1)).clamp(64, 8192);
        Ok(move || {
            let mut fields = Fields { columns: columns.len(), bytes: Vec::new(), ends: Vec::new() };
            for _ in 0..rows {
                if !records.read_byte_record(&mut record).map_err(|error| self.explain(error))? {
                    break;
                }
                fields.push(&record, columns);
            }
            Ok((!fields.ends.is_empty()).then_some(fields))
        })
    }

    /// What the parser's error means to the user.
    fn explain(&self, error: csv::Error) -> Error {
        match error.into_kind() {
            ErrorKind::Io(io) => match io.get_ref().and_then(|inner| inner.downcast_ref::<UnclosedQuote>()) {
                Some(unclosed) => self.source.unreadable(match self.line_at(unclosed.offset) {
                    Ok(line) => format!("line {line}: {unclosed}"),
                    Err(_) => unclosed.to_string(),
                }),
                None => self.source.failed(io),
            },
            ErrorKind::UnequalLengths { pos, expected_len, len } => Error::RaggedRow {
                path: self.source.path().to_owned(),
                // Records are counted from 0; a header is the first of them, as it is the first row to a user.
                row: pos.map_or(0, |position| position.record() as usize) + 1,
                expected: expected_len as usize,
                found: len as usize,
            },
            other => self.source.unreadable(format!("{other:?}")),
        }
    }

    /// The line, counted from 1, in which that byte of the text lies.
    fn line_at(&self, offset: u64) -> Result<usize> {
        let mut before = self.source.text()?.take(offset);
        let mut buffer = vec![0; BUFFER];
        let mut line = 1;
        loop {
            match before.read(&mut buffer).map_err(|error| self.source.failed(error))? {
                0 => return Ok(line),
                count => line += buffer[..count].split(|&byte| byte == b'\n').count() - 1,
            }
        }
    }
}

impl Fields {
    /// One of the columns.
    pub(super) fn of(&self, column: usize) -> FieldsOf<'_> {
        FieldsOf { fields: self, column }
    }

    /// How many rows.
    pub(super) fn rows(&self) -> usize {
        self.ends.len() / self.columns.max(1)
    }

    fn push(&mut self, record: &ByteRecord, columns: &[usize]) {
        for &column in columns {
            self.bytes.extend_from_slice(&record[column]);
            self.ends.push(self.bytes.len());
        }
    }
}

impl Texts for FieldsOf<'_> {
    fn len(&self) -> usize {
        self.fields.rows()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        let at = row * self.fields.columns + self.column;
        let start = if at == 0 { 0 } else { self.fields.ends[at - 1] };
        Some(&self.fields.bytes[start..self.fields.ends[at]])
    }
}

/// The first bytes of the text.
fn head(source: &Source) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    source.text()?.take(HEAD).read_to_end(&mut head).map_err(|error| source.failed(error))?;
    if head.contains(&0) {
        return Err(source.unreadable(
            "it holds bytes that are zero: a binary file, or text in UTF-16; save it as UTF-8, Parquet or Arrow",
        ));
    }
    Ok(head)
}

fn delimiter(asked: Option<char>, extension: &str, head: &[u8]) -> Result<u8> {
    match asked {
        Some(char) if char.is_ascii() && !matches!(char, '"' | '\n' | '\r') => Ok(char as u8),
        Some(char) => Err(Error::setting(
            "delimiter",
            format!("{char:?}"),
            "one ASCII character that is no quote and no line end",
        )),
        None if extension == "tsv" => Ok(b'\t'),
        None => Ok(sniff(head)),
    }
}

/// The candidate that the first line has most of, outside quotes.
fn sniff(head: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    let mut begun = false;
    for &byte in head {
        match byte {
            b'"' => quoted = !quoted,
            // Empty lines before the header are skipped, as the parser does.
            b'\n' | b'\r' if !quoted && begun => break,
            _ if quoted => {}
            _ => {
                if let Some(at) = DELIMITERS.iter().position(|&delimiter| delimiter == byte) {
                    counts[at] += 1;
                }
            }
        }
        begun |= !matches!(byte, b'\n' | b'\r');
    }
    let most = (0..counts.len()).rev().max_by_key(|&at| counts[at]).unwrap_or(0);
    DELIMITERS[most]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_commonest_outside_quotes() {
        assert_eq!(sniff(b"a,b;c,d\n;;;;;"), b',');
        assert_eq!(sniff(b"\"a,b,c\";d\n"), b';');
        assert_eq!(sniff(b"\n\r\na\tb\tc|d"), b'\t');
        assert_eq!(sniff(b"a|b"), b'|');
        assert_eq!(sniff(b"alone\n"), b',');
        assert_eq!(sniff(b"a;b,c"), b',');
    }

    #[test]
    fn the_name_of_the_file_and_the_user_go_before_the_content() {
        assert_eq!(delimiter(None, "tsv", b"a,b,c").unwrap(), b'\t');
        assert_eq!(delimiter(Some(':'), "tsv", b"a,b,c").unwrap(), b':');
        assert_eq!(delimiter(Some('§'), "csv", b"").unwrap_err().code(), "setting-invalid");
        assert_eq!(delimiter(Some('"'), "csv", b"").unwrap_err().code(), "setting-invalid");
    }
}
