//! Rules evaluated on a table, without looking at a row's text.
//!
//! Each column is cut into cells whose rows are alike to every rule: a dictionary entry
//! of a categorical column, an interval between edges of a numeric one. For each cell
//! the groups that its rows may be in are worked out once, as a bit mask; a row's groups
//! are then the intersection of its masks over columns. Leans on `definition` and fills
//! `membership`.

use std::collections::BTreeSet;

use super::membership::{Bits, Membership};
use super::{Condition, Group};
use crate::data::{Codes, Column, Table};
use crate::{Error, Result};

/// Which rows are in which of the groups, whose names must be distinct, and which lack a value of a column that tells them.
pub(crate) fn membership(groups: &[Group], table: &Table) -> Result<Membership> {
    let columns: BTreeSet<&str> = groups.iter().flat_map(Group::conditions).map(Condition::column).collect();
    let mut lost = Vec::new();
    for &name in &columns {
        if table.column(name)?.missing_rows() > 0 {
            lost.push(name);
        }
    }
    let sets = Sets { groups, lost };
    let lookups = columns.into_iter().map(|name| Lookup::new(name, &sets, table)).collect::<Result<Vec<_>>>()?;
    let names = groups.iter().map(|group| group.name().to_owned());
    let names = names.chain(sets.lost.iter().map(|column| format!("{column} missing"))).collect();
    let all = sets.bits().filled(|_| true);
    Ok(Membership::build(names, groups.len(), table.rows(), |rows, out| {
        for bits in out.chunks_exact_mut(all.len()) {
            bits.copy_from_slice(&all);
        }
        for lookup in &lookups {
            lookup.restrict(rows.start, out);
        }
    }))
}

/// The groups, and the columns that have missing values, each a set of rows numbered after the groups.
struct Sets<'a> {
    groups: &'a [Group],
    lost: Vec<&'a str>,
}

impl Sets<'_> {
    fn bits(&self) -> Bits {
        Bits::new(self.groups.len() + self.lost.len())
    }

    /// What the rows of a cell of a column may be in, if they have a value, or none, and are in these groups.
    fn allowed(&self, column: &str, missing: bool, inside: impl Fn(&Group) -> bool) -> Vec<u64> {
        self.bits().filled(|at| match at.checked_sub(self.groups.len()) {
            None => inside(&self.groups[at]),
            Some(lost) => missing || self.lost[lost] != column,
        })
    }
}

/// One column's cells and the groups each cell allows.
struct Lookup<'a> {
    cells: Cells<'a>,
    /// One mask per cell, one after the other.
    masks: Vec<u64>,
    words: usize,
}

/// How a row's cell is found.
enum Cells<'a> {
    /// The dictionary code, missing last.
    Codes(&'a Codes),
    /// With edges e₀ < e₁ < …, cell 2i lies below eᵢ and above the edge before it, cell
    /// 2i + 1 is eᵢ itself, and missing comes last.
    Intervals { values: &'a [f64], edges: Vec<f64> },
}

impl<'a> Lookup<'a> {
    fn new(name: &str, sets: &Sets<'_>, table: &'a Table) -> Result<Self> {
        let mut masks = Vec::new();
        let cells = match table.column(name)? {
            Column::Categorical(values) => {
                let interval = sets.groups.iter().find(|group| asked(group, name).any(is_interval));
                // A column of nothing but missing values has no type of its own.
                if let (Some(group), false) = (interval, values.dictionary().is_empty()) {
                    return Err(not_numeric(name, group.name()));
                }
                for value in values.dictionary() {
                    masks.extend(sets.allowed(name, false, |g| asked(g, name).all(|c| c.holds_for_text(value))));
                }
                Cells::Codes(values.codes())
            }
            Column::Numeric(values) => {
                let conditions = || sets.groups.iter().flat_map(|group| asked(group, name));
                if conditions().any(|condition| !is_interval(condition)) {
                    table.check_exact(name)?;
                }
                let mut edges: Vec<f64> = conditions().flat_map(Condition::edges).collect();
                edges.sort_unstable_by(f64::total_cmp);
                edges.dedup();
                for value in representatives(&edges) {
                    masks.extend(sets.allowed(name, false, |g| asked(g, name).all(|c| c.holds_for_number(value))));
                }
                Cells::Intervals { values, edges }
            }
        };
        masks.extend(sets.allowed(name, true, |group| asked(group, name).next().is_none()));
        Ok(Self { cells, masks, words: sets.bits().words() })
    }

    /// Takes the groups away that the rows from `first` on are not in.
    fn restrict(&self, first: usize, out: &mut [u64]) {
        let missing = self.masks.len() / self.words - 1;
        for (offset, bits) in out.chunks_exact_mut(self.words).enumerate() {
            let cell = match &self.cells {
                Cells::Codes(codes) => codes.get(first + offset),
                Cells::Intervals { values, edges } => cell(values[first + offset], edges).unwrap_or(missing),
            };
            let mask = &self.masks[cell * self.words..(cell + 1) * self.words];
            for (word, allowed) in bits.iter_mut().zip(mask) {
                *word &= allowed;
            }
        }
    }
}

/// What a group asks of a column.
fn asked<'a>(group: &'a Group, column: &str) -> impl Iterator<Item = &'a Condition> {
    group.conditions().iter().filter(move |condition| condition.column() == column)
}

/// The error of a rule that needs numbers.
pub(super) fn not_numeric(column: &str, group: &str) -> Error {
    let purpose = format!("for group `{group}`");
    Error::ColumnKind { column: column.to_owned(), found: "categorical", wanted: "a numeric one", purpose }
}

fn is_interval(condition: &Condition) -> bool {
    matches!(condition, Condition::Within { .. })
}

#[allow(clippy::float_cmp)] // an edge is met exactly or not at all
fn cell(value: f64, edges: &[f64]) -> Option<usize> {
    if value.is_nan() {
        return None;
    }
    let at = edges.partition_point(|&edge| edge < value);
    Some(2 * at + usize::from(edges.get(at).is_some_and(|&edge| edge == value)))
}

/// One number from each cell. Where no float lies between two edges the middle falls on
/// one of them, and no row falls into that cell.
fn representatives(edges: &[f64]) -> Vec<f64> {
    let mut values = vec![f64::NEG_INFINITY];
    for (index, &edge) in edges.iter().enumerate() {
        values.push(edge);
        values.push(edges.get(index + 1).map_or(f64::INFINITY, |next| edge / 2.0 + next / 2.0));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categorical;
    use crate::group::{Bound, Groups};
    use proptest::prelude::*;

    fn equals(column: &str, value: &str) -> Condition {
        Condition::Equals { column: column.into(), value: value.into() }
    }

    fn table() -> Table {
        let sex = Categorical::from_values([Some("F"), Some("M"), None, Some("F")]);
        let age = vec![30.0, 31.0, 20.0, f64::NAN];
        Table::new(vec![("sex".into(), Column::Categorical(sex)), ("age".into(), Column::Numeric(age))], 1).unwrap()
    }

    fn members(conditions: Vec<Condition>, table: &Table) -> Result<Vec<bool>> {
        let membership = Groups::from_definitions(vec![Group::of(conditions)])?.membership(table)?;
        Ok((0..table.rows()).map(|row| membership.is_member(row, 0)).collect())
    }

    #[test]
    fn a_missing_value_is_in_no_group_of_its_column() {
        assert_eq!(members(vec![equals("sex", "F")], &table()).unwrap(), [true, false, false, true]);
        let any = Condition::Within { column: "age".into(), lower: None, upper: None };
        assert_eq!(members(vec![any], &table()).unwrap(), [true, true, true, false]);
    }

    #[test]
    fn rows_without_a_value_are_a_set_of_their_own_for_each_column() {
        let (table, equals) = (table(), |column, value| Group::of(vec![equals(column, value)]));
        let groups = Groups::from_definitions(vec![equals("sex", "F"), equals("age", "30")]).unwrap();
        let found = groups.membership(&table).unwrap();
        assert_eq!(
            (found.names().join(", "), found.groups()),
            ("sex=F, age=30, age missing, sex missing".to_owned(), 2)
        );
        let of = |set| (0..4).map(|row| found.is_member(row, set)).collect::<Vec<_>>();
        assert_eq!([of(2), of(3)], [[false, false, false, true], [false, false, true, false]]);
        let known = groups.membership(&table.select(&[0, 1])).unwrap();
        assert_eq!((known.names().len(), known.missing()), (2, 2..2), "nothing is missing here");
    }

    #[test]
    fn a_group_without_conditions_holds_every_row() {
        assert_eq!(members(vec![], &table()).unwrap(), [true; 4]);
    }

    #[test]
    fn a_value_absent_from_the_table_is_simply_not_met() {
        assert_eq!(members(vec![equals("sex", "X")], &table()).unwrap(), [false; 4]);
        assert_eq!(members(vec![equals("age", "thirty")], &table()).unwrap(), [false; 4]);
    }

    #[test]
    fn one_of_several_values_is_enough_and_absent_ones_do_no_harm() {
        let one_of = |column: &str, values: [&str; 3]| Condition::OneOf {
            column: column.into(),
            values: values.map(str::to_owned).to_vec(),
        };
        assert_eq!(members(vec![one_of("sex", ["X", "M", "F"])], &table()).unwrap(), [true, true, false, true]);
        assert_eq!(members(vec![one_of("sex", ["X", "M", ""])], &table()).unwrap(), [false, true, false, false]);
        let ages = one_of("age", ["20", "thirty", "31.0"]);
        assert_eq!(members(vec![ages.clone()], &table()).unwrap(), [false, true, true, false]);
        assert_eq!(members(vec![ages, equals("sex", "M")], &table()).unwrap(), [false, true, false, false]);
    }

    #[test]
    fn columns_that_do_not_serve_are_named() {
        let lost = members(vec![equals("race", "x")], &table()).unwrap_err();
        assert_eq!(lost.code(), "column-unknown");
        let interval = Condition::Within { column: "sex".into(), lower: None, upper: None };
        assert_eq!(members(vec![interval], &table()).unwrap_err().code(), "column-kind");
    }

    #[test]
    fn an_interval_of_a_column_with_no_value_at_all_holds_no_row() {
        let none = Categorical::from_values([None::<&str>, None]);
        let table = Table::new(vec![("age".into(), Column::Categorical(none))], 1).unwrap();
        let interval = Condition::Within { column: "age".into(), lower: None, upper: None };
        assert_eq!(members(vec![interval], &table).unwrap(), [false; 2]);
    }

    /// A condition on `age` with edges on a coarse grid, so that rows fall on them often.
    fn condition() -> impl Strategy<Value = Condition> {
        let bound = || proptest::option::of((-3i32..3, any::<bool>()));
        let grid = |(at, inclusive)| Bound { at: f64::from(at) / 2.0, inclusive };
        let within = (bound(), bound()).prop_map(move |(lower, upper)| Condition::Within {
            column: "age".into(),
            lower: lower.map(grid),
            upper: upper.map(grid),
        });
        let text = |at: i32| (f64::from(at) / 2.0).to_string();
        let several = proptest::collection::btree_set(-3i32..3, 1..4).prop_map(move |all| Condition::OneOf {
            column: "age".into(),
            values: all.into_iter().map(text).collect(),
        });
        prop_oneof![within, (-3i32..3).prop_map(move |at| equals("age", &text(at))), several]
    }

    proptest! {
        #[test]
        fn cells_agree_with_each_condition_evaluated_on_each_row(
            groups in proptest::collection::vec(proptest::collection::vec(condition(), 0..3), 1..70),
            ages in proptest::collection::vec(prop_oneof![(-8i32..8).prop_map(|v| f64::from(v) / 4.0), Just(f64::NAN)], 1..20),
        ) {
            let named = groups.iter().enumerate().map(|(g, all)| Group::new(g.to_string(), all.clone())).collect();
            let table = Table::new(vec![("age".into(), Column::Numeric(ages.clone()))], 1).unwrap();
            let membership = Groups::from_definitions(named).unwrap().membership(&table).unwrap();
            for (row, &age) in ages.iter().enumerate() {
                for (g, all) in groups.iter().enumerate() {
                    let expected = all.iter().all(|condition| condition.holds_for_number(age));
                    prop_assert_eq!(membership.is_member(row, g), expected);
                }
            }
        }
    }
}
