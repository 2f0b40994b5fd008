//! Columns of numbers in as few bytes as keep every bit of them.

use super::bytes::{Reader, Writer};
use super::layout::Number;
use crate::Result;
use crate::features::scaled;

/// Raw numbers, NaN where they are missing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Numbers {
    /// At most 256 distinct ones, by a table.
    Coded {
        table: Vec<f64>,
        codes: Vec<u8>,
    },
    /// Those that single precision holds.
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Numbers {
    pub(super) fn new(values: &[f64]) -> Self {
        if let Some(coded) = coded(values) {
            return coded;
        }
        let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let same = |(single, value): (&f32, &f64)| value.is_nan() || f64::from(*single).to_bits() == value.to_bits();
        if single.iter().zip(values).all(same) { Self::Single(single) } else { Self::Double(values.to_vec()) }
    }

    pub(super) fn get(&self, row: usize) -> f64 {
        match self {
            Self::Coded { table, codes } => table[codes[row] as usize],
            Self::Single(values) => f64::from(values[row]),
            Self::Double(values) => values[row],
        }
    }

    /// The features that some rows have.
    pub(super) fn features(&self, number: &Number, rows: std::ops::Range<usize>) -> Vec<f64> {
        let feature = |raw: f64| scaled(if raw.is_nan() { number.fill } else { raw }, number.centre, number.scale);
        match self {
            Self::Coded { table, codes } => {
                let mut features = [0.0; 256];
                for (feature_of, raw) in features.iter_mut().zip(table) {
                    *feature_of = feature(*raw);
                }
                codes[rows].iter().map(|&code| features[code as usize]).collect()
            }
            Self::Single(values) => values[rows].iter().map(|&raw| feature(f64::from(raw))).collect(),
            Self::Double(values) => values[rows].iter().map(|&raw| feature(raw)).collect(),
        }
    }

    /// The largest feature, in size.
    pub(super) fn largest(&self, number: &Number) -> f64 {
        let feature =
            |raw: f64| scaled(if raw.is_nan() { number.fill } else { raw }, number.centre, number.scale).abs();
        match self {
            Self::Coded { table, .. } => table.iter().map(|&raw| feature(raw)).fold(0.0, f64::max),
            Self::Single(values) => values.iter().map(|&raw| feature(f64::from(raw))).fold(0.0, f64::max),
            Self::Double(values) => values.iter().map(|&raw| feature(raw)).fold(0.0, f64::max),
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        match self {
            Self::Coded { table, codes } => {
                out.number(0);
                out.doubles(table);
                out.bytes(codes);
            }
            Self::Single(values) => {
                out.number(1);
                out.singles(values);
            }
            Self::Double(values) => {
                out.number(2);
                out.doubles(values);
            }
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.number()? {
            0 => Self::Coded { table: from.doubles()?, codes: from.bytes()?.to_vec() },
            1 => Self::Single(from.singles()?),
            2 => Self::Double(from.doubles()?),
            _ => return Err(Reader::damaged()),
        })
    }
}

/// By a table, where there are few distinct numbers.
fn coded(values: &[f64]) -> Option<Numbers> {
    // Open addressing, by the bits: twice as many slots as there may be numbers.
    const SLOTS: usize = 512;
    let (mut slots, mut table) = ([u16::MAX; SLOTS], Vec::new());
    let mut codes = Vec::with_capacity(values.len());
    for &value in values {
        let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
        let mut slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize;
        loop {
            match slots[slot] {
                u16::MAX if table.len() == 256 => return None,
                u16::MAX => {
                    slots[slot] = table.len() as u16;
                    table.push(f64::from_bits(bits));
                    break;
                }
                code if table[code as usize].to_bits() == bits => break,
                _ => slot = (slot + 1) % SLOTS,
            }
        }
        codes.push(slots[slot] as u8);
    }
    Some(Numbers::Coded { table, codes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_as_they_went_in() {
        let few: Vec<f64> = (0..3000).map(|row| if row % 7 == 0 { f64::NAN } else { f64::from(row % 250) }).collect();
        let single: Vec<f64> = (0..3000).map(|row| f64::from(row) * 0.25).collect();
        let double: Vec<f64> = (0..3000).map(|row| f64::from(row) * 0.1).collect();
        for (values, kind) in [(few, 0), (single, 1), (double, 2)] {
            let stored = Numbers::new(&values);
            let found = match stored {
                Numbers::Coded { .. } => 0,
                Numbers::Single(_) => 1,
                Numbers::Double(_) => 2,
            };
            assert_eq!(found, kind);
            let mut out = Writer::default();
            stored.write(&mut out);
            let bytes = out.into_bytes();
            let again = Numbers::read(&mut Reader::new(&bytes)).unwrap();
            for (row, value) in values.iter().enumerate() {
                assert!(again.get(row).to_bits() == value.to_bits() || value.is_nan() && again.get(row).is_nan());
            }
        }
    }
}
