//! Images and their labels in IDX files, gzipped or not.
//!
//! An IDX file is a header of big-endian numbers and then bytes: how many items, their height and width, a grey level per pixel; or how many
//! items, a class each. Nothing is taken on the header's word: what is there is read, and compared with it.

use std::io::Read;
use std::path::Path;

use evenhand::{Error, Result};

use crate::catalogue::unpacked;

/// What IDX files of images and of labels begin with.
const IMAGES: u32 = 2051;
const LABELS: u32 = 2049;

/// Grey levels of images of one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Images {
    /// Rows of pixels, and pixels of a row.
    pub(crate) size: [usize; 2],
    /// Image by image, row by row.
    pub(crate) pixels: Vec<u8>,
}

impl Images {
    /// How many images.
    pub(crate) fn len(&self) -> usize {
        self.pixels.len() / (self.size[0] * self.size[1]).max(1)
    }

    /// Reads images of a size.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Unreadable`] where it is no such file, or not whole.
    pub(crate) fn read(path: &Path, size: [usize; 2]) -> Result<Self> {
        let (sizes, pixels) = read(path, IMAGES, 3, "images")?;
        let found = [sizes[1], sizes[2]];
        if found != size {
            let detail = format!(
                "its images are {} by {} pixels, and {} by {} are wanted",
                found[0], found[1], size[0], size[1]
            );
            return Err(unreadable(path, detail));
        }
        Ok(Self { size, pixels })
    }
}

/// Reads the labels of so many images.
///
/// # Errors
/// Those of [`Images::read`].
pub(crate) fn read_labels(path: &Path, images: usize, classes: u8) -> Result<Vec<u8>> {
    let (_, labels) = read(path, LABELS, 1, "labels")?;
    if labels.len() != images {
        return Err(unreadable(path, format!("it has {} labels, and there are {images} images", labels.len())));
    }
    match labels.iter().position(|label| *label >= classes) {
        Some(at) => {
            let detail = format!("label {} is {}, and labels are below {classes}", at + 1, labels[at]);
            Err(unreadable(path, detail))
        }
        None => Ok(labels),
    }
}

/// The sizes that a header names, and what follows it.
fn read(path: &Path, magic: u32, dimensions: usize, what: &str) -> Result<(Vec<usize>, Vec<u8>)> {
    let failed = |source: std::io::Error| Error::Io { path: path.to_owned(), source };
    let (mut content, gzipped) = unpacked(path).map_err(failed)?;
    let broken = |source: std::io::Error| {
        if gzipped {
            Error::Unreadable { path: path.to_owned(), format: "gzip", source: source.into() }
        } else {
            failed(source)
        }
    };
    let mut header = Vec::new();
    content.by_ref().take(4 * (1 + dimensions as u64)).read_to_end(&mut header).map_err(broken)?;
    let numbers: Vec<u32> =
        header.chunks_exact(4).map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]])).collect();
    if numbers.first() != Some(&magic) {
        let found = numbers.first().map_or_else(|| "nothing".to_owned(), ToString::to_string);
        return Err(unreadable(path, format!("a file of {what} begins with {magic}, this one with {found}")));
    }
    if numbers.len() != 1 + dimensions {
        return Err(unreadable(path, "it ends within its header".into()));
    }
    let sizes: Vec<usize> = numbers[1..].iter().map(|&number| number as usize).collect();
    let expected = sizes.iter().try_fold(1_u64, |product, &size| product.checked_mul(size as u64));
    let expected = expected.ok_or_else(|| unreadable(path, "its header names more bytes than there are".into()))?;
    let mut bytes = Vec::new();
    // One more tells a file that is too long.
    content.take(expected.saturating_add(1)).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() as u64 != expected {
        let than = if (bytes.len() as u64) < expected {
            format!("{} follow: it was cut off", bytes.len())
        } else {
            "more follow".into()
        };
        return Err(unreadable(path, format!("its header names {expected} bytes of {what}, and {than}")));
    }
    Ok((sizes, bytes))
}

fn unreadable(path: &Path, detail: String) -> Error {
    Error::Unreadable { path: path.to_owned(), format: "IDX", source: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn idx(numbers: &[u32], bytes: &[u8]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).chain(bytes.iter().copied()).collect()
    }

    fn said(content: &[u8], read: impl Fn(&Path) -> Error) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let error = read(file.path());
        assert_eq!(error.code(), "file-unreadable");
        std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
    }

    #[test]
    fn images_and_labels_are_read_packed_and_plain() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, packed) = (folder.path().join("images"), folder.path().join("labels.gz"));
        std::fs::write(&plain, idx(&[IMAGES, 2, 1, 3], &[0, 1, 2, 253, 254, 255])).unwrap();
        let images = Images::read(&plain, [1, 3]).unwrap();
        assert_eq!((images.len(), &images.pixels[3..]), (2, &[253, 254, 255][..]));
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&idx(&[LABELS, 2], &[7, 9])).unwrap();
        std::fs::write(&packed, encoder.finish().unwrap()).unwrap();
        assert_eq!(read_labels(&packed, 2, 10).unwrap(), [7, 9]);
    }

    #[test]
    fn what_is_no_such_file_or_not_whole_is_said() {
        let images = |path: &Path| Images::read(path, [1, 3]).unwrap_err();
        let labels = |path: &Path| read_labels(path, 2, 10).unwrap_err();
        let other = said(&idx(&[IMAGES, 2, 2, 2], &[0; 8]), images);
        assert_eq!(other, "its images are 2 by 2 pixels, and 1 by 3 are wanted");
        let cut = said(&idx(&[IMAGES, 2, 1, 3], &[0; 5]), images);
        assert_eq!(cut, "its header names 6 bytes of images, and 5 follow: it was cut off");
        assert_eq!(
            said(&idx(&[IMAGES, 2, 1, 3], &[0; 7]), images),
            "its header names 6 bytes of images, and more follow"
        );
        assert_eq!(said(&idx(&[IMAGES, 2], &[]), images), "it ends within its header");
        assert_eq!(said(&idx(&[LABELS, 2], &[0; 2]), images), "a file of images begins with 2051, this one with 2049");
        assert_eq!(said(b"abc", images), "a file of images begins with 2051, this one with nothing");
        let many = [IMAGES, u32::MAX, u32::MAX, u32::MAX];
        assert_eq!(said(&idx(&many, &[]), images), "its header names more bytes than there are");
        assert_eq!(said(&idx(&[LABELS, 3], &[0; 3]), labels), "it has 3 labels, and there are 2 images");
        assert_eq!(said(&idx(&[LABELS, 2], &[3, 10]), labels), "label 2 is 10, and labels are below 10");
    }
}
