//! Rows counted, so that an audit is a function of few numbers however many rows there are.
//!
//! Holds [`ContingencyTable`]: rows that are alike in their groups, label and prediction are one entry, with their number, weight and squared weight. Tables of parts
//! of the rows are merged in any order, to the same bits. [`Condensed`] is what is left of all rows when they are counted: one row for each
//! entry. Leans on `exact`, `data` and `group`.

use std::collections::{BTreeMap, HashMap};
use std::ops::{AddAssign, Range};

use serde::{Deserialize, Serialize};

use super::confusion::Sums;
use super::score_counts::ScoreCounts;
use crate::data::{Codes, WeightUnit};
use crate::exact::ExactSum;
use crate::group::Membership;
use crate::parallel;

/// Rows by what they are alike in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Record", into = "Record")]
pub struct ContingencyTable {
    entries: BTreeMap<Key, Entry>,
    scores: ScoreCounts,
}

/// The same as it is sent.
#[derive(Serialize, Deserialize)]
struct Record {
    entries: Vec<(Key, Entry)>,
    scores: ScoreCounts,
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
    /// The bin of their scores; 0 without any.
    pub(super) bin: u32,
}

/// What the rows of an entry add up to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Entry {
    rows: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Box<EntryWeights>>,
    /// Of scores and of their squares, each times the weight of its row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scores: Option<Box<[ExactSum; 2]>>,
}

/// In units of [`WeightUnit`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct EntryWeights {
    /// Rows that weigh anything.
    rows: usize,
    sum: ExactSum,
    squares: ExactSum,
}

/// Some rows to be counted; all lengths are equal.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) count: usize,
    /// Who is in which groups, as one or two codes a row, then labels, predictions and bins of scores; and how many codes there may be of each.
    pub(super) codes: [Option<(&'a Codes, usize)>; 5],
    /// The groups and sets of a pair of codes, a bit each.
    pub(super) sets_of: &'a (dyn Fn([usize; 2]) -> Vec<u64> + Sync),
    /// Columns of numbers that rates are weighted by.
    pub(super) values: &'a [&'a [f64]],
    pub(super) weights: Option<(&'a [f64], WeightUnit)>,
    /// Scores between 0 and 1, and the class that they are the probability of.
    pub(super) scores: Option<(&'a [f64], usize)>,
}

/// Up to so many combinations of codes have a place each; of more, those that occur.
const MOST_PLACES: usize = 1 << 14;

impl ContingencyTable {
    /// Counts rows.
    pub(super) fn of(rows: Rows<'_>) -> Self {
        parallel::reduce(rows.count, |part| Self::of_part(rows, part), Self::add)
    }

    /// The contingency table of these rows and of others, counted by the same plan.
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
            let alike =
                |entry: &Entry| Sums { rows: entry.rows, weight: entry.rows as f64, squares: entry.rows as f64 };
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

    /// What the scores of entries add up to, and how these are spread.
    pub(super) fn scored(&self, unit: Option<WeightUnit>, positive: usize) -> (Vec<ScoreRow>, &ScoreCounts) {
        let by = unit.map_or(1.0, |unit| self.mean_one(unit));
        let of = |((key, entry), sums): ((&Key, &Entry), Sums)| {
            let none = Box::default();
            let [scores, squares] = entry.scores.as_ref().unwrap_or(&none).each_ref().map(|sum| sum.value() / by);
            let is_positive = key.label as usize == positive;
            let placed = |yes: bool| if yes { sums } else { Sums::default() };
            ScoreRow {
                all: sums,
                positives: placed(is_positive),
                others: placed(!is_positive),
                scores,
                score_squares: squares,
                positive_scores: if is_positive { scores } else { 0.0 },
            }
        };
        (self.entries.iter().zip(self.sums(unit, true)).map(of).collect(), &self.scores)
    }

    fn mean_one(&self, unit: WeightUnit) -> f64 {
        let (mut sum, mut rows) = (ExactSum::default(), 0);
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
        self.scores.merge(other.scores);
    }

    fn of_part(rows: Rows<'_>, part: Range<usize>) -> Self {
        let mut places = Places::new(rows);
        let mut entries: Vec<(Local, Entry)> = Vec::new();
        let mut scores: Vec<Vec<(f64, f64)>> = Vec::new();
        for row in part {
            let local = rows.local(row);
            let next = entries.len();
            let place = places.of(&local, next);
            if place == next {
                entries.push((local, Entry::default()));
                scores.push(Vec::new());
            }
            let weight = rows.weights.map(|(weights, unit)| unit.of_row(weights[row]));
            entries[place].1.add_row(weight);
            if let Some((all, _)) = rows.scores {
                entries[place].1.add_score(weight, all[row]);
                scores[place].push((all[row], weight.unwrap_or(1.0)));
            }
        }
        let mut own = Self::default();
        for ((local, entry), scores) in entries.into_iter().zip(scores) {
            let key = rows.key(local);
            if let Some((_, positive)) = rows.scores {
                own.scores.add_rows(key.sets.clone(), key.label as usize == positive, scores);
            }
            own.entries.entry(key).or_default().add(entry);
        }
        own
    }
}

/// What rows of one table are alike in, in its own codes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Local {
    codes: [u32; 5],
    values: Vec<u64>,
}

/// Where the entries of one table are.
enum Places {
    /// By the combination of codes, of which there are few; `usize::MAX` where there is none yet.
    Dense {
        sizes: [usize; 5],
        places: Vec<usize>,
    },
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
        let Local { codes: [first, second, label, prediction, bin], values } = local;
        Key { sets: (self.sets_of)([first as usize, second as usize]), values, label, prediction, bin }
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

    fn add_score(&mut self, weight: Option<f64>, score: f64) {
        let weight = weight.unwrap_or(1.0);
        let [scores, squares] = &mut **self.scores.get_or_insert_default();
        scores.add(weight * score);
        squares.add(weight * score * score);
    }

    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        if let Some(other) = other.scores {
            let own = self.scores.get_or_insert_default();
            own.iter_mut().zip(other.iter()).for_each(|(own, other)| own.merge(other));
        }
        if let Some(other) = other.weights {
            let own = self.weights.get_or_insert_default();
            own.rows += other.rows;
            own.sum.merge(&other.sum);
            own.squares.merge(&other.squares);
        }
    }
}

impl From<Record> for ContingencyTable {
    fn from(Record { entries, scores }: Record) -> Self {
        Self { entries: entries.into_iter().collect(), scores }
    }
}

impl From<ContingencyTable> for Record {
    fn from(ContingencyTable { entries, scores }: ContingencyTable) -> Self {
        Self { entries: entries.into_iter().collect(), scores }
    }
}

/// What the scores of some rows add up to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScoreRow {
    pub(super) all: Sums,
    /// Those labelled positive.
    pub(super) positives: Sums,
    pub(super) others: Sums,
    /// Scores, each times the weight of its row.
    pub(super) scores: f64,
    /// The same of their squares.
    pub(super) score_squares: f64,
    /// The same of rows labelled positive.
    pub(super) positive_scores: f64,
}

impl AddAssign for ScoreRow {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.positives += other.positives;
        self.others += other.others;
        self.scores += other.scores;
        self.score_squares += other.score_squares;
        self.positive_scores += other.positive_scores;
    }
}

/// The scores of all rows of an audit, one row for each entry of their contingency table.
pub(super) struct Scored<'a> {
    pub(super) membership: &'a Membership,
    /// Where the sets of the membership are among the bits of a key.
    pub(super) places: Vec<usize>,
    pub(super) rows: Vec<ScoreRow>,
    /// The bin of each.
    pub(super) bins: Vec<usize>,
    pub(super) counts: &'a ScoreCounts,
}

impl Scored<'_> {
    /// The area under the curve of the rows of a set, or of all.
    pub(super) fn auc(&self, set: Option<usize>) -> Option<f64> {
        self.counts.auc(|sets| set.is_none_or(|set| has(sets, self.places[set])))
    }
}

/// All rows of an audit, one for each entry of their contingency table.
pub(super) struct Condensed {
    /// The groups that were asked for, and who lacks a value.
    pub(super) membership: Membership,
    /// The same, with the rows that notions name themselves behind the groups.
    pub(super) all: Membership,
    pub(super) labels: Codes,
    pub(super) predictions: Option<Codes>,
    /// Where the sets of the membership are among the bits of a key.
    pub(super) places: Vec<usize>,
    pub(super) sums: Vec<Sums>,
}

/// The codes of one kind of all entries.
pub(super) fn codes(counted: &ContingencyTable, classes: usize, of: impl Fn(&Key) -> u32) -> Codes {
    Codes::narrow(counted.keys().map(of).collect(), classes)
}

/// Whether a bit is set.
pub(super) fn has(sets: &[u64], set: usize) -> bool {
    sets[set / 64] >> (set % 64) & 1 == 1
}
