//! The three products of a design matrix: by coefficients, by residuals, and with itself.
//!
//! Every kernel is built from these. Coded columns are looked up in tables (one number per
//! code, the sum of the coefficients it switches on) and summed into tables; features are
//! never multiplied by 1.0.

use std::ops::Range;

use crate::data::Codes;
use crate::exact::Grid;
use crate::features::{CodedColumn, DenseColumn, Features};

/// Coefficients of one class laid out for look-up: a number per code of every coded column.
#[derive(Debug)]
pub(crate) struct Tables {
    coded: Vec<Vec<f64>>,
    dense: Vec<f64>,
    intercept: f64,
}

/// The grids of sums of `value · x` over rows whose values are at most some size. These follow from the bounds of columns, which are
/// those of all rows.
#[derive(Debug, Clone)]
pub(crate) struct Grids {
    /// Of coded features, and of the intercept.
    coded: Grid,
    /// Per dense column, and its feature.
    dense: Vec<(usize, Grid)>,
}

impl Grids {
    /// Of values of at most `bound`; `sums` is how many sums a pass makes in all.
    pub(crate) fn new(features: &Features, bound: f64, sums: usize) -> Self {
        let dense = features.dense().iter().map(|column| (column.feature, Grid::new(bound * column.bound(), sums)));
        Self { coded: Grid::new(bound, sums), dense: dense.collect() }
    }

    /// Of sums of `value · x²`.
    pub(crate) fn of_squares(features: &Features, bound: f64, sums: usize) -> Self {
        let square = |column: &DenseColumn| Grid::new(bound * column.bound() * column.bound(), sums);
        let dense = features.dense().iter().map(|column| (column.feature, square(column)));
        Self { coded: Grid::new(bound, sums), dense: dense.collect() }
    }

    /// That of each of so many features, the intercept among them.
    pub(crate) fn by_feature(&self, features: usize) -> Vec<Grid> {
        let mut all = vec![self.coded; features];
        for &(feature, grid) in &self.dense {
            all[feature] = grid;
        }
        all
    }
}

/// Residual sums of one class per code, of a run of rows; becomes a gradient by [`Scatter::totals`].
#[derive(Debug, Clone)]
pub(crate) struct Scatter {
    coded: Vec<Vec<i64>>,
    dense: Vec<i64>,
    intercept: i64,
    /// The values of a block, on the grid.
    fixed: Vec<i64>,
    valid: bool,
}

/// A table for byte codes has this length, so that indexing by a byte needs no check.
const BYTE: usize = 256;

/// Neighbouring rows add into separate copies of a table: rows often share a code, and an
/// addition that waits for the one before it costs several times one that does not.
const LANES: usize = 4;

impl Tables {
    /// `coefficients` holds one number per feature, then the intercept.
    pub(crate) fn new(features: &Features, coefficients: &[f64]) -> Self {
        let coded = features
            .coded()
            .iter()
            .map(|column| {
                let mut table: Vec<f64> = (0..column.active.codes())
                    .map(|code| column.active.of(code).iter().map(|&feature| coefficients[feature as usize]).sum())
                    .collect();
                table.resize(table_length(column), 0.0);
                table
            })
            .collect();
        let dense = features.dense().iter().map(|column| coefficients[column.feature]).collect();
        Self { coded, dense, intercept: coefficients[features.width()] }
    }

    /// Those of each margin of rows, for coefficients that stand one margin after the other.
    pub(crate) fn by_margin(features: &Features, coefficients: &[f64]) -> Vec<Self> {
        coefficients.chunks(features.width() + 1).map(|margin| Self::new(features, margin)).collect()
    }

    /// What no margin of any row exceeds: the largest number of each column, added up, with room for rounding.
    pub(crate) fn bound(&self, features: &Features) -> f64 {
        let largest = |table: &Vec<f64>| table.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        let coded: f64 = self.coded.iter().map(largest).sum();
        let dense: f64 = self.dense.iter().zip(features.dense()).map(|(one, column)| one.abs() * column.bound()).sum();
        (self.intercept.abs() + coded + dense) * (1.0 + 1e-9)
    }
}

/// Writes the margins of a block of rows, one slice per class.
pub(crate) fn margins(features: &Features, tables: &[Tables], rows: Range<usize>, out: &mut [Vec<f64>]) {
    for (out, tables) in out.iter_mut().zip(tables) {
        out.clear();
        out.resize(rows.len(), tables.intercept);
    }
    for (at, column) in features.coded().iter().enumerate() {
        for (out, tables) in out.iter_mut().zip(tables) {
            match &column.codes {
                Codes::U8(codes) => look_up_bytes(&codes[rows.clone()], &tables.coded[at], out),
                Codes::U16(codes) => look_up(&codes[rows.clone()], &tables.coded[at], out),
                Codes::U32(codes) => {
                    for (margin, &code) in out.iter_mut().zip(&codes[rows.clone()]) {
                        *margin += tables.coded[at][code as usize];
                    }
                }
            }
        }
    }
    for (at, column) in features.dense().iter().enumerate() {
        let values = &column.values()[rows.clone()];
        for (out, tables) in out.iter_mut().zip(tables) {
            let coefficient = tables.dense[at];
            for (margin, value) in out.iter_mut().zip(values) {
                *margin += coefficient * value;
            }
        }
    }
}

fn look_up_bytes(codes: &[u8], table: &[f64], out: &mut [f64]) {
    let table: &[f64; BYTE] = table.try_into().expect("tables of byte codes are padded to 256");
    for (margin, &code) in out.iter_mut().zip(codes) {
        *margin += table[code as usize];
    }
}

fn look_up(codes: &[u16], table: &[f64], out: &mut [f64]) {
    for (margin, &code) in out.iter_mut().zip(codes) {
        *margin += table[code as usize];
    }
}

impl Scatter {
    pub(crate) fn new(features: &Features) -> Self {
        Self {
            coded: features.coded().iter().map(|column| vec![0; lanes(column) * table_length(column)]).collect(),
            dense: vec![0; features.dense().len()],
            intercept: 0,
            fixed: Vec::new(),
            valid: true,
        }
    }

    /// Adds the residuals of a block of rows.
    pub(crate) fn add(&mut self, features: &Features, rows: Range<usize>, residuals: &[f64], grids: &Grids) {
        self.add_coded(features, rows.clone(), residuals, grids.coded);
        if !self.valid {
            return;
        }
        for ((column, total), (_, grid)) in features.dense().iter().zip(&mut self.dense).zip(&grids.dense) {
            self.valid &= grid.is_bounded();
            *total += grid.dot(&column.values()[rows.clone()], residuals);
        }
    }

    /// Adds `Σ curvature · x²` per feature. Coded features are their own squares.
    pub(crate) fn add_squares(&mut self, features: &Features, rows: Range<usize>, curvature: &[f64], grids: &Grids) {
        self.add_coded(features, rows.clone(), curvature, grids.coded);
        if !self.valid {
            return;
        }
        for ((column, total), (_, grid)) in features.dense().iter().zip(&mut self.dense).zip(&grids.dense) {
            self.valid &= grid.is_bounded();
            for (value, curvature) in column.values()[rows.clone()].iter().zip(curvature) {
                *total += grid.fix(curvature * value * value);
            }
        }
    }

    /// The same for coded columns and the intercept alone.
    fn add_coded(&mut self, features: &Features, rows: Range<usize>, residuals: &[f64], grid: Grid) {
        let Self { coded, intercept, fixed, valid, .. } = self;
        *valid &= grid.fix_all(residuals, fixed);
        if !*valid {
            return;
        }
        *intercept += fixed.iter().sum::<i64>();
        for (column, table) in features.coded().iter().zip(coded) {
            match &column.codes {
                Codes::U8(codes) => add_bytes(&codes[rows.clone()], fixed, table),
                Codes::U16(codes) => {
                    for (at, (&code, residual)) in codes[rows.clone()].iter().zip(&*fixed).enumerate() {
                        table[code as usize * LANES + at % LANES] += residual;
                    }
                }
                Codes::U32(codes) => {
                    for (&code, residual) in codes[rows.clone()].iter().zip(&*fixed) {
                        table[code as usize] += residual;
                    }
                }
            }
        }
    }

    /// Whether all values were within their bound.
    pub(crate) fn valid(&self) -> bool {
        self.valid
    }

    /// The sum of each feature, the intercept last.
    pub(crate) fn totals(&self, features: &Features) -> Vec<i64> {
        let mut out = vec![0; features.width() + 1];
        for (column, table) in features.coded().iter().zip(&self.coded) {
            let lanes = lanes(column);
            for code in 0..column.active.codes() {
                let total: i64 = table[code * lanes..(code + 1) * lanes].iter().sum();
                for &feature in column.active.of(code) {
                    out[feature as usize] += total;
                }
            }
        }
        for (column, total) in features.dense().iter().zip(&self.dense) {
            out[column.feature] += total;
        }
        out[features.width()] += self.intercept;
        out
    }
}

fn add_bytes(codes: &[u8], residuals: &[i64], table: &mut [i64]) {
    let table: &mut [i64; BYTE * LANES] = table.try_into().expect("tables of byte codes are padded to 256");
    let (codes, last_codes) = codes.as_chunks::<LANES>();
    let (residuals, last_residuals) = residuals.as_chunks::<LANES>();
    for (codes, residuals) in codes.iter().zip(residuals) {
        for lane in 0..LANES {
            table[codes[lane] as usize * LANES + lane] += residuals[lane];
        }
    }
    for (&code, residual) in last_codes.iter().zip(last_residuals) {
        table[code as usize * LANES] += residual;
    }
}

/// The grids of sums of `value · x xᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct GramGrids {
    /// Of a value with a feature, and per dense column of its products with features.
    one: Grids,
    two: Vec<Grids>,
}

impl GramGrids {
    /// Of values of at most `bound`; `sums` is how many sums a pass makes in all.
    pub(crate) fn new(features: &Features, bound: f64, sums: usize) -> Self {
        let dense = features.dense();
        let two = |one: &DenseColumn| {
            // The product of two bounds is the same in either order, so that the entry across the diagonal has the same grid.
            let pair = |other: &DenseColumn| (other.feature, Grid::new(bound * (one.bound() * other.bound()), sums));
            Grids { coded: Grid::new(bound * one.bound(), sums), dense: dense.iter().map(pair).collect() }
        };
        Self { one: Grids::new(features, bound, sums), two: dense.iter().map(two).collect() }
    }

    /// Those of the lower triangle, row by row.
    pub(crate) fn triangle(&self, side: usize) -> Vec<Grid> {
        let line = |row: usize| {
            let dense = self.one.dense.iter().position(|(feature, _)| *feature == row);
            let mut line = dense.map_or(&self.one, |at| &self.two[at]).by_feature(side);
            line.truncate(row + 1);
            line
        };
        (0..side).flat_map(line).collect()
    }
}

/// `Σ curvature · x xᵀ` over blocks of rows, each pair of features once.
///
/// The intercept is the last feature. The matrix is stored row by row, `width + 1` wide. A
/// pair falls in the triangle that the order of columns puts it in: whoever reads an entry
/// adds the one across the diagonal, which is cheaper than sorting every row's features.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    matrix: Vec<i64>,
    /// Per dense column, its products with coded ones.
    dense: Vec<Scatter>,
    on: Vec<u32>,
    scaled: Vec<f64>,
    fixed: Vec<i64>,
    valid: bool,
}

impl Gram {
    pub(crate) fn new(features: &Features) -> Self {
        let side = features.width() + 1;
        Self {
            matrix: vec![0; side * side],
            dense: vec![Scatter::new(features); features.dense().len()],
            on: Vec::new(),
            scaled: Vec::new(),
            fixed: Vec::new(),
            valid: true,
        }
    }

    /// Adds a block of rows.
    pub(crate) fn add(&mut self, features: &Features, rows: Range<usize>, curvature: &[f64], grids: &GramGrids) {
        let Self { matrix, dense, on, scaled, fixed, valid } = self;
        let side = features.width() + 1;
        *valid &= grids.one.coded.fix_all(curvature, fixed);
        if !*valid {
            return;
        }
        for (row, &curvature) in rows.clone().zip(&*fixed) {
            if curvature == 0 {
                continue;
            }
            on.clear();
            for column in features.coded() {
                on.extend_from_slice(column.active.of(column.codes.get(row)));
            }
            on.push(features.width() as u32);
            for (position, &feature) in on.iter().enumerate() {
                let line = &mut matrix[feature as usize * side..][..side];
                for &other in &on[..=position] {
                    line[other as usize] += curvature;
                }
            }
        }
        for (position, ((column, products), grids)) in features.dense().iter().zip(dense).zip(&grids.two).enumerate() {
            scaled.clear();
            let values = &column.values()[rows.clone()];
            scaled.extend(values.iter().zip(curvature).map(|(value, curvature)| value * curvature));
            products.add_coded(features, rows.clone(), scaled, grids.coded);
            let others = features.dense()[..=position].iter().zip(&grids.dense);
            for ((other, (_, grid)), total) in others.zip(&mut products.dense) {
                products.valid &= grid.is_bounded();
                *total += grid.dot(scaled, &other.values()[rows.clone()]);
            }
        }
    }

    /// Whether all values were within their bound.
    pub(crate) fn valid(&self) -> bool {
        self.valid && self.dense.iter().all(Scatter::valid)
    }

    /// The lower triangle of the matrix, row by row.
    pub(crate) fn triangle(mut self, features: &Features) -> Vec<i64> {
        let side = features.width() + 1;
        for (column, products) in features.dense().iter().zip(&self.dense) {
            let line = &mut self.matrix[column.feature * side..][..side];
            line.iter_mut().zip(products.totals(features)).for_each(|(entry, total)| *entry += total);
        }
        let matrix = &self.matrix;
        let line = |row: usize| {
            let across = move |column: usize| if row == column { 0 } else { matrix[column * side + row] };
            (0..=row).map(move |column| matrix[row * side + column] + across(column))
        };
        (0..side).flat_map(line).collect()
    }
}

fn table_length(column: &CodedColumn) -> usize {
    if matches!(column.codes, Codes::U8(_)) { BYTE } else { column.active.codes() }
}

/// Wide tables have one lane: their rows rarely meet in a code, and copies would cost memory.
fn lanes(column: &CodedColumn) -> usize {
    if matches!(column.codes, Codes::U32(_)) { 1 } else { LANES }
}

/// A dot product in eight sums side by side.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left_parts, left_rest) = left.as_chunks::<8>();
    let (right_parts, right_rest) = right.as_chunks::<8>();
    for (left, right) in left_parts.iter().zip(right_parts) {
        for lane in 0..8 {
            sums[lane] += left[lane] * right[lane];
        }
    }
    for (sum, (left, right)) in sums.iter_mut().zip(left_rest.iter().zip(right_rest)) {
        *sum += left * right;
    }
    sums.iter().sum()
}
