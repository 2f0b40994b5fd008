//! A file that can be read from the start more than once.
//!
//! Holds [`Source`] and [`Format`]. Knows the first bytes of formats, gzip and byte order
//! marks; what comes after is left to each format.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::MultiGzDecoder;

use crate::scratch::{self, CopyFailure};
use crate::{Cause, Error, Result};

/// What a file holds, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Format {
    Text,
    Gzip,
    Parquet,
    ArrowFile,
    ArrowStream,
}

impl Format {
    /// The name in messages.
    pub(in crate::data) fn name(self) -> &'static str {
        match self {
            Self::Text => "CSV",
            Self::Gzip => "gzipped CSV",
            Self::Parquet => "Parquet",
            Self::ArrowFile => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        }
    }

    fn of(start: &[u8], extension: &str) -> Self {
        if start.starts_with(b"PAR1") {
            Self::Parquet
        } else if start.starts_with(b"ARROW1") {
            Self::ArrowFile
        } else if start.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if extension == "arrows" || start.starts_with(&[0xff; 4]) {
            // A stream opens with the length marker of its first message.
            Self::ArrowStream
        } else if ["parquet", "pq"].contains(&extension) {
            // Named as a format, but without its first bytes: let that format's reader complain.
            Self::Parquet
        } else if ["arrow", "feather", "ipc"].contains(&extension) {
            Self::ArrowFile
        } else {
            Self::Text
        }
    }
}

/// An open file, its name, and what it holds.
#[derive(Debug)]
pub(in crate::data) struct Source {
    path: PathBuf,
    file: File,
    format: Format,
}

impl Source {
    /// Opens a file and looks at its first bytes.
    pub(in crate::data) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let mut file = if Self::is_kept(path) { standard_input()? } else { File::open(path).map_err(failed)? };
        // A pipe can be read once only, and formats are read from the end or twice: keep a copy.
        if !file.metadata().map_err(failed)?.is_file() {
            file = copy(path, &mut file)?;
        }
        file.rewind().map_err(failed)?;
        let mut start = Vec::new();
        (&mut file).take(8).read_to_end(&mut start).map_err(failed)?;
        let format = Format::of(&start, &extension(path));
        Ok(Self { path: path.to_owned(), file, format })
    }

    /// Whether a path means standard input, of which a copy is kept that nobody else changes.
    pub(in crate::data) fn is_kept(path: &Path) -> bool {
        path == Path::new(STANDARD_INPUT)
    }

    /// Text that is already in memory, under a name for messages.
    pub(in crate::data) fn of_text(name: &Path, text: &str) -> Result<Self> {
        // Columns that turn out to be categories are read again: a file is what can be.
        let file = copy(name, &mut text.as_bytes())?;
        Ok(Self { path: name.to_owned(), file, format: Format::Text })
    }

    pub(in crate::data) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::data) fn format(&self) -> Format {
        self.format
    }

    /// The extension in lower case, without `.gz`.
    pub(in crate::data) fn extension(&self) -> String {
        match extension(&self.path).as_str() {
            "gz" => extension(Path::new(self.path.file_stem().unwrap_or_default())),
            other => other.to_owned(),
        }
    }

    /// The bytes from the start. Handles share one position: only the newest may be used.
    pub(in crate::data) fn bytes(&self) -> Result<File> {
        let rewound = || -> io::Result<File> {
            let mut file = self.file.try_clone()?;
            file.rewind()?;
            Ok(file)
        };
        rewound().map_err(|source| Error::Io { path: self.path.clone(), source })
    }

    /// The text from the start, unpacked, without a byte order mark.
    pub(in crate::data) fn text(&self) -> Result<Box<dyn Read>> {
        let file = self.bytes()?;
        let mut text: Box<dyn Read> = match self.format {
            // Several members in a row are one file, as `gunzip` has it.
            Format::Gzip => Box::new(MultiGzDecoder::new(io::BufReader::new(file))),
            _ => Box::new(file),
        };
        let mut start = Vec::new();
        (&mut text).take(3).read_to_end(&mut start).map_err(|source| self.failed(source))?;
        if start == "\u{feff}".as_bytes() {
            start.clear();
        }
        Ok(Box::new(io::Cursor::new(start).chain(text)))
    }

    /// An error from reading: in a packed file it is about the packing, else of the system.
    pub(in crate::data) fn failed(&self, source: io::Error) -> Error {
        match self.format {
            Format::Gzip => self.unreadable(source),
            _ => Error::Io { path: self.path.clone(), source },
        }
    }

    /// A format that this build leaves out.
    #[cfg(not(all(feature = "parquet", feature = "ipc")))]
    pub(in crate::data) fn not_built(&self, feature: &str) -> Error {
        self.unreadable(format!("this build does not read it; build evenhand with its feature `{feature}`"))
    }

    /// An error from the parser.
    pub(in crate::data) fn unreadable(&self, source: impl Into<Cause>) -> Error {
        Error::Unreadable { path: self.path.clone(), format: self.format.name(), source: source.into() }
    }
}

/// The path that means standard input; a file of that name is `./-`.
const STANDARD_INPUT: &str = "-";

/// What came through standard input. It comes once, and is kept for whoever reads it again.
fn standard_input() -> Result<File> {
    static KEPT: Mutex<Option<File>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match kept.take() {
        Some(file) => file,
        None => copy(Path::new(STANDARD_INPUT), &mut io::stdin().lock())?,
    };
    let again = file.try_clone().map_err(Error::no_temporary)?;
    *kept = Some(file);
    Ok(again)
}

/// A file without a name that holds what can be read from somewhere; on failure it is said which of the two was at fault.
fn copy(path: &Path, from: &mut impl Read) -> Result<File> {
    let mut to = tempfile::tempfile().map_err(Error::no_temporary)?;
    match scratch::copy(from, &mut to) {
        Ok(()) => Ok(to),
        Err(CopyFailure::Read(source)) => Err(Error::Io { path: path.to_owned(), source }),
        Err(CopyFailure::Write(error)) => Err(Error::no_temporary(error)),
    }
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes_before_their_names() {
        assert_eq!(Format::of(b"PAR1\x15\x04", "csv"), Format::Parquet);
        assert_eq!(Format::of(b"ARROW1\0\0", "dat"), Format::ArrowFile);
        assert_eq!(Format::of(&[0x1f, 0x8b, 8], "csv"), Format::Gzip);
        assert_eq!(Format::of(&[0xff; 8], ""), Format::ArrowStream);
        assert_eq!(Format::of(b"age,sex\n", "data"), Format::Text);
        assert_eq!(Format::of(b"age,sex\n", "parquet"), Format::Parquet);
    }
}
