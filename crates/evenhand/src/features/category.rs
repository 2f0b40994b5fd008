//! Columns of categories: one feature for each that training rows have.
//!
//! Holds [`one_hot`], which learns them, and [`look_up`], which finds them in new rows and says what it did not find.

use std::collections::HashMap;

use super::code::Code;
use super::design::{Active, CodedColumn};
use crate::data::Categorical;
use crate::facts::{Categories, Facts, bare};
use crate::{Result, Warning};

/// What becomes of a column of categories, and whether it is constant.
///
/// # Errors
/// That the column is not there, or has values that cannot be distinguished or kept.
pub(super) fn one_hot(column: &str, facts: &dyn Facts, without: &[String]) -> Result<(Code, bool)> {
    facts.check_exact(column)?;
    let Categories { values, missing } = facts.categories(column)?;
    let missing = missing > 0;
    let constant = values.len() + usize::from(missing) < 2;
    let (withheld, values) = values.into_iter().partition(|value| without.contains(value));
    Ok((Code::OneHot { values, missing, withheld }, constant))
}

/// The categories of training rows.
pub(super) struct Known<'a> {
    pub(super) values: &'a [String],
    pub(super) missing: bool,
    pub(super) withheld: &'a [String],
}

/// The codes of a column whose first feature is `first`.
pub(super) fn look_up(
    column: &Categorical,
    &Known { values, missing, withheld }: &Known<'_>,
    first: usize,
    name: &str,
    warnings: &mut Vec<Warning>,
) -> CodedColumn {
    let features = values.len() + usize::from(missing);
    let (unseen, counts) = (features as u32, column.counts());
    let mut table: Vec<u32> =
        column.dictionary().iter().map(|value| values.binary_search(value).map_or(unseen, |at| at as u32)).collect();
    let is_withheld = |code: usize| withheld.binary_search(&column.dictionary()[code]).is_ok();
    let strange: Vec<usize> =
        (0..table.len()).filter(|&code| table[code] == unseen && counts[code] > 0 && !is_withheld(code)).collect();
    let absent = counts[column.missing()];
    table.push(if missing { values.len() as u32 } else { unseen });
    let rows = strange.iter().map(|&code| counts[code]).sum::<usize>() + if missing { 0 } else { absent };
    if rows > 0 {
        let example = strange.first().map_or(Warning::MISSING, |&code| &column.dictionary()[code]).to_owned();
        warnings.push(Warning::UnseenCategories { column: name.to_owned(), rows, example });
    }
    warnings.extend(nearly_known(column, values, &strange, &counts, name));
    CodedColumn {
        codes: column.codes().map(&table, features + 1),
        active: Active::one_hot(first, features, features + 1),
    }
}

/// What to say of unseen categories that differ from a known one by blanks or case alone.
fn nearly_known(
    column: &Categorical,
    values: &[String],
    strange: &[usize],
    counts: &[usize],
    name: &str,
) -> Option<Warning> {
    if strange.is_empty() {
        return None;
    }
    let known: HashMap<String, &String> = values.iter().rev().map(|value| (bare(value), value)).collect();
    let text = |code: usize| &column.dictionary()[code];
    let mut near = strange.iter().filter_map(|&code| Some((code, *known.get(&bare(text(code)))?))).peekable();
    let &(first, meant) = near.peek()?;
    let (found, meant) = (text(first).clone(), meant.clone());
    let rows = near.map(|(code, _)| counts[code]).sum();
    Some(Warning::NearlyKnown { column: name.to_owned(), rows, found, known: meant })
}
