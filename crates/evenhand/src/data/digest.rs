//! A fingerprint of what the data say, however they were stored.
//!
//! Holds [`digest`]. Row order counts; file format, column order and the order of a
//! dictionary do not.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::{Categorical, Column, Table};

/// Rows turned into bytes at a time, so that hashing needs no second copy of a column.
const ROWS_AT_A_TIME: usize = 1 << 14;

/// Lower-case hexadecimal SHA-256 of the columns that `keep` lets through, in name order.
pub(super) fn digest(table: &Table, keep: impl Fn(&str) -> bool) -> String {
    let mut columns: Vec<(&str, &Column)> = table.columns().filter(|(name, _)| keep(name)).collect();
    columns.sort_by_key(|&(name, _)| name);
    let mut hash = Sha256::new();
    hash.update((table.rows() as u64).to_le_bytes());
    for (name, column) in columns {
        update_text(&mut hash, name);
        update_text(&mut hash, column.kind());
        match column {
            Column::Numeric(values) => update_numbers(&mut hash, values),
            Column::Categorical(values) => update_categories(&mut hash, values),
        }
    }
    hex(&hash.finalize())
}

/// Lower-case hexadecimal SHA-256 of a text.
pub(crate) fn digest_text(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Lower-case hexadecimal SHA-256 of all that can be read.
///
/// # Errors
/// What reading says.
pub fn sha256(content: &mut dyn Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match content.read(&mut part) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(length) => hash.update(&part[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The length goes first, so that no two lists of texts run together alike.
fn update_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

fn update_numbers(hash: &mut Sha256, values: &[f64]) {
    let mut bytes = Vec::with_capacity(ROWS_AT_A_TIME * 8);
    for part in values.chunks(ROWS_AT_A_TIME) {
        bytes.clear();
        for &value in part {
            // Adding 0.0 turns -0.0 into 0.0; NaN has many bit patterns, and one meaning here.
            let value = if value.is_nan() { f64::NAN } else { value + 0.0 };
            bytes.extend_from_slice(&value.to_bits().to_le_bytes());
        }
        hash.update(&bytes);
    }
}

fn update_categories(hash: &mut Sha256, values: &Categorical) {
    let mut renumbered = vec![None; values.missing() + 1];
    renumbered[values.missing()] = Some(u32::MAX);
    let mut dictionary = Vec::new();
    let mut bytes = Vec::with_capacity(ROWS_AT_A_TIME * 4);
    for code in values.codes().iter() {
        let number = *renumbered[code].get_or_insert_with(|| {
            dictionary.push(code);
            dictionary.len() as u32 - 1
        });
        bytes.extend_from_slice(&number.to_le_bytes());
        if bytes.len() == bytes.capacity() {
            hash.update(&bytes);
            bytes.clear();
        }
    }
    hash.update(&bytes);
    for code in dictionary {
        update_text(hash, &values.dictionary()[code]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: Vec<(&str, Column)>) -> Table {
        Table::new(columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect(), 1).unwrap()
    }

    fn sexes(codes: &[u32], dictionary: &[&str]) -> Column {
        Column::Categorical(Categorical::new(codes.to_vec(), dictionary.iter().map(|&v| v.to_owned()).collect()))
    }

    fn all(table: &Table) -> String {
        digest(table, |_| true)
    }

    #[test]
    fn the_order_of_columns_and_of_dictionaries_does_not_matter() {
        let age = || Column::Numeric(vec![0.0, f64::NAN, 3.0]);
        let a = table(vec![("age", age()), ("sex", sexes(&[0, 1, 2], &["f", "m"]))]);
        let b = table(vec![("sex", sexes(&[2, 0, 3], &["m", "x", "f"])), ("age", age())]);
        assert_eq!(all(&a), all(&b));
        assert_eq!(all(&a).len(), 64);
    }

    #[test]
    fn the_order_of_rows_the_names_and_the_values_do() {
        let a = table(vec![("sex", sexes(&[0, 1, 0], &["f", "m"]))]);
        assert_ne!(all(&a), all(&a.select(&[1, 0, 2])));
        assert_ne!(all(&a), all(&table(vec![("gender", sexes(&[0, 1, 0], &["f", "m"]))])));
        assert_ne!(all(&a), all(&table(vec![("sex", sexes(&[0, 1, 0], &["m", "f"]))])));
    }

    #[test]
    fn zeros_and_missing_numbers_have_one_form() {
        let odd_nan = f64::from_bits(f64::NAN.to_bits() | 1);
        let a = table(vec![("x", Column::Numeric(vec![0.0, f64::NAN]))]);
        let b = table(vec![("x", Column::Numeric(vec![-0.0, odd_nan]))]);
        assert_eq!(all(&a), all(&b));
    }

    #[test]
    fn columns_left_out_leave_no_trace() {
        let x = || Column::Numeric(vec![1.0]);
        let with = table(vec![("id", x()), ("x", x())]);
        assert_eq!(digest(&with, |name| name != "id"), all(&table(vec![("x", x())])));
    }
}
