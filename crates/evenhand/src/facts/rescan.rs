//! Questions that need another look at rows, and answers that are merged.
//!
//! Holds [`Rescan`], which whoever keeps the rows implements: an [`Answer`] for each part of them, merged in any order.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Patterns, PrefixCounts, not_numbers};
use crate::data::{Column, Table};
use crate::group::{Condition, Group};
use crate::{Error, Result};

/// Rows that can be asked again.
pub trait Rescan {
    /// The answer of all rows.
    ///
    /// # Errors
    /// Those of [`Answer::of`], and what keeps rows from being read.
    fn ask(&self, question: &Question) -> Result<Answer>;
}

/// What a summary of rows cannot know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Question {
    /// Which of these groups rows are in together.
    Patterns {
        /// The groups.
        groups: Vec<Group>,
    },
    /// How many rows have which 16 bits behind a prefix of their number, a step of finding quantiles.
    Counts {
        /// A column of numbers.
        column: String,
        /// A prefix has so many times 16 bits.
        round: u32,
        /// Ascending.
        prefixes: Vec<u64>,
    },
}

/// What some rows answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Answer {
    /// To [`Question::Patterns`].
    Patterns(Patterns),
    /// To [`Question::Counts`], one for each prefix.
    Counts(Vec<PrefixCounts>),
}

impl Question {
    /// The columns that it is about.
    pub(crate) fn columns(&self) -> Vec<String> {
        match self {
            Self::Patterns { groups } => {
                let all: BTreeSet<&str> = groups.iter().flat_map(Group::conditions).map(Condition::column).collect();
                all.into_iter().map(str::to_owned).collect()
            }
            Self::Counts { column, .. } => vec![column.clone()],
        }
    }

    /// The same, and the column that says how many times each row counts.
    pub(crate) fn columns_with(&self, frequency: Option<&str>) -> Vec<String> {
        let mut all = self.columns();
        all.extend(frequency.filter(|column| !all.iter().any(|one| one == column)).map(str::to_owned));
        all
    }
}

impl Answer {
    /// The answer of the rows of a table.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] or [`Error::ColumnKind`] when the table is not like those that were summed up.
    pub fn of(question: &Question, table: &Table) -> Result<Self> {
        match question {
            Question::Patterns { groups } => Patterns::of(groups, table).map(Self::Patterns),
            Question::Counts { column, round, prefixes } => match table.column(column)? {
                Column::Numeric(values) => Ok(Self::Counts(PrefixCounts::of(values, *round, prefixes))),
                Column::Categorical(_) => Err(not_numbers(column)),
            },
        }
    }

    /// The answer of these rows and of others.
    ///
    /// # Errors
    /// [`Error::Length`] when it answers another question.
    pub fn merge(self, other: Self) -> Result<Self> {
        match (self, other) {
            (Self::Patterns(one), Self::Patterns(other)) => Ok(Self::Patterns(one.merge(other))),
            (Self::Counts(one), Self::Counts(other)) if one.len() == other.len() => {
                Ok(Self::Counts(one.into_iter().zip(other).map(|(one, other)| one.merge(other)).collect()))
            }
            _ => Err(Self::other()),
        }
    }

    /// The error of an answer to another question.
    pub(super) fn other() -> Error {
        Error::Length { what: "answers to one question", expected: 1, found: 2 }
    }
}

impl Rescan for Table {
    fn ask(&self, question: &Question) -> Result<Answer> {
        Answer::of(question, self)
    }
}
