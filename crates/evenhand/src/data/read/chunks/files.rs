//! Files of rows: which they are, whether they hold the same columns, and whether they are still what they were.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[cfg(feature = "_arrow")]
use super::typed;
use super::{Part, RowFile, text};
use crate::data::read::ReadOptions;
use crate::data::read::source::{Format, Source};
use crate::{Error, Result, Warning};

/// The files that a path names, in the order of their names: the file itself, those of a folder and of the folders in it, or those that a
/// pattern matches, in which `*` stands for any part of a name, `?` for one character and `**` for any folders.
///
/// Files whose names begin with a dot or an underscore, as programs leave them beside their output, are no rows.
///
/// # Errors
/// [`Error::Io`] where nothing can be listed, [`Error::NoRows`] where nothing is found.
pub fn find_files(path: &Path) -> Result<Vec<PathBuf>> {
    let pattern = path.to_string_lossy();
    let mut found = Vec::new();
    if path.is_dir() {
        walk(path, &mut |file| found.push(file))?;
    } else if path.exists() || !pattern.contains(['*', '?']) {
        return Ok(vec![path.to_owned()]);
    } else {
        // What stands before the first folder with a wildcard is where to look.
        let fixed: PathBuf =
            path.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?'])).collect();
        let folder = if fixed.as_os_str().is_empty() { Path::new(".") } else { &fixed };
        let rest = path.strip_prefix(&fixed).unwrap_or(path);
        let wanted: Vec<String> = parts_of(rest);
        walk(folder, &mut |file| {
            if matches(&wanted, &parts_of(file.strip_prefix(folder).unwrap_or(&file))) {
                found.push(file);
            }
        })?;
    }
    found.sort_unstable();
    if found.is_empty() { Err(Error::NoRows { what: path.display().to_string() }) } else { Ok(found) }
}

fn parts_of(path: &Path) -> Vec<String> {
    path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

fn walk(folder: &Path, each: &mut dyn FnMut(PathBuf)) -> Result<()> {
    let failed = |source| Error::Io { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            walk(&path, each)?;
        } else {
            each(path);
        }
    }
    Ok(())
}

/// Whether the names of folders and a file match those of a pattern.
fn matches(pattern: &[String], names: &[String]) -> bool {
    match (pattern, names) {
        ([], []) => true,
        ([any, rest @ ..], _) if any == "**" => {
            matches(rest, names) || names.split_first().is_some_and(|(_, names)| matches(pattern, names))
        }
        ([one, pattern @ ..], [name, names @ ..]) => {
            let (one, name): (Vec<char>, Vec<char>) = (one.chars().collect(), name.chars().collect());
            matches_name(&one, &name) && matches(pattern, names)
        }
        _ => false,
    }
}

fn matches_name(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => {
            matches_name(rest, name) || name.split_first().is_some_and(|(_, name)| matches_name(pattern, name))
        }
        (['?', pattern @ ..], [_, name @ ..]) => matches_name(pattern, name),
        ([one, pattern @ ..], [first, name @ ..]) => one == first && matches_name(pattern, name),
        _ => false,
    }
}

/// What tells that a file is another than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Fingerprint {
    pub(super) fn of(path: &Path) -> Result<Self> {
        if Source::is_kept(path) {
            return Ok(Self { bytes: 0, modified: None });
        }
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(failed)?;
        Ok(Self { bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    /// # Errors
    /// [`Error::Changed`].
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        if *self == Self::of(path)? { Ok(()) } else { Err(Error::Changed { path: path.to_owned() }) }
    }
}

/// The columns of a file: their names, and what they hold where the format says so.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Columns(pub(super) Vec<(String, Option<&'static str>)>);

impl Columns {
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Whether another file has the same columns, in any order.
    ///
    /// # Errors
    /// [`Error::OtherColumns`].
    pub(super) fn check_same(&self, path: &Path, others: &Self, other: &Path) -> Result<()> {
        let differs =
            |problem: String| Err(Error::OtherColumns { path: other.to_owned(), first: path.to_owned(), problem });
        for (name, kind) in &self.0 {
            match others.0.iter().find(|(other, _)| other == name) {
                None => return differs(format!("it has no column `{name}`")),
                Some((_, found)) if found != kind => {
                    let [found, kind] = [found, kind].map(|kind| kind.unwrap_or("text"));
                    return differs(format!("its column `{name}` is {found} where that of the first is {kind}"));
                }
                Some(_) => {}
            }
        }
        match others.0.iter().find(|(name, _)| !self.0.iter().any(|(own, _)| own == name)) {
            Some((name, _)) => differs(format!("it has a column `{name}` more")),
            None => Ok(()),
        }
    }
}

/// Opens a file for reading in chunks: its columns, and the parts it has.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<(RowFile, Columns, Vec<Warning>)> {
    let fingerprint = Fingerprint::of(path)?;
    let source = Source::open(path)?;
    let first_row = if options.header { 2 } else { 1 };
    let (columns, parts, warnings) = match source.format() {
        Format::Text | Format::Gzip => {
            let (columns, warnings) = text::columns(&source, options)?;
            (columns, vec![Part { index: 0, first_row, rows: None }], warnings)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => typed::open_parquet(&source, options)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(source.not_built("parquet")),
        #[cfg(feature = "ipc")]
        Format::ArrowFile | Format::ArrowStream => typed::open_ipc(&source, options)?,
        #[cfg(not(feature = "ipc"))]
        Format::ArrowFile | Format::ArrowStream => return Err(source.not_built("ipc")),
    };
    let file = RowFile { path: path.to_owned(), format: source.format(), fingerprint, parts };
    Ok((file, columns, warnings))
}

/// More rows than this a file does not have; counting ends beyond `enough`.
pub(super) fn most_rows(path: &Path, enough: usize) -> Result<usize> {
    let source = Source::open(path)?;
    match source.format() {
        Format::Text | Format::Gzip => {
            let mut text = source.text()?;
            let (mut buffer, mut lines) = (vec![0; 1 << 18], 1);
            while lines <= enough {
                match text.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => lines += buffer[..count].split(|&byte| byte == b'\n').count() - 1,
                    Err(error) => return Err(source.failed(error)),
                }
            }
            Ok(lines)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => typed::rows_of_parquet(&source),
        // Arrow's formats do not say: they are read.
        _ => Ok(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_pattern_name_the_same_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("year=2025")).unwrap();
        for name in ["b.parquet", "a.parquet", "_SUCCESS", ".crc", "year=2025/c.parquet", "notes.txt"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let names = |path: PathBuf| -> Vec<String> {
            let found = find_files(&path).unwrap();
            found.iter().map(|file| parts_of(file.strip_prefix(folder.path()).unwrap()).join("/")).collect()
        };
        assert_eq!(names(folder.path().join("*.parquet")), ["a.parquet", "b.parquet"]);
        assert_eq!(names(folder.path().join("**/*.parquet")), ["a.parquet", "b.parquet", "year=2025/c.parquet"]);
        assert_eq!(names(folder.path().join("year=*/?.parquet")), ["year=2025/c.parquet"]);
        assert_eq!(names(folder.path().to_owned()), ["a.parquet", "b.parquet", "notes.txt", "year=2025/c.parquet"]);
        assert_eq!(find_files(&folder.path().join("*.csv")).unwrap_err().code(), "no-rows");
    }

    #[test]
    fn a_file_that_grows_is_another() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let before = Fingerprint::of(file.path()).unwrap();
        before.check(file.path()).unwrap();
        fs::write(file.path(), "more").unwrap();
        assert_eq!(before.check(file.path()).unwrap_err().code(), "file-changed");
    }
}
