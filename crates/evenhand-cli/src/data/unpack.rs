//! One file out of a zip archive.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

/// Writes a member of an archive, of `most` bytes, to a file, of which nothing is left on an error.
///
/// # Errors
/// What the system says; [`io::ErrorKind::InvalidData`] where there is no such member or it is no archive.
pub(super) fn member(archive: &Path, member: &str, most: u64, to: &Path) -> io::Result<()> {
    let extracted = || -> Result<(), ZipError> {
        let mut archive = ZipArchive::new(BufReader::new(File::open(archive)?))?;
        // One byte more tells that it is longer, whatever the archive says of its length.
        let mut content = archive.by_name(member)?.take(most + 1);
        let mut file = File::create(to)?;
        io::copy(&mut content, &mut file)?;
        Ok(file.sync_all()?)
    };
    extracted().map_err(|error| {
        let _ = std::fs::remove_file(to);
        match error {
            ZipError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        }
    })
}
