//! The table of iterations that `evenhand fit` writes.

use anyhow::Result;
use evenhand::correction::Iteration;
use evenhand::{Fitted, Predictor, Table};

use crate::columns::Columns;

/// What every iteration measured, the multipliers behind it, and the violation of every constraint.
pub(super) fn trace<P: Predictor>(fitted: &Fitted<P>) -> Result<Table> {
    let mut columns = Columns::of(fitted.trace())
        .numbers("iteration", |one: &Iteration| Some(one.number as f64))
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
