//! From what a user wrote to rules, by looking at the training rows.
//!
//! Each part of a specification becomes a list of conditions of which a row meets at
//! most one; an intersection takes one of each part, wherever rows do. Leans on `spec`,
//! `definition`, `choices` and `facts`: what rows hold is asked there, wherever they are.

use std::collections::BTreeSet;

use super::spec::{Part, Test};
use super::template::{Template, TemplatePart};
use super::{Bound, Condition, Group, GroupSpec, Groups, choices, lookup};
use crate::data::{Dataset, Schema, Table};
use crate::facts::{Facts, Kind, TableFacts, single, spellings};
use crate::{Error, Result, Warning};

/// A numeric column with more distinct values than this is not a list of groups.
const MOST_NUMBERS: usize = 20;

const TRAINING: &str = "the training data";

/// Groups, templates that name those of other rows, and what to know about them.
type Resolved = (Vec<Group>, Vec<Template>, Vec<Warning>);

impl Groups {
    /// Resolves specifications on the training rows.
    ///
    /// Groups come in the order of the specifications; within one, values in text
    /// order, or in numeric order where the column is numeric, and so do the values of
    /// one group.
    ///
    /// # Errors
    /// [`Error::GroupSyntax`], [`Error::UnknownColumn`], [`Error::GroupValue`],
    /// [`Error::ColumnKind`]; [`Error::EmptyGroup`] for a group without rows, or an
    /// intersection without any group; [`Error::RepeatedGroup`].
    pub fn bind(specs: &[GroupSpec], table: &Table) -> Result<(Self, Vec<Warning>)> {
        Self::learn(specs, &TableFacts::new(table, None))
    }

    /// As [`Groups::bind`], of rows wherever they are.
    ///
    /// # Errors
    /// Those of [`Groups::bind`].
    pub fn learn(specs: &[GroupSpec], facts: &dyn Facts) -> Result<(Self, Vec<Warning>)> {
        let (groups, templates, warnings) = bind(specs, facts)?;
        Ok((Self::with_templates(groups, templates)?, warnings))
    }

    /// As [`Groups::bind`], on rows whose columns have roles.
    ///
    /// # Errors
    /// As [`Groups::bind`], and [`Error::GroupedByLabel`] or [`Error::GroupedByIgnored`] when the label, or a column that was ignored, should define a group.
    pub fn of(specs: &[GroupSpec], data: &Dataset) -> Result<(Self, Vec<Warning>)> {
        Self::learn_roles(specs, data.schema(), &TableFacts::of(data))
    }

    /// As [`Groups::of`], of rows wherever they are.
    ///
    /// # Errors
    /// Those of [`Groups::of`].
    pub fn learn_roles(specs: &[GroupSpec], schema: &Schema, facts: &dyn Facts) -> Result<(Self, Vec<Warning>)> {
        let ignored = |column: &str| schema.ignored().iter().any(|ignored| ignored == column);
        let (groups, mut warnings) = match Self::learn(specs, facts) {
            Err(Error::UnknownColumn { column, .. }) if ignored(&column) => {
                return Err(Error::GroupedByIgnored { column });
            }
            bound => bound?,
        };
        for column in groups.columns() {
            if column == schema.label_column() {
                return Err(Error::GroupedByLabel { column: column.to_owned() });
            }
            if ignored(column) {
                return Err(Error::GroupedByIgnored { column: column.to_owned() });
            }
        }
        if facts.kind_of(schema.label_column()).is_some() {
            warnings.extend(spellings(schema.label_column(), facts)?);
        }
        Ok((groups, warnings))
    }
}

/// The groups of all specifications, in order.
fn bind(specs: &[GroupSpec], facts: &dyn Facts) -> Result<Resolved> {
    let (mut groups, mut templates, mut warnings, mut columns) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for spec in specs {
        let parts = parts(spec, facts)?;
        let conditions = parts
            .iter()
            .map(|part| conditions(spec, part, facts, &mut warnings))
            .collect::<Result<Vec<Vec<Condition>>>>()?;
        groups.extend(intersections(spec, &conditions, facts)?);
        let fixed = parts.iter().zip(conditions).map(|(part, conditions)| TemplatePart {
            column: part.column.clone(),
            conditions,
            any_value: part.test == Test::Any,
        });
        templates.extend(Some(Template { spec: spec.clone(), parts: fixed.collect() }).filter(Template::is_open));
        for part in parts {
            if !columns.contains(&part.column) {
                columns.push(part.column);
            }
        }
    }
    for column in columns {
        warnings.extend(spellings(&column, facts)?);
        let rows = facts.missing_rows(&column)?;
        if rows > 0 {
            warnings.push(Warning::MissingSensitive { column, rows });
        }
    }
    Ok((groups, templates, warnings))
}

/// The parts of a specification; one that is literally a column's name is that column.
fn parts(spec: &GroupSpec, facts: &dyn Facts) -> Result<Vec<Part>> {
    let text = spec.as_str();
    match [text, text.trim()].into_iter().find(|name| facts.kind_of(name).is_some()) {
        Some(column) => Ok(vec![Part { column: column.to_owned(), test: Test::Any }]),
        None => spec.parts(),
    }
}

/// The conditions a part stands for, in order; a row meets at most one of them.
fn conditions(spec: &GroupSpec, part: &Part, facts: &dyn Facts, warnings: &mut Vec<Warning>) -> Result<Vec<Condition>> {
    let kind = facts.kind(&part.column)?;
    if matches!(part.test, Test::Any | Test::Values(_)) {
        facts.check_exact(&part.column)?;
    }
    let equals = |value: String| Condition::Equals { column: part.column.clone(), value };
    let within =
        |lower: Option<Bound>, upper: Option<Bound>| Condition::Within { column: part.column.clone(), lower, upper };
    let found: Vec<Condition> = match &part.test {
        Test::Any => values(spec, part, facts)?.into_iter().map(equals).collect(),
        Test::Values(asked) => chosen(spec, part, facts, asked)?,
        &Test::Upper { at, inclusive } => vec![within(None, Some(Bound { at, inclusive }))],
        &Test::Lower { at, inclusive } => vec![within(Some(Bound { at, inclusive }), None)],
        &Test::Buckets(count) => {
            if kind == Kind::Categorical {
                return Err(lookup::not_numeric(&part.column, spec.as_str()));
            }
            let edges = facts.edges(&part.column, count)?;
            if edges.len() + 1 < count {
                let (spec, left) = (spec.to_string(), edges.len() + 1);
                warnings.push(Warning::BucketsMerged { spec, asked: count, left });
            }
            let lower = |at| Some(Bound { at, inclusive: false });
            let upper = |at| Some(Bound { at, inclusive: true });
            let lowers = std::iter::once(None).chain(edges.iter().map(|&edge| lower(edge)));
            let uppers = edges.iter().map(|&edge| upper(edge)).chain([None]);
            lowers.zip(uppers).map(|(low, high)| within(low, high)).collect()
        }
    };
    if found.len() > choices::MOST_GROUPS {
        return Err(choices::too_many(spec));
    }
    Ok(found)
}

/// The groups that take one condition of each part and have rows.
fn intersections(spec: &GroupSpec, parts: &[Vec<Condition>], facts: &dyn Facts) -> Result<Vec<Group>> {
    let patterns = facts.patterns(&single(&parts.concat()))?;
    let choices = choices::of_patterns(parts, patterns.iter().map(|(met, _)| met));
    if let [only] = parts
        && let Some(lost) = (0..only.len()).find(|&index| !choices.contains(&vec![index]))
    {
        return Err(Error::EmptyGroup { group: only[lost].to_string(), place: TRAINING.into() });
    }
    if choices.is_empty() {
        return Err(Error::EmptyGroup { group: spec.to_string(), place: TRAINING.into() });
    }
    choices::groups(spec, parts, choices)
}

/// Every value of a column that is to be a list of groups.
fn values(spec: &GroupSpec, part: &Part, facts: &dyn Facts) -> Result<Vec<String>> {
    let Some(values) = present(&part.column, facts)? else { return Err(too_many_numbers(spec, part, "very many")) };
    if facts.kind(&part.column)? == Kind::Numeric && values.len() > MOST_NUMBERS {
        return Err(too_many_numbers(spec, part, &values.len().to_string()));
    }
    if values.is_empty() {
        return Err(Error::EmptyGroup { group: spec.to_string(), place: TRAINING.into() });
    }
    Ok(values)
}

fn too_many_numbers(spec: &GroupSpec, part: &Part, count: &str) -> Error {
    let name = &part.column;
    spec.error(format!(
        "`{name}` is numeric with {count} distinct values, too many for a group each; \
         cut it into buckets with `{name}/5`, or at a number as in `{name}<=30`"
    ))
}

/// The asked values, a condition for each list of them, in the order the column has them and as it writes them.
fn chosen(spec: &GroupSpec, part: &Part, facts: &dyn Facts, asked: &[Vec<String>]) -> Result<Vec<Condition>> {
    let is_number = facts.kind(&part.column)? == Kind::Numeric;
    let known = match present(&part.column, facts)? {
        Some(known) => known,
        // Too many to be known: those that are asked for are looked up, and one that does not occur is a group without rows.
        None => occurring(part, facts, &asked.concat())?,
    };
    let mut places = vec![BTreeSet::new(); asked.len()];
    for (group, value) in (0..).zip(asked).flat_map(|(group, values)| values.iter().map(move |value| (group, value))) {
        let probe = Condition::Equals { column: part.column.clone(), value: value.clone() };
        let is_it = |text: &String| {
            if is_number { text.parse().is_ok_and(|number| probe.holds_for_number(number)) } else { text == value }
        };
        let Some(place) = known.iter().position(is_it) else {
            let (spec, column, value) = (spec.to_string(), part.column.clone(), value.clone());
            return Err(Error::GroupValue { spec, column, value, known });
        };
        if let Some(other) = places.iter().position(|places| places.contains(&place)) {
            return Err(match (asked[other].as_slice(), asked[group].as_slice()) {
                _ if other == group => spec.error(format!("`{probe}` is named twice in one group")),
                ([_], [_]) => Error::RepeatedGroup { group: probe.to_string() },
                _ => spec.error(format!("`{probe}` is in two groups of one list; give groups that overlap one by one")),
            });
        }
        places[group].insert(place);
    }
    // No two groups share a place: the first of each says where it stands.
    places.sort_unstable();
    let values = |places: BTreeSet<usize>| places.into_iter().map(|place| known[place].clone()).collect();
    Ok(places.into_iter().map(|places| Condition::of_values(&part.column, values(places))).collect())
}

/// Of asked numbers those that rows have, in ascending order.
fn occurring(part: &Part, facts: &dyn Facts, asked: &[String]) -> Result<Vec<String>> {
    let mut numbers: Vec<f64> =
        asked.iter().filter_map(|text| text.parse().ok()).map(|number: f64| number + 0.0).collect();
    numbers.retain(|number| !number.is_nan());
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup();
    let equals = |number: &f64| Condition::Equals { column: part.column.clone(), value: number.to_string() };
    let patterns = facts.patterns(&single(&numbers.iter().map(equals).collect::<Vec<_>>()))?;
    let met: BTreeSet<usize> = patterns.iter().flat_map(|(met, _)| met.iter().copied()).collect();
    Ok(met.into_iter().map(|place| numbers[place].to_string()).collect())
}

/// The values that occur: in text order, or in numeric order where they are numbers. `None` where these are too many to be known.
fn present(column: &str, facts: &dyn Facts) -> Result<Option<Vec<String>>> {
    match facts.kind(column)? {
        Kind::Numeric => {
            let numbers = facts.distinct_numbers(column, usize::MAX)?;
            Ok(numbers.map(|numbers| numbers.iter().map(ToString::to_string).collect()))
        }
        Kind::Categorical => Ok(Some(facts.categories(column)?.values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categorical, Column};

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(*v))))
    }

    #[test]
    fn one_text_in_two_spellings_is_told_with_both() {
        let names = text(&["Jos\u{e9}", "Jose\u{301}", "Jose", "Jos\u{e9}"]);
        let table = Table::new(vec![("name".into(), names)], 1).unwrap();
        let (groups, warnings) = Groups::bind(&["name".parse().unwrap()], &table).unwrap();
        assert_eq!(groups.len(), 3);
        let values = vec!["Jose\u{301}".to_owned(), "Jos\u{e9}".to_owned()];
        assert_eq!(warnings, [Warning::TwoSpellings { column: "name".into(), values }]);
        let message = warnings[0].to_string();
        assert!(message.ends_with(r"own: `Jose\u{301}` and `Jos\u{e9}`"), "{message}");
    }

    fn people() -> Table {
        let columns = vec![
            ("sex".into(), text(&["M", "F", "F", "M", "", "F"])),
            ("race".into(), text(&["White", "Black", "White", "White", "Other", "White"])),
            ("age".into(), Column::Numeric(vec![20.0, 30.0, 40.0, 50.0, 60.0, 60.0])),
            ("a/b".into(), text(&["x", "x", "y", "y", "y", "y"])),
            ("constant".into(), Column::Numeric(vec![1.0; 6])),
            ("id".into(), Column::Numeric((0..6).map(f64::from).collect())),
        ];
        Table::new(columns, 2).unwrap()
    }

    fn bound(specs: &[&str]) -> Result<(Vec<String>, Vec<Warning>)> {
        let specs: Vec<GroupSpec> = specs.iter().map(|spec| spec.parse()).collect::<Result<_>>()?;
        let (groups, warnings) = Groups::bind(&specs, &people())?;
        Ok((groups.names().map(str::to_owned).collect(), warnings))
    }

    fn names(spec: &str) -> Vec<String> {
        bound(&[spec]).unwrap().0
    }

    fn error(spec: &str) -> Error {
        bound(&[spec]).unwrap_err()
    }

    #[test]
    fn a_column_gives_its_values_in_text_order_and_warns_of_missing_ones() {
        let (names, warnings) = bound(&["sex"]).unwrap();
        assert_eq!(names, ["sex=F", "sex=M"]);
        assert_eq!(warnings, [Warning::MissingSensitive { column: "sex".into(), rows: 1 }]);
    }

    #[test]
    fn numbers_come_in_numeric_order() {
        assert_eq!(names("age"), ["age=20", "age=30", "age=40", "age=50", "age=60"]);
        assert_eq!(names("age=60.0,20"), ["age=20", "age=60"]);
    }

    #[test]
    fn a_number_with_many_values_is_not_a_list_of_groups() {
        let table = Table::new(vec![("x".into(), Column::Numeric((0..21).map(f64::from).collect()))], 1).unwrap();
        let message = Groups::bind(&["x".parse().unwrap()], &table).unwrap_err().to_string();
        assert!(message.contains("`x/5`") && message.contains("`x<=30`"), "{message}");
    }

    #[test]
    fn listed_values_must_occur() {
        assert_eq!(names("race=White,Black"), ["race=Black", "race=White"]);
        assert!(error("race=Green").to_string().ends_with("it has: `Black`, `Other`, `White`"));
        assert_eq!(error("age=old").code(), "group-value");
        assert_eq!(error("age=20,20.0").code(), "group-repeated");
    }

    #[test]
    fn joined_values_are_one_group_whatever_their_order() {
        assert_eq!(names("race=White,Other|Black"), ["race=Black|Other", "race=White"]);
        assert_eq!(names("race=Other|Black"), names("race=Black|Other"));
        assert_eq!(names("age=60.0|20,30"), ["age=20|60", "age=30"]);
        assert_eq!(
            names("sex*race=White,Black|Other"),
            ["sex=F & race=Black|Other", "sex=F & race=White", "sex=M & race=White"]
        );
        let spec: GroupSpec = "race=Black|Other,White".parse().unwrap();
        let (groups, _) = Groups::bind(&[spec], &people()).unwrap();
        let found = groups.membership(&people()).unwrap();
        assert_eq!(
            (0..6).map(|row| found.is_member(row, 0)).collect::<Vec<_>>(),
            [false, true, false, false, true, false]
        );
        assert_eq!(found.counts(), [2, 4]);
    }

    #[test]
    fn joined_values_must_occur_and_each_once() {
        assert!(error("race=Black|Green").to_string().contains("has no value `Green`"));
        for spec in ["race=Black|Black", "age=30,20|20.0"] {
            assert!(error(spec).to_string().contains("is named twice in one group"), "{spec}");
        }
        assert!(error("race=Black|Other,Other").to_string().contains("`race=Other` is in two groups of one list"));
        assert_eq!(bound(&["race=Black|Other", "race=Other"]).unwrap().0, ["race=Black|Other", "race=Other"]);
        assert_eq!(bound(&["race=Black|Other", "race=Other|Black"]).unwrap_err().code(), "group-repeated");
    }

    #[test]
    fn thresholds_need_a_numeric_column_and_rows() {
        assert_eq!(names("age<=30"), ["age<=30"]);
        assert_eq!(error("sex<=30").code(), "column-kind");
        assert_eq!(error("sex/5").code(), "column-kind");
        assert_eq!(error("age<20").to_string(), "group `age<20` has no rows in the training data");
        assert_eq!(error("height>1").code(), "column-unknown");
    }

    #[test]
    fn buckets_are_open_below_and_above() {
        let (names, warnings) = bound(&["id/3"]).unwrap();
        assert_eq!(names, ["id<=1.666667", "id in (1.666667, 3.333333]", "id>3.333333"]);
        assert!(warnings.is_empty());
    }

    #[test]
    fn buckets_fall_together_with_a_warning() {
        let (names, warnings) = bound(&["constant/5"]).unwrap();
        assert_eq!(names, ["constant (any number)"]);
        assert_eq!(warnings, [Warning::BucketsMerged { spec: "constant/5".into(), asked: 5, left: 1 }]);
    }

    #[test]
    fn only_intersections_with_rows_are_groups() {
        assert_eq!(names("sex*race"), ["sex=F & race=Black", "sex=F & race=White", "sex=M & race=White"]);
        assert_eq!(names("sex*race=White*age<=30"), ["sex=M & race=White & age<=30"]);
        assert_eq!(names("age>20 * age<=40"), ["age>20 & age<=40"]);
        assert_eq!(error("sex*race=Other").to_string(), "group `sex*race=Other` has no rows in the training data");
    }

    #[test]
    fn a_text_that_names_a_column_is_that_column() {
        assert_eq!(names("a/b"), ["a/b=x", "a/b=y"]);
        assert_eq!(names(" sex "), ["sex=F", "sex=M"]);
        assert_eq!(names("sex=M*`a/b`"), ["sex=M & a/b=x", "sex=M & a/b=y"]);
    }

    #[test]
    fn the_same_group_twice_is_refused() {
        assert_eq!(bound(&["sex", "sex=F"]).unwrap_err().code(), "group-repeated");
    }

    #[test]
    fn a_bound_group_finds_its_rows_again() {
        let (groups, _) = Groups::bind(&["sex*age/2".parse().unwrap()], &people()).unwrap();
        let found = groups.membership(&people()).unwrap();
        let groups = ["sex=F & age<=45", "sex=F & age>45", "sex=M & age<=45", "sex=M & age>45"];
        assert_eq!(found.group_names(), groups);
        assert_eq!(found.counts(), [2, 1, 1, 1, 1], "one row has no sex");
    }
}
