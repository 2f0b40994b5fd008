//! Group specifications and notions, as people type them.

use arbitrary::{Result, Unstructured};
use evenhand::group::{Condition, Group};
use evenhand::{Column, GroupSpec, Groups, Notion};

use super::{Checked, must};
use crate::ground::Ground;
use crate::mutate::mutate;

const WORDS: [&str; 35] = [
    "sex", "race", "age", "score", "a/b", "`a/b`", "empty", "=", "<", "<=", ">", ">=", "/", "*", ",", "|", "`", "``",
    " ", "f", "m", "Black", "White", "\u{202e}", "30", "1e400", "-0", "nan", "inf", "5", "100", "2", "0", "é", "x",
];

const NOTIONS: [&str; 29] = [
    "demographic-parity",
    "equal opportunity",
    "EqualizedOdds",
    "disparate_impact",
    "paper-disparate-impact",
    "predictive-equality",
    "equal-accuracy",
    "target-rate",
    "group-target-rate",
    "pinned",
    "known-rate",
    "rate=predicted ",
    " given ",
    " against ",
    " at least ",
    " and labelled ",
    " each group",
    "=",
    ":",
    "0.5",
    "1",
    "0",
    "-1",
    "nan",
    "1e-320",
    "sex",
    "sex=f",
    "é",
    "yes",
];

pub(super) fn make_group(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    sentence(ground, "group", &WORDS, from)
}

pub(super) fn make_notion(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    sentence(ground, "notion", &NOTIONS, from)
}

/// A few words one after the other, now and then damaged.
fn sentence(ground: &Ground, target: &str, words: &[&str], from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut bytes = if let Some(kept) = ground.kept(target, from)? {
        kept
    } else {
        let count = from.int_in_range(1..=7)?;
        (0..count).map(|_| from.choose(words).copied()).collect::<Result<String>>()?.into_bytes()
    };
    if from.ratio(1, 4)? {
        mutate(&mut bytes, from)?;
    }
    Ok(bytes)
}

pub(super) fn check_group(ground: &Ground, input: &[u8]) -> Checked {
    let Ok(spec) = String::from_utf8_lossy(input).parse::<GroupSpec>() else { return Ok(false) };
    must(spec.to_string().parse::<GroupSpec>().is_ok_and(|again| again == spec), || "it does not read back".into())?;
    let table = &ground.people;
    let Ok((groups, _)) = Groups::bind(std::slice::from_ref(&spec), table) else { return Ok(false) };
    let membership = groups.membership(table).map_err(|error| format!("groups that were bound: {error}"))?;
    for (at, group) in groups.definitions().iter().enumerate() {
        let mut any = false;
        for row in 0..table.rows() {
            let expected = is_in(group, row, |name| table.get(name));
            any |= expected;
            must(membership.is_member(row, at) == expected, || format!("row {row} of group `{}`", group.name()))?;
        }
        must(any, || format!("group `{}` has no row", group.name()))?;
    }
    Ok(true)
}

/// Whether a row meets every condition of a group, by the value itself.
fn is_in<'a>(group: &Group, row: usize, column: impl Fn(&str) -> Option<&'a Column>) -> bool {
    let is = |column: &Column, value: &String| match column {
        Column::Categorical(texts) => texts.value(row) == Some(value.as_str()),
        Column::Numeric(numbers) => value.parse::<f64>().is_ok_and(|value| (numbers[row] - value).abs() == 0.0),
    };
    group.conditions().iter().all(|condition| match (condition, column(condition.column())) {
        (Condition::Equals { value, .. }, Some(column)) => is(column, value),
        (Condition::OneOf { values, .. }, Some(column)) => values.iter().any(|value| is(column, value)),
        (Condition::Within { lower, upper, .. }, Some(Column::Numeric(numbers))) => {
            let number = numbers[row];
            let above = lower.is_none_or(|b| if b.inclusive { number >= b.at } else { number > b.at });
            let below = upper.is_none_or(|b| if b.inclusive { number <= b.at } else { number < b.at });
            above && below && !number.is_nan()
        }
        _ => false,
    })
}

pub(super) fn check_notion(_: &Ground, input: &[u8]) -> Checked {
    let Ok(notion) = String::from_utf8_lossy(input).parse::<Notion>() else { return Ok(false) };
    let text = notion.to_string();
    let again: Notion = text.parse().map_err(|error| format!("`{text}` does not read back: {error}"))?;
    must(again == notion, || format!("`{text}` reads back as another notion"))?;
    Ok(true)
}
