//! The three products of a design matrix: by coefficients, by residuals, and with itself.
//!
//! Every kernel is built from these. Coded columns are looked up in tables (one number per
//! code, the sum of the coefficients it switches on) and summed into tables; features are
//! never multiplied by 1.0.

use std::ops::Range;

use crate::data::Codes;
use crate::features::{CodedColumn, Features};

/// Coefficients of one class laid out for look-up: a number per code of every coded column.
#[derive(Debug)]
pub(crate) struct Tables {
    coded: Vec<Vec<f64>>,
    dense: Vec<f64>,
    intercept: f64,
}

/// Residual sums of one class per code, of a leaf of rows; becomes a gradient by [`Scatter::add_to`].
#[derive(Debug, Clone)]
pub(crate) struct Scatter {
    coded: Vec<Vec<f64>>,
    dense: Vec<f64>,
    intercept: f64,
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
        let values = &column.values[rows.clone()];
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
            coded: features.coded().iter().map(|column| vec![0.0; lanes(column) * table_length(column)]).collect(),
            dense: vec![0.0; features.dense().len()],
            intercept: 0.0,
        }
    }

    /// Adds the residuals of a block of rows.
    pub(crate) fn add(&mut self, features: &Features, rows: Range<usize>, residuals: &[f64]) {
        self.add_coded(features, rows.clone(), residuals);
        for (column, total) in features.dense().iter().zip(&mut self.dense) {
            *total += dot(&column.values[rows.clone()], residuals);
        }
    }

    /// The same for coded columns and the intercept alone.
    fn add_coded(&mut self, features: &Features, rows: Range<usize>, residuals: &[f64]) {
        self.intercept += sum(residuals);
        for (column, table) in features.coded().iter().zip(&mut self.coded) {
            match &column.codes {
                Codes::U8(codes) => add_bytes(&codes[rows.clone()], residuals, table),
                Codes::U16(codes) => {
                    for (at, (&code, residual)) in codes[rows.clone()].iter().zip(residuals).enumerate() {
                        table[code as usize * LANES + at % LANES] += residual;
                    }
                }
                Codes::U32(codes) => {
                    for (&code, residual) in codes[rows.clone()].iter().zip(residuals) {
                        table[code as usize] += residual;
                    }
                }
            }
        }
    }

    /// Adds the sums per feature, then the intercept's, to a gradient.
    pub(crate) fn add_to(&self, features: &Features, gradient: &mut [f64]) {
        for (column, table) in features.coded().iter().zip(&self.coded) {
            let lanes = lanes(column);
            for code in 0..column.active.codes() {
                let total: f64 = table[code * lanes..(code + 1) * lanes].iter().sum();
                for &feature in column.active.of(code) {
                    gradient[feature as usize] += total;
                }
            }
        }
        for (column, total) in features.dense().iter().zip(&self.dense) {
            gradient[column.feature] += total;
        }
        gradient[features.width()] += self.intercept;
    }
}

fn add_bytes(codes: &[u8], residuals: &[f64], table: &mut [f64]) {
    let table: &mut [f64; BYTE * LANES] = table.try_into().expect("tables of byte codes are padded to 256");
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

/// `Σ curvature · x xᵀ` over blocks of rows, each pair of features once.
///
/// The intercept is the last feature. The matrix is stored row by row, `width + 1` wide. A
/// pair falls in the triangle that the order of columns puts it in: whoever reads an entry
/// adds the one across the diagonal, which is cheaper than sorting every row's features.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    matrix: Vec<f64>,
    /// Per dense column, its products with coded ones.
    dense: Vec<Scatter>,
    on: Vec<u32>,
    scaled: Vec<f64>,
}

impl Gram {
    pub(crate) fn new(features: &Features) -> Self {
        let side = features.width() + 1;
        Self {
            matrix: vec![0.0; side * side],
            dense: vec![Scatter::new(features); features.dense().len()],
            on: Vec::new(),
            scaled: Vec::new(),
        }
    }

    /// Adds a block of rows.
    pub(crate) fn add(&mut self, features: &Features, rows: Range<usize>, curvature: &[f64]) {
        let Self { matrix, dense, on, scaled } = self;
        let side = features.width() + 1;
        for (row, &curvature) in rows.clone().zip(curvature) {
            if curvature == 0.0 {
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
        for (position, (column, products)) in features.dense().iter().zip(dense).enumerate() {
            scaled.clear();
            scaled
                .extend(column.values[rows.clone()].iter().zip(curvature).map(|(value, curvature)| value * curvature));
            products.add_coded(features, rows.clone(), scaled);
            for (other, total) in features.dense()[..=position].iter().zip(&mut products.dense) {
                *total += dot(scaled, &other.values[rows.clone()]);
            }
        }
    }

    /// The matrix.
    pub(crate) fn into_matrix(mut self, features: &Features) -> Vec<f64> {
        let side = features.width() + 1;
        for (column, products) in features.dense().iter().zip(&self.dense) {
            products.add_to(features, &mut self.matrix[column.feature * side..][..side]);
        }
        self.matrix
    }
}

/// Adds `Σ curvature · x²` per feature, the intercept last. Coded features are their own squares.
pub(crate) fn gram_diagonal(features: &Features, rows: Range<usize>, curvature: &[f64], scatter: &mut Scatter) {
    let before = scatter.dense.clone();
    scatter.add(features, rows.clone(), curvature);
    scatter.dense = before;
    for (column, total) in features.dense().iter().zip(&mut scatter.dense) {
        *total += column.values[rows.clone()].iter().zip(curvature).map(|(value, c)| value * value * c).sum::<f64>();
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
    for (left, right) in left.chunks(8).zip(right.chunks(8)) {
        for (lane, (a, b)) in left.iter().zip(right).enumerate() {
            sums[lane] += a * b;
        }
    }
    sums.iter().sum()
}

fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for values in values.chunks(8) {
        for (lane, value) in values.iter().enumerate() {
            sums[lane] += value;
        }
    }
    sums.iter().sum()
}
