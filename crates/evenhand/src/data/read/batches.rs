//! From batches of rows to a table: the one path that all formats share.
//!
//! Columns are built side by side, and the next batch is decoded meanwhile; neither shows in the result.

use std::path::PathBuf;

use rayon::prelude::*;

use super::column::ColumnBuilder;
use super::values::Values;
use crate::data::{Column, Table};
use crate::{Cause, Error, Result};

/// What the builders need to know of where batches come from.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) path: PathBuf,
    pub(super) format: &'static str,
    /// The number under which a user finds the first row.
    pub(super) first_row: usize,
    pub(super) values: Values,
}

impl Reading {
    pub(super) fn unreadable(&self, source: impl Into<Cause>) -> Error {
        Error::Unreadable { path: self.path.clone(), format: self.format, source: source.into() }
    }

    /// What to report when batches end without a row.
    pub(super) fn no_rows(&self) -> Error {
        Error::NoRows { what: self.path.display().to_string() }
    }
}

/// Feeds everything that `next` gives to the builders, one builder a column, while the next is decoded.
pub(super) fn collect<B: Send + Sync>(
    mut next: impl FnMut() -> Result<Option<B>>,
    builders: &mut [ColumnBuilder],
    push: impl Fn(&mut ColumnBuilder, usize, &B) -> Result<()> + Sync,
) -> Result<()> {
    let mut waiting = next()?;
    while let Some(batch) = waiting {
        let mut pushed = Ok(());
        let mut following = Ok(None);
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                let columns = builders.par_iter_mut().enumerate();
                let results: Vec<Result<()>> = columns.map(|(at, builder)| push(builder, at, &batch)).collect();
                // The error of the first column, not of the fastest.
                pushed = results.into_iter().collect();
            });
            following = next();
        });
        // Earlier rows first: what is wrong with this batch comes before what is wrong with the next.
        pushed?;
        waiting = following?;
    }
    Ok(())
}

/// The finished table.
pub(super) fn finish(builders: Vec<ColumnBuilder>, reading: &Reading) -> Result<Table> {
    let rounded = builders.iter().filter_map(|builder| builder.rounded(reading.first_row)).collect();
    let columns = builders.into_iter().map(|builder| Ok((builder.name().to_owned(), builder.finish()?)));
    let columns: Vec<(String, Column)> = columns.collect::<Result<_>>()?;
    if columns.first().is_none_or(|(_, column)| column.is_empty()) {
        return Err(reading.no_rows());
    }
    Ok(Table::new(columns, reading.first_row)?.rounded(rounded))
}
