//! What training rows are asked before any of them is encoded.
//!
//! Holds [`Facts`]: the questions whose answers settle groups, kinds of columns and encodings. `table` answers them for rows in memory. Whoever
//! asks sees no row, so that rows may also be in many files or on many machines: `profile` sums up some of them and is merged with others, on the exact sums of
//! `moments`, and `rescan` has what rows must be asked for again; `wire` has answers as bytes, `spelling` finds values that are most likely one. Leans on `data` and `group`.

mod distinct;
mod moments;
mod number;
mod profile;
mod ranked;
mod rescan;
mod spelling;
mod table;
mod wire;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use number::COMPUTABLE;
pub use number::{Furthest, NumberFacts};
pub use profile::{Profile, ProfileFacts};
pub use ranked::PrefixCounts;
pub use rescan::{Answer, Question, Rescan};
pub(crate) use spelling::{bare, spellings};
pub(crate) use table::{TableFacts, not_numbers};
pub(crate) use wire::{answer, from_bytes, merged, to_bytes};

use crate::data::{Column, Table};
use crate::group::{Condition, Group, look_up};
use crate::{Error, Result};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Numbers.
    Numeric,
    /// Text.
    Categorical,
}

/// The texts of a column that occur; of a number, the text that it is shown as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Categories {
    /// In text order, each once.
    pub values: Vec<String>,
    /// How many rows have none.
    pub missing: usize,
}

/// What can be asked of training rows. No answer depends on the order of rows.
///
/// # Errors
/// Every question about a column that is not there is [`Error::UnknownColumn`], and one about numbers of a column of text [`Error::ColumnKind`].
pub trait Facts {
    /// The names of the columns, in the order of the data.
    fn names(&self) -> &[String];

    /// How many rows.
    fn rows(&self) -> usize;

    /// What a column holds, if it is there.
    fn kind_of(&self, column: &str) -> Option<Kind>;

    /// How many rows have no value of a column.
    ///
    /// # Errors
    /// That the column is not there.
    fn missing_rows(&self, column: &str) -> Result<usize>;

    /// Checks that values of a column can be distinguished, as groups and categories have to be.
    ///
    /// # Errors
    /// [`Error::Rounded`] for whole numbers beyond 2⁵³ that became others as doubles.
    fn check_exact(&self, column: &str) -> Result<()>;

    /// The categories of a column.
    ///
    /// # Errors
    /// That the column is not there, or has more than can be kept.
    fn categories(&self, column: &str) -> Result<Categories>;

    /// The distinct numbers of a column in ascending order, where −0 is 0; `None` where there are more than `most`, or than are known.
    ///
    /// # Errors
    /// That the column is not there, or is text.
    fn distinct_numbers(&self, column: &str, most: usize) -> Result<Option<Vec<f64>>>;

    /// Mean, spread and size of a column of numbers, where rows count by their weights.
    ///
    /// # Errors
    /// That the column is not there, or is text.
    fn number(&self, column: &str) -> Result<NumberFacts>;

    /// The inner edges of quantile buckets of a column of numbers, by the rule of [`crate::group::Groups::bind`].
    ///
    /// # Errors
    /// That the column is not there, or is text.
    fn edges(&self, column: &str, count: usize) -> Result<Vec<f64>>;

    /// Which of these groups rows are in together.
    ///
    /// # Errors
    /// Those of [`crate::group::Groups::membership`].
    fn patterns(&self, groups: &[Group]) -> Result<Patterns>;

    /// What a column holds.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], listing those there are.
    fn kind(&self, column: &str) -> Result<Kind> {
        let unknown = || Error::UnknownColumn { column: column.to_owned(), known: self.names().to_vec() };
        self.kind_of(column).ok_or_else(unknown)
    }
}

impl Kind {
    /// What a column in memory holds.
    pub fn of(column: &Column) -> Self {
        match column {
            Column::Numeric(_) => Self::Numeric,
            Column::Categorical(_) => Self::Categorical,
        }
    }
}

/// Which groups rows are in together, and how many rows: what is left of a [`crate::group::Membership`] without its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Patterns {
    /// How many rows are in just these groups, by their places.
    rows: Vec<(Vec<usize>, usize)>,
}

impl Patterns {
    /// Those of the rows of a table.
    ///
    /// # Errors
    /// Those of [`crate::group::Groups::membership`].
    pub fn of(groups: &[Group], table: &Table) -> Result<Self> {
        Self::counted(groups, table, |_| 1)
    }

    /// Those of the rows of a table, each of which stands for so many.
    fn counted(groups: &[Group], table: &Table, times: impl Fn(usize) -> usize) -> Result<Self> {
        let membership = look_up(groups, table)?;
        let mut rows = vec![0; membership.patterns()];
        for (row, pattern) in membership.codes().iter().enumerate() {
            rows[pattern] += times(row);
        }
        // Rows without a value are patterns of their own there, and not here.
        let inside = |pattern: usize| (0..groups.len()).filter(|&group| membership.contains(pattern, group)).collect();
        Ok(Self::added(rows.into_iter().enumerate().map(|(pattern, rows)| (inside(pattern), rows))))
    }

    /// Those of these rows and of others.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self::added(self.rows.into_iter().chain(other.rows))
    }

    /// The groups of each pattern, by their places, and how many rows are in just these; in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (&[usize], usize)> {
        self.rows.iter().map(|(groups, rows)| (groups.as_slice(), *rows))
    }

    fn added(patterns: impl Iterator<Item = (Vec<usize>, usize)>) -> Self {
        let mut all: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for (groups, rows) in patterns {
            *all.entry(groups).or_default() += rows;
        }
        Self { rows: all.into_iter().collect() }
    }
}

/// The groups of some conditions, one each, to ask for [`Facts::patterns`].
pub(crate) fn single(conditions: &[Condition]) -> Vec<Group> {
    conditions.iter().map(|condition| Group::of(vec![condition.clone()])).collect()
}
