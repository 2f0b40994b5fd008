//! Small integers in the narrowest width that holds them.
//!
//! Holds [`Codes`], the storage of every categorical column, of labels and of cells.
//! Knows nothing of what a code means.

use crate::parallel;

/// One code per row, stored as one, two or four bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 distinct codes.
    U8(Vec<u8>),
    /// At most 65,536 distinct codes.
    U16(Vec<u16>),
    /// Everything else.
    U32(Vec<u32>),
}

impl Codes {
    /// Stores codes, all below `bound`, in the narrowest width.
    pub fn narrow(codes: Vec<u32>, bound: usize) -> Self {
        if bound <= 1 << 8 {
            Self::U8(codes.into_iter().map(|code| code as u8).collect())
        } else if bound <= 1 << 16 {
            Self::U16(codes.into_iter().map(|code| code as u16).collect())
        } else {
            Self::U32(codes)
        }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of one row.
    pub fn get(&self, row: usize) -> usize {
        match self {
            Self::U8(codes) => codes[row] as usize,
            Self::U16(codes) => codes[row] as usize,
            Self::U32(codes) => codes[row] as usize,
        }
    }

    /// The codes of some rows, written over `out`.
    pub fn block(&self, rows: std::ops::Range<usize>, out: &mut Vec<u32>) {
        out.clear();
        match self {
            Self::U8(codes) => out.extend(codes[rows].iter().map(|&code| u32::from(code))),
            Self::U16(codes) => out.extend(codes[rows].iter().map(|&code| u32::from(code))),
            Self::U32(codes) => out.extend_from_slice(&codes[rows]),
        }
    }

    /// The codes of a range of rows.
    #[must_use]
    pub fn slice(&self, rows: std::ops::Range<usize>) -> Self {
        match self {
            Self::U8(codes) => Self::U8(codes[rows].to_vec()),
            Self::U16(codes) => Self::U16(codes[rows].to_vec()),
            Self::U32(codes) => Self::U32(codes[rows].to_vec()),
        }
    }

    /// All codes in row order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The codes of the given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(parallel::gather(codes, rows)),
            Self::U16(codes) => Self::U16(parallel::gather(codes, rows)),
            Self::U32(codes) => Self::U32(parallel::gather(codes, rows)),
        }
    }

    /// The same codes passed through a table, stored for codes below `bound`.
    #[must_use]
    pub fn map(&self, table: &[u32], bound: usize) -> Self {
        // Bytes stay bytes, by a table that has an entry for each: no row needs a check.
        if let Self::U8(codes) = self
            && bound <= 1 << 8
            && table.len() <= 1 << 8
        {
            let mut bytes = [0; 1 << 8];
            for (byte, &code) in bytes.iter_mut().zip(table) {
                *byte = code as u8;
            }
            return Self::U8(codes.iter().map(|&code| bytes[code as usize]).collect());
        }
        Self::narrow(self.iter().map(|code| table[code]).collect(), bound)
    }
}
