//! Rows counted, so that an audit is a function of few numbers however many rows there are.
//!
//! Holds [`Tally`]: rows that are alike in their groups, label and prediction are one entry, with their number, weight and squared weight. Tallies of parts
//! of the rows are merged in any order, to the same bits. [`Condensed`] is what is left of all rows when they are counted: one row for each
//! entry. Leans on `exact`, `data` and `group`.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::confusion::Sums;
use crate::data::{Codes, WeightUnit};
use crate::exact::UnitSum;
use crate::group::Membership;
use crate::parallel;

/// Rows by what they are alike in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(Key, Entry)>", into = "Vec<(Key, Entry)>")]
pub struct Tally {
    entries: BTreeMap<Key, Entry>,
}

/// What rows of an entry are alike in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Key {
    /// The groups and sets that they are in, a bit each.
    pub(super) sets: Vec<u64>,
    /// The bits of the numbers that rates are weighted by.
    pub(super) values: Vec<u64>,
    /// 0 without labels.
    pub(super) label: u32,
    /// 0 without predictions.
    pub(super) prediction: u32,
}

/// What the rows of an entry add up to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Entry {
    rows: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Box<EntryWeights>>,
}

/// In units of [`WeightUnit`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct EntryWeights {
    /// Rows that weigh anything.
    rows: usize,
    sum: UnitSum,
    squares: UnitSum,
}

/// Some rows to be counted; all lengths are equal.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) count: usize,
    /// Who is in which groups, as one or two codes a row, then labels and predictions; and how many codes there may be of each.
    pub(super) codes: [Option<(&'a Codes, usize)>; 4],
    /// The groups and sets of a pair of codes, a bit each.
    pub(super) sets_of: &'a (dyn Fn([usize; 2]) -> Vec<u64> + Sync),
    /// Columns of numbers that rates are weighted by.
    pub(super) values: &'a [&'a [f64]],
    pub(super) weights: Option<(&'a [f64], WeightUnit)>,
}

/// Up to so many combinations of codes have a place each; of more, those that occur.
const MOST_PLACES: usize = 1 << 14;

impl Tally {
    /// Counts rows.
    pub(super) fn of(rows: Rows<'_>) -> Self {
        parallel::reduce(rows.count, |part| Self::of_part(rows, part), Self::add)
    }

    /// The tally of these rows and of others, counted by the same plan.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.add(other);
        self
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.entries.values().map(|entry| entry.rows).sum()
    }

    /// What rows are alike in, entry by entry.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = &Key> {
        self.entries.keys()
    }

    /// What entries add up to, of weights as they were given, or scaled to mean 1.
    pub(super) fn sums(&self, unit: Option<WeightUnit>, mean_one: bool) -> Vec<Sums> {
        let Some(unit) = unit else {
            let alike = |entry: &Entry| Sums { rows: entry.rows, weight: entry.rows as f64, squares: entry.rows as f64 };
            return self.entries.values().map(alike).collect();
        };
        let by = if mean_one { self.mean_one(unit) } else { unit.as_given() };
        let none = EntryWeights::default();
        let sums = |entry: &Entry| {
            let weights = entry.weights.as_deref().unwrap_or(&none);
            Sums { rows: entry.rows, weight: weights.sum.value() / by, squares: weights.squares.value() / by / by }
        };
        self.entries.values().map(sums).collect()
    }

    fn mean_one(&self, unit: WeightUnit) -> f64 {
        let (mut sum, mut rows) = (UnitSum::default(), 0);
        for weights in self.entries.values().filter_map(|entry| entry.weights.as_deref()) {
            sum.merge(&weights.sum);
            rows += weights.rows;
        }
        if rows == 0 { 1.0 } else { unit.mean_one(sum.value(), rows as f64) }
    }

    fn add(&mut self, other: Self) {
        if self.entries.is_empty() {
            *self = other;
            return;
        }
        for (key, entry) in other.entries {
            self.entries.entry(key).or_default().add(entry);
        }
    }

    fn of_part(rows: Rows<'_>, part: Range<usize>) -> Self {
        let mut places = Places::new(rows);
        let mut entries: Vec<(Local, Entry)> = Vec::new();
        for row in part {
            let local = rows.local(row);
            let next = entries.len();
            let place = places.of(&local, next);
            if place == next {
                entries.push((local, Entry::default()));
            }
            entries[place].1.add_row(rows.weights.map(|(weights, unit)| unit.of_row(weights[row])));
        }
        let mut own = Self::default();
        for (local, entry) in entries {
            own.entries.entry(rows.key(local)).or_default().add(entry);
        }
        own
    }
}

/// What rows of one table are alike in, in its own codes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Local {
    codes: [u32; 4],
    values: Vec<u64>,
}

/// Where the entries of one table are.
enum Places {
    /// By the combination of codes, of which there are few; `usize::MAX` where there is none yet.
    Dense { sizes: [usize; 4], places: Vec<usize> },
    Sparse(HashMap<Local, usize>),
}

impl Places {
    fn new(rows: Rows<'_>) -> Self {
        let sizes = rows.codes.map(|codes| codes.map_or(1, |(_, size)| size));
        let all = sizes.iter().fold(1_usize, |all, size| all.saturating_mul(*size));
        if rows.values.is_empty() && all <= MOST_PLACES {
            Self::Dense { sizes, places: vec![usize::MAX; all] }
        } else {
            Self::Sparse(HashMap::new())
        }
    }

    /// The place of an entry: `next` where it is new.
    fn of(&mut self, local: &Local, next: usize) -> usize {
        match self {
            Self::Dense { sizes, places } => {
                let at = sizes.iter().zip(local.codes).fold(0, |at, (size, code)| at * size + code as usize);
                places[at] = places[at].min(next);
                places[at]
            }
            Self::Sparse(places) => *places.entry(local.clone()).or_insert(next),
        }
    }
}

impl Rows<'_> {
    fn local(&self, row: usize) -> Local {
        Local {
            codes: self.codes.map(|codes| codes.map_or(0, |(codes, _)| codes.get(row) as u32)),
            // Adding zero makes -0 the same number as 0.
            values: self.values.iter().map(|column| (column[row] + 0.0).to_bits()).collect(),
        }
    }

    fn key(&self, local: Local) -> Key {
        let Local { codes: [first, second, label, prediction], values } = local;
        Key { sets: (self.sets_of)([first as usize, second as usize]), values, label, prediction }
    }
}

impl Entry {
    fn add_row(&mut self, weight: Option<f64>) {
        self.rows += 1;
        if let Some(weight) = weight {
            let own = self.weights.get_or_insert_default();
            own.rows += usize::from(weight > 0.0);
            own.sum.add(weight);
            own.squares.add(weight * weight);
        }
    }

    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        if let Some(other) = other.weights {
            let own = self.weights.get_or_insert_default();
            own.rows += other.rows;
            own.sum.merge(&other.sum);
            own.squares.merge(&other.squares);
        }
    }
}

impl From<Vec<(Key, Entry)>> for Tally {
    fn from(entries: Vec<(Key, Entry)>) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

impl From<Tally> for Vec<(Key, Entry)> {
    fn from(tally: Tally) -> Self {
        tally.entries.into_iter().collect()
    }
}

/// All rows of an audit, one for each entry of their tally.
pub(super) struct Condensed {
    /// The groups that were asked for, and who lacks a value.
    pub(super) membership: Membership,
    /// The same, with the rows that notions name themselves behind the groups.
    pub(super) all: Membership,
    pub(super) labels: Codes,
    pub(super) predictions: Option<Codes>,
    pub(super) sums: Vec<Sums>,
}

/// The codes of one kind of all entries.
pub(super) fn codes(tally: &Tally, classes: usize, of: impl Fn(&Key) -> u32) -> Codes {
    Codes::narrow(tally.keys().map(of).collect(), classes)
}

/// Whether a bit is set.
pub(super) fn has(sets: &[u64], set: usize) -> bool {
    sets[set / 64] >> (set % 64) & 1 == 1
}
