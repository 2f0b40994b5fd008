//! Encoded rows in memory.
//!
//! Holds [`Features`]: coded columns, where a code switches a few features on, and dense
//! numeric columns. One-hot, thermometer and indicator columns are all coded; so is any
//! combination of them (see `fuse`).

use std::ops::Range;

use super::fuse::fuse;
use crate::data::Codes;
use crate::{Error, Result, parallel};

/// The encoded rows a learner trains on or predicts for.
#[derive(Debug, Clone)]
pub struct Features {
    rows: usize,
    width: usize,
    coded: Vec<CodedColumn>,
    dense: Vec<DenseColumn>,
    places: Option<Vec<usize>>,
}

/// One small integer per row, and which features each integer switches on.
#[derive(Debug, Clone)]
pub struct CodedColumn {
    /// The code of each row.
    pub codes: Codes,
    /// The features that are 1 for each code.
    pub active: Active,
}

/// For each code, the features that are 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    ends: Vec<u32>,
    features: Vec<u32>,
}

/// One number per row for one feature.
#[derive(Debug, Clone)]
pub struct DenseColumn {
    /// Which feature.
    pub feature: usize,
    values: Vec<f64>,
    bound: f64,
}

impl DenseColumn {
    /// The values of one feature, row by row.
    pub fn new(feature: usize, values: Vec<f64>) -> Self {
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        // The largest of numbers of which one is none is no bound on them.
        let bound = if values.iter().any(|value| value.is_nan()) { f64::NAN } else { largest };
        Self { feature, values, bound }
    }

    /// The same for a part of more rows, of which no value exceeds `bound` in size.
    pub(crate) fn within(feature: usize, values: Vec<f64>, bound: f64) -> Self {
        Self { feature, values, bound }
    }

    /// The value of each row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What no value exceeds in size, of these rows and of those they were selected from: the unit of sums follows from it.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The given rows, in the given order, with the bound of all.
    fn select(&self, rows: &[usize]) -> Self {
        Self { feature: self.feature, values: parallel::gather(&self.values, rows), bound: self.bound }
    }
}

impl Features {
    /// Rows of `width` features.
    ///
    /// # Errors
    /// [`Error::Length`] when a column has not `rows` rows, or names a feature beyond `width`.
    pub fn new(rows: usize, width: usize, coded: Vec<CodedColumn>, dense: Vec<DenseColumn>) -> Result<Self> {
        let lengths =
            coded.iter().map(|column| column.codes.len()).chain(dense.iter().map(|column| column.values.len()));
        for found in lengths {
            if found != rows {
                return Err(Error::Length { what: "rows of a feature column", expected: rows, found });
            }
        }
        let named = coded.iter().flat_map(|column| column.active.features.iter().map(|&feature| feature as usize));
        for found in named.chain(dense.iter().map(|column| column.feature)) {
            if found >= width {
                return Err(Error::Length { what: "feature columns", expected: width, found: found + 1 });
            }
        }
        Ok(Self { coded: fuse(rows, coded), ..Self::laid_out(rows, width, Vec::new(), dense) })
    }

    /// The same, of columns that were checked and combined before.
    pub(crate) fn laid_out(rows: usize, width: usize, coded: Vec<CodedColumn>, dense: Vec<DenseColumn>) -> Self {
        Self { rows, width, coded, dense, places: None }
    }

    /// The same rows with another coded column, which brings so many features behind the others.
    ///
    /// # Errors
    /// Those of [`Features::new`].
    pub(crate) fn with_coded(mut self, column: CodedColumn, features: usize) -> Result<Self> {
        self.coded.push(column);
        let places = self.places;
        Ok(Self { places, ..Self::new(self.rows, self.width + features, self.coded, self.dense)? })
    }

    /// A dense matrix given row by row, as numeric features.
    ///
    /// # Errors
    /// [`Error::Length`] when `values` does not hold whole rows.
    pub fn from_rows(values: &[f64], width: usize) -> Result<Self> {
        let rows = values.len().checked_div(width).unwrap_or(0);
        if rows * width != values.len() {
            return Err(Error::Length { what: "values of a matrix", expected: rows * width, found: values.len() });
        }
        let dense = (0..width)
            .map(|feature| DenseColumn::new(feature, values.iter().skip(feature).step_by(width).copied().collect()))
            .collect();
        Self::new(rows, width, Vec::new(), dense)
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features, every one-hot column counted and the intercept not.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The coded columns. They may be combinations of the columns given to [`Features::new`].
    pub fn coded(&self) -> &[CodedColumn] {
        &self.coded
    }

    /// The dense columns.
    pub fn dense(&self) -> &[DenseColumn] {
        &self.dense
    }

    /// Where each row stood before any were selected; `None` where all are there, in their order.
    ///
    /// For learners that keep the rows themselves, in a form of their own.
    pub fn places(&self) -> Option<&[usize]> {
        self.places.as_deref()
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.len(),
            width: self.width,
            places: Some(self.places.as_ref().map_or_else(|| rows.to_vec(), |places| parallel::gather(places, rows))),
            coded: self
                .coded
                .iter()
                .map(|column| CodedColumn { codes: column.codes.select(rows), active: column.active.clone() })
                .collect(),
            dense: self.dense.iter().map(|column| column.select(rows)).collect(),
        }
    }

    /// The features of one row that are not zero, ascending, with their values.
    pub fn row(&self, row: usize) -> Vec<(usize, f64)> {
        let coded = self
            .coded
            .iter()
            .flat_map(|column| column.active.of(column.codes.get(row)).iter().map(|&feature| (feature as usize, 1.0)));
        let dense = self.dense.iter().map(|column| (column.feature, column.values[row]));
        let mut cells: Vec<(usize, f64)> = coded.chain(dense).filter(|&(_, value)| value != 0.0).collect();
        cells.sort_unstable_by_key(|&(feature, _)| feature);
        cells
    }

    /// All row numbers.
    pub fn range(&self) -> Range<usize> {
        0..self.rows
    }
}

impl Active {
    /// The features of each code, in code order.
    pub fn new<I: IntoIterator<Item = u32>>(codes: impl IntoIterator<Item = I>) -> Self {
        let mut active = Self { ends: Vec::new(), features: Vec::new() };
        for code in codes {
            active.features.extend(code);
            active.ends.push(active.features.len() as u32);
        }
        active
    }

    /// One feature per code, counted from `first`, and none for the codes after `features` of them.
    pub fn one_hot(first: usize, features: usize, codes: usize) -> Self {
        Self::new((0..codes).map(|code| (code < features).then_some((first + code) as u32)))
    }

    /// How many codes.
    pub fn codes(&self) -> usize {
        self.ends.len()
    }

    /// The features that are 1 for a code.
    pub fn of(&self, code: usize) -> &[u32] {
        let start = if code == 0 { 0 } else { self.ends[code - 1] as usize };
        &self.features[start..self.ends[code] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_lists_its_features_whatever_their_storage() {
        let sex = CodedColumn { codes: Codes::narrow(vec![0, 1, 2], 3), active: Active::one_hot(0, 2, 3) };
        let age = DenseColumn::new(2, vec![1.5, 0.0, -2.0]);
        let features = Features::new(3, 3, vec![sex], vec![age]).unwrap();
        assert_eq!(features.row(0), [(0, 1.0), (2, 1.5)]);
        assert_eq!(features.row(1), [(1, 1.0)]);
        assert_eq!(features.row(2), [(2, -2.0)]);
        assert_eq!(features.select(&[2, 0]).row(1), [(0, 1.0), (2, 1.5)]);
    }

    #[test]
    fn selected_rows_know_where_they_stood() {
        let age = DenseColumn::new(0, vec![1.0, 2.0, 3.0, 4.0]);
        let features = Features::new(4, 1, vec![], vec![age]).unwrap();
        assert_eq!(features.places(), None);
        let part = features.select(&[3, 1, 0]);
        assert_eq!(part.places(), Some(&[3, 1, 0][..]));
        assert_eq!(part.select(&[2, 0]).places(), Some(&[0, 3][..]));
    }

    #[test]
    fn a_feature_beyond_the_width_is_refused() {
        let age = DenseColumn::new(1, vec![1.0]);
        assert_eq!(Features::new(1, 1, vec![], vec![age]).unwrap_err().code(), "length-mismatch");
    }
}
