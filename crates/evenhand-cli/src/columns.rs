//! Tables made of rows: a name and a function a column.
//!
//! Holds [`Columns`], by which every command makes the tables it writes.

use anyhow::Result;
use evenhand::data::Categorical;
use evenhand::{Column, Table};

/// Columns over some rows.
pub(crate) struct Columns<'a, T> {
    rows: &'a [T],
    columns: Vec<(String, Column)>,
}

impl<'a, T> Columns<'a, T> {
    /// None yet.
    pub(crate) fn of(rows: &'a [T]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    /// One more, of numbers; what is not known is left empty.
    pub(crate) fn numbers(mut self, name: impl Into<String>, value: impl Fn(&T) -> Option<f64>) -> Self {
        let values = self.rows.iter().map(|row| value(row).unwrap_or(f64::NAN)).collect();
        self.columns.push((name.into(), Column::Numeric(values)));
        self
    }

    /// One more, of words; no word is left empty.
    pub(crate) fn words(mut self, name: impl Into<String>, value: impl Fn(&T) -> String) -> Self {
        let values: Vec<String> = self.rows.iter().map(value).collect();
        let values = values.iter().map(|value| Some(value.as_str()).filter(|value| !value.is_empty()));
        self.columns.push((name.into(), Column::Categorical(Categorical::from_values(values))));
        self
    }

    /// All of them.
    pub(crate) fn table(self) -> Result<Table> {
        Ok(Table::new(self.columns, 1)?)
    }
}
