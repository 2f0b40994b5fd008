//! What the pages of a Parquet file say they will become, looked at before memory is taken for it.
//!
//! A decoder takes memory by the length that the header of a page gives for its content without compression, and a dictionary's by
//! the number of values that stands there: a file of a kilobyte can say two gigabytes, and sixteen. So headers are read
//! first. A page cannot become more than its codec makes of its bytes, and a value takes a byte at least.
//!
//! Headers are structures of Thrift's compact protocol. One that cannot be read is refused too: the decoder goes on past the end of a file
//! for as many bytes as a text in it is said to have.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use crate::Cause;

/// Bytes read at once: headers are short, and what follows them is passed over.
const BUFFER: usize = 1 << 9;

/// What a codec may write of no byte: its own frame.
const FRAME: u64 = 64;

/// Structures within structures, of which a header has two.
const MOST_NESTED: usize = 8;

/// Kinds of fields of the compact protocol.
const INT: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Checks the pages of all columns.
pub(super) fn check(file: File, metadata: &ParquetMetaData) -> Result<(), Cause> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns)
        .try_for_each(|column| check_column(&mut file, column))
}

fn check_column(file: &mut BufReader<File>, column: &ColumnChunkMetaData) -> Result<(), Cause> {
    let ratio = match column.compression() {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => 64,
        Compression::LZ4 | Compression::LZ4_RAW => 255,
        Compression::GZIP(_) => 1032,
        // Zstandard repeats a byte 128 KiB long with four.
        Compression::ZSTD(_) => 1 << 15,
        // Brotli has no such limit, and LZO no decoder.
        _ => return Ok(()),
    };
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (mut at, length) = (u64::try_from(start)?, u64::try_from(column.compressed_size())?);
    let (end, mut left) = (at.saturating_add(length), u64::try_from(column.num_values())?);
    file.seek(SeekFrom::Start(at))?;
    // Once it has all values the decoder reads no further, whatever follows.
    while at < end && left > 0 {
        let mut header = Compact { bytes: file.by_ref().take(end - at), read: 0 };
        let page = Page::read(&mut header).map_err(|error| format!("the header of a page cannot be read: {error}"))?;
        if page.whole > page.packed.saturating_mul(ratio).saturating_add(FRAME) {
            return Err(format!("damaged: {} compressed bytes are said to become {}", page.packed, page.whole).into());
        }
        if page.dictionary > page.whole {
            return Err(format!("damaged: {} bytes are said to be {} values", page.whole, page.dictionary).into());
        }
        left = left.saturating_sub(page.values);
        at = at.saturating_add(header.read).saturating_add(page.packed);
        file.seek_relative(i64::try_from(page.packed)?)?;
    }
    Ok(())
}

/// What a header says of its page.
#[derive(Default)]
struct Page {
    /// Bytes without compression.
    whole: u64,
    /// Bytes in the file.
    packed: u64,
    /// Values of the column.
    values: u64,
    /// Values of its dictionary.
    dictionary: u64,
}

impl Page {
    fn read(header: &mut Compact<impl Read>) -> io::Result<Self> {
        let (mut page, mut last, mut sized) = (Self::default(), 0, false);
        while let Some((field, kind)) = header.field(&mut last)? {
            match (field, kind) {
                (2, INT) => page.whole = header.size()?,
                (3, INT) => (page.packed, sized) = (header.size()?, true),
                // Data of either version, and dictionaries, say first how many values they have.
                (5 | 8, STRUCT) => page.values = header.first()?,
                (7, STRUCT) => page.dictionary = header.first()?,
                (_, kind) => header.skip(kind, 0)?,
            }
        }
        // Zeros are structures without fields, and no pages.
        if sized { Ok(page) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

/// Thrift's compact protocol, as far as headers of pages need it.
struct Compact<R> {
    bytes: R,
    /// How many bytes were read.
    read: u64,
}

impl<R: Read> Compact<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    /// A number that is no less than zero: signs are in the lowest bit.
    fn size(&mut self) -> io::Result<u64> {
        let value = self.varint()?;
        if value & 1 == 0 { Ok(value >> 1) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// The number and the kind of the next field; `None` at the end of a structure.
    fn field(&mut self, last: &mut u64) -> io::Result<Option<(u64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        *last = if head >> 4 == 0 { self.size()? } else { last.saturating_add(u64::from(head >> 4)) };
        Ok(Some((*last, head & 0x0f)))
    }

    /// The first number of a structure, which is passed over.
    fn first(&mut self) -> io::Result<u64> {
        let (mut number, mut last) = (0, 0);
        while let Some((field, kind)) = self.field(&mut last)? {
            match (field, kind) {
                (1, INT) => number = self.size()?,
                (_, kind) => self.skip(kind, 1)?,
            }
        }
        Ok(number)
    }

    fn skip(&mut self, kind: u8, nested: usize) -> io::Result<()> {
        match kind {
            // Whether it is true is said by the kind itself.
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST if nested < MOST_NESTED => {
                let head = self.byte()?;
                let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // In a list, whether something is true takes a byte.
                let kind = if head & 0x0f <= 2 { 3 } else { head & 0x0f };
                (0..length).try_for_each(|_| self.skip(kind, nested + 1))
            }
            STRUCT if nested < MOST_NESTED => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, nested + 1)?;
                }
                Ok(())
            }
            // Headers of pages hold no sets or maps.
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn pass(&mut self, count: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.bytes.by_ref().take(count), &mut io::sink())?;
        self.read += passed;
        if passed == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}
