//! New labelled rows on which a classifier is evaluated, a chunk at a time.
//!
//! They are gone through for what all of them together tell: which cells there are, how weights are scaled, and which groups training rows did not have
//! ([`SeenRows`]); and then to be decided and counted per cell ([`NewRows`]). What comes of it is what [`Binding::problem`] makes of all rows at once,
//! without the rows.

use std::collections::BTreeSet;

use super::stored::{cells_of, rows_in};
use super::{Binding, BlockPlan, Problem};
use crate::blocks::{CellKey, Frame, Layout, Request};
use crate::data::{Labels, RowWeightScale, Table, check_each_weight, no_weight};
use crate::exact::{ExactSum, Totals};
use crate::group::Groups;
use crate::kernel::CellSums;
use crate::{Error, Result, Warning};

/// What some rows tell before any is decided.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenRows {
    rows: usize,
    cells: BTreeSet<CellKey>,
    /// A row of every kind of groups that training rows did not have.
    unseen: Vec<Table>,
    weights: SeenWeights,
}

/// The largest weight; and relative to that of all rows, where it is known, their sum, and how many weigh anything.
#[derive(Debug, Clone, Default)]
struct SeenWeights {
    largest: f64,
    total: ExactSum,
    rows: usize,
}

/// How new rows are decided and counted.
pub(crate) struct NewRows<'a> {
    binding: &'a Binding,
    plan: BlockPlan,
    layout: Layout,
    frame: Frame,
    unseen: Groups,
}

/// What some rows add to all that is asked: the sizes of cells, decisions in them, and what was not as in training.
#[derive(Debug, Clone)]
pub(crate) struct ChunkSums {
    sizes: Totals,
    sums: Totals,
    warnings: Vec<Warning>,
}

impl SeenRows {
    /// What these rows and others tell.
    #[must_use]
    pub(crate) fn merge(mut self, mut other: Self) -> Self {
        self.rows += other.rows;
        self.cells.append(&mut other.cells);
        self.unseen.append(&mut other.unseen);
        self.weights.largest = self.weights.largest.max(other.weights.largest);
        self.weights.total.merge(&other.weights.total);
        self.weights.rows += other.weights.rows;
        self
    }

    /// What rows tell of which each stands for so many equal ones, a power of two.
    #[must_use]
    pub(crate) fn standing_for(mut self, times: u64) -> Self {
        // There are no more rows than that.
        let all = usize::try_from(times).unwrap_or(usize::MAX);
        self.rows = self.rows.saturating_mul(all);
        self.weights.rows = self.weights.rows.saturating_mul(all);
        self.weights.total = self.weights.total.doubled(times.ilog2());
        self
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The largest weight of a row.
    pub(crate) fn largest_weight(&self) -> f64 {
        self.weights.largest
    }
}

impl Binding {
    /// The columns that tell labels, weights and groups.
    pub(crate) fn role_columns(&self) -> Vec<String> {
        let roles = [Some(self.schema().label_column()), self.schema().weight_column()];
        roles.into_iter().flatten().map(str::to_owned).chain(self.group_columns()).collect()
    }

    /// What some rows tell before any is decided. `largest` is the largest weight of all rows, once it is known.
    ///
    /// # Errors
    /// What is wrong with labels, weights or columns that tell groups.
    pub(crate) fn seen(&self, table: &Table, largest: Option<f64>) -> Result<SeenRows> {
        let name = self.schema().label_column();
        let labels = Labels::against(table.column(name)?, name, table, self.classes(), self.positive())?;
        let membership = self.membership(table)?;
        let pairs: BTreeSet<(usize, usize)> = membership.codes().iter().zip(labels.codes().iter()).collect();
        let cell = |(pattern, label): (usize, usize)| CellKey {
            pattern: membership.bits(pattern).to_vec(),
            label: label as u32,
        };
        let mut seen = SeenRows {
            rows: table.rows(),
            cells: pairs.into_iter().map(cell).collect(),
            unseen: Vec::new(),
            weights: SeenWeights::default(),
        };
        let unseen = self.unseen_groups(table)?;
        if !unseen.is_empty() {
            let membership = unseen.membership(table)?;
            let mut patterns = BTreeSet::new();
            let rows: Vec<usize> = (0..table.rows()).filter(|&row| patterns.insert(membership.pattern(row))).collect();
            seen.unseen.push(table.select(&rows));
        }
        if let Some(name) = self.schema().weight_column() {
            seen.weights = SeenWeights::of(check_each_weight(table, name)?, largest);
        }
        Ok(seen)
    }

    /// The same with groups that only new rows have, where these rows have some.
    ///
    /// # Errors
    /// Where there are too many.
    pub(crate) fn with_unseen(&self, seen: &SeenRows) -> Result<(Self, Groups)> {
        let unseen = match &seen.unseen[..] {
            [] => Groups::default(),
            rows => self.unseen_groups(&Table::concat(rows.to_vec())?)?,
        };
        Ok((self.and_pinned(&unseen)?, unseen))
    }
}

impl SeenWeights {
    fn of(weights: &[f64], largest: Option<f64>) -> Self {
        let mut own = Self { largest: weights.iter().copied().fold(0.0, f64::max), ..Self::default() };
        if let Some(largest) = largest {
            let scale = RowWeightScale::new(largest, 0.0, 1);
            for &weight in weights.iter().filter(|weight| scale.counts(**weight)) {
                own.total.add(weight / largest);
                own.rows += 1;
            }
        }
        own
    }

    fn scale(&self, column: &str) -> Result<RowWeightScale> {
        if self.largest <= 0.0 {
            return Err(no_weight(column));
        }
        Ok(RowWeightScale::of_relative(self.largest, self.total.value(), self.rows))
    }
}

impl<'a> NewRows<'a> {
    /// Of rows of which all is seen; groups that training rows did not have, and the binding that has them too, are those of [`Binding::with_unseen`].
    ///
    /// # Errors
    /// [`Error::NoWeight`] where no row weighs anything.
    pub(crate) fn new(binding: &'a Binding, (extended, unseen): (Binding, Groups), seen: SeenRows) -> Result<Self> {
        let weights = extended.schema().weight_column().map(|column| seen.weights.scale(column)).transpose()?;
        let heaviest = weights.as_ref().map_or(1.0, RowWeightScale::heaviest);
        let plan = BlockPlan { binding: extended, weights };
        let layout = plan.layout()?;
        let frame = Frame::new(layout.clone(), seen.cells.into_iter().collect(), binding.classes().len(), heaviest);
        Ok(Self { binding, plan, layout, frame, unseen })
    }

    /// Decides rows by coefficients, and counts them.
    ///
    /// # Errors
    /// What is wrong with the rows; [`Error::RowsChanged`] where they are in other cells than before.
    pub(crate) fn decide(&self, table: &Table, coefficients: &[f64], threshold: f64) -> Result<ChunkSums> {
        let (block, warnings) = self.plan.block_and_warnings(&self.layout, table)?;
        let request = Request::CellSums { coefficients: coefficients.to_vec(), threshold };
        let changed = |error: Error| match error {
            Error::BlockFormat => Error::RowsChanged { before: block.rows(), after: block.rows() },
            other => other,
        };
        Ok(ChunkSums {
            sizes: block.answer(&Request::Cells, &self.frame).map_err(changed)?,
            sums: block.answer(&request, &self.frame).map_err(changed)?,
            warnings,
        })
    }

    /// The cells and constraints of all rows, decisions in them, and what to know about them.
    ///
    /// # Errors
    /// Those of [`Binding::problem`].
    pub(crate) fn finish(&self, all: &ChunkSums, threshold: f64) -> Result<(Problem, CellSums, Vec<Warning>)> {
        let empty = self.plan.binding.no_rows()?;
        let (known, membership) = (self.binding.membership(&empty)?.groups(), self.plan.binding.membership(&empty)?);
        let cells = cells_of(&self.frame, &all.sizes, &membership)?;
        let mut warnings = all.warnings.clone();
        let unseen = self.unseen.names().enumerate();
        warnings.extend(
            unseen
                .map(|(at, group)| Warning::UnseenGroup { group: group.to_owned(), rows: rows_in(&cells, known + at) }),
        );
        let shape = self.frame.shape().clone();
        let problem = self.binding.bound_to_new(shape, cells, membership.names(), &self.unseen, known)?;
        warnings.extend(problem.own_references());
        Ok((problem, self.frame.cell_sums(&all.sums, threshold), warnings))
    }
}

impl ChunkSums {
    /// What these rows and others add.
    #[must_use]
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.sizes.merge(&other.sizes);
        self.sums.merge(&other.sums);
        self.warnings.extend(other.warnings);
        self.warnings = Warning::added_up(self.warnings);
        self
    }
}
