//! Text files: fields between delimiters, quoted where needed.
//!
//! The parser is Arrow's, asked for text only; what a text means is `values`' business.
//! A column that turns out not to hold numbers is read a second time.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::csv::reader::{BufReader as Batches, Format};
use arrow::datatypes::{DataType, Field, Schema as ArrowSchema};
use arrow::error::ArrowError;

use super::ReadOptions;
use super::batches::{Reading, collect_with, finish};
use super::column::ColumnBuilder;
use super::plan::{Kind, Plan};
use super::quotes::{QuoteWatch, UnclosedQuote};
use super::source::Source;
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
struct Text<'a> {
    source: &'a Source,
    delimiter: u8,
    header: bool,
    width: usize,
}

pub(super) fn read(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
    let reading = Reading {
        path: source.path().to_owned(),
        format: source.format().name(),
        first_row: if options.header { 2 } else { 1 },
        values: Values::new(&options.missing, true),
    };
    let head = head(source)?;
    let delimiter = delimiter(options.delimiter, &source.extension(), &head)?;
    let mut text = Text { source, delimiter, header: options.header, width: 0 };
    let names = text.names()?;
    if names.is_empty() {
        return Err(reading.no_rows());
    }
    let plan = Plan::new(names, options)?;
    text.width = plan.width();
    let mut builders: Vec<ColumnBuilder> =
        plan.kept().iter().map(|&at| builder(&plan, at, options.keep_text)).collect();
    text.collect(plan.kept(), &mut builders, &reading)?;
    read_again_as_categories(&text, &plan, &mut builders, &reading)?;
    Ok((finish(builders, &reading)?, plan.warnings))
}

fn builder(plan: &Plan, at: usize, keep_text: bool) -> ColumnBuilder {
    match plan.asked(at) {
        None if keep_text => ColumnBuilder::categorical(plan.name(at)),
        None => ColumnBuilder::guess(plan.name(at)),
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
    let wrong: Vec<usize> = (0..builders.len()).filter(|&at| builders[at].is_contradicted()).collect();
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

impl Text<'_> {
    fn watched(&self) -> Result<QuoteWatch<Box<dyn Read>>> {
        Ok(QuoteWatch::new(self.source.text()?, self.delimiter))
    }

    /// The names in the first line, or one empty name a field without a header.
    fn names(&self) -> Result<Vec<String>> {
        let format = Format::default().with_delimiter(self.delimiter).with_header(true);
        let (schema, _) = format.infer_schema(self.watched()?, Some(0)).map_err(|error| self.explain(error))?;
        let name = |field: &Arc<Field>| if self.header { field.name().trim().to_owned() } else { String::new() };
        Ok(schema.fields().iter().map(name).collect())
    }

    /// Feeds the given columns of every row to the builders.
    fn collect(&self, columns: &[usize], builders: &mut [ColumnBuilder], reading: &Reading) -> Result<()> {
        let fields: Vec<Field> = (0..self.width).map(|at| Field::new(at.to_string(), DataType::Utf8, true)).collect();
        let mut batches: Batches<_> = ReaderBuilder::new(Arc::new(ArrowSchema::new(fields)))
            .with_header(self.header)
            .with_delimiter(self.delimiter)
            .with_projection(columns.to_vec())
            .with_batch_size((FIELDS_IN_BATCH / self.width).clamp(64, 8192))
            .build_buffered(BufReader::with_capacity(BUFFER, self.watched()?))
            .map_err(|error| self.explain(error))?;
        collect_with(&mut batches, builders, reading, |error| self.explain(error))
    }

    /// What the parser's error means to the user. Arrow says in words alone where a row is ragged.
    fn explain(&self, error: ArrowError) -> Error {
        match error {
            ArrowError::IoError(_, io) => match io.get_ref().and_then(|inner| inner.downcast_ref::<UnclosedQuote>()) {
                Some(unclosed) => self.source.unreadable(&match self.line_at(unclosed.offset) {
                    Ok(line) => format!("line {line}: {unclosed}"),
                    Err(_) => unclosed.to_string(),
                }),
                None => self.source.failed(io),
            },
            ArrowError::CsvError(said) => {
                let numbers = numbers_in(&said);
                if said.contains("number of fields")
                    && let [row, expected, found] = numbers[..]
                {
                    // At the end of a batch Arrow stops counting: there is at least one field more.
                    let found = if said.contains("more than") { found.max(expected) + 1 } else { found };
                    return Error::RaggedRow { path: self.source.path().to_owned(), row, expected, found };
                }
                if said.contains("invalid UTF-8")
                    && let Some(row) = number_after(&said, "line ")
                {
                    return self
                        .source
                        .unreadable(&format!("row {row}: the text is not UTF-8; save the file as UTF-8"));
                }
                self.source.unreadable(&said)
            }
            other => self.source.unreadable(&other),
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

/// The first bytes of the text.
fn head(source: &Source) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    source.text()?.take(HEAD).read_to_end(&mut head).map_err(|error| source.failed(error))?;
    if head.contains(&0) {
        return Err(source.unreadable(
            &"it holds bytes that are zero: a binary file, or text in UTF-16; save it as UTF-8, Parquet or Arrow",
        ));
    }
    Ok(head)
}

fn delimiter(asked: Option<char>, extension: &str, head: &[u8]) -> Result<u8> {
    match asked {
        Some(char) if char.is_ascii() && !matches!(char, '"' | '\n' | '\r') => Ok(char as u8),
        Some(char) => Err(Error::Setting {
            setting: "delimiter",
            found: format!("{char:?}"),
            allowed: "one ASCII character that is no quote and no line end".into(),
        }),
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

fn numbers_in(text: &str) -> Vec<usize> {
    text.split(|char: char| !char.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

fn number_after(text: &str, mark: &str) -> Option<usize> {
    numbers_in(text.split_once(mark)?.1).first().copied()
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
