//! Files that are to be written, checked before any work is done, and those that can be read only once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Result;
use evenhand::data::Outputs;
use evenhand::scratch::{self, CopyFailure, ScratchFolder};
use evenhand::{Error, Table};

use crate::failure::Usage;
use crate::output;

/// Checks that a file can be put there and is none of those that are read or written as well.
///
/// # Errors
/// [`Usage`], naming the path and what to do.
pub(crate) fn check_output(path: &Path, others: &[&Path]) -> Result<()> {
    if is_stdout(path) {
        return if output::take_stdout() {
            Ok(())
        } else {
            Err(Usage::new("two outputs are `-`, standard output").into())
        };
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let message = format!("{}: there is no folder {}", path.display(), folder.display());
        return Err(Usage::new(message).hint(format!("make it first: mkdir -p '{}'", folder.display())).into());
    }
    if path.is_dir() {
        return Err(Usage::new(format!("{}: is a folder", path.display())).hint("name a file in it").into());
    }
    match others.iter().find(|other| place(other) == place(path)) {
        Some(_) => {
            let message = format!("{}: is also another file of this command", path.display());
            Err(Usage::new(message).hint("choose another name for the output").into())
        }
        None => check_folder(path, folder),
    }
}

/// Checks that a folder takes files: a long fit whose result has no place to go is no use.
pub(crate) fn check_folder(path: &Path, folder: &Path) -> Result<()> {
    Outputs::check(path).map_err(|error| match error {
        Error::Io { source, .. } => {
            let message = format!("{}: no file can be written in {}: {source}", path.display(), folder.display());
            Usage::new(message).code("io").hint("choose another folder, or make this one writable").into()
        }
        other => other.into(),
    })
}

/// Whether an output is asked for on standard output; a file of that name is `./-`.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether rows come from standard input; a file of that name is `./-`.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The place of an output in a sentence.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdout(path) { "standard output".to_owned() } else { path.display().to_string() }
}

/// As [`check_output`], for a table: its extension must name a format.
///
/// # Errors
/// As [`check_output`], and [`evenhand::Error::Setting`] for an extension that is not known.
pub(crate) fn check_table(path: &Path, others: &[&Path]) -> Result<()> {
    if !is_stdout(path) {
        Table::check_format(path)?;
    }
    check_output(path, others)
}

/// What comes through a pipe can be read once only: a copy under the same name, in a folder that goes with it. Of standard
/// input the engine keeps a copy itself.
pub(crate) fn copy_of_pipe(path: &Path) -> evenhand::Result<Option<(ScratchFolder, PathBuf)>> {
    let no_room = |source| Error::NoTemporary { folder: std::env::temp_dir(), source };
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let folder = ScratchFolder::new().map_err(no_room)?;
            let copy = folder.path().join(path.file_name().unwrap_or_default());
            let mut from = File::open(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
            match scratch::copy(&mut from, &mut File::create(&copy).map_err(no_room)?) {
                Ok(()) => Ok(Some((folder, copy))),
                Err(CopyFailure::Read(source)) => Err(Error::Io { path: path.to_owned(), source }),
                Err(CopyFailure::Write(error)) => Err(no_room(error)),
            }
        }
        // Files are read where they are, and errors in others are reported when they are read.
        _ => Ok(None),
    }
}

/// The one spelling of a path, also of a file that is yet to be written.
fn place(path: &Path) -> PathBuf {
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.join(path.file_name().unwrap_or_default())
}
