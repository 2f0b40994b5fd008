//! Training rows that are kept in blocks: from chunks of raw rows to blocks, and from blocks to a problem.
//!
//! Holds [`BlockPlan`], by which any machine makes blocks of the rows it has, and [`Encoded`], what is known of all blocks when they are made.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::binding::SMALL_GROUP;
use super::{Binding, Problem};
use crate::blocks::{Block, CellKey, Frame, Layout, Request, RowStore};
use crate::cells::Cells;
use crate::data::{Categorical, Column, Labels, RowWeightScale, Table};
use crate::exact::Totals;
use crate::features::Code;
use crate::group::Membership;
use crate::{Error, Result, Warning};

/// All that is needed to make blocks of raw rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BlockPlan {
    pub(crate) binding: Binding,
    /// How row weights are scaled, where there are some.
    pub(crate) weights: Option<RowWeightScale>,
}

/// What is known of blocks when they are made; merged, of all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Encoded {
    pub(crate) rows: usize,
    pub(crate) cells: BTreeSet<CellKey>,
    /// Per number, what no value exceeds in size.
    pub(crate) bounds: Vec<f64>,
    /// A sum over rows that other rows do not have: rows that change between two readings are noticed by it.
    pub(crate) fingerprint: u64,
    pub(crate) bytes: usize,
}

impl Encoded {
    /// What is known of these blocks and of others.
    ///
    /// # Errors
    /// None: as answers of other kinds are merged.
    #[expect(clippy::unnecessary_wraps, reason = "answers of other kinds may not go together")]
    pub(crate) fn merge(mut self, other: Self) -> Result<Self> {
        self.rows += other.rows;
        self.cells.extend(other.cells);
        self.bounds.resize(self.bounds.len().max(other.bounds.len()), 0.0);
        for (bound, other) in self.bounds.iter_mut().zip(other.bounds) {
            *bound = bound.max(other);
        }
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        self.bytes += other.bytes;
        Ok(self)
    }
}

impl BlockPlan {
    /// How blocks are laid out, the sizes of numbers apart.
    ///
    /// # Errors
    /// Those of [`Binding::features`].
    pub(crate) fn layout(&self) -> Result<Layout> {
        let table = self.binding.no_rows()?;
        let (coded, numbers, _) = self.binding.encoded(&table)?;
        Ok(Layout::new(self.binding.width(), &coded, &numbers))
    }

    /// The frame that all blocks share, once all are made.
    ///
    /// # Errors
    /// As [`BlockPlan::layout`].
    pub(crate) fn frame(&self, encoded: &Encoded) -> Result<Frame> {
        let layout = self.layout()?.bounded(&encoded.bounds);
        let heaviest = self.weights.as_ref().map_or(1.0, RowWeightScale::heaviest);
        Ok(Frame::new(layout, encoded.cells.iter().cloned().collect(), self.binding.classes().len(), heaviest))
    }

    /// The block of some raw rows, each of which stands for so many equal ones, and what is known of it.
    ///
    /// # Errors
    /// Those of [`Labels::against`] and [`Binding::features`].
    pub(crate) fn block(&self, layout: &Layout, table: &Table, times: u64) -> Result<(Block, Encoded)> {
        let block = self.block_and_warnings(layout, table)?.0.standing_for(times);
        let encoded = Encoded {
            rows: block.counted_rows(),
            cells: block.cells().iter().cloned().collect(),
            bounds: block.bounds(layout),
            fingerprint: block.fingerprint(),
            bytes: block.size(),
        };
        Ok((block, encoded))
    }

    /// The block of some raw rows, with what is not as in the rows that were learnt from.
    ///
    /// # Errors
    /// As [`BlockPlan::block`].
    pub(super) fn block_and_warnings(&self, layout: &Layout, table: &Table) -> Result<(Block, Vec<Warning>)> {
        let (binding, schema) = (&self.binding, self.binding.schema());
        let name = schema.label_column();
        let labels = Labels::against(table.column(name)?, name, table, binding.classes(), binding.positive())?;
        let own = match (&self.weights, schema.weight_column()) {
            (Some(scale), Some(name)) => {
                Some(weights_of(table, name)?.iter().map(|&weight| scale.scaled(weight)).collect())
            }
            _ => None,
        };
        let membership = binding.membership(table)?;
        let (coded, numbers, warnings) = binding.encoded(table)?;
        Ok((Block::new(layout, &coded, &numbers, &membership, labels.codes(), own), warnings))
    }

    /// The cells and constraints of all rows of a store, without the rows; constraints that no row can tell lose their multipliers.
    ///
    /// # Errors
    /// Those of [`Problem::new`], and what keeps rows from being read.
    pub(crate) fn problem(&mut self, store: &dyn RowStore) -> Result<(Problem, Vec<Warning>)> {
        let frame = store.frame();
        let membership = self.binding.membership(&self.binding.no_rows()?)?;
        let cells = cells_of(frame, &store.pass(&Request::Cells)?, &membership)?;
        let mut warnings = small_groups(&cells, membership.group_names());
        let mut problem = self.binding.bound_to_cells(frame.shape().clone(), cells, membership.names())?;
        warnings.extend(self.binding.settle(&mut problem)?);
        Ok((problem, warnings))
    }
}

/// The cells that all blocks share, by what [`Request::Cells`] says of their rows; the membership says which groups there are.
pub(super) fn cells_of(frame: &Frame, sizes: &Totals, membership: &Membership) -> Result<Cells> {
    let sets = membership.names().len();
    let member = |cell: &CellKey| {
        let inside = |set: usize| cell.pattern[set / 64] >> (set % 64) & 1 == 1;
        ((0..sets).map(inside).collect(), cell.label as usize)
    };
    Cells::of_sizes(frame.cells.iter().map(member), &frame.cell_sizes(sizes), membership.groups(), frame.classes)
}

/// How many rows a group has.
pub(super) fn rows_in(cells: &Cells, group: usize) -> usize {
    (0..cells.len()).filter(|&cell| cells.is_in(cell, group)).map(|cell| cells.count(cell)).sum()
}

/// A warning for each group of few rows, as [`crate::group::Membership::small_groups`] has it for rows in memory.
fn small_groups(cells: &Cells, groups: &[String]) -> Vec<Warning> {
    let small = |(group, name): (usize, &String)| {
        let rows = rows_in(cells, group);
        (rows < SMALL_GROUP).then(|| Warning::SmallGroup { group: name.clone(), rows })
    };
    groups.iter().enumerate().filter_map(small).collect()
}

/// The row weights of a table.
fn weights_of<'t>(table: &'t Table, name: &str) -> Result<&'t [f64]> {
    match table.column(name)? {
        Column::Numeric(weights) => Ok(weights),
        Column::Categorical(_) => Err(Error::ColumnKind {
            column: name.to_owned(),
            found: "categorical",
            wanted: "numeric",
            purpose: "for row weights".into(),
        }),
    }
}

impl Problem {
    /// The same cells and constraints with the rows of a block, all of whose cells are those of a frame.
    ///
    /// # Errors
    /// [`crate::Error::NoWeight`] when they weigh nothing.
    pub(in crate::correction) fn with_block(&self, block: &Block, frame: &Frame) -> Result<Self> {
        let (features, cell_of_row, weights) = block.in_memory(frame)?;
        self.with_rows(features, cell_of_row, weights)
    }
}

impl Binding {
    /// A table without rows, with the columns that features, groups and labels are made of.
    pub(in crate::correction) fn no_rows(&self) -> Result<Table> {
        let category = || Column::Categorical(Categorical::new(Vec::new(), Vec::new()));
        let encoded = self.encoding().columns().iter().map(|encoded| {
            let numeric = matches!(encoded.code, Code::Number { .. } | Code::Buckets { .. });
            (encoded.column.clone(), if numeric { Column::Numeric(Vec::new()) } else { category() })
        });
        let mut table = Table::new(encoded.collect(), 1)?;
        for column in self.group_columns() {
            if table.get(&column).is_none() {
                let column_of = if self.compares(&column) { Column::Numeric(Vec::new()) } else { category() };
                table.set(&column, column_of)?;
            }
        }
        Ok(table)
    }
}
