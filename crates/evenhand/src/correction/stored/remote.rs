//! Rows on other machines: tasks as bytes go there, and bytes that are merged come back.
//!
//! Holds [`RemoteRows`], which whoever drives such machines implements, and [`Task`], what they do with it: everything that a machine computes is a
//! function of a task and of the rows it has, and what it returns is merged in any order. So it does not matter how rows are spread, or whether
//! something is computed twice since a machine was lost.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::RawRows;
use super::content::content;
use crate::blocks::{Block, CellKey, Drawn, Frame, Once, Request, RowStore, Sampling};
use crate::correction::problem::{BlockPlan, Encoded};
use crate::data::{Schema, Table};
use crate::exact::Totals;
use crate::facts::{Answer, Profile, Question, Rescan, answer, from_bytes, merged, to_bytes};
use crate::{Error, Result};

/// Machines with rows, driven from here.
pub trait RemoteRows: Sync {
    /// Does a task on raw rows, everywhere they are; what comes back is one answer for each part of them.
    ///
    /// # Errors
    /// What went wrong there.
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Encodes raw rows by a task, and keeps their blocks where they are; what comes back is what is known of each block.
    ///
    /// # Errors
    /// As [`RemoteRows::on_rows`].
    fn encode(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Does a task on the blocks that were kept.
    ///
    /// # Errors
    /// As [`RemoteRows::on_rows`].
    fn on_blocks(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Makes other blocks of those that were kept by a task, and keeps them in their place; what comes back is what is known of each block.
    ///
    /// # Errors
    /// As [`RemoteRows::on_rows`].
    fn aggregate(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// The column that says how many times each row counts, where one does.
    fn frequency(&self) -> Option<&str> {
        None
    }
}

/// The column that says how many times each row counts.
type Frequency = Option<String>;

/// So much memory for blocks a machine is taken to have for each part of its rows.
const MEMORY_OF_PART: usize = 1 << 30;

/// What a machine is asked to do.
#[derive(Debug, Serialize, Deserialize)]
enum Task {
    Profile(Schema, Frequency),
    Ask(Question, Frequency),
    Encode(BlockPlan, Frequency),
    Pass {
        plan: BlockPlan,
        encoded: Encoded,
        request: Request,
    },
    Sample(Sampling),
    /// Rows that repeat are kept once; of blocks in these cells.
    Aggregate(Vec<CellKey>),
}

/// The answer of raw rows, with what tells that they are the same when they are encoded.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Read<T> {
    content: u64,
    found: T,
}

/// What blocks answer, with what tells that they are still the same.
#[derive(Debug, Serialize, Deserialize)]
struct Passed {
    rows: usize,
    fingerprint: u64,
    totals: Totals,
}

/// What is known of a block whose rows stand once.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// How many rows are left.
    left: usize,
    rows: usize,
    fingerprint: u64,
}

/// A task that a machine has understood, for as many rows or blocks as it has.
#[derive(Debug)]
pub struct RemoteTask {
    task: Task,
    /// What blocks share, for tasks on blocks.
    frame: Option<Frame>,
    layout: Option<crate::blocks::Layout>,
}

impl RemoteTask {
    /// Understands a task.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for bytes that are no task of this version.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let task: Task = from_bytes(bytes)?;
        let frame = match &task {
            Task::Pass { plan, encoded, .. } => Some(plan.frame(encoded)?),
            _ => None,
        };
        let layout = match &task {
            Task::Encode(plan, _) => Some(plan.layout()?),
            _ => None,
        };
        Ok(Self { task, frame, layout })
    }

    /// The columns of raw rows that it is about; `None` for all of them.
    pub fn columns(&self) -> Option<Vec<String>> {
        match &self.task {
            Task::Ask(question, frequency) => Some(question.columns_with(frequency.as_deref())),
            _ => None,
        }
    }

    /// What some raw rows answer; `None` where no row counts.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn on_rows(&self, rows: &Table) -> Result<Option<Vec<u8>>> {
        match &self.task {
            Task::Profile(schema, frequency) => {
                let profile = |rows: &Table| Ok(Read::new(rows, 1, Profile::of(rows, schema)?));
                answer(rows, frequency.as_deref(), profile, Read::by(Profile::merge))
            }
            Task::Ask(question, frequency) => {
                answer(rows, frequency.as_deref(), |rows| Answer::of(question, rows), Answer::merge)
            }
            _ => Err(Error::BlockFormat),
        }
    }

    /// Some raw rows as blocks, each with what is known of it: one where rows count once, else one for each bit of how often they do.
    ///
    /// # Errors
    /// What is wrong with the rows.
    pub fn encode(&self, rows: &Table) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let (Task::Encode(plan, frequency), Some(layout)) = (&self.task, &self.layout) else {
            return Err(Error::BlockFormat);
        };
        let one = |rows: &Table, times| {
            let (block, encoded) = plan.block(layout, rows, times)?;
            Ok((block.to_bytes(), to_bytes(&Read::new(rows, times, encoded))?))
        };
        match frequency {
            Some(column) => rows.by_frequency(column)?.iter().map(|(times, rows)| one(rows, *times)).collect(),
            None => Ok(vec![one(rows, 1)?]),
        }
    }

    /// What a block answers: once, or where rows are drawn once for each block of them.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for bytes that are no block of the rows that the task is about.
    pub fn on_block(&self, block: &[u8]) -> Result<Vec<Vec<u8>>> {
        let block = Block::from_bytes(block)?;
        match (&self.task, &self.frame) {
            (Task::Pass { request, .. }, Some(frame)) => {
                let (rows, fingerprint) = (block.counted_rows(), block.fingerprint());
                Ok(vec![to_bytes(&Passed { rows, fingerprint, totals: block.answer(request, frame)? })?])
            }
            (Task::Sample(sampling), _) => Ok(block.sampled(*sampling).iter().map(Block::to_bytes).collect()),
            _ => Err(Error::BlockFormat),
        }
    }

    /// What makes blocks in which rows that repeat stand once of the blocks of a part.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for another task.
    pub fn aggregation(&self) -> Result<RemoteAggregation> {
        let Task::Aggregate(cells) = &self.task else { return Err(Error::BlockFormat) };
        Ok(RemoteAggregation { once: Once::new(cells.clone(), MEMORY_OF_PART) })
    }

    /// Whether several answers can be one: rows that are drawn cannot.
    pub fn merges(&self) -> bool {
        !matches!(self.task, Task::Sample(_))
    }

    /// What several answers of the same task are together: whoever has many sends one.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for bytes that are no answers.
    pub fn merge(&self, answers: &[Vec<u8>]) -> Result<Vec<u8>> {
        match &self.task {
            Task::Profile(..) => to_bytes(&merged(answers, Read::by(Profile::merge))?),
            Task::Ask(..) => to_bytes(&merged(answers, Answer::merge)?),
            Task::Encode(..) => to_bytes(&merged(answers, Read::by(Encoded::merge))?),
            Task::Pass { .. } => to_bytes(&merged(answers, Passed::merge)?),
            Task::Aggregate(_) => to_bytes(&merged(answers, Kept::merge)?),
            Task::Sample(_) => Err(Error::BlockFormat),
        }
    }
}

/// The blocks of a part of all rows on their way to others, in which rows that repeat stand once.
#[derive(Debug)]
pub struct RemoteAggregation {
    once: Once,
}

/// A block and what is known of it, as bytes.
type Made = (Vec<u8>, Vec<u8>);

impl RemoteAggregation {
    /// Takes a block; what comes back are blocks to be kept, each with what is known of it.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] for bytes that are no block of the rows that the task is about.
    pub fn add(&mut self, block: &[u8]) -> Result<Vec<Made>> {
        made(self.once.add(&Block::from_bytes(block)?)?)
    }

    /// The rest of the blocks, once all were taken.
    ///
    /// # Errors
    /// None that are known.
    pub fn finish(&mut self) -> Result<Vec<Made>> {
        made(self.once.take())
    }
}

fn made(found: Option<(usize, Vec<Block>)>) -> Result<Vec<Made>> {
    let (mut left, blocks) = found.unwrap_or_default();
    let one = |block: Block| {
        // A row may stand in several blocks, and is one that is left.
        let (left, rows) = (std::mem::take(&mut left), block.counted_rows());
        Ok((block.to_bytes(), to_bytes(&Kept { left, rows, fingerprint: block.fingerprint() })?))
    };
    blocks.into_iter().map(one).collect()
}

impl Kept {
    #[expect(
        clippy::unnecessary_wraps,
        clippy::needless_pass_by_value,
        reason = "as answers of other kinds are merged"
    )]
    fn merge(mut self, other: Self) -> Result<Self> {
        self.left += other.left;
        self.rows += other.rows;
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        Ok(self)
    }
}

impl<T> Read<T> {
    fn new(rows: &Table, times: u64, found: T) -> Self {
        Self { content: content(rows).wrapping_mul(times), found }
    }

    /// How two of them are merged, by how that is done with what was found.
    fn by(merge: impl Fn(T, T) -> Result<T>) -> impl Fn(Self, Self) -> Result<Self> {
        move |one, other| {
            let content = one.content.wrapping_add(other.content);
            Ok(Self { content, found: merge(one.found, other.found)? })
        }
    }
}

impl Passed {
    #[expect(
        clippy::unnecessary_wraps,
        clippy::needless_pass_by_value,
        reason = "as answers of other kinds are merged"
    )]
    fn merge(mut self, other: Self) -> Result<Self> {
        self.rows += other.rows;
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        self.totals.merge(&other.totals);
        Ok(self)
    }
}

/// The rows of other machines, as a fit sees them.
pub(super) struct Remote<'a> {
    rows: &'a dyn RemoteRows,
    /// What the rows were like when columns were learnt: how many, and their content.
    learnt: OnceLock<(usize, u64)>,
}

/// Rows on other machines, to be asked whatever rows are asked.
pub(crate) fn remote_rows(rows: &dyn RemoteRows) -> impl RawRows {
    Remote::new(rows)
}

/// The blocks of other machines, as a search sees them.
struct RemoteBlocks<'a> {
    rows: &'a dyn RemoteRows,
    plan: BlockPlan,
    encoded: Encoded,
    frame: Frame,
    passes: AtomicUsize,
    /// How many parts answered last.
    parts: AtomicUsize,
}

impl RemoteBlocks<'_> {
    /// Rows that are made anew each time they are asked for, and come out differently, would be other rows in every pass.
    fn check_same(&self, rows: usize, fingerprint: u64) -> Result<()> {
        if (rows, fingerprint) == (self.encoded.rows, self.encoded.fingerprint) {
            Ok(())
        } else {
            Err(Error::RowsChanged { before: self.encoded.rows, after: rows })
        }
    }
}

impl<'a> Remote<'a> {
    pub(super) fn new(rows: &'a dyn RemoteRows) -> Self {
        Self { rows, learnt: OnceLock::new() }
    }

    fn frequency(&self) -> Frequency {
        self.rows.frequency().map(str::to_owned)
    }
}

impl Rescan for Remote<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        merged(&self.rows.on_rows(&to_bytes(&Task::Ask(question.clone(), self.frequency()))?)?, Answer::merge)
    }
}

impl RawRows for Remote<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        let answers = self.rows.on_rows(&to_bytes(&Task::Profile(schema.clone(), self.frequency()))?)?;
        let Read { content, found } = merged(&answers, Read::by(Profile::merge))?;
        self.learnt.get_or_init(|| (found.rows(), content));
        Ok(found)
    }

    fn encode(&self, plan: &BlockPlan) -> Result<(Box<dyn RowStore + '_>, Encoded)> {
        let answers = self.rows.encode(&to_bytes(&Task::Encode(plan.clone(), self.frequency()))?)?;
        let Read { content, found: encoded } = merged(&answers, Read::by(Encoded::merge))?;
        if let Some(&(before, _)) = self.learnt.get().filter(|learnt| **learnt != (encoded.rows, content)) {
            return Err(Error::RowsChanged { before, after: encoded.rows });
        }
        let frame = plan.frame(&encoded)?;
        let (rows, plan, [passes, parts]) = (self.rows, plan.clone(), [0, 1].map(AtomicUsize::new));
        Ok((Box::new(RemoteBlocks { rows, plan, encoded: encoded.clone(), frame, passes, parts }), encoded))
    }
}

impl RowStore for RemoteBlocks<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn rows(&self) -> usize {
        self.encoded.rows
    }

    fn pass(&self, request: &Request) -> Result<Totals> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let (plan, encoded, request) = (self.plan.clone(), self.encoded.clone(), request.clone());
        let answers = self.rows.on_blocks(&to_bytes(&Task::Pass { plan, encoded, request })?)?;
        self.parts.store(answers.len(), Ordering::Relaxed);
        let passed: Passed = merged(&answers, Passed::merge)?;
        self.check_same(passed.rows, passed.fingerprint)?;
        Ok(passed.totals)
    }

    fn parts(&self) -> usize {
        self.parts.load(Ordering::Relaxed)
    }

    fn aggregate(&mut self, sample: &Drawn) -> Result<Option<usize>> {
        if !sample.repeats(self.encoded.rows, MEMORY_OF_PART.saturating_mul(self.parts())) {
            return Ok(None);
        }
        let task = Task::Aggregate(self.frame.cells.clone());
        let kept: Kept = merged(&self.rows.aggregate(&to_bytes(&task)?)?, Kept::merge)?;
        self.check_same(kept.rows, kept.fingerprint)?;
        Ok(Some(kept.left))
    }

    fn passes(&self) -> usize {
        self.passes.load(Ordering::Relaxed)
    }

    fn sample(&self, sampling: Sampling) -> Result<Vec<Block>> {
        let parts = self.rows.on_blocks(&to_bytes(&Task::Sample(sampling))?)?;
        parts.iter().map(|bytes| Block::from_bytes(bytes)).collect()
    }
}
