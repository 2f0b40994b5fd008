//! A file carried into another: columns come out as they went in, type and bytes.
//!
//! Holds [`Carry`]. The file, or each of several, is gone through once more, a batch at a time, and no column that is only carried along is taken apart:
//! `records` has the fields of a text file as they are spelled, `batches` the arrays of a typed one; `texts` and `typed` write
//! either, and `spelled` and `inferred` cross from one kind of file to the other. `feed` has the columns that are put beside them, also a chunk at a time.

#[cfg(any(feature = "parquet", feature = "ipc"))]
mod batches;
mod feed;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod inferred;
mod records;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod spelled;
mod texts;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod typed;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::read::csv::Text;
use super::read::find_files;
use super::read::plan::Plan;
use super::read::source::{Format, Source};
use super::write::{Delimited, Outputs, Target, WriteOptions};
use super::{Column, ReadOptions};
use crate::{Error, Result};
use feed::SpelledFeed;
use records::{Record, Records};

pub(super) use feed::Feed;
pub use feed::NextChunk;

/// The columns of a file, or of several with the same columns, to be written to another with some added or replaced.
///
/// | from | to | what comes out |
/// | --- | --- | --- |
/// | text | text | every field to the letter, blanks and quotes included; the header too, where there is one |
/// | typed | typed | the same types, values and metadata |
/// | typed | text | whole numbers and decimals with all their digits, dates and times as ISO 8601, nothing for null |
/// | text | typed | whole numbers and doubles where no digit is lost by it, else text; null for an empty field |
///
/// Columns of several files may stand in another order than in the first; they come out in its order.
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
    files: Vec<CarriedFile>,
    /// The names of all columns of the first file, each its own.
    names: Vec<String>,
    /// The places of those that are carried.
    kept: Vec<usize>,
    put: Vec<Put>,
    /// The columns that are put, where they are given whole.
    whole: Vec<Column>,
}

/// One of the files.
#[derive(Debug)]
struct CarriedFile {
    source: Source,
    layout: Layout,
    /// Where it has each column of the first file; what is left out need not be there.
    places: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
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
    /// A column of the feed, by its place there.
    Fed(usize),
    /// For each row, the row of the file whose value it gets.
    Rows { column: usize, rows: Vec<usize> },
}

/// A column of the output.
#[derive(Debug, Clone, Copy)]
enum Out<'a> {
    /// The column at that place of the file.
    Carried(usize),
    Put(&'a Put),
}

impl Carry {
    /// Opens a file, or all files of a folder or of a pattern. Of the options, those count that say how a text file is laid out, what columns are
    /// called, and which are left out.
    ///
    /// # Errors
    /// Those of [`Table::read`](super::Table::read) that do not depend on rows.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        Self::open_all(&find_files(path)?, options)
    }

    /// As [`Carry::open`], of files in their order.
    ///
    /// # Errors
    /// Those of [`Carry::open`]; [`Error::OtherColumns`] for a file whose columns, or their types, are not those of the first.
    pub fn open_all(paths: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        // Which kind of column it is does not matter to one that is carried.
        let options = ReadOptions { categorical: Vec::new(), numeric: Vec::new(), ..options.clone() };
        let [first, others @ ..] = paths else { return Err(Error::NoRows { what: "the list of files".into() }) };
        let (source, layout, plan) = opened(first, &options)?;
        let places = (0..plan.names().len()).collect();
        let mut carry = Self {
            names: plan.names().to_vec(),
            kept: plan.kept().to_vec(),
            files: vec![CarriedFile { source, layout, places }],
            put: Vec::new(),
            whole: Vec::new(),
        };
        for path in others {
            let other = opened(path, &options).and_then(|opened| carry.alike(opened));
            carry.files.push(other.map_err(|error| error.in_file(path))?);
        }
        Ok(carry)
    }

    /// Another file, if it has the columns of the first.
    fn alike(&self, (source, layout, plan): (Source, Layout, Plan)) -> Result<CarriedFile> {
        let (path, first) = (source.path().to_owned(), self.path().to_owned());
        let differs = |problem: String| Err(Error::OtherColumns { path: path.clone(), first: first.clone(), problem });
        let place = |name: &String| plan.names().iter().position(|other| other == name);
        let mut places = vec![usize::MAX; self.names.len()];
        for &at in &self.kept {
            let Some(found) = place(&self.names[at]) else {
                return differs(format!("it has no column `{}`", self.names[at]));
            };
            places[at] = found;
        }
        if let Some(&more) = plan.kept().iter().find(|&&at| !self.names.contains(&plan.names()[at])) {
            return differs(format!("it has a column `{}` more", plan.names()[more]));
        }
        match (self.files[0].layout, layout) {
            (Layout::Text { .. }, Layout::Text { .. }) => {}
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            (Layout::Typed, Layout::Typed) => {
                let types = |source: &Source| batches::types(source);
                let (ours, theirs) = (types(&self.files[0].source)?, types(&source)?);
                if let Some(&at) = self.kept.iter().find(|&&at| ours[at] != theirs[places[at]]) {
                    let (name, found, wanted) = (&self.names[at], &theirs[places[at]], &ours[at]);
                    return differs(format!("its column `{name}` is {found} where that of the first is {wanted}"));
                }
            }
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            _ => return differs("one of the two is text, and the other is not".to_owned()),
        }
        Ok(CarriedFile { source, layout, places })
    }

    /// The first file.
    fn path(&self) -> &Path {
        self.files[0].source.path()
    }

    /// The names of the columns that are carried.
    pub fn names(&self) -> Vec<String> {
        self.kept.iter().map(|&at| self.names[at].clone()).collect()
    }

    /// Puts a column in place of the one of that name, or at the end.
    pub fn put(&mut self, name: &str, column: Column) {
        self.put_fed(name);
        self.whole.push(column);
    }

    /// Puts a column in place of the one of that name, or at the end, whose rows come while all is written; see [`Outputs::carry_fed`].
    pub fn put_fed(&mut self, name: &str) {
        let place = self.fed_names().len();
        self.put.push(Put { name: name.to_owned(), values: Values::Fed(place) });
    }

    /// The names of the columns that are fed, in their order.
    fn fed_names(&self) -> Vec<&str> {
        self.put.iter().filter(|put| matches!(put.values, Values::Fed(_))).map(|put| put.name.as_str()).collect()
    }

    /// Puts values of the file: row by row, that of column `from` in the row given, as the file has it.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn put_rows(&mut self, name: &str, from: &str, rows: Vec<usize>) -> Result<()> {
        let unknown = || Error::UnknownColumn { column: from.to_owned(), known: self.names() };
        let column = *self.kept.iter().find(|&&at| self.names[at] == from).ok_or_else(unknown)?;
        self.put.push(Put { name: name.to_owned(), values: Values::Rows { column, rows } });
        Ok(())
    }

    /// Writes all columns in the format that the path's extension names.
    ///
    /// # Errors
    /// Those of [`Table::write`](super::Table::write) and of reading the file; [`Error::Length`] when it has another number of
    /// rows than what is put beside them; [`Error::ColumnType`] for a type that has no spelling, from a typed file to text.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut outputs = Outputs::default();
        outputs.carry(path, self, WriteOptions::default())?;
        outputs.commit()
    }

    /// Writes all columns as CSV to what is no file, such as standard output; those that are fed come from `next`. The outer result is that of reading,
    /// the inner that of writing.
    ///
    /// # Errors
    /// Those of [`Carry::write`] that are no fault of the output.
    pub fn write_csv(
        &self,
        out: &mut impl Write,
        options: WriteOptions,
        next: NextChunk<'_>,
    ) -> Result<io::Result<()>> {
        let mut feed = self.feed(next);
        match self.write_text(&mut feed, Delimited { delimiter: ',', options }, out).map_err(Unwritten::from) {
            Err(Unwritten::Input(error)) => Err(error),
            Err(Unwritten::Output(source)) => Ok(Err(source)),
            Ok(()) => Ok(Ok(())),
        }
    }

    /// The rows of columns that are fed by `next`.
    pub(super) fn feed<'a>(&self, next: NextChunk<'a>) -> Feed<'a> {
        Feed::new(self.fed_names().len(), next)
    }

    /// What gives the columns that are put whole, in one chunk.
    pub fn chunk(&self) -> impl FnMut() -> Result<Option<Vec<Column>>> + use<> {
        let mut chunk = Some(self.whole.clone());
        move || Ok(chunk.take())
    }

    /// Writes all columns into an open file.
    pub(super) fn write_as(
        &self,
        feed: &mut Feed<'_>,
        target: Target,
        options: WriteOptions,
        file: &mut BufWriter<&File>,
    ) -> std::result::Result<(), Unwritten> {
        let done = match (self.files[0].layout, target) {
            (_, Target::Text(delimiter)) => self.write_text(feed, Delimited { delimiter, options }, file),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            (Layout::Text { .. }, _) => inferred::carry(self, feed, target, file),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            (Layout::Typed, _) => typed::carry(self, feed, target, file),
        };
        done.map_err(Unwritten::from)
    }

    fn write_text(&self, feed: &mut Feed<'_>, to: Delimited, out: &mut impl Write) -> Result<()> {
        let feed = SpelledFeed::new(feed, self, to)?;
        match self.files[0].layout {
            Layout::Text { .. } => texts::carry(self, feed, to, out),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            Layout::Typed => spelled::carry(self, feed, to, out),
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

    /// Checks that there are as many rows as values taken from them.
    fn check_rows(&self, rows: usize) -> Result<()> {
        let wrong = self.put.iter().find_map(|put| match &put.values {
            Values::Rows { rows: places, .. } if places.len() != rows => Some(places.len()),
            _ => None,
        });
        wrong.map_or(Ok(()), |found| Err(Error::Length { what: "values in a column", expected: rows, found }))
    }
}

impl CarriedFile {
    /// Its records, a header being the first of them, and what is between fields; nothing of a typed file.
    fn records(&self) -> Result<(Records<'_>, u8)> {
        match self.layout {
            Layout::Text { delimiter, .. } => Ok((Records::new(&self.source, delimiter)?, delimiter)),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            Layout::Typed => Err(self.source.unreadable("it is no text")),
        }
    }

    /// Its records after the header.
    fn rows(&self) -> Result<(Records<'_>, u8)> {
        let (mut records, delimiter) = self.records()?;
        if self.has_header() {
            records.next(&mut Record::default())?;
        }
        Ok((records, delimiter))
    }

    fn has_header(&self) -> bool {
        matches!(self.layout, Layout::Text { header: true, .. })
    }
}

/// A file, how it is laid out, and what its columns are called.
fn opened(path: &Path, options: &ReadOptions) -> Result<(Source, Layout, Plan)> {
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
    let plan = Plan::new(names, options)?;
    Ok((source, layout, plan))
}

/// What went wrong between two files.
pub(super) enum Unwritten {
    Input(Error),
    Output(io::Error),
}

impl From<Error> for Unwritten {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { source, path } if path.as_os_str().is_empty() => Self::Output(source),
            error => Self::Input(error),
        }
    }
}

/// An error of writing, distinguished from those of reading by its empty path.
fn unwritten(source: std::io::Error) -> Error {
    Error::Io { path: std::path::PathBuf::new(), source }
}

#[cfg(test)]
#[cfg(all(feature = "parquet", feature = "ipc"))]
mod tests;
