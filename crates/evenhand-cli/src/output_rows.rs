//! The rows of an input that a command writes again, with columns put into them.
//!
//! Leans on `evenhand::data` for both kinds of rows, and on `outputs` to write them. Knows nothing of what the columns mean.

use std::path::Path;

use anyhow::Result;
use evenhand::Table;
use evenhand::data::Carry;

use crate::outputs::Outputs;

/// Rows to be written again.
pub(crate) enum OutputRows {
    /// Those of a published file, as its recipe prepares them.
    Prepared(Table),
    /// Those of any other file as they are, columns that are not read included.
    Carried(Carry),
}

impl OutputRows {
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::Prepared(table) => table.names().to_vec(),
            Self::Carried(carry) => carry.names(),
        }
    }

    /// Puts values of a column, each from the row given, into another or into itself.
    pub(crate) fn put_rows(&mut self, name: &str, from: &str, rows: Vec<usize>) -> evenhand::Result<()> {
        match self {
            Self::Prepared(table) => {
                let column = table.column(from)?.select(&rows);
                table.set(name, column)
            }
            Self::Carried(carry) => carry.put_rows(name, from, rows),
        }
    }

    pub(crate) fn write(&self, outputs: &mut Outputs, path: &Path) -> Result<()> {
        match self {
            Self::Prepared(table) => outputs.table(path, table),
            Self::Carried(carry) => outputs.carry(path, carry),
        }
    }
}
