//! Specifications with what training rows fixed of them: they name the groups that only other rows have.
//!
//! Holds [`Template`]. A column whose every value is a group may have further values in other rows, and an intersection
//! may have rows that training had none of. Leans on `choices` for what a column holds.

use serde::{Deserialize, Serialize};

use super::{Condition, Group, GroupSpec, choices};
use crate::Result;
use crate::data::{Column, Table};

/// One specification: a group takes one condition of each part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Template {
    pub(super) spec: GroupSpec,
    pub(super) parts: Vec<TemplatePart>,
}

/// A column, and what is asked of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TemplatePart {
    pub(super) column: String,
    /// Those of the training rows.
    pub(super) conditions: Vec<Condition>,
    /// Whether every other value of the column is a condition too.
    pub(super) any_value: bool,
}

impl Template {
    /// What training rows fixed, of all parts.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.parts.iter().flat_map(|part| &part.conditions)
    }

    /// Whether other rows can have groups that training rows did not.
    pub(super) fn is_open(&self) -> bool {
        self.parts.len() > 1 || self.parts.iter().any(|part| part.any_value)
    }

    /// Every group of the specification that rows of a table are in, and those of a single column that training rows had.
    ///
    /// # Errors
    /// A column that is not there or of another kind, and too many groups.
    pub(super) fn groups(&self, table: &Table) -> Result<Vec<Group>> {
        let parts = self.parts.iter().map(|part| part.conditions(table)).collect::<Result<Vec<_>>>()?;
        choices::groups_with_rows(&self.spec, &parts, table)
    }
}

impl TemplatePart {
    /// Those of the training rows, and where any value will do one for each value that is none of them.
    fn conditions(&self, table: &Table) -> Result<Vec<Condition>> {
        let column = table.column(&self.column)?;
        let mut all = self.conditions.clone();
        if self.any_value {
            let known = |value: &String| self.conditions.iter().any(|condition| holds(condition, column, value));
            let new = choices::present(column).into_iter().filter(|value| !known(value));
            all.extend(new.map(|value| Condition::Equals { column: self.column.clone(), value }));
        }
        Ok(all)
    }
}

/// Whether a value of a column, as text, meets a condition.
fn holds(condition: &Condition, column: &Column, value: &str) -> bool {
    match column {
        Column::Numeric(_) => value.parse().is_ok_and(|number| condition.holds_for_number(number)),
        Column::Categorical(_) => condition.holds_for_text(value),
    }
}

/// The groups of templates that rows of a table are in and that are not known by name, each once.
///
/// # Errors
/// Those of [`Template::groups`].
pub(super) fn unseen(templates: &[Template], known: &[Group], table: &Table) -> Result<Vec<Group>> {
    let mut new: Vec<Group> = Vec::new();
    for template in templates {
        for group in template.groups(table)? {
            if !known.iter().chain(&new).any(|other| other.name() == group.name()) {
                new.push(group);
            }
        }
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use crate::data::{Categorical, Column, Table};
    use crate::group::{GroupSpec, Groups};

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(*v))))
    }

    fn table(race: &[&str], sex: &[&str], code: &[f64]) -> Table {
        let columns = vec![
            ("race".into(), text(race)),
            ("sex".into(), text(sex)),
            ("code".into(), Column::Numeric(code.to_vec())),
        ];
        Table::new(columns, 2).unwrap()
    }

    /// The names of the groups that only the second table has.
    fn unseen(spec: &str) -> Vec<String> {
        let spec: GroupSpec = spec.parse().unwrap();
        let train = table(&["A", "B", "A", ""], &["f", "m", "m", "f"], &[1.0, 2.0, 1.0, 5.0]);
        let other = table(&["A", "D", "B", "", "C"], &["f", "f", "f", "m", ""], &[1.0, 3.0, 2.0, f64::NAN, 9.0]);
        let (groups, _) = Groups::bind(&[spec], &train).unwrap();
        assert_eq!(groups.unseen(&train).unwrap().len(), 0);
        let kept: Groups = serde_json::from_str(&serde_json::to_string(&groups).unwrap()).unwrap();
        assert_eq!(kept, groups);
        kept.unseen(&other).unwrap().names().map(str::to_owned).collect()
    }

    #[test]
    fn further_values_are_groups_where_every_value_is() {
        assert_eq!(unseen("race"), ["race=C", "race=D"]);
        assert_eq!(unseen("code"), ["code=3", "code=9"]);
        assert_eq!(unseen("sex"), [""; 0]);
    }

    #[test]
    fn listed_values_thresholds_and_buckets_name_all_their_groups_at_once() {
        for spec in ["race=A,B", "race=A|B", "code=1,2|5", "code<=2", "code/2"] {
            assert_eq!(unseen(spec), [""; 0], "{spec}");
        }
    }

    #[test]
    fn intersections_that_training_had_none_of_are_groups_too() {
        assert_eq!(unseen("race=A,B*sex"), ["race=B & sex=f"]);
        assert_eq!(unseen("race*sex"), ["race=B & sex=f", "race=D & sex=f"]);
        assert_eq!(unseen("race=A|B*code=2|5*sex"), ["race=A|B & code=2|5 & sex=f"]);
        assert_eq!(unseen("race=A|B*sex"), [""; 0], "a value that training lacked is none of those that were joined");
        assert_eq!(unseen("code/2*sex"), ["code>1.5 & sex=f"][..0]);
    }
}
