//! From a file to a [`Table`].
//!
//! Holds [`ReadOptions`] and the choice of format. `csv` reads text, `arrow` formats with types of their
//! own; `batches` turns batches of rows into columns, and all formats share it. `plan` settles names and kinds beforehand.
//! `chunks` reads files that are never all in memory.

#[cfg(feature = "_arrow")]
pub(super) mod arrow;
mod batches;
mod chunks;
mod column;
pub(super) mod csv;
mod dictionary;
mod like;
pub(super) mod plan;
mod quotes;
pub(super) mod source;
mod stray;
mod texts;
mod values;

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use chunks::{RowFiles, find_files};

use super::Table;
use crate::{Result, Warning};
use source::{Format, Source};

/// How a file is to be read.
///
/// | name | default | effect |
/// | --- | --- | --- |
/// | `delimiter` | tab for `.tsv`, else found in the first line among `,` `;` tab and `\|` | separates fields of a text file |
/// | `header` | `true` | whether the first line of a text file holds names |
/// | `missing` | none | texts that mean a missing value, in every column |
/// | `categorical` | none | columns that hold categories even if they look like numbers |
/// | `numeric` | none | columns that must hold numbers |
/// | `names` | those of the file | names for all columns, in the order of the file |
/// | `ignore` | none | columns that are not read at all |
/// | `if_present` | `false` | whether options about columns that are not there are passed over |
/// | `trim` | in text files | whether blanks around texts count for nothing |
/// | `keep_text` | `false` | whether columns of a text file that no option names stay text |
/// | `frequency` | none | a column that says how many times each row counts: the row is read so many times, and the column is gone |
///
/// An empty field is always missing, and so are `NA`, `N/A`, `NaN`, `null` and `None` in a
/// column of numbers. Blanks around the fields of a text file do not count, unless `trim` says that they do.
///
/// ```
/// use evenhand::ReadOptions;
/// let options = ReadOptions::default().header(false).missing(["?"]).categorical(["zip"]);
/// assert_eq!(options.missing, ["?"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// What separates the fields of a text file; `None` looks at the file.
    pub delimiter: Option<char>,
    /// Whether the first line of a text file holds names.
    pub header: bool,
    /// Texts that mean a missing value, in every column.
    pub missing: Vec<String>,
    /// Columns that hold categories even if they look like numbers.
    pub categorical: Vec<String>,
    /// Columns that must hold numbers.
    pub numeric: Vec<String>,
    /// Names for all columns, in place of those of the file.
    pub names: Option<Vec<String>>,
    /// Columns that are not read.
    pub ignore: Vec<String>,
    /// Whether options about columns that are not there are passed over.
    pub if_present: bool,
    /// Whether columns of a text file that no option names stay text, leading zeros and all.
    pub keep_text: bool,
    /// Whether blanks around texts count for nothing; `None`: in a text file they do, in a typed one they do not.
    pub trim: Option<bool>,
    /// The column that says how many times each row is read; it is no column of the table then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            header: true,
            missing: Vec::new(),
            categorical: Vec::new(),
            numeric: Vec::new(),
            names: None,
            ignore: Vec::new(),
            if_present: false,
            keep_text: false,
            trim: None,
            frequency: None,
        }
    }
}

impl ReadOptions {
    /// Sets what separates the fields of a text file.
    #[must_use]
    pub fn delimiter(mut self, delimiter: char) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets whether the first line of a text file holds names.
    #[must_use]
    pub fn header(mut self, header: bool) -> Self {
        self.header = header;
        self
    }

    /// Adds texts that mean a missing value.
    #[must_use]
    pub fn missing<S: Into<String>>(mut self, texts: impl IntoIterator<Item = S>) -> Self {
        self.missing.extend(texts.into_iter().map(Into::into));
        self
    }

    /// Adds columns that hold categories.
    #[must_use]
    pub fn categorical<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.categorical.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Adds columns that must hold numbers.
    #[must_use]
    pub fn numeric<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.numeric.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Names all columns.
    #[must_use]
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds columns that are not read.
    #[must_use]
    pub fn ignore<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.ignore.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Sets whether blanks around texts count for nothing.
    #[must_use]
    pub fn trim(mut self, trim: bool) -> Self {
        self.trim = Some(trim);
        self
    }

    /// Names the column that says how many times each row is read.
    #[must_use]
    pub fn frequency(mut self, column: impl Into<String>) -> Self {
        self.frequency = Some(column.into());
        self
    }

    /// How to read another file as `table` was read with these options: every column of
    /// the kind it has there, nothing asked of columns the other file lacks, and blanks around texts left out unless a text
    /// of the table has some.
    #[must_use]
    pub fn like(&self, table: &Table) -> Self {
        let of_kind = |kind: &str| -> Vec<String> {
            table.columns().filter(|(_, column)| column.kind() == kind).map(|(name, _)| name.to_owned()).collect()
        };
        let (categorical, numeric) = (of_kind("categorical"), of_kind("numeric"));
        Self { categorical, numeric, if_present: true, trim: Some(!like::has_blanks(table)), ..self.clone() }
    }
}

impl Table {
    /// Reads a text file (also gzipped), a Parquet file or an Arrow IPC file or stream.
    ///
    /// The format is recognised by the first bytes. A column of a text file is numeric when
    /// all its values are numbers; typed files keep their types. The path `-` is standard input.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::NoTemporary`] where a pipe cannot be kept, [`Error::Unreadable`], [`Error::RaggedRow`], [`Error::NoRows`];
    /// [`Error::UnknownColumn`] when an option names a column that is not there;
    /// [`Error::ColumnType`] for dates, lists and the like; [`Error::NotNumeric`],
    /// [`Error::NotFinite`]; [`Error::Setting`] and [`Error::Length`] for bad options; those of [`Table::repeated`] where rows have frequencies.
    ///
    /// [`Error::Io`]: crate::Error::Io
    /// [`Error::NoTemporary`]: crate::Error::NoTemporary
    /// [`Error::Unreadable`]: crate::Error::Unreadable
    /// [`Error::RaggedRow`]: crate::Error::RaggedRow
    /// [`Error::NoRows`]: crate::Error::NoRows
    /// [`Error::UnknownColumn`]: crate::Error::UnknownColumn
    /// [`Error::ColumnType`]: crate::Error::ColumnType
    /// [`Error::NotNumeric`]: crate::Error::NotNumeric
    /// [`Error::NotFinite`]: crate::Error::NotFinite
    /// [`Error::Setting`]: crate::Error::Setting
    /// [`Error::Length`]: crate::Error::Length
    pub fn read(path: &Path, options: &ReadOptions) -> Result<(Self, Vec<Warning>)> {
        let files = find_files(path)?;
        if files != [path] {
            let (files, warnings) = RowFiles::open(&files, options)?;
            return Ok((files.read_all()?, warnings));
        }
        let (table, warnings) = Self::read_file(path, options)?;
        match options.frequency.as_deref().filter(|name| !options.if_present || table.get(name).is_some()) {
            Some(column) => Ok((table.repeated(column)?, warnings)),
            None => Ok((table, warnings)),
        }
    }

    /// Reads one file, each of its rows once.
    fn read_file(path: &Path, options: &ReadOptions) -> Result<(Self, Vec<Warning>)> {
        let source = Source::open(path)?;
        match source.format() {
            Format::Text | Format::Gzip => csv::read(&source, options),
            #[cfg(feature = "parquet")]
            Format::Parquet => arrow::parquet::read(&source, options),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(source.not_built("parquet")),
            #[cfg(feature = "ipc")]
            Format::ArrowFile => arrow::ipc::read_file(&source, options),
            #[cfg(feature = "ipc")]
            Format::ArrowStream => arrow::ipc::read_stream(&source, options),
            #[cfg(not(feature = "ipc"))]
            Format::ArrowFile | Format::ArrowStream => Err(source.not_built("ipc")),
        }
    }

    /// Parses text that is already in memory, as a text file of that name would be read.
    ///
    /// # Errors
    /// Those of [`Table::read`].
    pub fn parse(text: &str, name: &Path, options: &ReadOptions) -> Result<(Self, Vec<Warning>)> {
        csv::read(&Source::of_text(name, text)?, options)
    }
}

/// The whole text of a file, unpacked if it is gzipped.
///
/// # Errors
/// [`crate::Error::Io`], and [`crate::Error::Unreadable`] for a damaged archive.
pub fn read_text(path: &Path) -> Result<String> {
    let source = Source::open(path)?;
    let mut text = String::new();
    source.text()?.read_to_string(&mut text).map_err(|error| source.failed(error))?;
    Ok(text)
}
