//! The files of one run: all are written beside their places, then all take them.
//!
//! Holds [`Outputs`]. Until [`Outputs::commit`] every file is as it was before, whatever goes wrong or ends the process.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Table, Target, WriteOptions};
use crate::data::carry::{Carry, NextChunk, Unwritten};
use crate::scratch::{self, ScratchFile};
use crate::{Error, Result};

/// Files that are written beside their places, and take them together.
///
/// ```
/// use evenhand::data::Outputs;
/// # fn main() -> evenhand::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let (one, other) = (folder.path().join("one"), folder.path().join("other"));
/// let mut outputs = Outputs::default();
/// outputs.write(&one, |file| file.write_all(b"1"))?;
/// outputs.write(&other, |file| file.write_all(b"2"))?;
/// assert!(!one.exists() && !other.exists());
/// outputs.commit()?;
/// assert!(one.exists() && other.exists());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Outputs {
    staged: Vec<Staged>,
}

/// A file that is complete but for its place.
#[derive(Debug)]
struct Staged {
    /// As it was asked for.
    path: PathBuf,
    /// Where the content really goes: a link stays a link.
    target: PathBuf,
    file: ScratchFile,
}

impl Outputs {
    /// Writes a file beside its place. A path that is a device or a pipe is written to directly.
    ///
    /// # Errors
    /// [`Error::Io`], among others when the path is a directory. Nothing is left of the file then.
    pub fn write(&mut self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        self.fill(path, |file| write(file))
    }

    /// As [`Outputs::write`], a table in the format its extension names; see [`Table::write`].
    ///
    /// # Errors
    /// [`Error::Setting`] for another extension; [`Error::Io`].
    pub fn table(&mut self, path: &Path, table: &Table, options: WriteOptions) -> Result<()> {
        let target = Target::of(path)?;
        self.fill(path, |file| table.write_as(target, options, file))
    }

    /// As [`Outputs::table`], the columns of another file with what is put beside them; see [`Carry`].
    ///
    /// # Errors
    /// Those of [`Carry::write`].
    pub fn carry(&mut self, path: &Path, carry: &Carry, options: WriteOptions) -> Result<()> {
        self.carry_fed(path, carry, options, &mut carry.chunk())
    }

    /// As [`Outputs::carry`]; the rows of columns that are fed ([`Carry::put_fed`]) come from `next` while the others are written.
    ///
    /// # Errors
    /// Those of [`Carry::write`], and what `next` says.
    pub fn carry_fed(&mut self, path: &Path, carry: &Carry, options: WriteOptions, next: NextChunk<'_>) -> Result<()> {
        let target = Target::of(path)?;
        let mut feed = carry.feed(next);
        let mut failed = None;
        let written = self.fill(path, |file| {
            carry.write_as(&mut feed, target, options, file).map_err(|error| match error {
                Unwritten::Output(source) => source,
                // What is wrong with the input is no fault of the output's.
                Unwritten::Input(error) => {
                    failed = Some(error);
                    io::Error::other("the input")
                }
            })
        });
        failed.map_or(written, Err)
    }

    /// Gives all files their places.
    ///
    /// # Errors
    /// [`Error::Io`] where not even the first could take its own, [`Error::PartlyWritten`] where some did: they are named.
    pub fn commit(self) -> Result<()> {
        let paths: Vec<PathBuf> = self.staged.iter().map(|one| one.path.clone()).collect();
        let files = self.staged.into_iter().map(|one| (one.file, one.target)).collect();
        scratch::take_all(files).map_err(|(done, source)| {
            let (new, old) = (paths[..done].to_vec(), paths[done..].to_vec());
            let path = paths[done].clone();
            if done == 0 { Error::Io { path, source } } else { Error::PartlyWritten { path, new, old, source } }
        })
    }

    /// Whether a file could be written there: a folder that takes none is noticed before any work is done.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn check(path: &Path) -> Result<()> {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let target = target(path).map_err(failed)?;
        match kind(&target).map_err(failed)? {
            Kind::File(_) => ScratchFile::beside(&target).map(drop).map_err(failed),
            // Opening a pipe and closing it again would end what is read from it.
            Kind::Stream => Ok(()),
        }
    }

    /// Writes a file beside its place by what needs a file rather than any writer.
    pub(in crate::data) fn fill(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<()> {
        let staged = || -> io::Result<Option<Staged>> {
            let target = target(path)?;
            match kind(&target)? {
                Kind::Stream => filled(&File::options().write(true).open(&target)?, write).map(|()| None),
                Kind::File(existing) => {
                    let file = ScratchFile::beside(&target)?;
                    if let Some(existing) = existing {
                        file.file().set_permissions(existing.permissions())?;
                    }
                    filled(file.file(), write)?;
                    file.file().sync_all()?;
                    Ok(Some(Staged { path: path.to_owned(), target, file }))
                }
            }
        };
        self.staged.extend(staged().map_err(|source| Error::Io { path: path.to_owned(), source })?);
        Ok(())
    }
}

/// What is at the place of an output.
enum Kind {
    /// A file, or nothing yet.
    File(Option<fs::Metadata>),
    /// A device or a pipe, which has no place to take.
    Stream,
}

fn kind(target: &Path) -> io::Result<Kind> {
    match fs::metadata(target).ok() {
        Some(existing) if existing.is_dir() => {
            Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file in it"))
        }
        Some(existing) if !existing.is_file() => Ok(Kind::Stream),
        existing => Ok(Kind::File(existing)),
    }
}

/// Where the content really goes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::write_atomically;

    #[test]
    fn files_of_one_run_are_all_new_or_all_old_and_on_failure_the_new_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut outputs = Outputs::default();
        for name in ["a", "b", "c"] {
            outputs.write(&at(name), |file| file.write_all(b"new")).unwrap();
        }
        // A folder comes in the way after all were written.
        fs::create_dir(at("b")).unwrap();
        let error = outputs.commit().unwrap_err();
        let shown = |name: &str| at(name).display().to_string();
        assert_eq!(error.code(), "partly-written");
        let message = error.to_string();
        assert!(message.starts_with(&format!("{}: ", shown("b"))), "{message}");
        assert!(
            message.ends_with(&format!("new are {}; as before are {}, {}", shown("a"), shown("b"), shown("c"))),
            "{message}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_that_takes_no_file_is_noticed_before() {
        let folder = tempfile::tempdir().unwrap();
        Outputs::check(&folder.path().join("model.json")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(Outputs::check(&folder.path().join("none/model.json")).unwrap_err().code(), "io");
        assert_eq!(Outputs::check(folder.path()).unwrap_err().code(), "io");
    }

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
}
