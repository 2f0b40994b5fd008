//! One file out of a zip archive.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

/// Writes a member of an archive, of `most` bytes, to a file.
///
/// # Errors
/// What the system says; [`io::ErrorKind::InvalidData`] where there is no such member or it is no archive.
pub(super) fn member(archive: &Path, member: &str, most: u64, mut to: &File) -> io::Result<()> {
    let mut extracted = || -> Result<(), ZipError> {
        let mut archive = ZipArchive::new(BufReader::new(File::open(archive)?))?;
        // One byte more tells that it is longer, whatever the archive says of its length.
        let mut content = archive.by_name(member)?.take(most + 1);
        io::copy(&mut content, &mut to)?;
        Ok(to.sync_all()?)
    };
    extracted().map_err(|error| match error {
        ZipError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    })
}
