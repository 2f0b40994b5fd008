//! A table in memory read as a file was: the same kinds, the same texts for missing, blanks as there.
//!
//! Holds [`Table::as_read`], by which a model takes columns that come from no file.

use std::borrow::Cow;

use super::ReadOptions;
use super::values::{Parsed, Values};
use crate::data::{Categorical, Column, Table};
use crate::{Error, Result};

impl Table {
    /// The columns as a file with these options would give them: texts that mean missing are, blanks around texts are gone
    /// where `trim` says so, and columns are of the kind asked for.
    ///
    /// # Errors
    /// [`Error::NotNumeric`] for a text in a column that must hold numbers.
    pub fn as_read(&self, options: &ReadOptions) -> Result<Cow<'_, Self>> {
        let values = Values::new(&options.missing, options.trim.unwrap_or(false));
        let mut changed = Cow::Borrowed(self);
        for (name, column) in self.columns() {
            let listed = |columns: &[String]| columns.iter().any(|one| one == name);
            let read = match column {
                Column::Categorical(texts) if listed(&options.numeric) => Some(self.numbers(name, texts, &values)?),
                Column::Categorical(texts) => cleaned(texts, &values).map(Column::Categorical),
                Column::Numeric(_) if listed(&options.categorical) => {
                    self.check_exact(name)?;
                    let texts = column.to_categorical();
                    Some(Column::Categorical(cleaned(&texts, &values).unwrap_or(texts)))
                }
                Column::Numeric(numbers) => known(numbers, &values).map(Column::Numeric),
            };
            if let Some(read) = read {
                changed.to_mut().set(name, read)?;
            }
        }
        Ok(changed)
    }

    /// Texts as numbers.
    fn numbers(&self, column: &str, texts: &Categorical, values: &Values) -> Result<Column> {
        let mut numbers = Vec::with_capacity(texts.missing() + 1);
        for (code, text) in texts.dictionary().iter().enumerate() {
            numbers.push(match values.parse(text.as_bytes()) {
                Parsed::Missing | Parsed::NoNumber => f64::NAN,
                Parsed::Number(number) => number,
                Parsed::Text => match texts.codes().iter().position(|found| found == code) {
                    // A dictionary may hold what no row has.
                    None => f64::NAN,
                    Some(row) => {
                        let (column, row) = (column.to_owned(), self.shown_row(row));
                        return Err(Error::NotNumeric { column, row, found: text.clone() });
                    }
                },
            });
        }
        numbers.push(f64::NAN);
        Ok(Column::Numeric(texts.codes().iter().map(|code| numbers[code]).collect()))
    }
}

/// Texts without what means missing, and without blanks around them; `None` where nothing changes.
fn cleaned(texts: &Categorical, values: &Values) -> Option<Categorical> {
    let read: Vec<Option<&[u8]>> = texts.dictionary().iter().map(|text| values.text(text.as_bytes())).collect();
    if read.iter().zip(texts.dictionary()).all(|(read, text)| *read == Some(text.as_bytes())) {
        return None;
    }
    // Only blanks of ASCII are taken off, so that what is left is text.
    let text = |code: usize| read.get(code).copied().flatten().and_then(|bytes| std::str::from_utf8(bytes).ok());
    Some(Categorical::from_values(texts.codes().iter().map(text)))
}

/// Numbers without those that mean missing; `None` where nothing changes.
fn known(numbers: &[f64], values: &Values) -> Option<Vec<f64>> {
    if !numbers.iter().any(|&number| values.is_missing_number(number)) {
        return None;
    }
    Some(numbers.iter().map(|&number| if values.is_missing_number(number) { f64::NAN } else { number }).collect())
}

/// Whether a text of the table begins or ends with a blank.
pub(super) fn has_blanks(table: &Table) -> bool {
    table.columns().any(|(_, column)| match column {
        Column::Numeric(_) => false,
        Column::Categorical(texts) => texts.dictionary().iter().any(|text| text.trim_ascii().len() < text.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(*v))))
    }

    fn table() -> Table {
        let columns = vec![
            ("job".to_owned(), text(&["clerk", " clerk", "?", ""])),
            ("zip".to_owned(), Column::Numeric(vec![10115.0, -999.0, 1.0, 2.0])),
            ("age".to_owned(), text(&["41", " 7.5", "?", "NA"])),
            ("pay".to_owned(), Column::Numeric(vec![1.0, -999.0, f64::NAN, 2.0])),
        ];
        Table::new(columns, 1).unwrap()
    }

    fn row(table: &Table, column: &str) -> String {
        let column = table.get(column).unwrap();
        (0..column.len()).map(|row| column.text(row).unwrap_or_default()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_table_is_read_as_a_file_was() {
        let options = ReadOptions::default().missing(["?", "-999"]).categorical(["zip"]).numeric(["age"]).trim(true);
        let table = table();
        let read = table.as_read(&options).unwrap();
        assert_eq!(row(&read, "job"), "clerk|clerk||");
        assert_eq!(row(&read, "zip"), "10115||1|2");
        assert_eq!((row(&read, "age"), read.get("age").unwrap().kind()), ("41|7.5||".to_owned(), "numeric"));
        assert_eq!(row(&read, "pay"), "1|||2");
    }

    #[test]
    fn what_is_as_it_should_be_is_not_copied() {
        assert!(matches!(table().as_read(&ReadOptions::default()).unwrap(), Cow::Borrowed(_)));
        let error = table().as_read(&ReadOptions::default().numeric(["job"])).unwrap_err();
        assert_eq!(error.to_string(), "column `job`, row 1: `clerk` is not a number");
    }

    #[test]
    fn blanks_are_left_out_unless_training_had_some() {
        let options = ReadOptions::default();
        assert_eq!(options.like(&table()).trim, Some(false));
        let clean = Table::new(vec![("job".to_owned(), text(&["clerk", "?"]))], 1).unwrap();
        assert_eq!(options.like(&clean).trim, Some(true));
    }
}
