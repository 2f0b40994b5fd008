//! Files that are whole or not there.
//!
//! `outputs` holds [`Outputs`], the one way this crate writes; here is what a table is written as, and `arrow` has the formats with
//! types of their own.

#[cfg(feature = "_arrow")]
pub(super) mod arrow;
mod outputs;

pub use outputs::Outputs;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::{Categorical, Column, Table};
use crate::{Error, Result};

/// What may be written, for messages.
const ALLOWED: &str = match (cfg!(feature = "parquet"), cfg!(feature = "ipc")) {
    (true, true) => "a name that ends in .csv, .tsv, .parquet, .arrow, .feather or .ipc",
    (true, false) => "a name that ends in .csv, .tsv or .parquet",
    (false, true) => "a name that ends in .csv, .tsv, .arrow, .feather or .ipc",
    (false, false) => "a name that ends in .csv or .tsv",
};

/// How a table is written.
///
/// | name | default | effect |
/// | --- | --- | --- |
/// | `safe_csv` | `false` | in text files, an apostrophe before cells that a spreadsheet would take for a formula |
///
/// Such cells begin with `=`, `+`, `-`, `@`, a tab or the end of a line, and are no number; names of columns count too. Data are
/// changed by it: only for files that are opened in a spreadsheet. [OWASP, CSV injection]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Whether an apostrophe keeps spreadsheets from computing what they open.
    pub safe_csv: bool,
}

/// Writes a file so that a reader finds the old content or the new, never a part.
///
/// On any error the old content stays, and nothing else is left behind. A path that is a
/// device or a pipe is written to directly. Several files that belong together are better written by [`Outputs`].
///
/// # Errors
/// [`Error::Io`], among others when the path is a directory.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut outputs = Outputs::default();
    outputs.write(path, write)?;
    outputs.commit()
}

impl Table {
    /// Writes the table in the format its extension names: `.csv`, `.tsv`, `.parquet`,
    /// or Arrow IPC as `.arrow`, `.feather` or `.ipc`.
    ///
    /// Missing values are empty fields, or nulls. Reading the file gives the same values.
    ///
    /// # Errors
    /// [`Error::Setting`] for another extension; [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut outputs = Outputs::default();
        outputs.table(path, self, WriteOptions::default())?;
        outputs.commit()
    }

    /// Writes the table as CSV to what is no file, such as standard output.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_csv(&self, out: &mut impl Write, options: WriteOptions) -> io::Result<()> {
        write_text(self, Delimited { delimiter: ',', options }, out)
    }

    /// Writes the table into an open file.
    fn write_as(&self, target: Target, options: WriteOptions, out: &mut BufWriter<&File>) -> io::Result<()> {
        match target {
            Target::Text(delimiter) => write_text(self, Delimited { delimiter, options }, out),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            target => arrow::write(self, target, out),
        }
    }

    /// Whether a path names a format that [`Table::write`] knows; nothing is touched.
    ///
    /// # Errors
    /// [`Error::Setting`] where it does not.
    pub fn check_format(path: &Path) -> Result<()> {
        Target::of(path).map(|_| ())
    }
}

/// What is written, by the extension of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Text, with that between fields.
    Text(char),
    #[cfg(feature = "parquet")]
    Parquet,
    #[cfg(feature = "ipc")]
    Ipc,
}

impl Target {
    /// Whether it is an Arrow file.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(super) fn is_ipc(self) -> bool {
        match self {
            #[cfg(feature = "ipc")]
            Self::Ipc => true,
            _ => false,
        }
    }

    pub(super) fn of(path: &Path) -> Result<Self> {
        match extension(path).as_str() {
            "csv" => Ok(Self::Text(',')),
            "tsv" => Ok(Self::Text('\t')),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Self::Parquet),
            #[cfg(feature = "ipc")]
            "arrow" | "feather" | "ipc" => Ok(Self::Ipc),
            _ => Err(no_format(path)),
        }
    }
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase()
}

fn no_format(path: &Path) -> Error {
    Error::setting("output", format!("`{}`", path.display()), ALLOWED)
}

fn write_text(table: &Table, to: Delimited, out: &mut impl Write) -> io::Result<()> {
    for (name, column) in table.columns() {
        check_text(name, name)?;
        if let Column::Categorical(values) = column {
            values.dictionary().iter().try_for_each(|text| check_text(name, text))?;
        }
    }
    let separator = [to.delimiter as u8];
    for (at, name) in table.names().iter().enumerate() {
        out.write_all(if at == 0 { b"" } else { &separator })?;
        out.write_all(to.heading(name).as_bytes())?;
    }
    out.write_all(b"\n")?;
    let fields: Vec<Fields<'_>> = table.columns().map(|(_, column)| Fields::of(column, to)).collect();
    let mut line = Vec::new();
    for row in 0..table.rows() {
        line.clear();
        for (at, field) in fields.iter().enumerate() {
            line.extend_from_slice(if at == 0 { b"" } else { &separator });
            field.spell(row, &mut line)?;
        }
        // A row of one empty field would be an empty line, which readers skip.
        out.write_all(if line.is_empty() { b"\"\"" } else { &line })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A file with a zero byte is no text to those who read it, ourselves included.
pub(super) fn check_text(column: &str, text: &str) -> io::Result<()> {
    if !text.contains('\0') {
        return Ok(());
    }
    let why = format!(
        "column `{}` holds a text with a zero byte, which a text file cannot have; write .parquet or .arrow",
        column.replace('\0', "\\0")
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// How fields are written as text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delimited {
    /// What is between fields.
    pub(super) delimiter: char,
    pub(super) options: WriteOptions,
}

impl Delimited {
    /// A text as a field.
    pub(super) fn field(self, text: &str) -> String {
        quoted(&self.options.text(text), &[self.delimiter])
    }

    /// The name of a column. A header is also where a reader looks for the delimiter: all other candidates are hidden.
    pub(super) fn heading(self, name: &str) -> String {
        quoted(&self.options.text(name), &[',', ';', '\t', '|'])
    }
}

/// A column ready to be written: every text is quoted once, not once a row.
pub(super) enum Fields<'a> {
    Numbers(&'a [f64]),
    Texts(&'a Categorical, Vec<String>),
}

impl<'a> Fields<'a> {
    pub(super) fn of(column: &'a Column, to: Delimited) -> Self {
        match column {
            Column::Numeric(values) => Self::Numbers(values),
            Column::Categorical(values) => {
                Self::Texts(values, values.dictionary().iter().map(|text| to.field(text)).collect())
            }
        }
    }

    /// Adds the field of a row to its line; a missing value is an empty field.
    pub(super) fn spell(&self, row: usize, line: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Numbers(values) if values[row].is_nan() => {}
            Self::Numbers(values) => write_number(values[row], line)?,
            Self::Texts(values, texts) => {
                line.extend_from_slice(texts.get(values.codes().get(row)).map_or("", String::as_str).as_bytes());
            }
        }
        Ok(())
    }
}

impl WriteOptions {
    /// A text as it is to be written.
    pub(super) fn text(self, text: &str) -> Cow<'_, str> {
        // With the wide forms that spreadsheets of East Asia take for the narrow ones.
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
        // `-5` is a number and stays one; `-inf` is a name to a spreadsheet.
        let number = || text.parse::<f64>().is_ok_and(f64::is_finite) && !text.contains(char::is_whitespace);
        if self.safe_csv && formula && !number() { format!("'{text}").into() } else { text.into() }
    }
}

fn quoted(text: &str, delimiters: &[char]) -> String {
    if text.contains(['"', '\n', '\r']) || text.contains(delimiters) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The shortest text that reads back as the same number.
pub(super) fn write_number(number: f64, out: &mut impl Write) -> io::Result<()> {
    // Without an exponent 1e300 would take 301 digits.
    let plain = number.abs() < 1e16 && (number.abs() >= 1e-5 || number.to_bits() << 1 == 0);
    if plain { write!(out, "{number}") } else { write!(out, "{number:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_byte_is_not_written_as_text() {
        let column = Column::Categorical(Categorical::from_values([Some("a\0b")]));
        let table = Table::new(vec![("x".to_owned(), column)], 1).unwrap();
        let error = table.write_csv(&mut Vec::new(), WriteOptions::default()).unwrap_err();
        assert!(error.to_string().starts_with("column `x` holds a text with a zero byte"), "{error}");
    }

    #[test]
    fn cells_that_a_spreadsheet_would_compute_get_an_apostrophe_on_request() {
        let safe = WriteOptions { safe_csv: true };
        for formula in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-inf", "＝1"] {
            assert_eq!(safe.text(formula), format!("'{formula}"));
            assert_eq!(WriteOptions::default().text(formula), formula);
        }
        for harmless in ["-5", "+3.5e-4", "a=b", "", "'=1", "1-2"] {
            assert_eq!(safe.text(harmless), harmless);
        }
        let column = |texts: [&str; 2]| Column::Categorical(Categorical::from_values(texts.map(Some)));
        let columns =
            vec![("=name".to_owned(), column(["=1,2", "-7"])), ("n".into(), Column::Numeric(vec![-1.5, 2.0]))];
        let mut text = Vec::new();
        Table::new(columns, 1).unwrap().write_csv(&mut text, safe).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "'=name,n\n\"'=1,2\",-1.5\n-7,2\n");
    }

    #[test]
    fn numbers_are_short_and_read_back_to_the_last_bit() {
        for number in [0.0, -0.0, 1.0, -2.5, 0.1, 1e16, 1e300, -1e-7, 5e-324, f64::MAX, 123_456_789_012_345.0] {
            let mut text = Vec::new();
            write_number(number, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.len() <= 24, "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), f64::to_bits(number), "{text}");
        }
    }
}
