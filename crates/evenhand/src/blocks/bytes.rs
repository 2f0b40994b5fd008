//! Blocks as bytes: little-endian numbers and lists with their lengths before them.

use crate::data::Codes;
use crate::{Error, Result};

/// Writes a block.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

/// Reads a block that was written here, or says that it is damaged.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

macro_rules! lists {
    ($write:ident, $read:ident, $type:ty) => {
        impl Writer {
            pub(super) fn $write(&mut self, values: &[$type]) {
                self.number(values.len());
                self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }

        impl Reader<'_> {
            pub(super) fn $read(&mut self) -> Result<Vec<$type>> {
                const SIZE: usize = size_of::<$type>();
                let count = self.number()?;
                let bytes = self.take(count.saturating_mul(SIZE))?;
                Ok(bytes.as_chunks::<SIZE>().0.iter().map(|bytes| <$type>::from_le_bytes(*bytes)).collect())
            }
        }
    };
}

lists!(doubles, doubles, f64);
lists!(singles, singles, f32);
lists!(words, words, u64);
lists!(halves, halves, u32);
lists!(shorts, shorts, u16);

impl Writer {
    pub(super) fn number(&mut self, number: usize) {
        self.bytes.extend_from_slice(&(number as u64).to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn codes(&mut self, codes: &Codes) {
        match codes {
            Codes::U8(codes) => {
                self.number(1);
                self.bytes(codes);
            }
            Codes::U16(codes) => {
                self.number(2);
                self.shorts(codes);
            }
            Codes::U32(codes) => {
                self.number(4);
                self.halves(codes);
            }
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(Self::damaged)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<usize> {
        let bytes = self.take(8)?.try_into().map_err(|_| Self::damaged())?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| Self::damaged())
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.number()?;
        self.take(count)
    }

    pub(super) fn codes(&mut self) -> Result<Codes> {
        Ok(match self.number()? {
            1 => Codes::U8(self.bytes()?.to_vec()),
            2 => Codes::U16(self.shorts()?),
            4 => Codes::U32(self.halves()?),
            _ => return Err(Self::damaged()),
        })
    }

    pub(super) fn damaged() -> Error {
        Error::BlockFormat
    }
}
