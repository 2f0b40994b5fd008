//! Files that are whole or not there.
//!
//! Holds [`write_atomically`], the one way this crate writes, and [`Table::write`]; `arrow` writes formats with types
//! of their own. A new file is written beside the old one and takes its name when it is complete.

#[cfg(feature = "_arrow")]
pub(super) mod arrow;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Categorical, Column, Table};
use crate::{Error, Result};

/// What may be written, for messages.
const ALLOWED: &str = match (cfg!(feature = "parquet"), cfg!(feature = "ipc")) {
    (true, true) => "a name that ends in .csv, .tsv, .parquet, .arrow, .feather or .ipc",
    (true, false) => "a name that ends in .csv, .tsv or .parquet",
    (false, true) => "a name that ends in .csv, .tsv, .arrow, .feather or .ipc",
    (false, false) => "a name that ends in .csv or .tsv",
};

/// Writes a file so that a reader finds the old content or the new, never a part.
///
/// On any error the old content stays, and nothing else is left behind. A path that is a
/// device or a pipe is written to directly.
///
/// # Errors
/// [`Error::Io`], among others when the path is a directory.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    replace(path, |file| write(file))
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
        match Target::of(path)? {
            Target::Text(delimiter) => replace(path, |file| write_text(self, delimiter, file)),
            #[cfg(any(feature = "parquet", feature = "ipc"))]
            target => replace(path, |file| arrow::write(self, target, file)),
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

pub(super) fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    let target = target(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    let attempt = || -> io::Result<()> {
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file in it"));
        }
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            return filled(&File::options().write(true).open(&target)?, write);
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".evenhand-").suffix(".tmp");
        // Temporary files are private by default; this one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        filled(file.as_file(), write)?;
        file.as_file().sync_all()?;
        file.persist(&target)?;
        Ok(())
    };
    attempt().map_err(|source| Error::Io { path: path.to_owned(), source })
}

/// Where the content really goes: a link stays a link.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path),
        _ => Ok(path.to_owned()),
    }
}

fn filled(file: &File, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered)?;
    buffered.flush()
}

fn write_text(table: &Table, delimiter: char, out: &mut impl Write) -> io::Result<()> {
    let separator = [delimiter as u8];
    for (at, name) in table.names().iter().enumerate() {
        out.write_all(if at == 0 { b"" } else { &separator })?;
        // A header is also where a reader looks for the delimiter: hide all other candidates.
        out.write_all(quoted(name, &[',', ';', '\t', '|']).as_bytes())?;
    }
    out.write_all(b"\n")?;
    let fields: Vec<Fields<'_>> = table.columns().map(|(_, column)| Fields::of(column, delimiter)).collect();
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

/// A column ready to be written: every text is quoted once, not once a row.
pub(super) enum Fields<'a> {
    Numbers(&'a [f64]),
    Texts(&'a Categorical, Vec<String>),
}

impl<'a> Fields<'a> {
    pub(super) fn of(column: &'a Column, delimiter: char) -> Self {
        match column {
            Column::Numeric(values) => Self::Numbers(values),
            Column::Categorical(values) => {
                Self::Texts(values, values.dictionary().iter().map(|text| quoted(text, &[delimiter])).collect())
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

pub(super) fn quoted(text: &str, delimiters: &[char]) -> String {
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
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("no"))
        });
        assert_eq!(failed.unwrap_err().code(), "io");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_and_an_unknown_extension_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = write_atomically(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(message.ends_with("is a directory; name a file in it"), "{message}");
        let error = Table::default().write(&folder.path().join("out.xlsx")).unwrap_err();
        assert!(error.to_string().contains(".parquet"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
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
