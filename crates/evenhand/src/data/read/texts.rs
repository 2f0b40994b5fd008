//! Texts of one column, wherever they come from.
//!
//! Holds [`Texts`], which the columns of a text file and Arrow's arrays of strings (`arrow`) have in common.
//! Works on bytes: whether they are UTF-8 matters only for texts that are kept.

/// Some rows of one column, as the bytes of their texts.
pub(super) trait Texts {
    /// How many rows.
    fn len(&self) -> usize;

    /// The bytes of a row, `None` where it has no value.
    fn get(&self, row: usize) -> Option<&[u8]>;
}
