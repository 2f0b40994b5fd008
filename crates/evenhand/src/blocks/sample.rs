//! A sample of rows that depends on their content alone.
//!
//! Rows alike are drawn together, since nothing but their content may matter: not where a row stands, nor how rows are cut into blocks. Where few rows are
//! different, most of them would then be missing, or one of them be most of the sample. So more contents are drawn where rows repeat, all of them if need be,
//! and of each so many rows as its share of all says: a sample by strata.

use serde::{Deserialize, Serialize};

use super::aggregate::{Distinct, is_worth_it};
use super::block::{CellPlaces, mix};
use super::{Block, RowStore};
use crate::{Error, Result};

/// Which contents are drawn: those that hash to a number below a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sampling {
    seed: u64,
    /// Hashes below it are drawn; `None` draws all.
    below: Option<u64>,
}

/// A sample, and what it tells of all rows.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) block: Block,
    /// About how many rows are left of all, where each part of a store keeps those that repeat in it once.
    left: usize,
}

impl Drawn {
    /// Whether it pays to keep rows that repeat once, of so many rows and where so much memory is for blocks.
    pub(crate) fn repeats(&self, rows: usize, memory: usize) -> bool {
        is_worth_it(self.left, rows, self.block.distinct_bytes(), memory)
    }
}

/// All of 2⁶⁴.
const ALL: u128 = 1 << 64;

/// Whether a row is one more than its share says is drawn by its content too, but not by the hash by which the content was drawn.
const OTHER: u64 = 0x2545_f491_4f6c_dd1d;

impl Sampling {
    /// So many of 2⁶⁴ contents.
    fn new(share: u128, seed: u64) -> Self {
        Self { seed, below: u64::try_from(share).ok() }
    }

    /// The rows of a block that are drawn.
    fn of(self, block: &Block) -> Vec<usize> {
        let Some(below) = self.below else { return (0..block.rows()).collect() };
        (0..block.rows()).filter(|&row| block.hash(row, self.seed) < below).collect()
    }
}

impl Block {
    /// The rows that are drawn, each content once, with how often it is there.
    pub(crate) fn sampled(&self, sampling: Sampling) -> Vec<Self> {
        let drawn = self.select(&sampling.of(self));
        let (mut once, mut blocks) = (Distinct::default(), Vec::new());
        let added = once.add(&drawn, &CellPlaces::of_own(&drawn), |_| true);
        if added.is_none() || once.len() == drawn.rows() {
            return vec![drawn];
        }
        let each = |block: Self| -> std::result::Result<(), std::convert::Infallible> {
            blocks.push(block);
            Ok(())
        };
        once.each_block(&drawn, drawn.cells(), each).unwrap_or_else(|never| match never {});
        blocks
    }
}

/// About so many rows, drawn by their content and a seed.
///
/// # Errors
/// What keeps rows from being read.
pub(crate) fn draw(store: &dyn RowStore, wanted: usize, seed: u64) -> Result<Drawn> {
    let (rows, cells) = (store.rows(), &store.frame().cells);
    let asked = (wanted as u128 * ALL / rows.max(1) as u128).min(ALL);
    let mut share = asked;
    loop {
        let parts = store.sample(Sampling::new(share, seed))?;
        let mut once = Distinct::default();
        for part in &parts {
            let places = CellPlaces::new(part, cells).ok_or(Error::BlockFormat)?;
            once.add(part, &places, |_| true).ok_or(Error::BlockFormat)?;
        }
        let (different, drawn) = (once.len(), once.rows());
        // Few rows repeat, or contents are as many as rows were asked for.
        let is_enough = if share == asked {
            2 * different as u64 >= drawn && 2 * drawn >= wanted as u64
        } else {
            2 * different >= wanted
        };
        if !is_enough && share < ALL {
            // No more contents than rows were asked for, by what three standard deviations allow.
            let most = different as f64 + 3.0 * (different as f64).sqrt() + 5.0;
            // It is not negative.
            #[expect(clippy::cast_sign_loss)]
            let times = (wanted as f64 / most).clamp(2.0, 1e18) as u128;
            share = (share.max(1) * times).min(ALL);
            continue;
        }
        let like =
            parts.first().filter(|_| different > 0).ok_or_else(|| Error::NoRows { what: "the sample".into() })?;
        let kept = Thinning::new((asked, share), drawn, wanted);
        let places = once.counts().enumerate().flat_map(|(place, (hash, count))| {
            std::iter::repeat_n(place, usize::try_from(kept.of(hash, count)).unwrap_or(usize::MAX))
        });
        let places: Vec<usize> = places.collect();
        // A part without any of n rows that are alike has a chance of (1 − 1/parts)ⁿ, where they are spread by chance.
        let parts = store.parts().max(1) as f64;
        let in_parts: f64 =
            once.counts().map(|(_, count)| parts * (1.0 - (1.0 - parts.recip()).powf(count as f64))).sum();
        // The share of contents that were drawn is that of all.
        #[expect(clippy::cast_sign_loss)]
        let left = (in_parts * (ALL as f64 / share as f64)).ceil() as usize;
        return Ok(Drawn { block: once.block(&places, 1, like, cells), left });
    }
}

/// How many rows of a content are kept.
struct Thinning {
    kept: u128,
    of: u128,
}

impl Thinning {
    /// As many as make up for contents that were drawn beyond those asked for; where one that stands for very many was drawn, as many as make the sample no larger
    /// than was asked for.
    fn new((asked, share): (u128, u128), drawn: u64, wanted: usize) -> Self {
        let expected = (drawn as f64) * (asked as f64) / (share as f64);
        if expected > 2.0 * wanted as f64 {
            Self { kept: wanted as u128, of: u128::from(drawn) }
        } else {
            Self { kept: asked, of: share }
        }
    }

    fn of(&self, hash: u64, count: u64) -> u64 {
        let chance = u128::from(mix(hash ^ OTHER));
        let kept = (u128::from(count) * self.kept + ((chance * self.of) >> 64)) / self.of;
        // It is no more than there are.
        u64::try_from(kept).unwrap_or(u64::MAX)
    }
}
