//! Sums of numbers from 0 to below 4, such as weights in units of the heaviest and their squares, that round nothing worth speaking of.
//!
//! A fixed-point number of 768 bits: 2⁻⁷²⁰ is its lowest bit, and 2⁴⁶ numbers may be added. So a sum needs no grid of its own, takes 96 bytes, and neither
//! the order of numbers nor how they are cut shows in it. [Kulisch 2013]

use serde::{Deserialize, Serialize};

/// Words of 64 bits.
const WORDS: usize = 12;

/// The bit that stands for 1.
const ONE: i32 = 720;

/// A sum in progress.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct UnitSum {
    /// From the lowest.
    words: [u64; WORDS],
}

impl UnitSum {
    /// Adds a number that is at least 0 and below 4; of one below 2⁻⁶⁶⁷ the last bits are cut off.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        debug_assert!((0.0..4.0).contains(&value));
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        if exponent == 0 {
            return;
        }
        let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
        let place = exponent - 1075 + ONE;
        let (place, mantissa) = if place < 0 { (0, mantissa >> (-place).min(127)) } else { (place, mantissa) };
        let (word, shift) = ((place / 64).unsigned_abs() as usize, place % 64);
        self.add_at(word, mantissa << shift);
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &Self) {
        let mut carry = false;
        for (word, other) in self.words.iter_mut().zip(other.words) {
            let (sum, over) = word.overflowing_add(other);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = over | again;
        }
    }

    /// The sum, within a unit in the last place.
    pub(crate) fn value(&self) -> f64 {
        let Some(top) = self.words.iter().rposition(|word| *word > 0) else { return 0.0 };
        let below = if top > 0 { self.words[top - 1] } else { 0 };
        let leading = u128::from(self.words[top]) << 64 | u128::from(below);
        // Both factors are normal numbers.
        let places = i32::try_from(top).unwrap_or_default() - 1;
        leading as f64 * 2f64.powi(64 * places - ONE)
    }

    #[inline]
    fn add_at(&mut self, at: usize, value: u128) {
        let (low, carry) = self.words[at].overflowing_add(value as u64);
        self.words[at] = low;
        let mut rest = (value >> 64) as u64;
        let mut carry = carry;
        for word in &mut self.words[at + 1..] {
            if rest == 0 && !carry {
                return;
            }
            let (sum, over) = word.overflowing_add(rest);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            (rest, carry) = (0, over | again);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(values: &[f64]) -> UnitSum {
        let mut sum = UnitSum::default();
        for &value in values {
            sum.add(value);
        }
        sum
    }

    #[test]
    fn small_numbers_are_not_lost_beside_large_ones() {
        assert_eq!(sum(&[1.0; 1000]).value().to_bits(), 1000f64.to_bits());
        assert_eq!(sum(&[]).value().to_bits(), 0);
        assert_eq!(sum(&[1e-200]).value().to_bits(), 1e-200_f64.to_bits());
        assert_eq!(sum(&[0.1; 10]).value().to_bits(), 1f64.to_bits());
        let many = vec![2f64.powi(-60); 1 << 12];
        assert_eq!(sum(&[&[1.0], many.as_slice()].concat()).value().to_bits(), (1.0 + 2f64.powi(-48)).to_bits());
        assert_eq!(sum(&[5e-324]).value().to_bits(), 0);
    }

    proptest! {
        #[test]
        fn order_and_cuts_do_not_matter(
            values in prop::collection::vec((0.0..4.0_f64, 0..300_i32), 0..100),
            at in any::<prop::sample::Index>(),
        ) {
            let values: Vec<f64> = values.into_iter().map(|(value, power)| value * 2f64.powi(-power)).collect();
            let (one, other) = values.split_at(at.index(values.len() + 1));
            let mut merged = sum(&other.iter().rev().copied().collect::<Vec<_>>());
            merged.merge(&sum(one));
            prop_assert_eq!(&merged, &sum(&values));
            let plain: f64 = values.iter().sum();
            prop_assert!((merged.value() - plain).abs() <= 1e-12);
        }
    }
}
