//! Encoded rows in compact blocks, and passes over them: the seam between a search and rows that may be anywhere.
//!
//! A [`Block`] holds some rows as a few bytes each, laid out as a [`Layout`] says, with the cells that they are in. Whatever a search wants to
//! know of all rows is a [`Request`]; a block answers it with sums that are merged in any order, so that blocks may be
//! kept in memory, in a scratch file, or on other machines, and the answer is the same to the last bit. [`RowStore`] is what a search
//! sees of them; [`Blocks`] keeps them here, those that repeat once (`aggregate`; `once` on other machines).
//!
//! Leans on `features`, `cells`, `weights` and `kernel`. Knows nothing of constraints, multipliers or solvers.

mod aggregate;
mod block;
mod bytes;
mod layout;
mod numbers;
mod once;
mod request;
mod sample;
mod scratch_blocks;
mod store;

pub(crate) use block::{Block, CellKey, mix};
pub(crate) use layout::Layout;
pub(crate) use once::Once;
pub(crate) use request::{Frame, InfluenceParts, Request};
pub(crate) use sample::{Drawn, Sampling, draw};
pub(crate) use scratch_blocks::ScratchBlocks;
pub use store::PassWatch;
pub(crate) use store::{BlockSink, Blocks, LeafPass, RowStore};
