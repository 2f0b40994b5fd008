//! A file carried into another: columns come out as they went in, type and bytes.
//!
//! Holds [`Carry`]. The file is gone through once more, a batch at a time, and no column that is only carried along is taken apart:
//! `records` has the fields of a text file as they are spelled, `batches` the arrays of a typed one; `texts` and `typed` write
//! either, and `spelled` and `inferred` cross from one kind of file to the other.

#[cfg(any(feature = "parquet", feature = "ipc"))]
mod batches;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod inferred;
mod records;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod spelled;
mod texts;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod typed;

use std::path::Path;

use super::read::csv::Text;
use super::read::plan::Plan;
use super::read::source::{Format, Source};
use super::write::{Target, replace};
use super::{Column, ReadOptions};
use crate::{Error, Result};

/// The columns of a file, to be written to another with some added or replaced.
///
/// | from | to | what comes out |
/// | --- | --- | --- |
/// | text | text | every field to the letter, blanks and quotes included; the header too, where there is one |
/// | typed | typed | the same types, values and metadata |
/// | typed | text | whole numbers and decimals with all their digits, dates and times as ISO 8601, nothing for null |
/// | text | typed | whole numbers and doubles where no digit is lost by it, else text; null for an empty field |
///
/// ```no_run
/// use evenhand::data::Carry;
/// use evenhand::{Column, ReadOptions};
/// # fn main() -> evenhand::Result<()> {
/// let mut carry = Carry::open("people.parquet".as_ref(), &ReadOptions::default())?;
/// carry.put("score", Column::Numeric(vec![0.5, 0.25]));
/// carry.write("scored.parquet".as_ref())?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Carry {
    source: Source,
    layout: Layout,
    /// The names of all columns, each its own.
    names: Vec<String>,
    /// The places of those that are carried.
    kept: Vec<usize>,
    put: Vec<Put>,
}

#[derive(Debug)]
enum Layout {
    Text {
        delimiter: u8,
        header: bool,
    },
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    Typed,
}

/// A column that is put beside those carried, or in place of one.
#[derive(Debug)]
struct Put {
    name: String,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Column(Column),
    /// For each row, the row of the file whose value it gets.
    Rows {
        column: usize,
        rows: Vec<usize>,
    },
}

impl Put {
    fn length(&self, expected: usize) -> Error {
        Error::Length { what: "values in a column", expected, found: self.values.len() }
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Column(column) => column.len(),
            Self::Rows { rows, .. } => rows.len(),
        }
    }
}

/// A column of the output.
#[derive(Debug, Clone, Copy)]
enum Out<'a> {
    /// The column at that place of the file.
    Carried(usize),
    Put(&'a Put),
}

impl Carry {
    /// Opens a file. Of the options, those count that say how a text file is laid out, what columns are called, and which
    /// are left out.
    ///
    /// # Errors
    /// Those of [`Table::read`](super::Table::read) that do not depend on rows.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let source = Source::open(path)?;
        let (layout, names) = match source.format() {
            Format::Text | Format::Gzip => {
                let text = Text::open(&source, options)?;
                let layout = Layout::Text { delimiter: text.delimiter(), header: options.header };
                (layout, text.names()?)
            }
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            _ => (Layout::Typed, batches::names(&source)?),
            #[cfg(not(any(feature = "parquet", feature = "ipc")))]
            _ => return Err(source.not_built("parquet")),
        };
        if names.is_empty() {
            return Err(Error::NoRows { what: path.display().to_string() });
        }
        // Which kind of column it is does not matter to one that is carried.
        let options = ReadOptions { categorical: Vec::new(), numeric: Vec::new(), ..options.clone() };
        let plan = Plan::new(names, &options)?;
        Ok(Self { names: plan.names().to_vec(), kept: plan.kept().to_vec(), source, layout, put: Vec::new() })
    }

    /// The names of the columns that are carried.
    pub fn names(&self) -> Vec<String> {
        self.kept.iter().map(|&at| self.names[at].clone()).collect()
    }

    /// Puts a column in place of the one of that name, or at the end.
    pub fn put(&mut self, name: &str, column: Column) {
        self.put.push(Put { name: name.to_owned(), values: Values::Column(column) });
    }

    /// Puts values of the file: row by row, that of column `from` in the row given, as the file has it.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn put_rows(&mut self, name: &str, from: &str, rows: Vec<usize>) -> Result<()> {
        let unknown = || Error::UnknownColumn { column: from.to_owned(), known: self.names.clone() };
        let column = self.names.iter().position(|known| known == from).ok_or_else(unknown)?;
        self.put.push(Put { name: name.to_owned(), values: Values::Rows { column, rows } });
        Ok(())
    }

    /// Writes all columns in the format that the path's extension names.
    ///
    /// # Errors
    /// Those of [`Table::write`](super::Table::write) and of reading the file; [`Error::Length`] when it has another number of
    /// rows than what is put beside them; [`Error::ColumnType`] for a type that has no spelling, from a typed file to text.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut failed = None;
        let target = Target::of(path)?;
        let written = replace(path, |file| {
            let done = match (&self.layout, target) {
                (&Layout::Text { delimiter, header }, Target::Text(to)) => {
                    texts::carry(self, delimiter, header, to, file)
                }
                #[cfg(any(feature = "parquet", feature = "ipc"))]
                (&Layout::Text { delimiter, header }, _) => inferred::carry(self, delimiter, header, target, file),
                #[cfg(any(feature = "parquet", feature = "ipc"))]
                (Layout::Typed, Target::Text(to)) => spelled::carry(self, to, file),
                #[cfg(any(feature = "parquet", feature = "ipc"))]
                (Layout::Typed, _) => typed::carry(self, target, file),
            };
            // What is wrong with the input is no fault of the output's.
            done.map_err(|error| match error {
                Error::Io { source, path: at } if at.as_os_str().is_empty() => source,
                error => {
                    failed = Some(error);
                    std::io::Error::other("the input")
                }
            })
        });
        match failed {
            Some(error) => Err(error),
            None => written,
        }
    }

    /// The columns of the output, in order, with their names.
    fn columns(&self) -> Vec<(&str, Out<'_>)> {
        let put = |name: &str| self.put.iter().find(|put| put.name == name);
        let carried = self.kept.iter().map(|&at| {
            let name = self.names[at].as_str();
            (name, put(name).map_or(Out::Carried(at), Out::Put))
        });
        let is_new = |put: &&Put| !self.kept.iter().any(|&at| self.names[at] == put.name);
        carried.chain(self.put.iter().filter(is_new).map(|put| (put.name.as_str(), Out::Put(put)))).collect()
    }

    /// Checks that the file has as many rows as what is put beside it.
    fn check_rows(&self, rows: usize) -> Result<()> {
        let wrong = |put: &&Put| put.values.len() != rows;
        self.put.iter().find(wrong).map_or(Ok(()), |put| Err(put.length(rows)))
    }

    /// Checks that there are at least so many rows of what is put.
    fn check_room(&self, rows: usize) -> Result<()> {
        let short = |put: &&Put| put.values.len() < rows;
        self.put.iter().find(short).map_or(Ok(()), |put| Err(put.length(rows)))
    }
}

/// An error of writing, to be told from those of reading by its empty path.
fn unwritten(source: std::io::Error) -> Error {
    Error::Io { path: std::path::PathBuf::new(), source }
}

#[cfg(test)]
#[cfg(all(feature = "parquet", feature = "ipc"))]
mod tests;
