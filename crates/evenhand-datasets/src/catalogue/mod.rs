//! The catalogue: where public datasets are published, and how to tell that a file is the published one.
//!
//! Holds [`CatalogueEntry`] and [`PublishedFile`]; `list` is the data. A file is known by the SHA-256 of its
//! content, whether it lies there gzipped or not. Fetches
//! nothing: the network is the business of whoever calls. How a dataset is prepared is said by `recipe`.

mod list;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use evenhand::data::sha256;
use evenhand::{Error, Result};

/// A public dataset and where it is published.
///
/// ```
/// use evenhand_datasets::CatalogueEntry;
/// let adult = CatalogueEntry::named("adult")?;
/// assert_eq!(adult.files.len(), 2);
/// assert!(adult.files.iter().all(|file| file.url.starts_with("https://")));
/// # Ok::<(), evenhand::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// The name, which is also that of its folder.
    pub name: &'static str,
    /// The task in a line.
    pub about: &'static str,
    /// The licence its publisher states.
    pub licence: &'static str,
    /// Whom to cite.
    pub citation: &'static str,
    /// Its files.
    pub files: &'static [PublishedFile],
}

/// One file of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedFile {
    /// The name of its content, unpacked.
    pub name: &'static str,
    /// Where it is published.
    pub url: &'static str,
    /// In what archive, if in one.
    pub archive: Archive,
    /// Lower-case hexadecimal SHA-256 of its content, unpacked: any of these.
    pub sha256: &'static [&'static str],
    /// The size of its content, unpacked.
    pub bytes: u64,
}

/// How a file is packed where it is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archive {
    /// Not at all.
    Plain,
    /// Gzipped; it is kept so.
    Gzip,
    /// A member of a zip archive.
    Zip {
        /// Its path in the archive.
        member: &'static str,
    },
}

impl CatalogueEntry {
    /// All datasets, in the order of their names.
    pub fn all() -> &'static [Self] {
        &list::ALL
    }

    /// The dataset of that name.
    ///
    /// # Errors
    /// [`Error::Setting`], listing those there are.
    pub fn named(name: &str) -> Result<&'static Self> {
        Self::all().iter().find(|entry| entry.name == name).ok_or_else(|| {
            Error::setting(
                "dataset",
                format!("`{name}`"),
                format!("one of {}", Self::all().iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")),
            )
        })
    }

    /// The folder that holds all its files: one of its name inside `folder`, or `folder` itself.
    pub fn find(&self, folder: &Path) -> Option<PathBuf> {
        let holds_all = |folder: &PathBuf| self.files.iter().all(|file| file.find(folder).is_some());
        [folder.join(self.name), folder.to_owned()].into_iter().find(holds_all)
    }

    /// The size of all files, unpacked.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

impl PublishedFile {
    /// The file in a folder, as it is or gzipped.
    pub fn find(&self, folder: &Path) -> Option<PathBuf> {
        find(folder, self.name)
    }

    /// Checks that a file, gzipped or not, has the published content.
    ///
    /// # Errors
    /// [`Error::OtherContent`]; [`Error::Io`] or [`Error::Unreadable`] when it cannot be read.
    pub fn check(&self, path: &Path) -> Result<()> {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let (mut content, gzipped) = unpacked(path).map_err(failed)?;
        let found = sha256(&mut content).map_err(|error| {
            if gzipped {
                return Error::Unreadable { path: path.to_owned(), format: "gzip", source: error.into() };
            }
            failed(error)
        })?;
        if self.sha256.contains(&found.as_str()) {
            return Ok(());
        }
        let expected = self.sha256.iter().map(|&one| one.to_owned()).collect();
        Err(Error::OtherContent { path: path.to_owned(), expected, found })
    }
}

/// The file of that name in a folder, as it is or gzipped.
pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.gz"))].into_iter().find(|path| path.is_file())
}

/// The content of a file, and whether it is gzipped: its first bytes tell, not its name.
pub(crate) fn unpacked(path: &Path) -> io::Result<(Box<dyn Read>, bool)> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    (&mut file).take(2).read_to_end(&mut start)?;
    file.rewind()?;
    let file = BufReader::with_capacity(1 << 16, file);
    let gzipped = start == [0x1f, 0x8b];
    Ok((if gzipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) }, gzipped))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const GREETING: PublishedFile = PublishedFile {
        name: "greeting.txt",
        url: "https://example.org/greeting.txt",
        archive: Archive::Plain,
        sha256: &["5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"],
        bytes: 6,
    };

    #[test]
    fn a_file_is_known_by_its_content_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(GREETING.find(folder.path()), None);
        let packed = folder.path().join("greeting.txt.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"hello\n").unwrap();
        std::fs::write(&packed, encoder.finish().unwrap()).unwrap();
        assert_eq!(GREETING.find(folder.path()), Some(packed.clone()));
        GREETING.check(&packed).unwrap();
        let plain = folder.path().join("greeting.txt");
        std::fs::write(&plain, "hello\n").unwrap();
        assert_eq!(GREETING.find(folder.path()), Some(plain.clone()));
        GREETING.check(&plain).unwrap();

        std::fs::write(&plain, "Hello\n").unwrap();
        let error = GREETING.check(&plain).unwrap_err();
        assert_eq!(error.code(), "file-not-published");
        assert!(error.to_string().contains(GREETING.sha256[0]), "{error}");
        let cut = std::fs::read(&packed).unwrap();
        std::fs::write(&packed, &cut[..cut.len() - 6]).unwrap();
        assert_eq!(GREETING.check(&packed).unwrap_err().code(), "file-unreadable");
    }

    #[test]
    fn datasets_are_in_order_and_whole() {
        assert!(CatalogueEntry::all().is_sorted_by_key(|entry| entry.name));
        for home in CatalogueEntry::all() {
            assert_eq!(CatalogueEntry::named(home.name).unwrap(), home);
            for file in home.files {
                assert!(file.url.starts_with("https://"), "{}", file.url);
                let is_digest = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(!file.sha256.is_empty() && file.sha256.iter().all(is_digest), "{}", file.name);
            }
        }
        assert_eq!(CatalogueEntry::named("iris").unwrap_err().code(), "setting-invalid");
    }

    #[test]
    fn a_dataset_is_found_in_its_own_folder_and_in_one_above() {
        let folder = tempfile::tempdir().unwrap();
        let german = CatalogueEntry::named("german").unwrap();
        assert_eq!(german.find(folder.path()), None);
        let own = folder.path().join("german");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("german.data-numeric.gz"), "").unwrap();
        assert_eq!(german.find(folder.path()), Some(own.clone()));
        assert_eq!(german.find(&own), Some(own));
    }
}
