//! Whether a column is numeric or categorical to the learner.
//!
//! Holds [`plans`], which decides it for data without a plan of their own. The schema has precedence over how groups use
//! a column, and that has precedence over the column's type.

use std::ops::RangeInclusive;

use crate::data::Schema;
use crate::facts::{Facts, Kind};
use crate::features::{ColumnPlan, Encoding, PlanKind};
use crate::group::{Condition, Group, Groups};
use crate::{CountedValues, Result, Warning};

/// Whole numbers with this many distinct values may be codes. With two values both encodings are the same; more values
/// are rather counts, years or amounts.
const FEW: RangeInclusive<usize> = 3..=20;

/// A column with more distinct values than this is numeric, even where groups name some of the values.
const MOST_CODES: usize = 1000;

/// How the named columns become features, and which of those taken as numbers may be codes.
///
/// A column of numbers is a category where the schema says so, and where groups are made of its values (`RAC1P`,
/// `RAC1P=1,2`, `RAC1P=1|2`), since a straight line through codes cannot follow the groups that are to be evened. It stays a
/// number where the schema says so, where a group compares it (`age<=30`, `age/5`), and where it has too many values
/// for codes.
pub(super) fn plans(
    facts: &dyn Facts,
    schema: &Schema,
    names: &[String],
    groups: &[&Groups],
    standardise: bool,
) -> Result<(Vec<ColumnPlan>, Option<Warning>)> {
    let mut plans = Encoding::plan_by(facts, names, standardise)?;
    let mut suspects = Vec::new();
    for ColumnPlan { column, kind } in &mut plans {
        if facts.kind(column)? == Kind::Categorical || schema.is_numeric(column) {
            continue;
        }
        let is_category = schema.is_categorical(column)
            || match used(column, groups) {
                Some(Use::Values) => may_be_codes(facts.distinct_numbers(column, MOST_CODES)?),
                Some(Use::Order) => false,
                None => {
                    let suspect = |values| CountedValues { column: column.clone(), values };
                    suspects.extend(few_whole_numbers(facts.distinct_numbers(column, *FEW.end())?).map(suspect));
                    false
                }
            };
        if is_category {
            *kind = PlanKind::OneHot;
        }
    }
    Ok((plans, (!suspects.is_empty()).then_some(Warning::PossibleCodes { columns: suspects })))
}

/// What groups ask of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// Whether it has a value.
    Values,
    /// Comparison of the value with a number; this has precedence over the other use.
    Order,
}

fn used(column: &str, groups: &[&Groups]) -> Option<Use> {
    let conditions = groups.iter().flat_map(|groups| groups.definitions()).flat_map(Group::conditions);
    let of = |condition: &Condition| match condition {
        Condition::Equals { .. } | Condition::OneOf { .. } => Use::Values,
        Condition::Within { .. } => Use::Order,
    };
    conditions.filter(|condition| condition.column() == column).map(of).max()
}

/// Whether distinct numbers may be codes: they are few, or whole. A column with many fractions was measured.
fn may_be_codes(distinct: Option<Vec<f64>>) -> bool {
    distinct.is_some_and(|found| found.len() <= *FEW.end() || found.iter().all(|&one| is_whole(one)))
}

/// How many distinct values there are, if they are whole numbers and few.
fn few_whole_numbers(distinct: Option<Vec<f64>>) -> Option<usize> {
    let found = distinct?;
    (FEW.contains(&found.len()) && found.iter().all(|&one| is_whole(one))).then_some(found.len())
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categorical, Column, Dataset, Table};
    use crate::facts::TableFacts;
    use crate::group::GroupSpec;

    fn data(schema: &Schema) -> Dataset {
        let rows = 3000;
        let column = |of: &dyn Fn(usize) -> f64| Column::Numeric((0..rows).map(of).collect());
        let label = Categorical::from_values((0..rows).map(|row| Some(if row % 3 == 0 { "yes" } else { "no" })));
        let columns: Vec<(&str, Column)> = vec![
            ("code", column(&|row| (row % 9) as f64)),
            ("place", column(&|row| (row % 300) as f64)),
            ("id", column(&|row| row as f64)),
            ("half", column(&|row| (row % 4) as f64 / 2.0)),
            ("ratio", column(&|row| (row % 50) as f64 / 7.0)),
            ("flag", column(&|row| (row % 2) as f64)),
            ("y", Column::Categorical(label)),
        ];
        let named = columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
        Dataset::new(Table::new(named, 1).unwrap(), schema).unwrap()
    }

    /// The columns that become categories, and those that are warned of.
    fn found(schema: &Schema, specs: &[&str]) -> (Vec<String>, Vec<String>) {
        let data = data(schema);
        let specs: Vec<GroupSpec> = specs.iter().map(|spec| spec.parse().unwrap()).collect();
        let groups = Groups::of(&specs, &data).unwrap().0;
        let (plans, warning) = plans(&TableFacts::of(&data), schema, &data.feature_names(), &[&groups], true).unwrap();
        let categories = plans.into_iter().filter(|plan| plan.kind == PlanKind::OneHot).map(|plan| plan.column);
        let warned = match warning {
            Some(Warning::PossibleCodes { columns }) => columns.into_iter().map(|one| one.column).collect(),
            _ => Vec::new(),
        };
        (categories.collect(), warned)
    }

    fn categories(specs: &[&str]) -> Vec<String> {
        found(&Schema::label("y"), specs).0
    }

    #[test]
    fn groups_by_value_make_categories_and_comparisons_do_not() {
        assert!(categories(&[]).is_empty());
        assert_eq!(categories(&["code"]), ["code"]);
        assert_eq!(categories(&["code=1,2"]), ["code"]);
        assert_eq!(categories(&["code=1|2"]), ["code"]);
        assert_eq!(categories(&["flag*code=1"]), ["code", "flag"]);
        assert_eq!(categories(&["code=1*place<=100"]), ["code"]);
        assert!(categories(&["code<=3", "place/5"]).is_empty());
        assert!(categories(&["code=1", "code>3"]).is_empty());
    }

    #[test]
    fn numbers_that_cannot_be_codes_stay_numbers() {
        assert_eq!(categories(&["place=7"]), ["place"]);
        assert_eq!(categories(&["half"]), ["half"]);
        assert!(categories(&["id=7"]).is_empty());
        assert!(categories(&["ratio=0"]).is_empty());
    }

    #[test]
    fn what_the_schema_says_goes_first() {
        assert!(found(&Schema::label("y").numeric("code"), &["code"]).0.is_empty());
        assert_eq!(found(&Schema::label("y").categorical("ratio"), &["ratio<=1"]).0, ["ratio"]);
    }

    #[test]
    fn few_whole_numbers_are_told_of_unless_something_says_what_they_are() {
        let warned = |schema: &Schema, specs: &[&str]| found(schema, specs).1;
        assert_eq!(warned(&Schema::label("y"), &[]), ["code"]);
        assert!(warned(&Schema::label("y").numeric("code"), &[]).is_empty());
        assert!(warned(&Schema::label("y").categorical("code"), &[]).is_empty());
        assert!(warned(&Schema::label("y"), &["code"]).is_empty());
        assert!(warned(&Schema::label("y"), &["code<=3"]).is_empty());
        assert!(warned(&Schema::label("y").ignore("code"), &[]).is_empty());
    }

    #[test]
    fn values_are_counted_once_and_missing_ones_are_none() {
        let few_whole_numbers = |values: &[f64]| {
            let table = Table::new(vec![("x".into(), Column::Numeric(values.to_vec()))], 1).unwrap();
            few_whole_numbers(TableFacts::new(&table, None).distinct_numbers("x", *FEW.end()).unwrap())
        };
        assert_eq!(few_whole_numbers(&[0.0, -0.0, f64::NAN, 2.0, 5.0]), Some(3));
        assert_eq!(few_whole_numbers(&[0.0, 1.0, f64::NAN]), None);
        assert_eq!(few_whole_numbers(&[0.0, 1.0, 2.5]), None);
        let many: Vec<f64> = (0..21).map(f64::from).collect();
        assert_eq!((few_whole_numbers(&many[..20]), few_whole_numbers(&many)), (Some(20), None));
    }
}
