//! Cells: rows alike in group membership and label, and in the numbers that rates are weighted by, which share one weight. Rows that lack other values are in cells of
//! their own, with the same weight, so that they can be measured apart.
//!
//! Holds [`Cells`]. Rows are mapped to cells once; everything in the correction's loop is
//! then per cell, a handful of numbers however many rows there are.
//! Leans on `group::Membership` and `data::Codes`.

use std::sync::Arc;

use crate::data::Codes;
use crate::exact::{Grid, Totals, is_wide, wide_sums};
use crate::group::Membership;
use crate::interval::effective_rows;
use crate::kernel::{CellRows, HALF};
use crate::{Error, Result, parallel};

/// At most this many cells may be possible: a pass over rows keeps sums for all of them, once for every part of the rows.
const MOST_POSSIBLE: usize = 1 << 22;

/// The cells of one set of rows, in an order that does not depend on the order of rows.
#[derive(Debug, Clone)]
pub(crate) struct Cells {
    cell_of_row: Arc<Codes>,
    labels: Vec<usize>,
    /// Per cell, of which groups its rows are, and then which values they lack.
    members: Vec<Vec<bool>>,
    /// Per cell, the numbers that rates are weighted by.
    values: Vec<Vec<f64>>,
    groups: usize,
    weights: Vec<f64>,
    counts: Vec<usize>,
    /// The sum of the squares of row weights.
    squares: Vec<f64>,
    row_weights: Option<Arc<[f64]>>,
    /// What no row weighs more than; 1 without row weights.
    heaviest: f64,
    classes: usize,
    /// From which probability on the second of two classes is decided for.
    threshold: f64,
}

impl Cells {
    /// Puts rows into cells.
    ///
    /// # Errors
    /// [`Error::Length`] when labels, membership and weights are not of one length,
    /// [`Error::NoWeight`] when the row weights sum to zero, [`Error::TooLarge`] when groups and classes combine in
    /// too many ways.
    pub(crate) fn new(
        membership: &Membership,
        labels: &Codes,
        classes: usize,
        row_weights: Option<Arc<[f64]>>,
    ) -> Result<Self> {
        let rows = labels.len();
        let weights = row_weights.as_ref().map_or(rows, |weights| weights.len());
        for (what, found) in [("rows of the membership", membership.rows()), ("row weights", weights)] {
            if found != rows {
                return Err(Error::Length { what, expected: rows, found });
            }
        }
        let possible = membership.patterns().saturating_mul(classes);
        if possible > MOST_POSSIBLE {
            let what = format!("{} combinations of groups and {classes} classes", membership.patterns());
            return Err(Error::TooLarge { what, found: possible, most: MOST_POSSIBLE });
        }
        let heaviest = heaviest(row_weights.as_deref());
        let of = |row: usize| membership.codes().get(row) * classes + labels.get(row);
        let everywhere = sums(rows, of, possible, row_weights.as_deref(), heaviest);
        let occurring: Vec<usize> = (0..everywhere.len()).filter(|&at| everywhere[at].count > 0).collect();
        if !everywhere.iter().any(|sum| sum.weight > 0.0) {
            return Err(if rows == 0 {
                Error::NoRows { what: "the data".into() }
            } else {
                Error::NoWeight { what: "the row weights".into() }
            });
        }
        let mut number = vec![0; everywhere.len()];
        for (cell, &at) in occurring.iter().enumerate() {
            number[at] = cell as u32;
        }
        let cell = |(pattern, label): (usize, usize)| number[pattern * classes + label];
        let cell_of_row = membership.codes().iter().zip(labels.iter()).map(cell).collect();
        Ok(Self {
            cell_of_row: Arc::new(Codes::narrow(cell_of_row, occurring.len())),
            labels: occurring.iter().map(|at| at % classes).collect(),
            members: occurring
                .iter()
                .map(|at| (0..membership.names().len()).map(|set| membership.contains(at / classes, set)).collect())
                .collect(),
            values: occurring
                .iter()
                .map(|at| (0..membership.values()).map(|column| membership.value(at / classes, column)).collect())
                .collect(),
            groups: membership.groups(),
            weights: occurring.iter().map(|&at| everywhere[at].weight).collect(),
            counts: occurring.iter().map(|&at| everywhere[at].count).collect(),
            squares: occurring.iter().map(|&at| everywhere[at].squares).collect(),
            row_weights,
            heaviest,
            classes,
            threshold: HALF,
        })
    }

    /// Cells whose rows are elsewhere: of each the groups and sets it is in, its label, and of its rows their number, weight and squared weight.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when rows weigh nothing.
    pub(crate) fn of_sizes(
        cells: impl Iterator<Item = (Vec<bool>, usize)>,
        sizes: &[[f64; 3]],
        groups: usize,
        classes: usize,
    ) -> Result<Self> {
        if !sizes.iter().any(|[_, weight, _]| *weight > 0.0) {
            return Err(Error::NoWeight { what: "the row weights".into() });
        }
        let (members, labels) = cells.unzip();
        // Counts are whole numbers, and none is negative.
        #[expect(clippy::cast_sign_loss)]
        let counts = sizes.iter().map(|[count, ..]| *count as usize).collect();
        Ok(Self {
            cell_of_row: Arc::new(Codes::narrow(Vec::new(), sizes.len())),
            labels,
            members,
            // No rate is weighted by a column where rows are elsewhere.
            values: vec![Vec::new(); sizes.len()],
            groups,
            weights: sizes.iter().map(|[_, weight, _]| *weight).collect(),
            counts,
            squares: sizes.iter().map(|[.., square]| *square).collect(),
            row_weights: None,
            heaviest: 1.0,
            classes,
            threshold: HALF,
        })
    }

    /// The same cells, where each row stands for many: of each row how many, their weight and squared weight.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when they weigh nothing.
    pub(crate) fn standing_for(&self, sizes: impl Iterator<Item = (usize, f64, f64)>) -> Result<Self> {
        let mut own = Self {
            weights: vec![0.0; self.len()],
            counts: vec![0; self.len()],
            squares: vec![0.0; self.len()],
            ..self.clone()
        };
        for (cell, (count, weight, squares)) in self.cell_of_row.iter().zip(sizes) {
            own.counts[cell] += count;
            own.weights[cell] += weight;
            own.squares[cell] += squares;
        }
        let weighs = own.weights.iter().any(|weight| *weight > 0.0);
        if weighs { Ok(own) } else { Err(Error::NoWeight { what: "the row weights".into() }) }
    }

    /// The same cells, with rows in them: of each its cell, and its weight.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when the rows weigh nothing.
    pub(crate) fn with_rows(&self, cell_of_row: Arc<Codes>, row_weights: Option<Vec<f64>>) -> Result<Self> {
        self.of(cell_of_row, row_weights, "the sample")
    }

    /// The same, where the second of two classes is decided for from another probability on than ½.
    pub(crate) fn deciding_at(&self, threshold: f64) -> Self {
        Self { threshold, ..self.clone() }
    }

    /// From which probability on the second of two classes is decided for.
    pub(crate) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The cells of aggregated rows, each with the weight of the rows it represents.
    pub(crate) fn aggregated(&self, rows: &[usize], row_weights: Vec<f64>) -> Self {
        let (cell_of_row, heaviest) = (Arc::new(self.cell_of_row.select(rows)), heaviest(Some(&row_weights)));
        Self { cell_of_row, row_weights: Some(row_weights.into()), heaviest, ..self.clone() }
    }

    /// The same cells of some rows, with other row weights. `weights` has one for each row that is there now.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when that leaves none.
    pub(crate) fn reweighted(&self, weights: &[f64], rows: &[usize]) -> Result<Self> {
        self.of(Arc::new(self.cell_of_row.select(rows)), Some(parallel::gather(weights, rows)), "the rows drawn")
    }

    /// The same cells of some rows; a cell may then have no rows.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when the rows weigh nothing.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self> {
        let weights = self.row_weights.as_ref().map(|weights| parallel::gather(weights, rows));
        self.of(Arc::new(self.cell_of_row.select(rows)), weights, "the rows selected")
    }

    /// The same cells of other rows.
    fn of(&self, cell_of_row: Arc<Codes>, row_weights: Option<Vec<f64>>, what: &str) -> Result<Self> {
        let heaviest = heaviest(row_weights.as_deref());
        let of = |row: usize| cell_of_row.get(row);
        let sums = sums(cell_of_row.len(), of, self.len(), row_weights.as_deref(), heaviest);
        if !sums.iter().any(|sum| sum.weight > 0.0) {
            return Err(Error::NoWeight { what: what.into() });
        }
        Ok(Self {
            cell_of_row,
            weights: sums.iter().map(|sum| sum.weight).collect(),
            counts: sums.iter().map(|sum| sum.count).collect(),
            squares: sums.iter().map(|sum| sum.squares).collect(),
            row_weights: row_weights.map(Into::into),
            heaviest,
            ..self.clone()
        })
    }

    /// How many cells.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.cell_of_row.len()
    }

    /// How many classes labels may have.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The label that a cell's rows share.
    pub(crate) fn label(&self, cell: usize) -> usize {
        self.labels[cell]
    }

    /// Whether a cell's rows are in a group, or in a set of rows without a value.
    pub(crate) fn is_in(&self, cell: usize, set: usize) -> bool {
        self.members[cell][set]
    }

    /// The groups a cell's rows are in.
    pub(crate) fn groups(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.groups).filter(move |&group| self.members[cell][group])
    }

    /// The groups a cell's rows are in, and then the sets of rows without a value.
    pub(crate) fn sets(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.members[cell].len()).filter(move |&set| self.members[cell][set])
    }

    /// The places of the sets of rows without a value, behind the groups.
    pub(crate) fn missing(&self) -> std::ops::Range<usize> {
        self.groups..self.members.first().map_or(self.groups, Vec::len)
    }

    /// The sum of the row weights of a cell: its number of rows when there are none.
    pub(crate) fn weight(&self, cell: usize) -> f64 {
        self.weights[cell]
    }

    /// How much a cell's rows count in a rate, each times its weight: alike, or by a column that the rate is weighted by.
    pub(crate) fn value(&self, cell: usize, weighted_by: Option<usize>) -> f64 {
        weighted_by.map_or(1.0, |column| self.values[cell][column])
    }

    /// Whether rates are weighted by columns, so that cells differ in numbers too.
    pub(crate) fn has_values(&self) -> bool {
        self.values.first().is_some_and(|values| !values.is_empty())
    }

    /// How many rows a cell has.
    pub(crate) fn count(&self, cell: usize) -> usize {
        self.counts[cell]
    }

    /// The effective sample size of the rows of some cells (Kish): their number, when there are no weights.
    pub(crate) fn effective_rows(&self, cells: impl Iterator<Item = usize>) -> f64 {
        self.effective_rows_by(None, cells)
    }

    /// The same for a rate that is weighted by a column.
    pub(crate) fn effective_rows_by(&self, weighted_by: Option<usize>, cells: impl Iterator<Item = usize>) -> f64 {
        let add = |(sum, squares): (f64, f64), cell: usize| {
            let value = self.value(cell, weighted_by);
            (sum + value * self.weights[cell], squares + value * value * self.squares[cell])
        };
        let (sum, squares) = cells.fold((0.0, 0.0), add);
        if squares > 0.0 { effective_rows(sum, squares) } else { 0.0 }
    }

    /// The sum of all row weights.
    pub(crate) fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The cell of each row.
    pub(crate) fn cell_of_row(&self) -> &Arc<Codes> {
        &self.cell_of_row
    }

    /// The user's row weights.
    pub(crate) fn row_weights(&self) -> Option<&Arc<[f64]>> {
        self.row_weights.as_ref()
    }

    pub(crate) fn cell_rows(&self) -> CellRows<'_> {
        CellRows {
            cell_of_row: &self.cell_of_row,
            cell_labels: &self.labels,
            row_weights: self.row_weights.as_deref(),
            heaviest: self.heaviest,
            classes: self.classes,
            shift: HALF - self.threshold,
        }
    }
}

/// What the rows of a cell add up to.
#[derive(Debug, Clone, Copy)]
struct Sum {
    count: usize,
    weight: f64,
    squares: f64,
}

/// The largest row weight; 1 without any.
fn heaviest(row_weights: Option<&[f64]>) -> f64 {
    row_weights.map_or(1.0, |weights| weights.iter().copied().fold(0.0, f64::max))
}

/// Rows, weight and squared weight of each of so many cells.
fn sums(
    rows: usize,
    of: impl Fn(usize) -> usize + Sync,
    cells: usize,
    row_weights: Option<&[f64]>,
    heaviest: f64,
) -> Vec<Sum> {
    let count = 3 * cells;
    // A count is a whole number, none negative.
    #[expect(clippy::cast_sign_loss)]
    let sum = |sum: &[f64]| Sum { count: sum[0] as usize, weight: sum[1], squares: sum[2] };
    if is_wide(row_weights, count) {
        let own = |row: usize, add: &mut dyn FnMut(usize, f64)| {
            let (at, weight) = (3 * of(row), row_weights.map_or(1.0, |weights| weights[row]));
            add(at, 1.0);
            add(at + 1, weight);
            add(at + 2, weight * weight);
        };
        return wide_sums(count, rows, own).chunks_exact(3).map(sum).collect();
    }
    let [weights, squares] = [heaviest, heaviest * heaviest].map(|bound| Grid::new(bound, count));
    let pass = |part: std::ops::Range<usize>| {
        let (mut sums, mut valid) = (vec![0; count], squares.is_bounded());
        for row in part {
            let weight = row_weights.map_or(1.0, |weights| weights[row]);
            valid &= weights.holds(weight);
            let sum = &mut sums[3 * of(row)..][..3];
            sum[0] += 1;
            sum[1] += weights.fix(weight);
            sum[2] += squares.fix(weight * weight);
        }
        Totals::new(sums, valid)
    };
    let totals = parallel::sum(rows, count, pass);
    let floats = totals.to_floats(|at| [Grid::counting(), weights, squares][at % 3]);
    floats.chunks_exact(3).map(sum).collect()
}
