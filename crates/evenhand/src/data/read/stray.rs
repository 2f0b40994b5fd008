//! Texts that stand among numbers.
//!
//! Holds [`stray_texts`]: a `?` in a column of ages makes it a column of categories, and a user should hear of it.

use super::values::{Parsed, Values};
use crate::Warning;
use crate::data::{Column, Table};

/// A column with more distinct texts than these is meant to be text.
const MOST_TEXTS: usize = 3;

/// A column with fewer distinct numbers than these is as good a category.
const FEWEST_NUMBERS: usize = 3;

/// What to say of a column of categories in which nearly all values are numbers.
///
/// That is: at most three distinct texts, at least three distinct numbers, and these in most rows that have a value.
pub(super) fn stray_texts(table: &Table, name: &str, values: &Values) -> Option<Warning> {
    let Some(Column::Categorical(column)) = table.get(name) else { return None };
    let counts = column.counts();
    let (mut texts, mut numbers, mut rows) = (Vec::new(), 0, 0);
    for (code, text) in column.dictionary().iter().enumerate() {
        if matches!(values.parse(text.as_bytes()), Parsed::Number(_)) {
            numbers += 1;
            rows += counts[code];
        } else if texts.len() < MOST_TEXTS {
            texts.push(code);
        } else {
            return None;
        }
    }
    let strays: usize = texts.iter().map(|&code| counts[code]).sum();
    // Codes follow the order of appearance: the first text is the one met first.
    let &first = texts.first()?;
    if numbers < FEWEST_NUMBERS || strays >= rows {
        return None;
    }
    let row = column.codes().iter().position(|code| code == first)?;
    Some(Warning::StrayText {
        column: name.to_owned(),
        row: table.shown_row(row),
        texts: texts.into_iter().map(|code| column.dictionary()[code].clone()).collect(),
        rows: strays,
        numbers: rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categorical;

    fn said(texts: &[&str]) -> Option<Warning> {
        let column = Categorical::from_values(texts.iter().map(|text| (!text.is_empty()).then_some(*text)));
        let table = Table::new(vec![("age".to_owned(), Column::Categorical(column))], 2).unwrap();
        stray_texts(&table, "age", &Values::new(&[], true))
    }

    #[test]
    fn a_few_texts_among_numbers_are_told_with_the_first_row() {
        let Some(Warning::StrayText { row, texts, rows, numbers, .. }) =
            said(&["41", "", "?", "7", "unknown", "9.5", "?", "7"])
        else {
            panic!("nothing said")
        };
        assert_eq!((row, texts, rows, numbers), (4, vec!["?".to_owned(), "unknown".to_owned()], 3, 4));
    }

    #[test]
    fn what_is_meant_as_text_is_left_alone() {
        assert_eq!(said(&["a", "b", "1", "2"]), None);
        assert_eq!(said(&["1", "2", "3", "a", "b", "c", "d"]), None);
        assert_eq!(said(&["0", "1", "unknown", "0"]), None);
        assert_eq!(said(&["1", "2", "3"]), None);
        assert_eq!(said(&["x", "x", "x", "1", "2", "3"]), None);
    }
}
