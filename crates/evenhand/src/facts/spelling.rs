//! Values that are most likely one, in several spellings: groups and classes of their own all the same, which a user should hear of.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

use super::{Facts, Kind};
use crate::{Result, Warning};

/// What to say of the values of a column that look the same, or differ by blanks and capitals alone.
pub(crate) fn spellings(column: &str, facts: &dyn Facts) -> Result<Vec<Warning>> {
    if facts.kind(column)? == Kind::Numeric {
        return Ok(Vec::new());
    }
    let values = facts.categories(column)?.values;
    let mut said = two_spellings(column, &values);
    said.extend(alike(column, &values));
    Ok(said)
}

/// A text without its blanks and capitals.
pub(crate) fn bare(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_lowercase()
}

/// Values that are one text by Unicode's canonical equivalence: `é` as one character, and as a letter with an accent.
fn two_spellings(column: &str, values: &[String]) -> Vec<Warning> {
    let mut spellings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for value in values.iter().filter(|value| !value.is_ascii()) {
        spellings.entry(value.nfc().collect()).or_default().push(value.clone());
    }
    let several = spellings.into_values().filter(|values| values.len() > 1);
    several.map(|values| Warning::TwoSpellings { column: column.to_owned(), values }).collect()
}

/// Values that differ by blanks or capitals alone: `F` and `f`.
fn alike(column: &str, values: &[String]) -> Option<Warning> {
    let mut sets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for value in values {
        let composed: String = value.nfc().collect();
        sets.entry(bare(&composed)).or_default().insert(composed);
    }
    let values: Vec<Vec<String>> =
        sets.into_values().filter(|set| set.len() > 1).map(|set| set.into_iter().collect()).collect();
    (!values.is_empty()).then(|| Warning::AlikeValues { column: column.to_owned(), values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    #[test]
    fn values_that_differ_by_blanks_or_capitals_are_told_together() {
        let Some(warning) = alike("sex", &texts(&["F", "M", "Non binary", "f", "nonbinary", "unknown"])) else {
            panic!("nothing said")
        };
        let expected = vec![texts(&["F", "f"]), texts(&["Non binary", "nonbinary"])];
        assert_eq!(warning, Warning::AlikeValues { column: "sex".into(), values: expected });
        let message = warning.to_string();
        assert!(message.contains("`F` and `f`; `Non binary` and `nonbinary`"), "{message}");
        assert_eq!(alike("sex", &texts(&["F", "M", "FM"])), None);
    }

    #[test]
    fn what_looks_the_same_is_told_once() {
        let values = texts(&["Jose\u{301}", "Jos\u{e9}"]);
        assert_eq!(two_spellings("name", &values).len(), 1);
        assert_eq!(alike("name", &values), None);
    }
}
