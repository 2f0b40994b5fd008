//! The table of weights that `fit` and `identify` write.

use anyhow::Result;
use evenhand::{Column, Table, Weights};

/// The number of each row among the rows of the data file, from 1, and its weight.
///
/// `places` are those of the rows, where some rows of the file are left out.
pub(crate) fn table(weights: &Weights, places: Option<&[usize]>) -> Result<Table> {
    let weights = weights.to_rows();
    let number = |place: usize| place as f64 + 1.0;
    let rows = match places {
        Some(places) => places.iter().copied().map(number).collect(),
        None => (0..weights.len()).map(number).collect(),
    };
    let columns = vec![("row".to_owned(), Column::Numeric(rows)), ("weight".to_owned(), Column::Numeric(weights))];
    Ok(Table::new(columns, 1)?)
}
