//! A sample of rows that depends on their content alone.

use serde::{Deserialize, Serialize};

use super::Block;

/// Which rows are drawn: those whose content hashes to a number below a threshold. Rows alike are drawn together, and nothing else about a row
/// matters: not where it stands, nor how rows are cut into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sampling {
    seed: u64,
    /// Hashes below it are drawn; `None` draws all.
    below: Option<u64>,
}

impl Sampling {
    /// About `wanted` of `rows` rows.
    pub(crate) fn new(wanted: usize, rows: usize, seed: u64) -> Self {
        let share = wanted as u128 * (1 << 64) / rows.max(1) as u128;
        Self { seed, below: u64::try_from(share).ok() }
    }

    /// The rows of a block that are drawn.
    pub(super) fn of(self, block: &Block) -> Vec<usize> {
        let Some(below) = self.below else { return (0..block.rows()).collect() };
        (0..block.rows()).filter(|&row| block.hash(row, self.seed) < below).collect()
    }
}
