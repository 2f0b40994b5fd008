//! Some numbers of a column by their ranks among all.
//!
//! Holds [`Ranked`], which knows enough to find quantile edges by the rule that numbers in memory are given, and [`select`], which finds it out
//! by radix selection: 16 bits a question, so that four questions are enough for any number of ranks.

use serde::{Deserialize, Serialize};

use super::distinct::{Counting, Distinct, merge_counts, number, ordered};
use crate::Result;
use crate::group::Ascending;

/// Bits that a question settles.
const BITS: u32 = 16;

/// Questions that settle all bits.
const ROUNDS: u32 = u64::BITS / BITS;

/// Values that occur, ascending, with how many rows stand before each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ranked {
    len: usize,
    values: Vec<Known>,
}

#[derive(Debug, Clone, PartialEq)]
struct Known {
    number: f64,
    below: usize,
    rows: usize,
    /// The least value above it, if there is one.
    next: Option<f64>,
}

/// Rows by the next 16 bits behind some leading bits of their number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixCounts {
    /// Bits and rows, ascending.
    counts: Vec<(u16, usize)>,
    /// Of the numbers whose leading bits are larger, and those of no larger prefix that was asked for, the least.
    after: Option<u64>,
}

impl Ranked {
    /// Those of numbers that are all known.
    pub(super) fn of(counts: impl Iterator<Item = (f64, usize)>) -> Self {
        let mut len = 0;
        let mut values: Vec<Known> = Vec::new();
        for (value, rows) in counts {
            if let Some(last) = values.last_mut() {
                last.next = Some(value);
            }
            values.push(Known { number: value, below: len, rows, next: None });
            len += rows;
        }
        Self { len, values }
    }
}

impl Ascending for Ranked {
    fn len(&self) -> usize {
        self.len
    }

    fn at(&self, rank: usize) -> f64 {
        let after = self.values.partition_point(|known| known.below <= rank);
        self.values[after - 1].number
    }

    fn up_to(&self, edge: f64) -> (usize, Option<std::ops::Range<f64>>) {
        let after = self.values.partition_point(|known| known.number <= edge);
        let Some(last) = after.checked_sub(1).map(|at| &self.values[at]) else { return (0, None) };
        (last.below + last.rows, last.next.map(|next| last.number..next))
    }
}

/// Finds the numbers of some ranks, ascending, of `len` numbers, asking for the counts behind prefixes of so many times 16 bits.
///
/// # Errors
/// Those of `ask`.
pub(super) fn select(
    len: usize,
    ranks: &[usize],
    mut ask: impl FnMut(u32, &[u64]) -> Result<Vec<PrefixCounts>>,
) -> Result<Ranked> {
    if ranks.is_empty() {
        return Ok(Ranked { len, values: Vec::new() });
    }
    // A prefix, and how many numbers are below it.
    let mut prefixes = vec![(0_u64, 0_usize)];
    for round in 0..ROUNDS {
        let asked: Vec<u64> = prefixes.iter().map(|(prefix, _)| *prefix).collect();
        let answers = ask(round, &asked)?;
        if round + 1 == ROUNDS {
            return Ok(Ranked { len, values: values(&prefixes, &answers) });
        }
        let mut longer = Vec::new();
        for ((prefix, below), answer) in prefixes.iter().zip(&answers) {
            let mut below = *below;
            for &(bits, rows) in &answer.counts {
                let next = ranks.partition_point(|rank| *rank < below);
                if ranks.get(next).is_some_and(|rank| *rank < below + rows) {
                    longer.push((prefix << BITS | u64::from(bits), below));
                }
                below += rows;
            }
        }
        prefixes = longer;
    }
    Ok(Ranked { len, values: Vec::new() })
}

/// All numbers behind the last prefixes. What comes after the last of one prefix stands in the answer to it, or to a later one.
fn values(prefixes: &[(u64, usize)], answers: &[PrefixCounts]) -> Vec<Known> {
    let mut found: Vec<Known> = Vec::new();
    let mut next: Option<u64> = None;
    for ((prefix, below), answer) in prefixes.iter().zip(answers).rev() {
        next = [answer.after, next].into_iter().flatten().min();
        let mut above = below + answer.counts.iter().map(|(_, rows)| rows).sum::<usize>();
        for &(bits, rows) in answer.counts.iter().rev() {
            above -= rows;
            let bits = prefix << BITS | u64::from(bits);
            found.push(Known { number: number(bits), below: above, rows, next: next.map(number) });
            next = Some(bits);
        }
    }
    found.reverse();
    found
}

impl PrefixCounts {
    /// Those of some numbers, for ascending prefixes of `round` times 16 bits.
    pub(super) fn of(values: &[f64], round: u32, prefixes: &[u64]) -> Vec<Self> {
        let mut counting = Counting::default();
        let mut after = vec![None; prefixes.len()];
        for bits in values.iter().filter(|value| !value.is_nan()).map(|value| ordered(*value)) {
            // Without a prefix all bits are left; shifting by all of them is not defined.
            let prefix = bits.checked_shr(u64::BITS - BITS * round).unwrap_or(0);
            let at = prefixes.partition_point(|one| *one <= prefix);
            let Some(last) = at.checked_sub(1) else { continue };
            if prefixes[last] == prefix {
                counting.count((last as u64) << BITS | bits >> (u64::BITS - BITS * (round + 1)) & 0xffff);
            } else if after[last].is_none_or(|known| bits < known) {
                after[last] = Some(bits);
            }
        }
        let mut all: Vec<Self> = after.into_iter().map(|after| Self { counts: Vec::new(), after }).collect();
        for (key, rows) in counting.sorted() {
            all[(key >> BITS) as usize].counts.push((key as u16, rows));
        }
        all
    }

    /// Those of these rows and of others.
    pub(super) fn merge(self, other: Self) -> Self {
        let after = [self.after, other.after].into_iter().flatten().min();
        Self { counts: merge_counts(self.counts, other.counts), after }
    }
}

impl From<&Distinct> for Option<Ranked> {
    fn from(distinct: &Distinct) -> Self {
        distinct.counts().map(Ranked::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::{edges_of, quantile_edges, ranks};
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-9i32..9).prop_map(|value| f64::from(value) / 4.0),
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite or missing", |value| !value.is_infinite()),
            -1.0..1.0_f64,
            Just(-0.0),
        ]
    }

    proptest! {
        #[test]
        fn edges_are_those_of_sorted_numbers(
            values in prop::collection::vec(number(), 0..200),
            count in 2usize..30,
            cut in any::<prop::sample::Index>(),
        ) {
            let expected: Vec<u64> = quantile_edges(&values, count).iter().map(|edge| edge.to_bits()).collect();
            let bits = |found: &dyn Ascending| edges_of(found, count).iter().map(|edge| edge.to_bits()).collect::<Vec<_>>();
            let known = Option::<Ranked>::from(&Distinct::of(&values, 1000)).unwrap();
            prop_assert_eq!(bits(&known), &expected[..]);
            let (one, other) = values.split_at(cut.index(values.len() + 1));
            let mut questions = 0;
            let ask = |round: u32, prefixes: &[u64]| {
                questions += 1;
                let (one, other) = (PrefixCounts::of(other, round, prefixes), PrefixCounts::of(one, round, prefixes));
                Ok(one.into_iter().zip(other).map(|(one, other)| one.merge(other)).collect())
            };
            let numbers = values.iter().filter(|value| !value.is_nan()).count();
            let found = select(numbers, &ranks(numbers, count), ask).unwrap();
            prop_assert_eq!(bits(&found), &expected[..]);
            prop_assert!(questions <= 4);
        }
    }
}
