//! Where blocks are kept, and passes over all of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::aggregate::Distinct;
use super::block::CellPlaces;
use super::request::Leaf;
use super::{Block, Drawn, Frame, Request, Sampling, ScratchBlocks};
use crate::data::Codes;
use crate::exact::Totals;
use crate::features::Features;
use crate::{Error, Result};

/// Rows that a kernel is handed at once: few enough to stay in a near cache, and no more than sums in 64 bits have room for.
const LEAF_ROWS: usize = 1 << 14;

/// Rows that repeat are looked for in at most so many parts at once, each of which goes over all rows.
const MOST_PARTS: usize = 8;

/// Some rows as kernels take them: features, the place of each row's cell among all, and row weights.
pub(crate) type LeafRows<'a> = (&'a Features, &'a Codes, Option<&'a [f64]>);

/// Makes sums over some rows, and tells the least of something that each has.
pub(crate) type LeafPass<'a> = dyn Fn(LeafRows<'_>) -> (Totals, f64) + Sync + 'a;

/// Rows, wherever they are, as a search sees them.
pub(crate) trait RowStore: Sync {
    /// What all blocks share.
    fn frame(&self) -> &Frame;

    /// How many rows.
    fn rows(&self) -> usize;

    /// The answer of all rows.
    ///
    /// # Errors
    /// [`Error::Interrupted`], or what keeps rows from being read.
    fn pass(&self, request: &Request) -> Result<Totals>;

    /// How many passes were made.
    fn passes(&self) -> usize;

    /// The rows that are drawn, in any number of blocks.
    ///
    /// # Errors
    /// As [`RowStore::pass`].
    fn sample(&self, sampling: Sampling) -> Result<Vec<Block>>;

    /// In how many parts rows that repeat are kept once, each of which knows its own alone.
    fn parts(&self) -> usize {
        1
    }

    /// Keeps rows that repeat once, where a sample says that it pays: no answer changes by it. How many rows are left, where it does.
    ///
    /// # Errors
    /// As [`RowStore::pass`].
    fn aggregate(&mut self, sample: &Drawn) -> Result<Option<usize>>;

    /// What is asked of all rows that no [`Request`] asks.
    ///
    /// # Errors
    /// [`Error::NotStored`] where rows are on other machines, which know requests alone, and those of [`RowStore::pass`].
    fn pass_leaves(&self, purpose: &'static str, _: &LeafPass<'_>) -> Result<(Totals, f64)> {
        Err(Error::NotStored { what: purpose.to_owned() })
    }
}

/// Is notified how far a pass has come, and may end it.
pub trait PassWatch: Send + Sync {
    /// A pass begins over so many rows, for a purpose in a few words.
    fn begin(&self, purpose: &'static str, rows: Option<usize>);
    /// So many more rows are done; whether to go on.
    fn advance(&self, rows: usize) -> bool;
}

/// Blocks while they are made: in memory as long as they fit, then all in a scratch file.
#[derive(Debug)]
pub(crate) struct BlockSink {
    memory: usize,
    state: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    blocks: Vec<Block>,
    bytes: usize,
    scratch: Option<Arc<ScratchBlocks>>,
}

/// Blocks in memory or in a scratch file.
pub(crate) struct Blocks {
    frame: Frame,
    rows: usize,
    /// Blocks of up to so many bytes stay in memory.
    memory: usize,
    kept: Kept,
    passes: AtomicUsize,
    watch: Option<Arc<dyn PassWatch>>,
}

impl BlockSink {
    /// Blocks of up to so many bytes stay in memory.
    pub(crate) fn new(memory: usize) -> Self {
        Self { memory, state: Mutex::new(Kept { blocks: Vec::new(), bytes: 0, scratch: None }) }
    }

    /// Adds a block.
    ///
    /// # Errors
    /// [`Error::NoTemporary`] when there is no room for it.
    pub(crate) fn push(&self, block: Block) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += block.size();
        if state.scratch.is_none() && state.bytes > self.memory {
            let scratch = ScratchBlocks::new()?;
            state.blocks.drain(..).try_for_each(|block| scratch.push(&block))?;
            state.scratch = Some(Arc::new(scratch));
        }
        if let Some(scratch) = state.scratch.clone() {
            drop(state);
            return scratch.push(&block);
        }
        state.blocks.push(block);
        Ok(())
    }

    /// The store of all blocks, which share a frame.
    pub(crate) fn finish(self, frame: Frame, rows: usize, watch: Option<Arc<dyn PassWatch>>) -> Blocks {
        let kept = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Blocks { frame, rows, memory: self.memory, kept, passes: AtomicUsize::new(0), watch }
    }
}

impl Blocks {
    /// The rows of different content; `None` where they cannot be counted. Each part has those of some hashes, and goes over all rows for them.
    fn distinct(&self) -> Result<Option<Vec<Distinct>>> {
        if let Some(watch) = &self.watch {
            watch.begin("rows that repeat", Some(self.rows));
        }
        let parts = rayon::current_num_threads().clamp(1, MOST_PARTS) as u64;
        let part = |at: u64| -> Result<Option<Distinct>> {
            let mut own = Distinct::default();
            let mut add = |block: &Block| -> Result<Option<()>> {
                let places = CellPlaces::new(block, &self.frame.cells).ok_or(Error::BlockFormat)?;
                let goes_on = at > 0 || self.watch.as_ref().is_none_or(|watch| watch.advance(block.counted_rows()));
                // The highest bits tell the part; the lowest are what the table goes by.
                let asked = |hash: u64| ((hash >> 32) * parts) >> 32 == at;
                if goes_on { Ok(own.add(block, &places, asked)) } else { Err(Error::Interrupted) }
            };
            let all = match &self.kept.scratch {
                Some(scratch) => (0..scratch.len()).try_fold(Some(()), |all, at| Ok(all.and(add(&scratch.get(at)?)?))),
                None => self.kept.blocks.iter().try_fold(Some(()), |all, block| Ok(all.and(add(block)?))),
            };
            Ok(all?.map(|()| own))
        };
        (0..parts).into_par_iter().map(part).collect()
    }

    /// Computes something of every block and merges it.
    fn fold<S: Send>(
        &self,
        purpose: &'static str,
        map: impl Fn(&Block) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> S + Sync + Send,
    ) -> Result<Option<S>> {
        if let Some(watch) = &self.watch {
            watch.begin(purpose, Some(self.rows));
        }
        let done = |block: &Block| {
            let found = map(block)?;
            let goes_on = self.watch.as_ref().is_none_or(|watch| watch.advance(block.counted_rows()));
            if goes_on { Ok(found) } else { Err(Error::Interrupted) }
        };
        let both = |left: Result<S>, right: Result<S>| Ok(merge(left?, right?));
        match &self.kept.scratch {
            Some(scratch) => {
                let places = (0..scratch.len()).into_par_iter();
                places.map(|at| done(&scratch.get(at)?)).reduce_with(both).transpose()
            }
            None => self.kept.blocks.par_iter().map(done).reduce_with(both).transpose(),
        }
    }
}

impl RowStore for Blocks {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn pass(&self, request: &Request) -> Result<Totals> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let merge = |mut left: Totals, right: Totals| {
            left.merge(&right);
            left
        };
        let all = self.fold(request.purpose(), |block| block.answer(request, &self.frame), merge)?;
        all.map_or_else(|| request.nothing(&self.frame), Ok)
    }

    fn passes(&self) -> usize {
        self.passes.load(Ordering::Relaxed)
    }

    fn aggregate(&mut self, sample: &Drawn) -> Result<Option<usize>> {
        if !sample.repeats(self.rows, self.memory) {
            return Ok(None);
        }
        let Some(parts) = self.distinct()? else { return Ok(None) };
        let (sink, mut left) = (BlockSink::new(self.memory), 0);
        for part in parts {
            left += part.len();
            part.each_block(&sample.block, &self.frame.cells, |block| sink.push(block))?;
        }
        self.kept = sink.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(left))
    }

    fn pass_leaves(&self, purpose: &'static str, pass: &LeafPass<'_>) -> Result<(Totals, f64)> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let merge = |mut left: (Totals, f64), right: (Totals, f64)| {
            left.0.merge(&right.0);
            (left.0, left.1.min(right.1))
        };
        let of_block = |block: &Block| {
            let answer = |leaf: &Leaf| Ok(pass((&leaf.features, &leaf.cell_of_row, leaf.row_weights.as_deref())));
            let found = block.each_leaf(&self.frame, answer, merge)?;
            Ok(found.map(|(totals, least)| (totals.times(block.times), least)))
        };
        let both = |left: Option<_>, right: Option<_>| match (left, right) {
            (Some(left), Some(right)) => Some(merge(left, right)),
            (left, right) => left.or(right),
        };
        let all = self.fold(purpose, of_block, both)?.flatten();
        all.ok_or_else(|| Error::NoRows { what: "the data".into() })
    }

    fn sample(&self, sampling: Sampling) -> Result<Vec<Block>> {
        let merge = |mut left: Vec<Block>, right: Vec<Block>| {
            left.extend(right);
            left
        };
        Ok(self.fold("drawing a sample", |block| Ok(block.sampled(sampling)), merge)?.unwrap_or_default())
    }
}

impl Block {
    /// What its rows add to the answer of a request.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] when it is a block of other rows than the frame is of.
    pub(crate) fn answer(&self, request: &Request, frame: &Frame) -> Result<Totals> {
        let merge = |mut left: Totals, right: Totals| {
            left.merge(&right);
            left
        };
        let all = self.each_leaf(frame, |leaf| request.totals(frame, leaf), merge)?;
        all.map_or_else(|| request.nothing(frame), |all| Ok(all.times(self.times)))
    }

    /// Computes something of every leaf of its rows, and merges it; `None` without rows.
    fn each_leaf<S>(
        &self,
        frame: &Frame,
        map: impl Fn(&Leaf) -> Result<S>,
        merge: impl Fn(S, S) -> S,
    ) -> Result<Option<S>> {
        let places = CellPlaces::new(self, &frame.cells).ok_or(Error::BlockFormat)?;
        let mut all: Option<S> = None;
        // To make tables of coefficients, and to merge sums, is to cost no more than the rows do, however many features there are.
        let size = LEAF_ROWS.max(frame.shape().width());
        for start in (0..self.rows()).step_by(size) {
            let rows = start..(start + size).min(self.rows());
            let found = map(&self.leaf(&frame.layout, &places, rows))?;
            all = Some(match all {
                Some(all) => merge(all, found),
                None => found,
            });
        }
        Ok(all)
    }
}
