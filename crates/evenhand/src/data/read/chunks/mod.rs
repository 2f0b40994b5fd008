//! Rows that are never all in memory: files, read a chunk at a time.
//!
//! Holds [`RowFiles`]: one file, a folder or a glob of them, in which every chunk of rows is a [`Table`] of its own. Chunks are
//! decoded side by side, in no order that anybody may rely on; what is computed of them must not depend on it. (Or one after the other, by
//! `in_order`.) `files` finds and fingerprints the files; `typed` reads chunks of formats with types, `text` those of CSV.

mod files;
mod in_order;
mod text;
#[cfg(feature = "_arrow")]
mod typed;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::ReadOptions;
use super::source::{Format, Source};
use crate::data::Table;
use crate::{Error, Result, Warning};
use files::Fingerprint;

pub use files::find_files;

/// Rows in a chunk, at most: enough to make what is done once a chunk cheap, few enough for a chunk on every core.
pub(super) const CHUNK_ROWS: usize = 1 << 17;

/// Files of rows with the same columns, read in chunks as often as is needed.
#[derive(Debug)]
pub struct RowFiles {
    files: Vec<RowFile>,
    options: ReadOptions,
    /// The names of the columns that are read, in the order of the first file.
    names: Vec<String>,
}

/// One of the files.
#[derive(Debug)]
struct RowFile {
    path: PathBuf,
    format: Format,
    fingerprint: Fingerprint,
    /// What can be read on its own: the row groups of a Parquet file; else all of it.
    parts: Vec<Part>,
}

/// A part of a file that can be read on its own.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "Parquet files alone have several parts"))]
struct Part {
    /// Its place among the parts of the file.
    index: usize,
    /// The number under which a user finds its first row.
    first_row: usize,
    /// How many rows it has, where the file says so.
    rows: Option<usize>,
}

/// Takes the chunks of a part, one after the other.
type EachChunk<'a> = &'a mut dyn FnMut(Table) -> Result<()>;

impl RowFiles {
    /// Opens files that hold the same columns. Nothing but their heads is read, but text files, whose columns of numbers
    /// are told from others by reading them once.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Unreadable`] for a file that is none of the formats, [`Error::OtherColumns`] for one whose
    /// columns are not those of the first, [`Error::NoRows`] without any file.
    pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<(Self, Vec<Warning>)> {
        let mut warnings = Vec::new();
        let (mut files, mut columns): (Vec<RowFile>, Vec<files::Columns>) = (Vec::new(), Vec::new());
        for path in paths {
            let (file, of_file, more) = files::open(path, options).map_err(|error| error.in_file(path))?;
            warnings.extend(more);
            files.push(file);
            columns.push(of_file);
        }
        let Some(first) = columns.first() else { return Err(Error::NoRows { what: "the list of files".into() }) };
        for (file, others) in files.iter().zip(&columns).skip(1) {
            first.check_same(&files[0].path, others, &file.path)?;
        }
        let (mut names, mut settled) = (first.names(), text::settle_kinds(&files, options)?);
        // Rows that say how often they count are that many, of the other columns.
        if let Some(column) = settled.frequency.take() {
            if names.contains(&column) {
                names.retain(|name| *name != column);
                settled.frequency = Some(column);
            } else if !settled.if_present {
                return Err(Error::UnknownColumn { column, known: names });
            }
        }
        Ok((Self { names, files, options: settled }, warnings))
    }

    /// The names of the columns, in the order of the first file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// How many rows there are, where all files say so without being read.
    pub fn rows(&self) -> Option<usize> {
        if self.options.frequency.is_some() {
            return None;
        }
        self.files.iter().flat_map(|file| &file.parts).map(|part| part.rows).sum()
    }

    /// Whether files may have more rows than so many, each counted once, as far as can be told without reading what is in them.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Unreadable`] for a file that is none of the formats.
    pub fn may_exceed(paths: &[PathBuf], rows: usize) -> Result<bool> {
        let mut found = 0;
        for path in paths {
            if found > rows {
                break;
            }
            found = found.saturating_add(files::most_rows(path, rows)?);
        }
        Ok(found > rows)
    }

    /// How many rows there are; files that do not say so are read.
    ///
    /// # Errors
    /// As [`RowFiles::fold`].
    pub fn count_rows(&self) -> Result<usize> {
        if let Some(rows) = self.rows() {
            return Ok(rows);
        }
        // Of rows that count several times their frequencies alone are read.
        if let Some(column) = &self.options.frequency {
            return self.count_frequencies(column);
        }
        let first = self.names.first().cloned().into_iter().collect::<Vec<_>>();
        let counted = self.fold(Some(&first), |table| Ok(table.rows()), |all, more| Ok(all + more))?;
        Ok(counted.unwrap_or(0))
    }

    /// How the files are read, the kinds of their columns settled.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// All rows as one table, in the order of the files.
    ///
    /// # Errors
    /// As [`RowFiles::fold`].
    pub fn read_all(&self) -> Result<Table> {
        let once = ReadOptions { frequency: None, ..self.options.clone() };
        let column = self.options.frequency.as_deref();
        let one = |table: Table| {
            // What is no frequency is told with its file.
            column.map(|column| table.total_frequency(column)).transpose()?;
            Ok(Some(vec![table]))
        };
        let chunks = self.fold_as(&once, one, |all, more| Ok([all, more].concat()))?;
        let all = Table::concat(chunks.unwrap_or_default())?;
        match column {
            Some(column) => all.repeated(column),
            None => Ok(all),
        }
    }

    /// Computes something of every chunk, and merges the results, in any order: `merge` must not depend on it. Of the columns
    /// some may be asked for; `None` without any row. Rows that say how often they count are looked at once for each bit of it: what is merged with
    /// itself must be the result of its rows twice.
    ///
    /// # Errors
    /// What reading says, or `map`, with the file; [`Error::Changed`] where a file is not what it was when it was opened.
    pub fn fold<S: Send + Clone>(
        &self,
        columns: Option<&[String]>,
        map: impl Fn(&Table) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<Option<S>> {
        let options = self.options_for(columns);
        let one = |table: Table| match &options.frequency {
            Some(column) => table.fold_frequencies(column, &map, &merge),
            None => map(&table).map(Some),
        };
        self.fold_as(&options, one, &merge)
    }

    /// The same, where `map` is told how many equal rows each row of its table stands for.
    ///
    /// # Errors
    /// As [`RowFiles::fold`].
    pub(crate) fn fold_counted<S: Send>(
        &self,
        columns: Option<&[String]>,
        map: impl Fn(&Table, u64) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<Option<S>> {
        let options = self.options_for(columns);
        let one = |table: Table| {
            let parts = match &options.frequency {
                Some(column) => table.by_frequency(column)?,
                None => vec![(1, table)],
            };
            parts.into_iter().try_fold(None, |all, (times, table)| both(all, Some(map(&table, times)?), &merge))
        };
        self.fold_as(&options, one, &merge)
    }

    /// The same of chunks as they are read, by options of its own.
    fn fold_as<S: Send>(
        &self,
        options: &ReadOptions,
        map: impl Fn(Table) -> Result<Option<S>> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<Option<S>> {
        let read = |(file, part): (&RowFile, Part)| -> Result<Option<S>> {
            let mut all = None;
            let mut each = |table: Table| {
                let found = map(table).map_err(|error| error.in_file(&file.path))?;
                all = both(all.take(), found, &merge)?;
                Ok(())
            };
            file.read(part, options, &mut each)?;
            Ok(all)
        };
        // One part at a time on each thread: what a thread is in the middle of is never set aside for another part.
        self.parts()
            .into_par_iter()
            .with_max_len(1)
            .map(read)
            .try_reduce(|| None, |one, other| both(one, other, &merge))
    }

    /// Hands over all chunks, one after the other in the order of files and of rows, each row once however often it counts. Parts that follow are decoded meanwhile, each on a thread of its own
    /// and no further than a chunk ahead.
    ///
    /// # Errors
    /// As [`RowFiles::fold`]; what `each` says comes with the file where there are several.
    pub fn each_in_order(&self, each: impl FnMut(Table) -> Result<()>) -> Result<()> {
        let (mut each, several) = (each, self.files.len() > 1);
        let read = |(file, part): &(&RowFile, Part), take: EachChunk<'_>| {
            let named = |error: Error| if several { error.in_file(&file.path) } else { error };
            file.read(*part, &self.options, take).map_err(named)
        };
        let parts = self.parts();
        in_order::each(&parts, rayon::current_num_threads(), &read, &mut |at, table| {
            let named = |error: Error| if several { error.in_file(&parts[at].0.path) } else { error };
            each(table).map_err(named)
        })
    }

    /// What can be read on its own, in the order of files and of rows.
    fn parts(&self) -> Vec<(&RowFile, Part)> {
        self.files.iter().flat_map(|file| file.parts.iter().map(move |part| (file, *part))).collect()
    }

    /// How many rows there are, each as often as a column says.
    fn count_frequencies(&self, column: &str) -> Result<usize> {
        let options = ReadOptions { frequency: None, ..self.options_for(Some(&[column.to_owned()])) };
        let total = |table: Table| table.total_frequency(column).map(Some);
        Ok(self.fold_as(&options, total, |all, more| Ok(all.saturating_add(more)))?.unwrap_or(0))
    }

    /// The options by which these columns alone are read.
    fn options_for(&self, columns: Option<&[String]>) -> ReadOptions {
        let Some(columns) = columns else { return self.options.clone() };
        let others = self.names.iter().filter(|name| !columns.contains(name));
        let ignored = self.options.ignore.iter().chain(others).cloned().collect();
        ReadOptions { ignore: ignored, if_present: true, ..self.options.clone() }
    }
}

impl RowFile {
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "Parquet files alone have several parts"))]
    fn read(&self, part: Part, options: &ReadOptions, each: EachChunk<'_>) -> Result<()> {
        let source = Source::open(&self.path)?;
        self.fingerprint.check(&self.path)?;
        match self.format {
            Format::Text | Format::Gzip => text::read(&source, options, each)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => typed::read_row_group(&source, part, options, each)?,
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(source.not_built("parquet")),
            #[cfg(feature = "ipc")]
            Format::ArrowFile | Format::ArrowStream => typed::read_ipc(&source, options, each)?,
            #[cfg(not(feature = "ipc"))]
            Format::ArrowFile | Format::ArrowStream => return Err(source.not_built("ipc")),
        }
        self.fingerprint.check(&self.path)
    }
}

/// Two results together, of which there may be none.
fn both<S>(left: Option<S>, right: Option<S>, merge: impl Fn(S, S) -> Result<S>) -> Result<Option<S>> {
    match (left, right) {
        (Some(left), Some(right)) => merge(left, right).map(Some),
        (left, right) => Ok(left.or(right)),
    }
}
