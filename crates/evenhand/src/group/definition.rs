//! Groups as rules that can be evaluated on any table.
//!
//! Holds [`Condition`], [`Group`] and [`Groups`]. Edges are numbers here, fixed when the
//! training rows were seen; how specifications become rules is the business of `bind`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::template::{self, Template};
use super::{Membership, lookup};
use crate::data::Table;
use crate::{Error, Result};

/// A named set of rows: those that meet every condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    name: String,
    conditions: Vec<Condition>,
}

/// What a group asks of one column. A missing value meets no condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "kebab-case")]
pub enum Condition {
    /// The value, as text. On a numeric column the numbers are compared.
    Equals {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// One of several values, each compared as by [`Condition::Equals`].
    OneOf {
        /// The column.
        column: String,
        /// The values, no two of them the same.
        values: Vec<String>,
    },
    /// A number between two bounds; without any bound, any number.
    Within {
        /// The column.
        column: String,
        /// Where the interval begins, `None` for unbounded.
        lower: Option<Bound>,
        /// Where the interval ends, `None` for unbounded.
        upper: Option<Bound>,
    },
}

/// One end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The number.
    pub at: f64,
    /// Whether the number itself is inside.
    pub inclusive: bool,
}

/// Groups of distinct names, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct Groups {
    groups: Vec<Group>,
    /// Of the specifications by which other rows may have further groups.
    templates: Vec<Template>,
}

/// Groups as files have them.
#[derive(Serialize, Deserialize)]
struct Record {
    groups: Vec<Group>,
    templates: Vec<Template>,
}

impl Groups {
    /// Groups that specifications became, with what names those of other rows.
    ///
    /// # Errors
    /// Those of [`Groups::from_definitions`].
    pub(super) fn with_templates(groups: Vec<Group>, templates: Vec<Template>) -> Result<Self> {
        templates.iter().flat_map(Template::conditions).try_for_each(Condition::check)?;
        Ok(Self { templates, ..Self::from_definitions(groups)? })
    }

    /// Groups whose rules are given from code, such as intervals of one's own.
    ///
    /// # Errors
    /// [`Error::RepeatedGroup`] when two have the same name; [`Error::GroupSyntax`] for a [`Condition::OneOf`] of no value, or of one twice.
    pub fn from_definitions(groups: Vec<Group>) -> Result<Self> {
        distinct(groups.iter().map(Group::name))?;
        groups.iter().flat_map(Group::conditions).try_for_each(Condition::check)?;
        Ok(Self { groups, templates: Vec::new() })
    }

    /// The groups of the specifications that rows of a table are in and training rows were not: further values of a
    /// column whose every value is a group, and intersections that training rows had none of.
    ///
    /// # Errors
    /// As [`Groups::membership`], and [`Error::GroupSyntax`] where there are too many.
    pub fn unseen(&self, table: &Table) -> Result<Self> {
        Self::from_definitions(template::unseen(&self.templates, &self.groups, table)?)
    }

    /// These groups, and those of `others` after them.
    ///
    /// # Errors
    /// [`Error::RepeatedGroup`] when two have the same name.
    pub fn and(&self, others: &Self) -> Result<Self> {
        Self::from_definitions([self.definitions(), others.definitions()].concat())
    }

    /// Which rows of any table are in which group.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] for a column the table lacks, [`Error::ColumnKind`]
    /// for an interval of a column that holds text.
    pub fn membership(&self, table: &Table) -> Result<Membership> {
        lookup::membership(&self.groups, table)
    }

    /// The rules.
    pub fn definitions(&self) -> &[Group] {
        &self.groups
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(Group::name)
    }

    /// The columns that tell the group.
    pub fn columns(&self) -> BTreeSet<&str> {
        self.groups.iter().flat_map(Group::conditions).map(Condition::column).collect()
    }

    /// Whether a group compares a column with a number.
    pub(crate) fn compares(&self, name: &str) -> bool {
        let conditions = self.groups.iter().flat_map(Group::conditions);
        conditions.filter(|one| one.column() == name).any(|one| matches!(one, Condition::Within { .. }))
    }

    /// Of the values of a column those that groups name.
    pub(crate) fn values_of(&self, name: &str, is_number: bool, mut values: Vec<String>) -> Vec<String> {
        let conditions = || self.groups.iter().flat_map(Group::conditions).filter(|one| one.column() == name);
        let holds = |condition: &Condition, value: &str| match value.parse() {
            Ok(number) if is_number => condition.holds_for_number(number),
            _ => condition.holds_for_text(value),
        };
        values.retain(|value| conditions().any(|condition| holds(condition, value)));
        values
    }

    /// How many groups.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

impl TryFrom<Record> for Groups {
    type Error = Error;

    fn try_from(Record { groups, templates }: Record) -> Result<Self> {
        Self::with_templates(groups, templates)
    }
}

impl From<Groups> for Record {
    fn from(Groups { groups, templates }: Groups) -> Self {
        Self { groups, templates }
    }
}

impl Group {
    /// A group of that name; without conditions it holds every row.
    pub fn new(name: impl Into<String>, conditions: Vec<Condition>) -> Self {
        Self { name: name.into(), conditions }
    }

    /// A group named after its conditions, as in `sex=Female & age<=30`.
    pub fn of(conditions: Vec<Condition>) -> Self {
        let names: Vec<String> = conditions.iter().map(ToString::to_string).collect();
        Self { name: names.join(" & "), conditions }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a row must meet to be in the group: all of these.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
}

impl Condition {
    /// The column it looks at.
    pub fn column(&self) -> &str {
        match self {
            Self::Equals { column, .. } | Self::OneOf { column, .. } | Self::Within { column, .. } => column,
        }
    }

    /// One value, or one of several, of a column.
    pub(super) fn of_values(column: &str, mut values: Vec<String>) -> Self {
        let column = column.to_owned();
        match values.pop() {
            Some(value) if values.is_empty() => Self::Equals { column, value },
            last => {
                values.extend(last);
                Self::OneOf { column, values }
            }
        }
    }

    /// Refuses one of no values, or of one twice.
    fn check(&self) -> Result<()> {
        let Self::OneOf { values, .. } = self else { return Ok(()) };
        let different: BTreeSet<&String> = values.iter().collect();
        if different.len() == values.len() && !values.is_empty() {
            return Ok(());
        }
        let problem = if values.is_empty() { "no value is named" } else { "a value is named twice" };
        Err(Error::GroupSyntax { spec: self.to_string(), problem: problem.to_owned() })
    }

    /// Whether a text value meets it. An interval is met by no text.
    pub(super) fn holds_for_text(&self, text: &str) -> bool {
        match self {
            Self::Equals { value, .. } => value == text,
            Self::OneOf { values, .. } => values.iter().any(|value| value == text),
            Self::Within { .. } => false,
        }
    }

    /// Whether a number meets it; a missing one, NaN, does not.
    pub(super) fn holds_for_number(&self, number: f64) -> bool {
        match self {
            Self::Equals { .. } | Self::OneOf { .. } => self.edges().any(|value| same(value, number)),
            Self::Within { lower, upper, .. } => {
                let above = lower.is_none_or(|b| number > b.at || b.inclusive && same(number, b.at));
                let below = upper.is_none_or(|b| number < b.at || b.inclusive && same(number, b.at));
                above && below && !number.is_nan()
            }
        }
    }

    /// The numbers at which the answer may change.
    pub(super) fn edges(&self) -> impl Iterator<Item = f64> {
        let (values, bounds) = match self {
            Self::Equals { value, .. } => (std::slice::from_ref(value), [None; 2]),
            Self::OneOf { values, .. } => (values.as_slice(), [None; 2]),
            Self::Within { lower, upper, .. } => (&[][..], [*lower, *upper]),
        };
        let values = values.iter().filter_map(|value| value.parse().ok());
        values.chain(bounds.into_iter().flatten().map(|bound| bound.at)).filter(|edge| !edge.is_nan())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equals { column, value } => write!(f, "{column}={value}"),
            Self::OneOf { column, values } => {
                let names: Vec<Cow<'_, str>> = values.iter().map(|value| joined(value)).collect();
                write!(f, "{column}={}", names.join("|"))
            }
            Self::Within { column, lower: None, upper: None } => write!(f, "{column} (any number)"),
            Self::Within { column, lower: None, upper: Some(b) } => {
                write!(f, "{column}{}{}", if b.inclusive { "<=" } else { "<" }, b.at)
            }
            Self::Within { column, lower: Some(b), upper: None } => {
                write!(f, "{column}{}{}", if b.inclusive { ">=" } else { ">" }, b.at)
            }
            Self::Within { column, lower: Some(low), upper: Some(high) } => write!(
                f,
                "{column} in {}{}, {}{}",
                if low.inclusive { "[" } else { "(" },
                low.at,
                high.at,
                if high.inclusive { "]" } else { ")" },
            ),
        }
    }
}

/// A value in the name of several: in backquotes where it could be read as several itself.
fn joined(value: &str) -> Cow<'_, str> {
    if value.contains(['|', '`']) { format!("`{}`", value.replace('`', "``")).into() } else { value.into() }
}

/// Refuses a name that comes twice.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::RepeatedGroup { group: name.to_owned() });
        }
    }
    Ok(())
}

/// Equality of numbers as they stand in the data: exact on purpose.
#[allow(clippy::float_cmp)]
fn same(left: f64, right: f64) -> bool {
    left == right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(lower: Option<(f64, bool)>, upper: Option<(f64, bool)>) -> Condition {
        let bound = |(at, inclusive)| Bound { at, inclusive };
        Condition::Within { column: "age".into(), lower: lower.map(bound), upper: upper.map(bound) }
    }

    fn equals(column: &str, value: &str) -> Condition {
        Condition::Equals { column: column.into(), value: value.into() }
    }

    fn one_of(column: &str, values: &[&str]) -> Condition {
        Condition::OneOf { column: column.into(), values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    #[test]
    fn names_say_the_rule() {
        assert_eq!(within(None, Some((30.0, true))).to_string(), "age<=30");
        assert_eq!(within(None, Some((30.5, false))).to_string(), "age<30.5");
        assert_eq!(within(Some((30.0, true)), None).to_string(), "age>=30");
        assert_eq!(within(Some((47.0, false)), None).to_string(), "age>47");
        assert_eq!(within(Some((32.0, false)), Some((38.0, true))).to_string(), "age in (32, 38]");
        assert_eq!(Group::of(vec![equals("sex", "Female"), equals("race", "Black")]).name(), "sex=Female & race=Black");
        assert_eq!(one_of("race", &["Black", "Hispanic"]).to_string(), "race=Black|Hispanic");
        assert_eq!(one_of("race", &["A|B", "C", "`"]).to_string(), "race=`A|B`|C|````");
    }

    #[test]
    fn one_of_several_values_is_met_by_each_of_them() {
        let texts = one_of("race", &["Black", "Hispanic"]);
        assert_eq!(
            ["Black", "Hispanic", "White", "Black|Hispanic"].map(|text| texts.holds_for_text(text)),
            [true, true, false, false]
        );
        let numbers = one_of("age", &["30.0", "0", "old"]);
        assert_eq!([30.0, -0.0, 15.0, f64::NAN].map(|age| numbers.holds_for_number(age)), [true, true, false, false]);
    }

    #[test]
    fn one_of_no_values_or_of_one_twice_is_refused_from_code_and_from_json() {
        for values in [&[][..], &["a", "b", "a"]] {
            let group = Group::of(vec![one_of("race", values)]);
            assert_eq!(Groups::from_definitions(vec![group.clone()]).unwrap_err().code(), "group-syntax");
            let json = serde_json::json!({ "groups": [group], "templates": [] });
            assert!(serde_json::from_value::<Groups>(json).is_err(), "{values:?}");
        }
    }

    #[test]
    fn bounds_are_in_or_out_as_written() {
        let bucket = within(Some((32.0, false)), Some((38.0, true)));
        let inside: Vec<bool> =
            [31.0, 32.0, 35.0, 38.0, 39.0, f64::NAN].map(|age| bucket.holds_for_number(age)).to_vec();
        assert_eq!(inside, [false, false, true, true, false, false]);
        assert!(within(None, None).holds_for_number(0.0));
        assert!(!within(None, None).holds_for_number(f64::NAN));
    }

    #[test]
    fn a_value_is_compared_as_a_number_where_the_column_is_numeric() {
        assert!(equals("age", "30.0").holds_for_number(30.0));
        assert!(equals("age", "0").holds_for_number(-0.0));
        assert!(!equals("age", "thirty").holds_for_number(30.0));
        assert!(!equals("age", "NaN").holds_for_number(f64::NAN));
        assert!(!equals("age", "30.0").holds_for_text("30"));
    }

    #[test]
    fn columns_are_those_that_tell_the_group() {
        let groups = Groups::from_definitions(vec![
            Group::of(vec![equals("sex", "Female"), equals("race", "Black")]),
            Group::of(vec![equals("sex", "Male")]),
        ])
        .unwrap();
        assert_eq!(groups.columns().into_iter().collect::<Vec<_>>(), ["race", "sex"]);
    }

    #[test]
    fn two_groups_of_one_name_are_refused_from_code_and_from_json() {
        let twice = vec![Group::new("a", vec![]), Group::new("a", vec![equals("sex", "x")])];
        let json = serde_json::to_string(&twice).unwrap();
        assert_eq!(Groups::from_definitions(twice).unwrap_err().code(), "group-repeated");
        assert!(serde_json::from_str::<Groups>(&json).is_err());
    }

    #[test]
    fn groups_survive_json() {
        let groups = Groups::from_definitions(vec![
            Group::of(vec![equals("sex", "x")]),
            Group::of(vec![one_of("sex", &["x", "y"])]),
            Group::of(vec![within(None, Some((0.1 + 0.2, true)))]),
        ])
        .unwrap();
        let json = serde_json::to_string(&groups).unwrap();
        assert!(json.contains(r#"{"test":"equals","column":"sex","value":"x"}"#), "{json}");
        assert!(json.contains(r#"{"test":"one-of","column":"sex","values":["x","y"]}"#), "{json}");
        assert_eq!(serde_json::from_str::<Groups>(&json).unwrap(), groups);
    }
}
