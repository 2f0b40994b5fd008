//! Rows on their way into a network: numbers, and features that are on or off.
//!
//! A one-hot feature that is on adds a row of weights, and is never stored as 1.0: rows of many categories cost what they have
//! switched on.

/// Some rows.
pub struct Inputs<'a> {
    rows: usize,
    width: usize,
    /// Which features are numbers.
    numeric: Vec<usize>,
    /// Their values, row by row.
    values: Vec<f32>,
    active: Active<'a>,
}

/// Adds the features of a row that are on.
type Active<'a> = Box<dyn Fn(usize, &mut Vec<u32>) + Send + Sync + 'a>;

/// What numbers are limited to, so that products of a few layers stay finite; a probability is 0 or 1 long before.
const FURTHEST: f32 = 1e12;

impl<'a> Inputs<'a> {
    /// Rows of `width` features: those in `numeric` are numbers, given row by row, and `active` adds those of the others that are
    /// on in a row.
    ///
    /// # Panics
    /// Where there is not a value for each number of each row, or a number is no feature.
    pub fn new(
        rows: usize,
        width: usize,
        numeric: Vec<usize>,
        mut values: Vec<f32>,
        active: impl Fn(usize, &mut Vec<u32>) + Send + Sync + 'a,
    ) -> Self {
        assert_eq!(values.len(), rows * numeric.len(), "a value for each number of each row");
        assert!(numeric.iter().all(|&feature| feature < width), "numbers are features");
        for value in &mut values {
            *value = value.clamp(-FURTHEST, FURTHEST);
        }
        Self { rows, width, numeric, values, active: Box::new(active) }
    }

    /// Rows of numbers alone, given row by row.
    ///
    /// # Panics
    /// Where there are no whole rows.
    pub fn numbers(values: &[f32], width: usize) -> Self {
        Self::new(values.len() / width.max(1), width, (0..width).collect(), values.to_vec(), |_, _| ())
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The features that are numbers.
    pub fn numeric(&self) -> &[usize] {
        &self.numeric
    }

    pub(crate) fn values(&self, row: usize) -> &[f32] {
        let width = self.numeric.len();
        &self.values[row * width..(row + 1) * width]
    }

    /// All features, numbers first: the order in which the first layer's weights are kept while computing.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut is_number = vec![false; self.width];
        for &feature in &self.numeric {
            is_number[feature] = true;
        }
        self.numeric.iter().copied().chain((0..self.width).filter(|&feature| !is_number[feature])).collect()
    }

    /// Copies rows: the numbers, row by row, and the places, in [`Inputs::order`], of what is on.
    pub(crate) fn gather(&self, rows: &[usize], place: &[u32], batch: &mut Gathered) {
        batch.values.clear();
        batch.active.clear();
        batch.ends.clear();
        for &row in rows {
            batch.values.extend_from_slice(self.values(row));
            let start = batch.active.len();
            (self.active)(row, &mut batch.active);
            for feature in &mut batch.active[start..] {
                *feature = place[*feature as usize];
            }
            batch.ends.push(batch.active.len());
        }
    }
}

/// Rows that were copied together.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Numbers, row by row.
    pub(crate) values: Vec<f32>,
    active: Vec<u32>,
    ends: Vec<usize>,
}

impl Gathered {
    /// What is on in the row at a place.
    pub(crate) fn active(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.active[start..self.ends[at]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}
