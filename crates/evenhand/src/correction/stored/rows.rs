//! Where raw rows come from that are never all in memory, and the way from them to blocks.

use std::sync::Arc;

use crate::blocks::{BlockSink, Blocks, PassWatch, RowStore};
use crate::correction::problem::{BlockPlan, Encoded};
use crate::data::{RowFiles, Schema, Table};
use crate::facts::{Answer, Profile, Question, Rescan};
use crate::{Error, Result};

/// Raw rows that can be gone through as often as is needed: first for what is to be known of columns, then for what that leaves open, then to be
/// encoded.
pub(crate) trait RawRows {
    /// The same rows, to be asked again.
    fn rescan(&self) -> &dyn Rescan;

    /// What is known of all columns.
    ///
    /// # Errors
    /// What is wrong with rows, and what keeps them from being read.
    fn profile(&self, schema: &Schema) -> Result<Profile>;

    /// Encodes all rows, and keeps their blocks.
    ///
    /// # Errors
    /// As [`RawRows::profile`].
    fn encode(&self, plan: &BlockPlan) -> Result<(Box<dyn RowStore + '_>, Encoded)>;
}

/// Rows in files, with blocks kept here: in memory as long as they fit, then in a scratch file.
pub(crate) struct FileRows<'a> {
    pub(crate) files: &'a RowFiles,
    /// How many bytes of blocks are kept in memory.
    pub(crate) memory: usize,
    pub(crate) watch: Option<Arc<dyn PassWatch>>,
}

/// Rows that are all in memory, gone through as if they were not: by it what was found elsewhere is derived again.
pub(crate) struct TableRows<'a>(pub(crate) &'a Table);

/// Rows of a table in one block.
const ROWS_IN_BLOCK: usize = 1 << 17;

impl RawRows for TableRows<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self.0
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        Profile::of(self.0, schema)
    }

    fn encode(&self, plan: &BlockPlan) -> Result<(Box<dyn RowStore + '_>, Encoded)> {
        let (sink, layout, rows) = (BlockSink::new(usize::MAX), plan.layout()?, self.0.rows());
        let mut all = Encoded::default();
        for start in (0..rows).step_by(ROWS_IN_BLOCK) {
            let part: Vec<usize> = (start..(start + ROWS_IN_BLOCK).min(rows)).collect();
            let (block, encoded) = plan.block(&layout, &self.0.select(&part), 1)?;
            sink.push(block)?;
            all = all.merge(encoded)?;
        }
        Ok((Box::new(sink.finish(plan.frame(&all)?, all.rows, None)), all))
    }
}

impl FileRows<'_> {
    pub(super) fn fold<S: Send + Clone>(
        &self,
        purpose: &'static str,
        columns: Option<&[String]>,
        map: impl Fn(&Table) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<S> {
        self.begin(purpose);
        let watched = |table: &Table| map(table).and_then(|found| self.advance(table.rows()).map(|()| found));
        self.files.fold(columns, watched, merge)?.ok_or_else(no_rows)
    }

    /// The same, where `map` is told how many equal rows each row of its table stands for.
    pub(super) fn fold_counted<S: Send>(
        &self,
        purpose: &'static str,
        columns: Option<&[String]>,
        map: impl Fn(&Table, u64) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<S> {
        self.begin(purpose);
        let watched =
            |table: &Table, times| map(table, times).and_then(|found| self.advance(table.rows()).map(|()| found));
        self.files.fold_counted(columns, watched, merge)?.ok_or_else(no_rows)
    }

    fn begin(&self, purpose: &'static str) {
        if let Some(watch) = &self.watch {
            watch.begin(purpose, self.files.rows());
        }
    }

    fn advance(&self, rows: usize) -> Result<()> {
        let goes_on = self.watch.as_ref().is_none_or(|watch| watch.advance(rows));
        if goes_on { Ok(()) } else { Err(Error::Interrupted) }
    }
}

fn no_rows() -> Error {
    Error::NoRows { what: "the data".into() }
}

impl Rescan for FileRows<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let columns = question.columns();
        self.fold("reading columns again", Some(&columns), |table| Answer::of(question, table), Answer::merge)
    }
}

impl RawRows for FileRows<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        self.fold("reading columns", None, |table| Profile::of(table, schema), Profile::merge)
    }

    fn encode(&self, plan: &BlockPlan) -> Result<(Box<dyn RowStore + '_>, Encoded)> {
        let (sink, layout) = (BlockSink::new(self.memory), plan.layout()?);
        let store = |table: &Table, times| {
            let (block, encoded) = plan.block(&layout, table, times)?;
            sink.push(block)?;
            Ok(encoded)
        };
        let encoded = self.fold_counted("encoding rows", None, store, Encoded::merge)?;
        let blocks: Blocks = sink.finish(plan.frame(&encoded)?, encoded.rows, self.watch.clone());
        Ok((Box::new(blocks), encoded))
    }
}
