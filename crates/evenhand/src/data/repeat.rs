//! Rows that stand for several: frequency weights.
//!
//! A row of frequency 3 is three rows, and nothing can tell it from rows that stood in the file three
//! times: not the penalty of a learner, not the number of rows behind an interval, not a single bit. (A weight of 3 is another thing: see
//! `row_weights`.) In memory it is repeated. Where rows are summed up and never together, no row is: what is merged with itself is that of
//! its rows twice, so that the rows of each bit of the frequencies are looked at once.
//! Frequencies are the FREQ of SAS, the fweights of Stata and the `freq_weights` of statsmodels.

use std::sync::Arc;

use super::{Column, Table};
use crate::{Error, Result};

/// In memory a table is repeated into at most so many rows.
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

    /// Rows that each stand for a power of two of equal rows, the highest first: all of them together are the rows, each as many times as a column says,
    /// without that column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::ColumnKind`] and [`Error::Frequency`].
    pub(crate) fn by_frequency(&self, column: &str) -> Result<Vec<(u64, Self)>> {
        let (times, others) = (self.frequencies(column)?, self.without(column));
        let with = |bit: u32| -> Vec<u32> {
            let rows = times.iter().zip(0..).filter(|(times, _)| *times >> bit & 1 == 1);
            rows.map(|(_, row)| row).collect()
        };
        let parts = (0..u32::BITS).rev().map(|bit| (1 << bit, with(bit))).filter(|(_, rows)| !rows.is_empty());
        Ok(parts.map(|(times, rows)| (times, others.at_places(rows))).collect())
    }

    /// What is computed of all rows, each as many times as a column says; `None` where no row is there. Results are merged in any order: what is merged with
    /// itself must be the result of its rows twice.
    ///
    /// # Errors
    /// Those of [`Table::by_frequency`], and what `map` and `merge` say.
    pub(crate) fn fold_frequencies<S: Clone>(
        &self,
        column: &str,
        map: impl Fn(&Self) -> Result<S>,
        merge: impl Fn(S, S) -> Result<S>,
    ) -> Result<Option<S>> {
        let mut all: Option<(u64, S)> = None;
        for (times, rows) in self.by_frequency(column)? {
            let own = map(&rows)?;
            all = Some(match all {
                None => (times, own),
                Some((before, sum)) => (times, merge(doubled(sum, before / times, &merge)?, own)?),
            });
        }
        all.map(|(times, sum)| doubled(sum, times, &merge)).transpose()
    }

    /// How many rows there are by the frequencies in a column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::ColumnKind`] and [`Error::Frequency`].
    pub(crate) fn total_frequency(&self, column: &str) -> Result<usize> {
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

/// So many times a result, a power of two.
fn doubled<S: Clone>(mut sum: S, times: u64, merge: impl Fn(S, S) -> Result<S>) -> Result<S> {
    for _ in 0..times.ilog2() {
        sum = merge(sum.clone(), sum)?;
    }
    Ok(sum)
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
    fn what_is_summed_up_counts_each_row_as_often_as_it_says() {
        let (counts, expected) = ([2.0, 0.0, 5.0, 4_294_967_295.0], [2, 0, 5, 4_294_967_295_u64]);
        let map = |part: &Table| {
            let (mut found, places) = (vec![0; 4], (0..part.rows()).map(|row| part.shown_row(row) - 2));
            // Rows are found in the file where they stood.
            assert_eq!(numbers(part), places.clone().map(|place| place as f64).collect::<Vec<_>>());
            places.for_each(|place| found[place] += 1);
            Ok(found)
        };
        let merge =
            |one: Vec<u64>, other: Vec<u64>| Ok(one.into_iter().zip(other).map(|(one, other)| one + other).collect());
        assert_eq!(table(&counts).fold_frequencies("n", map, merge).unwrap().unwrap(), expected);
        assert_eq!(
            table(&[0.0, 4.0]).fold_frequencies("n", |part| Ok(part.rows()), |one, other| Ok(one + other)).unwrap(),
            Some(4)
        );
        assert_eq!(
            table(&[0.0]).fold_frequencies("n", |part| Ok(part.rows()), |one, other| Ok(one + other)).unwrap(),
            None
        );
        let parts = table(&counts).by_frequency("n").unwrap();
        let rows = parts.iter().map(|(times, part)| times * part.rows() as u64).sum::<u64>();
        assert_eq!((rows, parts[0].0, parts.last().unwrap().0), (4_294_967_302, 1 << 31, 1));
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
