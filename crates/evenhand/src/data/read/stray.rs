//! Texts that stand among numbers.
//!
//! Holds [`stray_texts`]: a `?` in a column of ages makes it a column of categories, and a user should hear of it.

use super::values::{Parsed, Values};
use crate::Warning;
use crate::data::{Column, Table};

/// So many texts are named. Where there are more, numbers must be in [`MOSTLY`] times as many rows.
const NAMED_TEXTS: usize = 3;

/// A column with many texts is meant to be numbers where so many times as many rows have one: `1,234.50` among numbers.
const MOSTLY: usize = 3;

/// A column with fewer distinct numbers than these is as good a category.
const FEWEST_NUMBERS: usize = 3;

/// What to say of a column of categories in which nearly all values are numbers.
///
/// That is: at least three distinct numbers, in most rows that have a value; with more than three distinct texts, in three quarters of them.
pub(super) fn stray_texts(table: &Table, name: &str, values: &Values) -> Option<Warning> {
    let Some(Column::Categorical(column)) = table.get(name) else { return None };
    let counts = column.counts();
    let is_number = |code: &usize| matches!(values.parse(column.dictionary()[*code].as_bytes()), Parsed::Number(_));
    let (numbers, texts): (Vec<usize>, Vec<usize>) = (0..column.dictionary().len()).partition(is_number);
    let in_rows = |codes: &[usize]| codes.iter().map(|&code| counts[code]).sum::<usize>();
    let (rows, strays) = (in_rows(&numbers), in_rows(&texts));
    // Codes follow the order of appearance: the first text is the one met first.
    let &first = texts.first()?;
    let times = if texts.len() > NAMED_TEXTS { MOSTLY } else { 1 };
    if numbers.len() < FEWEST_NUMBERS || strays * times >= rows {
        return None;
    }
    let row = column.codes().iter().position(|code| code == first)?;
    Some(Warning::StrayText {
        column: name.to_owned(),
        row: table.shown_row(row),
        texts: texts.iter().take(NAMED_TEXTS).map(|&code| column.dictionary()[code].clone()).collect(),
        others: texts.len().saturating_sub(NAMED_TEXTS),
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
    fn numbers_with_separators_are_told_however_many_they_are() {
        let mut values: Vec<String> = (0..40).map(|at| format!("{}", 900 + at)).collect();
        values.extend((0..6).map(|at| format!("1,20{at}")));
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let Some(warning) = said(&texts) else { panic!("nothing said") };
        let message = warning.to_string();
        assert!(
            message.contains("row 42: `1,200`, `1,201`, `1,202` and 3 other texts in 6 rows among 40 numbers"),
            "{message}"
        );
        assert_eq!(said(&texts[25..]), None, "15 numbers and 6 texts");
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
