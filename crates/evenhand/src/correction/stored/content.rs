//! Whether raw rows are still the same, by a checksum of all of them.
//!
//! Holds [`content`]. Columns are summed apart, which takes next to no time beside what is done with rows otherwise; what is encoded is then
//! told apart row by row, by the fingerprints of blocks.

use crate::blocks::mix;
use crate::data::{Categorical, Column, Table};

/// A number that other rows do not have, whatever their order; that of rows in several parts is the sum of theirs.
pub(super) fn content(rows: &Table) -> u64 {
    let column = |(name, column): (&str, &Column)| {
        let seed = hash(name.as_bytes());
        match column {
            Column::Numeric(values) => {
                values.iter().fold(0, |sum: u64, &value| sum.wrapping_add(of_number(value, seed)))
            }
            Column::Categorical(texts) => of_texts(texts, seed),
        }
    };
    rows.columns().map(column).fold(0, u64::wrapping_add)
}

fn of_number(value: f64, seed: u64) -> u64 {
    // Missing numbers are one value, whatever their bits.
    mix(seed ^ if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() })
}

fn of_texts(texts: &Categorical, seed: u64) -> u64 {
    let of_text = |(code, rows): (usize, usize)| {
        let text = texts.dictionary().get(code).map_or(u64::MAX, |text| hash(text.as_bytes()));
        mix(seed ^ text).wrapping_mul(rows as u64)
    };
    texts.counts().into_iter().enumerate().map(of_text).fold(0, u64::wrapping_add)
}

/// Of a text, the same on every machine [Fowler, Noll & Vo, 1a].
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(numbers: &[f64], texts: &[&str]) -> Table {
        let categorical = Column::Categorical(Categorical::from_values(texts.iter().map(Some)));
        Table::new(vec![("n".into(), Column::Numeric(numbers.to_vec())), ("t".into(), categorical)], 0).unwrap()
    }

    #[test]
    fn neither_order_nor_cuts_show_and_every_value_does() {
        let all = content(&table(&[1.0, 2.0, f64::NAN], &["a", "b", "a"]));
        assert_eq!(all, content(&table(&[f64::NAN, 1.0, 2.0], &["b", "a", "a"])));
        let parts = [table(&[2.0], &["a"]), table(&[1.0, f64::NAN], &["a", "b"])];
        assert_eq!(all, parts.iter().map(content).fold(0, u64::wrapping_add));
        assert_ne!(all, content(&table(&[1.0, 2.5, f64::NAN], &["a", "b", "a"])));
        assert_ne!(all, content(&table(&[1.0, 2.0, f64::NAN], &["a", "b", "b"])));
        assert_ne!(all, content(&table(&[1.0, 2.0], &["a", "b"])));
    }
}
