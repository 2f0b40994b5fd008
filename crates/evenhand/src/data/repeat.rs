//! Rows that stand for several: frequency weights.
//!
//! A row of frequency 3 is three rows. It is repeated where it is read, and nothing that follows can tell it from rows that stood in the file three
//! times: not the penalty of a learner, not the number of rows behind an interval, not a single bit. (A weight of 3 is another thing: see
//! `row_weights`.) Frequencies are the FREQ of SAS, the fweights of Stata and the `freq_weights` of statsmodels.

use std::sync::Arc;

use super::{Column, Table};
use crate::{Error, Result};

/// In memory a table is repeated into at most so many rows. In chunks there may be more.
const MOST_ROWS: usize = 1 << 27;

/// The largest frequency of a row.
const MOST: f64 = 4_294_967_295.0;

impl Table {
    /// Each row as many times as a column says, without that column.
    ///
    /// ```
    /// use evenhand::{Column, Table};
    /// # fn main() -> evenhand::Result<()> {
    /// let column = |values: &[f64]| Column::Numeric(values.to_vec());
    /// let table = Table::new(vec![("x".into(), column(&[5.0, 6.0, 7.0])), ("times".into(), column(&[2.0, 0.0, 1.0]))], 1)?;
    /// let repeated = table.repeated("times")?;
    /// assert_eq!((repeated.rows(), repeated.names()), (3, &["x".to_owned()][..]));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::ColumnKind`] and [`Error::Frequency`] for a column that does not say it, [`Error::Setting`] where it says too much,
    /// [`Error::NoRows`] where no row is left.
    pub fn repeated(&self, column: &str) -> Result<Self> {
        let (times, rows) = (self.frequencies(column)?, self.total_frequency(column)?);
        if rows > MOST_ROWS {
            let found = format!("column `{column}`, by which there are {rows} rows");
            return Err(Error::setting("frequency", found, format!("at most {MOST_ROWS} rows in memory")));
        }
        if rows == 0 {
            return Err(Error::NoRows { what: format!("the table, by the frequencies in column `{column}`,") });
        }
        let places: Vec<u32> = times
            .iter()
            .enumerate()
            .flat_map(|(row, &times)| std::iter::repeat_n(row as u32, times as usize))
            .collect();
        Ok(self.without(column).at_places(places))
    }

    /// The same a part at a time, none of more than so many rows.
    ///
    /// # Errors
    /// Those of [`Table::repeated`], and what `each` says.
    pub(super) fn each_repeated(
        &self,
        column: &str,
        most: usize,
        each: &mut dyn FnMut(Self) -> Result<()>,
    ) -> Result<()> {
        let (times, others) = (self.frequencies(column)?, self.without(column));
        let mut places = Vec::new();
        for (row, times) in times.into_iter().enumerate() {
            let mut left = times as usize;
            while left > 0 {
                let taken = left.min(most - places.len());
                places.extend(std::iter::repeat_n(row as u32, taken));
                left -= taken;
                if places.len() == most {
                    each(others.at_places(std::mem::take(&mut places)))?;
                }
            }
        }
        if places.is_empty() { Ok(()) } else { each(others.at_places(places)) }
    }

    /// How many rows there are by the frequencies in a column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::ColumnKind`] and [`Error::Frequency`].
    pub(super) fn total_frequency(&self, column: &str) -> Result<usize> {
        let times = self.frequencies(column)?;
        Ok(times.into_iter().fold(0_usize, |rows, times| rows.saturating_add(times as usize)))
    }

    /// How many times each row is there.
    fn frequencies(&self, column: &str) -> Result<Vec<u32>> {
        let Column::Numeric(times) = self.column(column)? else {
            return Err(Error::ColumnKind {
                column: column.to_owned(),
                found: "categorical",
                wanted: "numeric",
                purpose: "for frequencies of rows".into(),
            });
        };
        let is_one = |times: f64| (0.0..=MOST).contains(&times) && times.trunc().total_cmp(&times).is_eq();
        if let Some(row) = times.iter().position(|times| !is_one(*times)) {
            let found = if times[row].is_nan() { "missing".to_owned() } else { times[row].to_string() };
            return Err(Error::Frequency { column: column.to_owned(), row: self.shown_row(row), found });
        }
        // They were just seen to be whole numbers that fit.
        #[expect(clippy::cast_sign_loss)]
        let whole = times.iter().map(|&times| times as u32).collect();
        Ok(whole)
    }

    /// These rows, which users still find under the numbers that they have here.
    fn at_places(&self, places: Vec<u32>) -> Self {
        let rows: Vec<usize> = places.iter().map(|&place| place as usize).collect();
        self.select(&rows).shown_as(Arc::new(places))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(times: &[f64]) -> Table {
        let x = (0..times.len()).map(|row| row as f64).collect();
        Table::new(vec![("x".into(), Column::Numeric(x)), ("n".into(), Column::Numeric(times.to_vec()))], 2).unwrap()
    }

    fn numbers(table: &Table) -> Vec<f64> {
        let Ok(Column::Numeric(x)) = table.column("x") else { panic!("it is there") };
        x.clone()
    }

    #[test]
    fn rows_are_there_as_often_as_they_say_under_the_numbers_of_the_file() {
        let repeated = table(&[2.0, 0.0, 3.0]).repeated("n").unwrap();
        assert_eq!(numbers(&repeated), [0.0, 0.0, 2.0, 2.0, 2.0]);
        assert_eq!(repeated.names(), ["x"]);
        assert_eq!((0..5).map(|row| repeated.shown_row(row)).collect::<Vec<_>>(), [2, 2, 4, 4, 4]);
    }

    #[test]
    fn parts_are_all_rows_and_none_is_too_long() {
        for most in [1, 2, 4, 7, 100] {
            let mut all = Vec::new();
            let mut each = |part: Table| {
                assert!(part.rows() <= most && part.rows() > 0);
                all.extend(numbers(&part));
                Ok(())
            };
            table(&[2.0, 0.0, 5.0, 1.0]).each_repeated("n", most, &mut each).unwrap();
            assert_eq!(all, [0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0], "{most}");
        }
    }

    #[test]
    fn what_is_no_frequency_is_refused_with_its_row() {
        for (bad, found) in [(0.5, "0.5"), (-1.0, "-1"), (f64::NAN, "missing"), (1e10, "10000000000")] {
            let error = table(&[1.0, bad]).repeated("n").unwrap_err();
            assert_eq!(error.code(), "frequency-invalid");
            assert!(error.to_string().contains(&format!("row 3: `{found}`")), "{error}");
        }
        assert_eq!(table(&[0.0, 0.0]).repeated("n").unwrap_err().code(), "no-rows");
        assert_eq!(table(&[4e9, 1.0]).repeated("n").unwrap_err().code(), "setting-invalid");
        assert_eq!(table(&[1.0]).repeated("m").unwrap_err().code(), "column-unknown");
    }
}
