//! The tables `evenhand fit` writes: a weight per training row, a line per loop.

use anyhow::Result;
use evenhand::correction::Iteration;
use evenhand::{Column, Fitted, Predictor, Table};

use crate::columns::Columns;

/// The number of each training row among the rows of the data file, from 1, and its weight.
///
/// `train_rows` are the places of the training rows, where some rows are held out.
pub(super) fn weights<P: Predictor>(fitted: &Fitted<P>, train_rows: Option<&[usize]>) -> Result<Table> {
    let weights = fitted.weights().to_rows();
    let number = |place: usize| place as f64 + 1.0;
    let rows = match train_rows {
        Some(rows) => rows.iter().copied().map(number).collect(),
        None => (0..weights.len()).map(number).collect(),
    };
    let columns = vec![("row".to_owned(), Column::Numeric(rows)), ("weight".to_owned(), Column::Numeric(weights))];
    Ok(Table::new(columns, 1)?)
}

/// What every loop measured, the multipliers behind it, and the violation of every constraint.
pub(super) fn trace<P: Predictor>(fitted: &Fitted<P>) -> Result<Table> {
    let mut columns = Columns::of(fitted.trace())
        .numbers("loop", |one: &Iteration| Some(one.number as f64))
        .numbers("violation", |one| Some(one.violation))
        .numbers("error", |one| Some(one.error))
        .numbers("loss", |one| Some(one.loss))
        .numbers("seconds", |one| Some(one.seconds));
    for (at, (name, _)) in fitted.multipliers().enumerate() {
        columns = columns.numbers(format!("multiplier: {name}"), |one| Some(one.multipliers[at]));
    }
    for (at, (name, _)) in fitted.multipliers().enumerate() {
        columns = columns.numbers(format!("violation: {name}"), |one| Some(one.violations[at]));
    }
    columns.table()
}
