//! The rows of columns that are put beside those of a file, in order, a chunk at a time.
//!
//! Holds [`Feed`], from which writers take as many rows as they have of the file, and [`SpelledFeed`], the same as fields of text. Chunks and
//! the batches of a file need not end at the same rows.

use std::path::Path;

use super::{Carry, unwritten};
use crate::data::Column;
use crate::data::write::{Delimited, check_text, write_number};
use crate::{Error, Result};

/// Gives the next rows of all columns that are fed, in their order; nothing after the last.
pub type NextChunk<'a> = &'a mut dyn FnMut() -> Result<Option<Vec<Column>>>;

/// Rows of columns that come a chunk at a time.
pub(in crate::data) struct Feed<'a> {
    next: NextChunk<'a>,
    /// How many columns there are.
    width: usize,
    chunk: Vec<Column>,
    /// How many rows of the chunk were taken, and how many it has.
    at: usize,
    rows: usize,
    /// How many rows were taken in all.
    taken: usize,
}

impl<'a> Feed<'a> {
    pub(in crate::data) fn new(width: usize, next: NextChunk<'a>) -> Self {
        Self { next, width, chunk: Vec::new(), at: 0, rows: 0, taken: 0 }
    }

    /// Waits for the first rows: what is wrong with them is known before anything is written.
    ///
    /// # Errors
    /// [`Error::NoRows`] where nothing comes.
    pub(super) fn begin(&mut self, what: &Path) -> Result<()> {
        if self.width > 0 && !self.more()? && self.chunk.is_empty() {
            return Err(Error::NoRows { what: what.display().to_string() });
        }
        Ok(())
    }

    /// Whether there is another row; the next chunk is waited for where this one is used up.
    fn more(&mut self) -> Result<bool> {
        while self.at == self.rows {
            let Some(chunk) = (self.next)()? else { return Ok(false) };
            let rows = chunk.first().map_or(0, Column::len);
            if chunk.len() != self.width {
                return Err(Error::Length { what: "columns of a chunk", expected: self.width, found: chunk.len() });
            }
            if let Some(other) = chunk.iter().find(|column| column.len() != rows) {
                return Err(Error::Length { what: "values in a column", expected: rows, found: other.len() });
            }
            (self.chunk, self.at, self.rows) = (chunk, 0, rows);
        }
        Ok(true)
    }

    /// Of one column no rows: what its arrays look like.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(super) fn none_of(&self, column: usize) -> Column {
        self.chunk[column].slice(0..0)
    }

    /// The next rows of all columns.
    ///
    /// # Errors
    /// [`Error::Length`] where there are not so many.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<Column>> {
        let mut parts: Vec<Vec<Column>> = Vec::new();
        let mut left = if self.width == 0 { 0 } else { count };
        while left > 0 {
            if !self.more()? {
                return Err(self.length(self.taken + left));
            }
            let here = left.min(self.rows - self.at);
            parts.push(self.chunk.iter().map(|column| column.slice(self.at..self.at + here)).collect());
            self.pass(here);
            left -= here;
        }
        match <[Vec<Column>; 1]>::try_from(parts) {
            Ok([only]) => Ok(only),
            Err(parts) => (0..self.width).map(|at| joined(&parts, at, || self.none_of(at))).collect(),
        }
    }

    /// Goes on by so many rows of the chunk.
    fn pass(&mut self, rows: usize) {
        self.at += rows;
        self.taken += rows;
    }

    /// Checks that nothing is left after so many rows.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub(super) fn finish(&mut self, rows: usize) -> Result<()> {
        if self.width > 0 && self.more()? {
            return Err(self.length(rows));
        }
        Ok(())
    }

    /// An error of a file that has so many rows, where other numbers of rows came.
    fn length(&self, expected: usize) -> Error {
        Error::Length { what: "values in a column", expected, found: self.taken + self.rows - self.at }
    }
}

/// One column of several parts, one below the other.
#[cfg(any(feature = "parquet", feature = "ipc"))]
fn joined(parts: &[Vec<Column>], at: usize, none: impl Fn() -> Column) -> Result<Column> {
    let parts: Vec<&Column> = parts.iter().map(|part| &part[at]).collect();
    if parts.is_empty() { Ok(none()) } else { Column::concat("", &parts) }
}

/// Rows of columns as fields of text.
pub(super) struct SpelledFeed<'f, 'a> {
    feed: &'f mut Feed<'a>,
    names: Vec<&'f str>,
    to: Delimited,
    /// Per column, the texts of the dictionary as fields; none for numbers.
    texts: Vec<Vec<String>>,
    /// The row of the chunk that is spelled.
    row: usize,
}

impl<'f, 'a> SpelledFeed<'f, 'a> {
    /// # Errors
    /// Those of [`Feed::begin`], and what a text file cannot hold.
    pub(super) fn new(feed: &'f mut Feed<'a>, carry: &'f Carry, to: Delimited) -> Result<Self> {
        feed.begin(carry.path())?;
        let mut spelled = Self { feed, names: carry.fed_names(), to, texts: Vec::new(), row: 0 };
        spelled.quote()?;
        Ok(spelled)
    }

    /// Goes on to the next row.
    ///
    /// # Errors
    /// [`Error::Length`] where there is none.
    pub(super) fn advance(&mut self) -> Result<()> {
        if self.feed.width == 0 {
            return Ok(());
        }
        let used_up = self.feed.at == self.feed.rows;
        if !self.feed.more()? {
            return Err(self.feed.length(self.feed.taken + 1));
        }
        if used_up {
            self.quote()?;
        }
        self.row = self.feed.at;
        self.feed.pass(1);
        Ok(())
    }

    /// Quotes the texts of a new chunk: once, not once a row.
    fn quote(&mut self) -> Result<()> {
        let quoted = |(column, name): (&Column, &&str)| match column {
            Column::Numeric(_) => Ok(Vec::new()),
            Column::Categorical(values) => {
                let field = |text: &String| check_text(name, text).map(|()| self.to.field(text)).map_err(unwritten);
                values.dictionary().iter().map(field).collect()
            }
        };
        self.texts = self.feed.chunk.iter().zip(&self.names).map(quoted).collect::<Result<_>>()?;
        Ok(())
    }

    /// Adds the field of a column to a line; a missing value is an empty field.
    pub(super) fn spell(&self, column: usize, line: &mut Vec<u8>) -> Result<()> {
        match &self.feed.chunk[column] {
            Column::Numeric(values) if values[self.row].is_nan() => {}
            Column::Numeric(values) => write_number(values[self.row], line).map_err(unwritten)?,
            Column::Categorical(values) => {
                let text = self.texts[column].get(values.codes().get(self.row));
                line.extend_from_slice(text.map_or("", String::as_str).as_bytes());
            }
        }
        Ok(())
    }

    /// Checks that nothing is left after so many rows.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub(super) fn finish(self, rows: usize) -> Result<()> {
        self.feed.finish(rows)
    }
}
