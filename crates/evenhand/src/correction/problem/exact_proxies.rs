//! Exact proxies: features that determine a withheld group.
//!
//! A learner that may not see `sex` and sees `gender` sees it all the same. What features predict together is for a model of membership to say
//! ([`ExpectedTilt`](super::ExpectedTilt)); a single feature that is enough is found here.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::Warning;
use crate::data::{Categorical, Column, Table};
use crate::features::{EncodedColumn, Encoding};
use crate::group::{Condition, Groups, Membership};

/// Numbers with more values than this are no codes of groups.
const MOST_VALUES: usize = 64;

/// A warning for every column that is withheld, whole or in its groups' values, and whose groups a feature determines, row for row. What is left of
/// a column may do so itself: if all other races are features, a row with none of them is in the one that is withheld.
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
        let own: Vec<usize> =
            (0..groups.len()).filter(|&group| of_column(groups.definitions()[group].conditions())).collect();
        // Which of the column's groups rows of a pattern are in.
        let sets: Vec<Vec<bool>> = (0..membership.patterns())
            .map(|pattern| own.iter().map(|&group| membership.contains(pattern, group)).collect())
            .collect();
        let varies = sets.windows(2).any(|pair| pair[0] != pair[1]);
        if own.is_empty() || !varies {
            continue;
        }
        let is_proxy = |feature: &&EncodedColumn| {
            let values = table.get(&feature.column).map(|values| as_seen(values, feature.code.withheld()));
            values.is_some_and(|values| determines(&values, membership, &sets))
        };
        warnings.extend(
            features
                .iter()
                .filter(is_proxy)
                .map(|feature| Warning::ExactProxy { column: column.clone(), feature: feature.column.clone() }),
        );
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

/// Whether rows with the same value are always in the same sets; a value that only one row has says nothing of others.
fn determines(values: &Column, membership: &Membership, sets: &[Vec<bool>]) -> bool {
    let mut known: HashMap<u64, &Vec<bool>> = HashMap::new();
    let most = match values {
        Column::Numeric(_) => MOST_VALUES,
        Column::Categorical(_) => membership.rows() / 2,
    };
    for (row, pattern) in membership.codes().iter().enumerate() {
        let value = match values {
            Column::Numeric(numbers) => numbers[row].to_bits(),
            Column::Categorical(texts) => texts.codes().get(row) as u64,
        };
        let own = &sets[pattern];
        if *known.entry(value).or_insert(own) != own || known.len() > most {
            return false;
        }
    }
    true
}
