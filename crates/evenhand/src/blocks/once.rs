//! Rows that repeat in a part of all rows, kept once: what a machine does that sees its own blocks alone, one after the other.

use super::Block;
use super::aggregate::{Distinct, MEMORY_SHARE};
use super::block::{CellKey, CellPlaces};
use crate::{Error, Result};

/// Blocks of a part of all rows, taken one by one, on their way to blocks in which rows that repeat stand once.
#[derive(Debug)]
pub(crate) struct Once {
    /// All cells there are.
    cells: Vec<CellKey>,
    /// For so many bytes of memory, of which a part may be taken.
    memory: usize,
    distinct: Distinct,
    /// No rows, laid out like all.
    like: Option<Block>,
}

impl Once {
    /// Nothing yet of rows in these cells, for a machine with so much memory for blocks.
    pub(crate) fn new(cells: Vec<CellKey>, memory: usize) -> Self {
        Self { cells, memory, distinct: Distinct::default(), like: None }
    }

    /// Takes a block. Where more rows are different than there is room for, those that were found are handed over, and looked for anew: how many, and
    /// their blocks.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for a block of other rows.
    pub(crate) fn add(&mut self, block: &Block) -> Result<Option<(usize, Vec<Block>)>> {
        let places = CellPlaces::new(block, &self.cells).ok_or(Error::BlockFormat)?;
        self.distinct.add(block, &places, |_| true).ok_or(Error::BlockFormat)?;
        self.like.get_or_insert_with(|| block.select(&[]));
        let is_full = self.distinct.len().saturating_mul(block.distinct_bytes()) > self.memory / MEMORY_SHARE;
        Ok(if is_full { self.take() } else { None })
    }

    /// Hands over what is left: how many rows are different, and their blocks.
    pub(crate) fn take(&mut self) -> Option<(usize, Vec<Block>)> {
        let (distinct, mut blocks) = (std::mem::take(&mut self.distinct), Vec::new());
        let push = |block: Block| -> std::result::Result<(), std::convert::Infallible> {
            blocks.push(block);
            Ok(())
        };
        distinct.each_block(self.like.as_ref()?, &self.cells, push).unwrap_or_else(|never| match never {});
        (!blocks.is_empty()).then_some((distinct.len(), blocks))
    }
}
