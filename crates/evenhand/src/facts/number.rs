//! What an encoding has to know of a column of numbers, and the summary of some rows that it comes from: of all in memory, or merged with those of others.
//!
//! Holds [`NumberFacts`] and [`NumberProfile`]. Numbers are measured in a unit of their own size, so that squares of 1e200 do not overflow and those of 1e-200 do not
//! vanish.

use serde::{Deserialize, Serialize};

use super::distinct::Distinct;
use super::moments::Moments;
use crate::data::power_of_two;

/// Between these a feature, and a sum of its squares, is a double with all its digits.
pub(crate) const COMPUTABLE: std::ops::Range<f64> = 1e-100..1e100;

/// Mean, spread and size of a column of numbers. Rows that weigh nothing are as good as absent, but for `constant` and `missing`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumberFacts {
    /// The power of two that mean and spread are measured in.
    pub unit: f64,
    /// The weighted mean, in units; 0 without a row.
    pub mean: f64,
    /// The weighted standard deviation, in units.
    pub spread: f64,
    /// The lowest and the highest number.
    pub range: Option<(f64, f64)>,
    /// The number of the largest size, and where it stands.
    pub furthest: Option<Furthest>,
    /// Whether all numbers are the same, or there is none.
    pub constant: bool,
    /// Whether some row has none.
    pub missing: bool,
}

/// A number, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Furthest {
    /// The number.
    pub value: f64,
    /// The row, as shown to users.
    pub row: usize,
}

/// What is known of a column of numbers in some rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NumberProfile {
    /// A whole number that no double holds, with its row.
    pub(super) rounded: Option<(usize, String)>,
    pub(super) missing: usize,
    pub(super) distinct: Distinct,
    /// The least and the largest number by their bits: 0 and −0 are two.
    ends: Option<(f64, f64)>,
    /// Of the rows that weigh anything.
    range: Option<(f64, f64)>,
    furthest: Option<Furthest>,
    moments: Moments,
}

impl NumberProfile {
    /// The summary of some numbers, with all that are distinct where these are at most so many.
    pub(super) fn of(values: &[f64], weights: Option<&[f64]>, most: usize, shown_row: impl Fn(usize) -> usize) -> Self {
        let distinct = Distinct::of(values, most);
        let mut own = Self {
            rounded: None,
            missing: 0,
            distinct,
            ends: None,
            range: None,
            furthest: None,
            moments: Moments::default(),
        };
        match weights {
            None => own.add_all(values, shown_row),
            Some(weights) => own.add_weighted(values, weights, shown_row),
        }
        own.moments.carry();
        own
    }

    /// Adds numbers of rows that weigh 1 each.
    fn add_all(&mut self, values: &[f64], shown_row: impl Fn(usize) -> usize) {
        let mut ends = (i64::MAX, i64::MIN);
        for &value in values {
            let (known, place) = (!value.is_nan(), ordered(value));
            self.missing += usize::from(!known);
            ends.0 = ends.0.min(if known { place } else { i64::MAX });
            ends.1 = ends.1.max(if known { place } else { i64::MIN });
        }
        if ends.0 <= ends.1 {
            let (low, high) = (number(ends.0), number(ends.1));
            (self.ends, self.range) = (Some((low, high)), Some((low, high)));
            // The last of several of the same size.
            let largest = low.abs().max(high.abs());
            let last = values.iter().rposition(|value| value.abs() >= largest);
            self.furthest = last.map(|row| Furthest { value: values[row], row: shown_row(row) });
        }
        // Few distinct numbers are added once each.
        match self.distinct.counts() {
            Some(counts) => counts.for_each(|(value, rows)| self.moments.add(rows as f64, value)),
            None => self.moments.add_all(values.iter().copied().filter(|value| !value.is_nan())),
        }
    }

    /// Adds numbers of rows that weigh as said.
    fn add_weighted(&mut self, values: &[f64], weights: &[f64], shown_row: impl Fn(usize) -> usize) {
        for (row, (&value, &weight)) in values.iter().zip(weights).enumerate() {
            if value.is_nan() {
                self.missing += 1;
                continue;
            }
            self.ends = Some(self.ends.map_or((value, value), |ends| wider(ends, (value, value))));
            if weight <= 0.0 {
                continue;
            }
            self.range = Some(self.range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            if self.furthest.is_none_or(|known| value.abs() >= known.value.abs()) {
                self.furthest = Some(Furthest { value, row: shown_row(row) });
            }
            self.moments.add(weight, value);
        }
    }

    /// The summary of these rows and of others.
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.moments.merge(&other.moments);
        Self {
            // The first by its row, so that the order of merging does not show.
            rounded: [self.rounded, other.rounded].into_iter().flatten().min(),
            missing: self.missing + other.missing,
            distinct: self.distinct.merge(other.distinct),
            ends: merged(self.ends, other.ends, wider),
            range: merged(self.range, other.range, |one, other| (one.0.min(other.0), one.1.max(other.1))),
            furthest: merged(self.furthest, other.furthest, |one, other| {
                let order = one.value.abs().total_cmp(&other.value.abs()).then(one.row.cmp(&other.row));
                if order.then(one.value.total_cmp(&other.value)).is_ge() { one } else { other }
            }),
            moments: self.moments,
        }
    }

    /// What an encoding has to know.
    pub(super) fn facts(&self) -> NumberFacts {
        let unit = self.furthest.map_or(1.0, |furthest| unit_of(furthest.value.abs()));
        let (mean, spread) = self.moments.mean_and_spread(unit);
        NumberFacts {
            unit,
            mean,
            spread,
            range: self.range,
            furthest: self.furthest,
            constant: self.ends.is_none_or(|(low, high)| low.total_cmp(&high).is_eq()),
            missing: self.missing > 0,
        }
    }
}

/// Whole numbers in the order of doubles, in which −0 is below 0, as [`f64::total_cmp`] has it.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ (bits >> 63).cast_unsigned().wrapping_shr(1).cast_signed()
}

/// The double of such a whole number.
fn number(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ (ordered >> 63).cast_unsigned().wrapping_shr(1).cast_signed()).cast_unsigned())
}

fn wider(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let low = if other.0.total_cmp(&one.0).is_lt() { other.0 } else { one.0 };
    let high = if other.1.total_cmp(&one.1).is_gt() { other.1 } else { one.1 };
    (low, high)
}

fn merged<T>(one: Option<T>, other: Option<T>, merge: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(merge(one, other)),
        (one, other) => one.or(other),
    }
}

/// The power of two in which numbers are measured so that their squares neither overflow nor vanish: 1 unless they
/// are far from it. Dividing by it rounds nothing.
fn unit_of(largest: f64) -> f64 {
    if largest <= 0.0 || COMPUTABLE.contains(&largest) { 1.0 } else { power_of_two(largest) }
}
