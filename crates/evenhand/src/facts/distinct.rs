//! Distinct numbers with how often they occur, up to a limit.
//!
//! Numbers are known by [`ordered`] bits, which compare as the numbers do; −0 is 0.

use serde::{Deserialize, Serialize};

/// Distinct numbers, ascending, each with its rows; or that there are too many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Distinct {
    most: usize,
    /// Ordered bits and rows, ascending; `None` where there are more than `most`.
    counts: Option<Vec<(u64, usize)>>,
}

impl Distinct {
    /// Those of some numbers, missing ones left out.
    pub(super) fn of(values: &[f64], most: usize) -> Self {
        let mut counting = Counting::default();
        for value in values.iter().filter(|value| !value.is_nan()) {
            counting.count(ordered(*value));
            if counting.found > most {
                return Self { most, counts: None };
            }
        }
        Self { most, counts: Some(counting.sorted()) }
    }

    /// Those of these rows and of others.
    pub(super) fn merge(self, other: Self) -> Self {
        let counts = match (self.counts, other.counts) {
            (Some(one), Some(other)) => Some(merge_counts(one, other)).filter(|all| all.len() <= self.most),
            _ => None,
        };
        Self { most: self.most, counts }
    }

    /// How many are kept at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The numbers and their rows, ascending; `None` where there are too many.
    pub(super) fn counts(&self) -> Option<impl Iterator<Item = (f64, usize)>> {
        self.counts.as_ref().map(|counts| counts.iter().map(|&(bits, rows)| (number(bits), rows)))
    }
}

/// Two ascending lists of counts as one.
pub(super) fn merge_counts<K: Ord>(one: Vec<(K, usize)>, other: Vec<(K, usize)>) -> Vec<(K, usize)> {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
    loop {
        let order = match (one.peek(), other.peek()) {
            (Some(left), Some(right)) => left.0.cmp(&right.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return all,
        };
        let left = if order.is_le() { one.next() } else { None };
        let right = if order.is_ge() { other.next() } else { None };
        let rows = [&left, &right].into_iter().flatten().map(|(_, rows)| rows).sum();
        all.extend(left.or(right).map(|(key, _)| (key, rows)));
    }
}

/// Bits that compare as numbers do.
pub(super) fn ordered(value: f64) -> u64 {
    // Adding zero makes -0 the same number as 0.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of ordered bits.
pub(super) fn number(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered })
}

/// A hash table with open addressing: a look-up takes some 2 ns where one of the standard library takes 20.
pub(super) struct Counting {
    /// What is counted, and rows; without rows, a free place. Their number is a power of two.
    places: Vec<(u64, usize)>,
    found: usize,
}

impl Default for Counting {
    fn default() -> Self {
        Self { places: vec![(0, 0); 1 << 8], found: 0 }
    }
}

impl Counting {
    /// Counts a row.
    pub(super) fn count(&mut self, bits: u64) {
        let at = self.place(bits);
        let (key, rows) = &mut self.places[at];
        *key = bits;
        *rows += 1;
        if *rows == 1 {
            self.found += 1;
            if 2 * self.found > self.places.len() {
                self.grow();
            }
        }
    }

    /// What was counted, ascending, with its rows.
    pub(super) fn sorted(self) -> Vec<(u64, usize)> {
        let mut counts: Vec<(u64, usize)> = self.places.into_iter().filter(|(_, rows)| *rows > 0).collect();
        counts.sort_unstable();
        counts
    }

    /// Where a number is counted, or is to be.
    fn place(&self, bits: u64) -> usize {
        let mask = self.places.len() - 1;
        // Fibonacci hashing: only the highest bits of the product with 2⁶⁴/φ depend on all bits.
        let mut at = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - mask.count_ones())) as usize;
        while self.places[at].1 > 0 && self.places[at].0 != bits {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let places = std::mem::take(&mut self.places);
        self.places = vec![(0, 0); 4 * places.len()];
        for (bits, rows) in places.into_iter().filter(|(_, rows)| *rows > 0) {
            let at = self.place(bits);
            self.places[at] = (bits, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_compare_as_numbers_do() {
        let numbers = [f64::MIN, -1.5, -5e-324, 0.0, 5e-324, 1.0, f64::MAX];
        let bits = numbers.map(ordered);
        assert!(bits.is_sorted());
        assert_eq!(bits.map(|bits| number(bits).to_bits()), numbers.map(f64::to_bits));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }

    #[test]
    fn numbers_are_counted_up_to_the_limit() {
        let values: Vec<f64> = (0..3000).map(|row| f64::from(row % 700) / 7.0).chain([f64::NAN, -0.0]).collect();
        let (one, other) = values.split_at(1234);
        let merged = Distinct::of(other, 700).merge(Distinct::of(one, 700));
        assert_eq!(merged, Distinct::of(&values, 700));
        let counts: Vec<(f64, usize)> = merged.counts().unwrap().collect();
        assert_eq!((counts.len(), counts[0]), (700, (0.0, 6)));
        assert_eq!(counts.iter().map(|(_, rows)| rows).sum::<usize>(), 3001);
        assert!(Distinct::of(&values, 699).counts().is_none());
        assert!(Distinct::of(one, 699).merge(Distinct::of(other, 699)).counts().is_none());
    }
}
