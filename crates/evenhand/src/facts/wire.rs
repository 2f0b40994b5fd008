//! Answers of other machines as bytes, and what they are together.

use serde::{Deserialize, Serialize};

use crate::data::Table;
use crate::{Error, Result};

/// What several answers are together, merged in any order.
///
/// # Errors
/// [`Error::BlockFormat`] for bytes that are no answers, [`Error::NoRows`] without any.
pub(crate) fn merged<T: for<'de> Deserialize<'de>>(
    answers: &[Vec<u8>],
    merge: impl Fn(T, T) -> Result<T>,
) -> Result<T> {
    let mut all: Option<T> = None;
    for answer in answers {
        let answer = from_bytes(answer)?;
        all = Some(match all {
            Some(all) => merge(all, answer)?,
            None => answer,
        });
    }
    all.ok_or_else(|| Error::NoRows { what: "the data".into() })
}

/// What is computed of raw rows, as bytes, each row as often as a column says; `None` where no row counts.
///
/// # Errors
/// Those of [`Table::by_frequency`], and what `map` and `merge` say.
pub(crate) fn answer<S: Clone + Serialize>(
    rows: &Table,
    frequency: Option<&str>,
    map: impl Fn(&Table) -> Result<S>,
    merge: impl Fn(S, S) -> Result<S>,
) -> Result<Option<Vec<u8>>> {
    let found = match frequency {
        Some(column) => rows.fold_frequencies(column, map, merge)?,
        None => Some(map(rows)?),
    };
    found.map(|found| to_bytes(&found)).transpose()
}

/// # Errors
/// [`Error::BlockFormat`] for what cannot be written.
pub(crate) fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|_| Error::BlockFormat)
}

/// # Errors
/// [`Error::BlockFormat`] for bytes that are something else.
pub(crate) fn from_bytes<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T> {
    // As text, as models are read: every type is compiled for one kind of input, not two.
    std::str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str(text).ok()).ok_or(Error::BlockFormat)
}
