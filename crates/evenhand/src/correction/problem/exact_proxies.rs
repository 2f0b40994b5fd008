//! Exact proxies: features that determine a withheld group.
//!
//! A learner that may not see `sex` and sees `gender` sees it all the same. What features predict together is for a model of membership to say
//! ([`ExpectedTilt`](super::ExpectedTilt)); a single feature that is enough is found here.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::Warning;
use crate::data::{Categorical, Column, Table};
use crate::features::Encoding;
use crate::group::{Condition, Groups, Membership};

/// Numbers with more values than this are no codes of groups.
const MOST_VALUES: usize = 64;

/// A warning for every column that is withheld, whole or in its groups' values, and each feature that determines its groups, or some of them, row for
/// row. What is left of a column may do so itself: if all other races are features, a row with none of them is in the one that is withheld.
pub(super) fn exact_proxies(
    groups: &Groups,
    membership: &Membership,
    withheld: &[String],
    encoding: &Encoding,
    table: &Table,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let features = encoding.columns();
    let in_part = features.iter().filter(|one| !one.code.withheld().is_empty()).map(|one| &one.column);
    for column in withheld.iter().chain(in_part) {
        let of_column = |conditions: &[Condition]| conditions.iter().all(|one| one.column() == column);
        let is_divided = |group: usize| {
            let first = membership.contains(0, group);
            (0..membership.patterns()).any(|pattern| membership.contains(pattern, group) != first)
        };
        let own = (0..groups.len()).filter(|&group| of_column(groups.definitions()[group].conditions()));
        let own: Vec<usize> = own.filter(|&group| is_divided(group)).collect();
        for feature in features.iter().filter(|_| !own.is_empty()) {
            let Some(values) = table.get(&feature.column) else { continue };
            let told = determined(&as_seen(values, feature.code.withheld()), membership, &own);
            if told.is_empty() {
                continue;
            }
            let some = if told.len() < own.len() { told } else { Vec::new() };
            let names: Vec<&str> = groups.names().collect();
            warnings.push(Warning::ExactProxy {
                column: column.clone(),
                feature: feature.column.clone(),
                groups: some.into_iter().map(|group| names[group].to_owned()).collect(),
            });
        }
    }
    warnings
}

/// A column as the learner sees it: values that are withheld are none.
fn as_seen<'a>(values: &'a Column, withheld: &[String]) -> Cow<'a, Column> {
    if withheld.is_empty() {
        return Cow::Borrowed(values);
    }
    let texts = values.to_categorical();
    let shown = |row: usize| texts.value(row).filter(|text| !withheld.iter().any(|one| one == text));
    Cow::Owned(Column::Categorical(Categorical::from_values((0..texts.codes().len()).map(shown))))
}

/// The groups that rows with the same value are always in together, or none of them. A value that only one row has says nothing of others: there are
/// at most half as many values as rows, and where not all groups are determined as many rows for a value inside and outside of each.
fn determined(values: &Column, membership: &Membership, groups: &[usize]) -> Vec<usize> {
    let most = match values {
        Column::Numeric(_) => MOST_VALUES,
        Column::Categorical(_) => membership.rows() / 2,
    };
    // The pattern of the first row with each value.
    let mut known: HashMap<u64, usize> = HashMap::new();
    let mut told: Vec<usize> = groups.to_vec();
    for (row, pattern) in membership.codes().iter().enumerate() {
        let value = match values {
            Column::Numeric(numbers) => numbers[row].to_bits(),
            Column::Categorical(texts) => texts.codes().get(row) as u64,
        };
        let first = *known.entry(value).or_insert(pattern);
        if first != pattern {
            told.retain(|&group| membership.contains(first, group) == membership.contains(pattern, group));
        }
        if told.is_empty() || known.len() > most {
            return Vec::new();
        }
    }
    if told.len() < groups.len() {
        let counts = membership.counts();
        told.retain(|&group| {
            let inside = known.values().filter(|&&pattern| membership.contains(pattern, group)).count();
            let outside = known.len() - inside;
            2 * inside <= counts[group] && 2 * outside <= membership.rows() - counts[group]
        });
    }
    told
}
