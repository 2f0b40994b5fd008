//! Intersections that have rows: one condition of each part, wherever rows meet them all.
//!
//! Leans on `definition` and `lookup`. How many groups are too many is said here.

use std::collections::BTreeSet;

use super::{Condition, Group, GroupSpec, lookup};
use crate::data::{Column, Table};
use crate::{Error, Result};

/// More groups than this from one specification is a column of names or numbers that
/// identify rows, not groups.
pub(super) const MOST_GROUPS: usize = 1000;

/// One condition of each part, by their places.
type Choices = BTreeSet<Vec<usize>>;

/// The groups that take one condition of each part and have rows; of a single part, a group for each condition.
pub(super) fn groups_with_rows(spec: &GroupSpec, parts: &[Vec<Condition>], table: &Table) -> Result<Vec<Group>> {
    let choices = match parts {
        // A value that occurs has rows: there is nothing to look up.
        [only] => (0..only.len()).map(|index| vec![index]).collect(),
        _ => of_rows(parts, table)?,
    };
    groups(spec, parts, choices)
}

fn of_rows(parts: &[Vec<Condition>], table: &Table) -> Result<Choices> {
    let flat: Vec<Group> = parts.iter().flatten().map(|condition| Group::of(vec![condition.clone()])).collect();
    let membership = lookup::membership(&flat, table)?;
    let met = |pattern| (0..flat.len()).filter(|&group| membership.contains(pattern, group)).collect::<Vec<_>>();
    let patterns: Vec<Vec<usize>> = (0..membership.patterns()).map(met).collect();
    Ok(of_patterns(parts, patterns.iter().map(Vec::as_slice)))
}

/// The choices that rows make, given which conditions they meet together; conditions are numbered part by part.
pub(super) fn of_patterns<'a>(parts: &[Vec<Condition>], patterns: impl Iterator<Item = &'a [usize]>) -> Choices {
    // Each part begins where those before it end.
    let starts: Vec<usize> = (0..parts.len()).map(|at| parts[..at].iter().map(Vec::len).sum()).collect();
    let choice = |met: &[usize]| -> Option<Vec<usize>> {
        let of_part = |(part, start): (&Vec<Condition>, &usize)| {
            (0..part.len()).find(|index| met.binary_search(&(start + index)).is_ok())
        };
        parts.iter().zip(&starts).map(of_part).collect()
    };
    patterns.filter_map(choice).collect()
}

/// The groups of some choices.
///
/// # Errors
/// That they are too many.
pub(super) fn groups(spec: &GroupSpec, parts: &[Vec<Condition>], choices: Choices) -> Result<Vec<Group>> {
    if choices.len() > MOST_GROUPS {
        return Err(too_many(spec));
    }
    let chosen = |choice: Vec<usize>| parts.iter().zip(choice).map(|(part, index)| part[index].clone()).collect();
    Ok(choices.into_iter().map(|choice| Group::of(chosen(choice))).collect())
}

pub(super) fn too_many(spec: &GroupSpec) -> Error {
    spec.error(format!("more than {MOST_GROUPS} groups; list the values that matter, as in `race=Black,White`"))
}

/// The values that occur in a table: in text order, or in numeric order where they are numbers.
pub(super) fn present(column: &Column) -> Vec<String> {
    match column {
        Column::Numeric(values) => {
            // Adding zero makes -0 the same number as 0.
            let mut found: Vec<f64> = values.iter().filter(|v| !v.is_nan()).map(|v| v + 0.0).collect();
            found.sort_unstable_by(f64::total_cmp);
            found.dedup();
            found.iter().map(ToString::to_string).collect()
        }
        Column::Categorical(values) => {
            let counted = values.dictionary().iter().zip(values.counts());
            let found: BTreeSet<&String> = counted.filter(|(_, rows)| *rows > 0).map(|(value, _)| value).collect();
            found.into_iter().cloned().collect()
        }
    }
}
