//! Features that tell a withheld group exactly.
//!
//! A learner that may not see `sex` and sees `gender` sees it all the same. What features tell together is for a model of membership to say
//! ([`ExpectedTilt`](super::ExpectedTilt)); what one tells alone is found here.

use std::collections::HashMap;

use crate::Warning;
use crate::data::{Column, Table};
use crate::group::{Condition, Groups, Membership};

/// Numbers with more values than this are no codes of groups.
const MOST_VALUES: usize = 64;

/// A warning for every withheld column whose groups a feature tells, row for row.
pub(super) fn exactly(
    groups: &Groups,
    membership: &Membership,
    withheld: &[String],
    features: &[&str],
    table: &Table,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for column in withheld {
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
        let tells = |feature: &&&str| table.get(feature).is_some_and(|values| tells(values, membership, &sets));
        warnings.extend(
            features
                .iter()
                .filter(tells)
                .map(|feature| Warning::GroupTold { column: column.clone(), feature: (**feature).to_owned() }),
        );
    }
    warnings
}

/// Whether rows with the same value are always in the same sets; of a value that one row has nothing can be told.
fn tells(values: &Column, membership: &Membership, sets: &[Vec<bool>]) -> bool {
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
