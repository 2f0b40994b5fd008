//! Facts about rows that are never together: a summary of some rows, merged with those of others.
//!
//! Holds [`Profile`]. Merging is associative and commutative to the last bit, so no answer depends on how rows are cut or in which order they come.
//! What a summary cannot hold (which groups of several columns rows are in together, quantiles of numbers with very many values) is asked of the
//! rows again, by [`Rescan`]; both together are [`Facts`].

use serde::{Deserialize, Serialize};

use super::distinct::merge_counts;
use super::number::NumberProfile;
use super::ranked::{Ranked, select};
use super::rescan::{Answer, Question, Rescan};
use super::{Categories, Facts, Kind, NumberFacts, Patterns, not_numbers};
use crate::data::{Categorical, Column, Labels, RowWeightScale, Schema, Table, WeightUnit, check_part, no_weight};
use crate::exact::ExactSum;
use crate::group::{Group, edges_of, ranks};
use crate::{Error, Result};

/// So many distinct numbers of a column are kept.
const MOST_NUMBERS: usize = 1 << 16;

/// So many categories of a column are kept; with more, it identifies rows.
const MOST_CATEGORIES: usize = 1 << 22;

/// What is known of the columns of some rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    rows: usize,
    names: Vec<String>,
    /// One for each name; `None` for one that is ignored.
    columns: Vec<Option<ColumnProfile>>,
    weights: Option<WeightProfile>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ColumnProfile {
    Categorical(TextProfile),
    Numeric(Box<NumberProfile>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TextProfile {
    /// In text order.
    counts: Vec<(String, usize)>,
    missing: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WeightProfile {
    total: ExactSum,
    /// Rows that weigh anything.
    rows: usize,
    largest: f64,
    /// Of those that are not zero.
    smallest: f64,
}

impl Profile {
    /// The summary of some rows of training data.
    ///
    /// # Errors
    /// What is wrong with these rows, as [`crate::Dataset::new`] says it; [`Error::TooManyValues`].
    pub fn of(table: &Table, schema: &Schema) -> Result<Self> {
        check_part(table, schema)?;
        let weights = match schema.weight_column().map(|name| table.column(name)).transpose()? {
            Some(Column::Numeric(weights)) => Some(weights.as_slice()),
            _ => None,
        };
        let ignored = |name: &str| schema.ignored().iter().any(|one| one == name);
        let column = |(name, column): (&str, &Column)| {
            let read = || ColumnProfile::of(name, column, table, schema, weights);
            if ignored(name) { Ok(None) } else { read().map(Some) }
        };
        Ok(Self {
            rows: table.rows(),
            names: table.names().to_vec(),
            columns: table.columns().map(column).collect::<Result<_>>()?,
            weights: weights.map(WeightProfile::of),
        })
    }

    /// The summary of these rows and of others.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] or [`Error::ColumnKind`] when the others have other columns, [`Error::TooManyValues`].
    pub fn merge(self, other: Self) -> Result<Self> {
        if let Some(lost) = self.names.iter().find(|name| !other.names.contains(name)) {
            return Err(Error::UnknownColumn { column: lost.clone(), known: other.names });
        }
        if self.names != other.names {
            let column = other.names.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default();
            return Err(Error::UnknownColumn { column, known: self.names });
        }
        let both = self.columns.into_iter().zip(other.columns).zip(&self.names);
        let columns = both.map(|((one, other), name)| match (one, other) {
            (Some(one), Some(other)) => one.merge(other, name).map(Some),
            _ => Ok(None),
        });
        let columns = columns.collect::<Result<_>>()?;
        let weights = match (self.weights, other.weights) {
            (Some(one), Some(other)) => Some(one.merge(&other)),
            _ => None,
        };
        Ok(Self { rows: self.rows + other.rows, names: self.names, columns, weights })
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The classes of the label column, and the positive one.
    ///
    /// # Errors
    /// Those of [`Labels::from_column`], and [`Error::NoRows`].
    pub fn classes(&self, schema: &Schema) -> Result<(Vec<String>, Option<usize>)> {
        if self.rows == 0 {
            return Err(Error::NoRows { what: "the table".into() });
        }
        let name = schema.label_column();
        self.check_exact(name)?;
        match self.categories(name) {
            Err(Error::TooManyValues { column, most }) => {
                let (found, most) = (most + 1, Labels::MOST_CLASSES);
                Err(Error::TooManyClasses { column, found, most })
            }
            found => Labels::classes_of(name, &found?.values, schema.positive_value(), schema.label_role()),
        }
    }

    /// The unit of row weights, where the schema names a column of them.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when no row weighs anything.
    pub(crate) fn weight_unit(&self, schema: &Schema) -> Result<Option<WeightUnit>> {
        let (Some(weights), Some(column)) = (&self.weights, schema.weight_column()) else { return Ok(None) };
        if weights.rows == 0 { Err(no_weight(column)) } else { Ok(Some(WeightUnit::of(weights.largest))) }
    }

    /// What scales row weights to mean 1, where the schema names a column of them.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when no row weighs anything, and [`Error::Setting`] when some weigh next to nothing beside others.
    pub fn row_weight_scale(&self, schema: &Schema) -> Result<Option<RowWeightScale>> {
        let (Some(weights), Some(column)) = (&self.weights, schema.weight_column()) else { return Ok(None) };
        if weights.rows == 0 {
            return Err(no_weight(column));
        }
        let scale = RowWeightScale::new(weights.largest, weights.total.value(), weights.rows);
        if !scale.counts(weights.smallest) {
            let found = format!("{:e} and {:e} in column `{column}`", weights.smallest, weights.largest);
            return Err(Error::setting("weight", found, "weights of comparable size; set the small ones to 0"));
        }
        Ok(Some(scale))
    }

    /// These facts, with rows that can be asked again.
    pub fn facts<'a>(&'a self, rows: &'a dyn Rescan) -> ProfileFacts<'a> {
        ProfileFacts { profile: self, rows }
    }

    fn column(&self, name: &str) -> Result<&ColumnProfile> {
        let found = self.names.iter().position(|one| one == name).and_then(|at| self.columns[at].as_ref());
        found.ok_or_else(|| Error::UnknownColumn { column: name.to_owned(), known: self.names.clone() })
    }

    fn numbers(&self, name: &str) -> Result<&NumberProfile> {
        match self.column(name)? {
            ColumnProfile::Numeric(numbers) => Ok(numbers),
            ColumnProfile::Categorical(_) => Err(not_numbers(name)),
        }
    }

    fn check_exact(&self, name: &str) -> Result<()> {
        match self.column(name)? {
            ColumnProfile::Numeric(numbers) => match &numbers.rounded {
                Some((row, found)) => Err(Error::Rounded { column: name.to_owned(), row: *row, found: found.clone() }),
                None => Ok(()),
            },
            ColumnProfile::Categorical(_) => Ok(()),
        }
    }

    fn categories(&self, name: &str) -> Result<Categories> {
        match self.column(name)? {
            ColumnProfile::Categorical(texts) => {
                let values = texts.counts.iter().map(|(value, _)| value.clone()).collect();
                Ok(Categories { values, missing: texts.missing })
            }
            ColumnProfile::Numeric(numbers) => {
                let too_many = || Error::TooManyValues { column: name.to_owned(), most: numbers.distinct.most() };
                let counts = numbers.distinct.counts().ok_or_else(too_many)?;
                let mut values: Vec<String> = counts.map(|(value, _)| value.to_string()).collect();
                values.sort_unstable();
                Ok(Categories { values, missing: numbers.missing })
            }
        }
    }
}

impl ColumnProfile {
    fn of(name: &str, column: &Column, table: &Table, schema: &Schema, weights: Option<&[f64]>) -> Result<Self> {
        match column {
            Column::Categorical(texts) => {
                let texts = TextProfile::of(texts);
                texts.check(name)?;
                Ok(Self::Categorical(texts))
            }
            Column::Numeric(values) => {
                let most = if schema.is_categorical(name) { MOST_CATEGORIES } else { MOST_NUMBERS };
                let mut numbers = NumberProfile::of(values, weights, most, |row| table.shown_row(row));
                if let Err(Error::Rounded { row, found, .. }) = table.check_exact(name) {
                    numbers.rounded = Some((row, found));
                }
                Ok(Self::Numeric(Box::new(numbers)))
            }
        }
    }

    /// A row for each value that occurs, and one for those that are missing, with how many rows there are of each; `None` where the values are not all
    /// known.
    fn values(&self) -> Option<(Column, Vec<usize>)> {
        let lost = |missing: usize| (missing > 0).then_some(missing);
        match self {
            Self::Categorical(texts) => {
                let known = texts.counts.iter().map(|(text, _)| Some(text));
                let values = Categorical::from_values(known.chain(lost(texts.missing).map(|_| None)));
                let rows = texts.counts.iter().map(|(_, rows)| *rows).chain(lost(texts.missing));
                Some((Column::Categorical(values), rows.collect()))
            }
            Self::Numeric(numbers) => {
                let known = numbers.distinct.counts()?;
                let all = known.chain(lost(numbers.missing).map(|rows| (f64::NAN, rows)));
                let (values, rows) = all.unzip();
                Some((Column::Numeric(values), rows))
            }
        }
    }

    fn merge(self, other: Self, name: &str) -> Result<Self> {
        match (self, other) {
            (Self::Categorical(one), Self::Categorical(other)) => {
                let counts = merge_counts(one.counts, other.counts);
                let texts = TextProfile { counts, missing: one.missing + other.missing };
                texts.check(name)?;
                Ok(Self::Categorical(texts))
            }
            (Self::Numeric(one), Self::Numeric(other)) => Ok(Self::Numeric(Box::new(one.merge(*other)))),
            _ => Err(Error::ColumnKind {
                column: name.to_owned(),
                found: "numeric in some rows and categorical in others",
                wanted: "one kind",
                purpose: "in all of them".to_owned(),
            }),
        }
    }
}

impl TextProfile {
    fn of(texts: &Categorical) -> Self {
        let counts = texts.counts();
        let counted = texts.dictionary().iter().zip(&counts).filter(|(_, rows)| **rows > 0);
        let mut own: Vec<(String, usize)> = counted.map(|(text, rows)| (text.clone(), *rows)).collect();
        own.sort_unstable();
        own.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self { counts: own, missing: counts[texts.missing()] }
    }

    fn check(&self, name: &str) -> Result<()> {
        if self.counts.len() <= MOST_CATEGORIES {
            return Ok(());
        }
        Err(Error::TooManyValues { column: name.to_owned(), most: MOST_CATEGORIES })
    }
}

impl WeightProfile {
    fn of(weights: &[f64]) -> Self {
        let mut own = Self { total: ExactSum::default(), rows: 0, largest: 0.0, smallest: f64::MAX };
        for &weight in weights.iter().filter(|weight| **weight > 0.0) {
            own.total.add(weight);
            own.rows += 1;
            own.largest = own.largest.max(weight);
            own.smallest = own.smallest.min(weight);
        }
        own.total.carry();
        own
    }

    fn merge(mut self, other: &Self) -> Self {
        self.total.merge(&other.total);
        self.total.carry();
        self.rows += other.rows;
        self.largest = self.largest.max(other.largest);
        self.smallest = self.smallest.min(other.smallest);
        self
    }
}

/// A summary of rows, and a way to ask them again.
#[derive(Clone, Copy)]
pub struct ProfileFacts<'a> {
    profile: &'a Profile,
    rows: &'a dyn Rescan,
}

impl Facts for ProfileFacts<'_> {
    fn names(&self) -> &[String] {
        &self.profile.names
    }

    fn rows(&self) -> usize {
        self.profile.rows
    }

    fn kind_of(&self, column: &str) -> Option<Kind> {
        match self.profile.column(column).ok()? {
            ColumnProfile::Categorical(_) => Some(Kind::Categorical),
            ColumnProfile::Numeric(_) => Some(Kind::Numeric),
        }
    }

    fn missing_rows(&self, column: &str) -> Result<usize> {
        match self.profile.column(column)? {
            ColumnProfile::Categorical(texts) => Ok(texts.missing),
            ColumnProfile::Numeric(numbers) => Ok(numbers.missing),
        }
    }

    fn check_exact(&self, column: &str) -> Result<()> {
        self.profile.check_exact(column)
    }

    fn categories(&self, column: &str) -> Result<Categories> {
        self.profile.categories(column)
    }

    fn distinct_numbers(&self, column: &str, most: usize) -> Result<Option<Vec<f64>>> {
        let numbers = self.profile.numbers(column)?.distinct.counts();
        Ok(numbers
            .map(|counts| counts.map(|(value, _)| value).collect())
            .filter(|found: &Vec<f64>| found.len() <= most))
    }

    fn number(&self, column: &str) -> Result<NumberFacts> {
        Ok(self.profile.numbers(column)?.facts())
    }

    fn edges(&self, column: &str, count: usize) -> Result<Vec<f64>> {
        let numbers = self.profile.numbers(column)?;
        if let Some(counts) = numbers.distinct.counts() {
            return Ok(edges_of(&Ranked::of(counts), count));
        }
        let known = self.profile.rows - numbers.missing;
        let ask = |round: u32, prefixes: &[u64]| {
            let question = Question::Counts { column: column.to_owned(), round, prefixes: prefixes.to_vec() };
            match self.rows.ask(&question)? {
                Answer::Counts(counts) => Ok(counts),
                Answer::Patterns(_) => Err(Answer::other()),
            }
        };
        Ok(edges_of(&select(known, &ranks(known, count), ask)?, count))
    }

    fn patterns(&self, groups: &[Group]) -> Result<Patterns> {
        let question = Question::Patterns { groups: groups.to_vec() };
        // Which groups of one column a row is in follows from its value there.
        if let [column] = question.columns().as_slice()
            && let Some((values, rows)) = self.profile.column(column)?.values()
        {
            return Patterns::counted(groups, &Table::new(vec![(column.clone(), values)], 1)?, |row| rows[row]);
        }
        match self.rows.ask(&question)? {
            Answer::Patterns(patterns) => Ok(patterns),
            Answer::Counts(_) => Err(Answer::other()),
        }
    }
}
