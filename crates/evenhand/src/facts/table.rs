//! Answers for rows that are in memory. Nothing is computed before it is asked for.

use super::number::NumberProfile;
use super::{Categories, Facts, Kind, NumberFacts, Patterns};
use crate::data::{Column, Dataset, Table};
use crate::group::{Group, quantile_edges};
use crate::{Error, Result};

/// Up to so many distinct numbers are found one by one, which ends early where there are more.
const FEW: usize = 1 << 12;

/// A table, and how much its rows count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableFacts<'a> {
    table: &'a Table,
    row_weights: Option<&'a [f64]>,
}

impl<'a> TableFacts<'a> {
    /// Rows that weigh as said, or alike.
    pub(crate) fn new(table: &'a Table, row_weights: Option<&'a [f64]>) -> Self {
        Self { table, row_weights }
    }

    /// The rows of a dataset, with their weights.
    pub(crate) fn of(data: &'a Dataset) -> Self {
        Self::new(data.table(), data.row_weights())
    }

    fn numbers(&self, column: &str) -> Result<&'a [f64]> {
        match self.table.column(column)? {
            Column::Numeric(values) => Ok(values),
            Column::Categorical(_) => Err(not_numbers(column)),
        }
    }
}

/// The error of a question about numbers.
pub(crate) fn not_numbers(column: &str) -> Error {
    Error::ColumnKind {
        column: column.to_owned(),
        found: "categorical",
        wanted: "numeric",
        purpose: "since training saw numbers there".to_owned(),
    }
}

impl Facts for TableFacts<'_> {
    fn names(&self) -> &[String] {
        self.table.names()
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn kind_of(&self, column: &str) -> Option<Kind> {
        self.table.get(column).map(Kind::of)
    }

    fn missing_rows(&self, column: &str) -> Result<usize> {
        Ok(self.table.column(column)?.missing_rows())
    }

    fn check_exact(&self, column: &str) -> Result<()> {
        self.table.check_exact(column)
    }

    fn categories(&self, column: &str) -> Result<Categories> {
        let made;
        let texts = match self.table.column(column)? {
            Column::Categorical(texts) => texts,
            numbers @ Column::Numeric(_) => {
                made = numbers.to_categorical();
                &made
            }
        };
        let counts = texts.counts();
        // A dictionary may hold values that no row has, and a value twice.
        let occurring = texts.dictionary().iter().zip(&counts).filter(|(_, rows)| **rows > 0);
        let mut values: Vec<String> = occurring.map(|(value, _)| value.clone()).collect();
        values.sort_unstable();
        values.dedup();
        Ok(Categories { values, missing: counts[texts.missing()] })
    }

    fn distinct_numbers(&self, column: &str, most: usize) -> Result<Option<Vec<f64>>> {
        // Adding zero makes -0 the same number as 0.
        let known = self.numbers(column)?.iter().filter(|value| !value.is_nan()).map(|value| value + 0.0);
        let mut found: Vec<f64> = Vec::new();
        if most <= FEW {
            for value in known {
                if let Err(place) = found.binary_search_by(|known| known.total_cmp(&value)) {
                    if found.len() == most {
                        return Ok(None);
                    }
                    found.insert(place, value);
                }
            }
        } else {
            found = known.collect();
            found.sort_unstable_by(f64::total_cmp);
            found.dedup();
        }
        Ok((found.len() <= most).then_some(found))
    }

    fn number(&self, column: &str) -> Result<NumberFacts> {
        // Distinct numbers are counted for sums alone, and only rows that weigh alike are added so.
        let most = if self.row_weights.is_some() { 0 } else { FEW };
        let shown_row = |row| self.table.shown_row(row);
        Ok(NumberProfile::of(self.numbers(column)?, self.row_weights, most, shown_row).facts())
    }

    fn edges(&self, column: &str, count: usize) -> Result<Vec<f64>> {
        Ok(quantile_edges(self.numbers(column)?, count))
    }

    fn patterns(&self, groups: &[Group]) -> Result<Patterns> {
        Patterns::of(groups, self.table)
    }
}
