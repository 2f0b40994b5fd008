//! The columns that rates of one's own are weighted by, and what they say of rows.
//!
//! In a rate Σ v·decision / Σ v a row counts as much as its column says; its unit does not matter. Rows that differ in v are in cells of their own
//! (`Membership::with_values`), so that nothing else has to know of single rows.

use crate::data::{Column, Table};
use crate::group::Membership;
use crate::notion::Notion;
use crate::{Error, Result};

/// The columns that notions name, each once.
pub(crate) fn weighing_columns(notions: &[Notion]) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for column in notions.iter().filter_map(Notion::weighted_by) {
        if !columns.iter().any(|known| known == column) {
            columns.push(column.to_owned());
        }
    }
    columns
}

/// Tells rows apart by what these columns say of them.
///
/// # Errors
/// [`Error::UnknownColumn`] or [`Error::ColumnKind`] for a column that is not there, or no numbers; [`Error::RateWeight`] for a number that is
/// missing, negative or infinite; [`Error::NoWeight`] where all are zero.
pub(crate) fn weighing(membership: Membership, columns: &[String], table: &Table) -> Result<Membership> {
    if columns.is_empty() {
        return Ok(membership);
    }
    let values = columns
        .iter()
        .map(|column| weighing_shares(column, weighing_numbers(column, table)?))
        .collect::<Result<Vec<_>>>()?;
    membership.with_values(&values)
}

/// The numbers of a column that a rate is weighted by, as they are.
///
/// # Errors
/// As [`weighing`], but for numbers that are all zero.
pub(crate) fn weighing_numbers<'t>(name: &str, table: &'t Table) -> Result<&'t [f64]> {
    let Column::Numeric(values) = table.column(name)? else {
        return Err(Error::ColumnKind {
            column: name.to_owned(),
            found: "text",
            wanted: "a column of numbers",
            purpose: "to weight a rate by".to_owned(),
        });
    };
    if let Some(row) = values.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
        let found = if values[row].is_nan() { "(missing)".to_owned() } else { values[row].to_string() };
        return Err(Error::RateWeight { column: name.to_owned(), row: table.shown_row(row), found });
    }
    Ok(values)
}

/// The numbers as shares of the largest: one and the same number in all rows is then exactly 1, as without weights.
///
/// # Errors
/// [`Error::NoWeight`] where all are zero.
pub(crate) fn weighing_shares(name: &str, values: &[f64]) -> Result<Vec<f64>> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Err(Error::NoWeight { what: format!("column `{name}`, which a rate is weighted by,") });
    }
    // Adding zero makes -0 the same number as 0.
    Ok(values.iter().map(|value| value / largest + 0.0).collect())
}
