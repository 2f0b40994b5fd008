//! The records of a text file as they are spelled.
//!
//! Holds [`Records`] and [`Record`]: bytes cut at delimiters and line ends where the parser of `read/csv` cuts them, with quotes and
//! blanks left in. What a field says is [`content`].

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use crate::data::read::source::Source;
use crate::{Error, Result};

/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// One record: its bytes, and where each field ends in them.
#[derive(Debug, Default)]
pub(super) struct Record {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Record {
    /// How many fields.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field as it is spelled.
    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

/// Where the bytes of a record have led.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    StartRecord,
    StartField,
    Plain,
    Quoted,
    /// After a quote inside quotes: a second one stands for itself, anything else is outside.
    Closing,
}

/// The records of a text file, one after another.
pub(super) struct Records<'a> {
    source: &'a Source,
    input: BufReader<Box<dyn Read>>,
    delimiter: u8,
    columns: Option<usize>,
    read: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(source: &'a Source, delimiter: u8) -> Result<Self> {
        let input = BufReader::with_capacity(BUFFER, source.text()?);
        Ok(Self { source, input, delimiter, columns: None, read: 0 })
    }

    /// Reads the next record; whether there was one.
    ///
    /// # Errors
    /// [`Error::RaggedRow`] when it has another number of fields than the first.
    pub(super) fn next(&mut self, record: &mut Record) -> Result<bool> {
        record.bytes.clear();
        record.ends.clear();
        let mut state = State::StartRecord;
        loop {
            let bytes = self.input.fill_buf().map_err(|error| self.source.failed(error))?;
            if bytes.is_empty() {
                if state != State::StartRecord {
                    record.ends.push(record.bytes.len());
                }
                break;
            }
            let (used, ended) = cut(bytes, self.delimiter, &mut state, record);
            self.input.consume(used);
            if ended {
                break;
            }
        }
        if record.len() == 0 {
            return Ok(false);
        }
        self.read += 1;
        let expected = *self.columns.get_or_insert(record.len());
        if record.len() != expected {
            let (path, row, found) = (self.source.path().to_owned(), self.read, record.len());
            return Err(Error::RaggedRow { path, row, expected, found });
        }
        Ok(true)
    }
}

/// Adds bytes to a record up to its end; how many were used, and whether it has ended.
fn cut(bytes: &[u8], delimiter: u8, state: &mut State, record: &mut Record) -> (usize, bool) {
    for (at, &byte) in bytes.iter().enumerate() {
        let is_end = matches!(byte, b'\n' | b'\r');
        match (*state, byte) {
            // Empty lines are no records.
            (State::StartRecord, _) if is_end => continue,
            (State::Quoted, b'"') => *state = State::Closing,
            (State::Closing | State::StartRecord | State::StartField, b'"') => *state = State::Quoted,
            (State::Quoted, _) => {}
            (_, byte) if byte == delimiter => {
                record.ends.push(record.bytes.len());
                *state = State::StartField;
                continue;
            }
            _ if is_end => {
                record.ends.push(record.bytes.len());
                return (at + 1, true);
            }
            _ => *state = State::Plain,
        }
        record.bytes.push(byte);
    }
    (bytes.len(), false)
}

/// What a field says: without the quotes around it, and with those inside it that are doubled once.
pub(super) fn content(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(inside) = field.strip_prefix(b"\"") else { return Cow::Borrowed(field) };
    let mut said = Vec::with_capacity(inside.len());
    let mut bytes = inside.iter();
    let mut quoted = true;
    while let Some(&byte) = bytes.next() {
        match (quoted, byte) {
            (true, b'"') => match bytes.next() {
                Some(b'"') => said.push(b'"'),
                Some(&other) => {
                    quoted = false;
                    said.push(other);
                }
                None => {}
            },
            _ => said.push(byte),
        }
    }
    Cow::Owned(said)
}

/// Whether a field is quoted from its first byte to its last, so that it reads alike between any delimiters.
pub(super) fn is_quoted(field: &[u8]) -> bool {
    let Some(inside) = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else { return false };
    // Every quote inside is doubled.
    let mut bytes = inside.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'"' && bytes.next() != Some(&b'"') {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn records(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let source = Source::of_text("made-up.csv".as_ref(), text).unwrap();
        let mut records = Records::new(&source, delimiter).unwrap();
        let (mut record, mut all) = (Record::default(), Vec::new());
        while records.next(&mut record).unwrap() {
            all.push((0..record.len()).map(|at| String::from_utf8(record.get(at).to_vec()).unwrap()).collect());
        }
        all
    }

    #[test]
    fn fields_are_as_they_are_spelled() {
        let found = records("a, b ,\"c,\"\"d\"\"\"\r\n\r\n1,\" \"x,\"2\n3\"\n,,", b',');
        assert_eq!(found, [["a", " b ", "\"c,\"\"d\"\"\""], ["1", "\" \"x", "\"2\n3\""], ["", "", ""]]);
    }

    #[test]
    fn a_ragged_row_is_found() {
        let source = Source::of_text("made-up.csv".as_ref(), "a,b\n1,2\n3\n").unwrap();
        let mut records = Records::new(&source, b',').unwrap();
        let mut record = Record::default();
        let error = loop {
            match records.next(&mut record) {
                Ok(more) => assert!(more),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("row 3: 1 fields where 2 were expected"), "{error}");
    }

    proptest! {
        /// Whatever a file holds, it is cut as the parser cuts it, and says what the parser says.
        #[test]
        fn records_are_those_of_the_parser(text in r#"[ab ",;\r\n]{0,40}"#, semicolon in any::<bool>()) {
            let delimiter = if semicolon { b';' } else { b',' };
            let source = Source::of_text("made-up.csv".as_ref(), &text).unwrap();
            let mut reader = csv::ReaderBuilder::new();
            let reader = reader.has_headers(false).flexible(true).delimiter(delimiter);
            let parsed: Vec<Vec<Vec<u8>>> = reader
                .from_reader(text.as_bytes())
                .byte_records()
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            let mut records = Records::new(&source, delimiter).unwrap();
            let mut record = Record::default();
            for expected in parsed {
                records.columns = None;
                prop_assert!(records.next(&mut record).unwrap());
                let found: Vec<Vec<u8>> = (0..record.len()).map(|at| content(record.get(at)).into_owned()).collect();
                prop_assert_eq!(found, expected);
            }
            records.columns = None;
            prop_assert!(!records.next(&mut record).unwrap());
        }
    }
}
