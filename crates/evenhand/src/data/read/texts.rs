//! Texts of one column, wherever they come from.
//!
//! Holds [`Texts`], which the columns of a text file and Arrow's arrays of strings have in common.
//! Works on bytes: whether they are UTF-8 matters only for texts that are kept.

use arrow_array::{Array, GenericStringArray, OffsetSizeTrait, StringViewArray};

/// Some rows of one column, as the bytes of their texts.
pub(super) trait Texts {
    /// How many rows.
    fn len(&self) -> usize;

    /// The bytes of a row, `None` where it has no value.
    fn get(&self, row: usize) -> Option<&[u8]>;
}

impl<O: OffsetSizeTrait> Texts for GenericStringArray<O> {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| self.value(row).as_bytes())
    }
}

impl Texts for StringViewArray {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| self.value(row).as_bytes())
    }
}
