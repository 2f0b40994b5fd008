//! Disparate impact as the paper's table has it: only what is itself a group is withheld.
//!
//! Our notion withholds every column that tells a group. The published numbers come out to the last digit if categories that no group
//! uses (on COMPAS and Adult, all races but two) stay with the learner, each as a feature.

use super::{GroupRule, Prepared, Recipe};
use evenhand::features::{ColumnPlan, PlanKind};
use evenhand::{Column, Dataset, Result};

/// A category that stays, and the feature that tells it.
struct Stays {
    column: &'static str,
    value: String,
}

impl Stays {
    fn feature(&self) -> String {
        format!("{} is {}", self.column, self.value)
    }
}

/// Adds a feature for each category that shares a column with groups and is none.
pub(super) fn with_other_categories(recipe: &Recipe, prepared: &Prepared) -> Result<Prepared> {
    let stays = stays(recipe, &prepared.train)?;
    let mut plan = prepared.plan.clone();
    plan.extend(stays.iter().map(|one| ColumnPlan { column: one.feature(), kind: PlanKind::Number }));
    let tell = |data| told(&stays, data);
    let (train, test, all) = (tell(&prepared.train)?, tell(&prepared.test)?, tell(&prepared.all)?);
    let mut with = prepared.clone();
    (with.train, with.test, with.all, with.plan) = (train, test, all, plan);
    Ok(with)
}

fn stays(recipe: &Recipe, train: &Dataset) -> Result<Vec<Stays>> {
    let groups = recipe.groups.iter().filter_map(|rule| match rule {
        GroupRule::Value(column, value) => Some((*column, *value)),
        _ => None,
    });
    let groups: Vec<(&str, &str)> = groups.collect();
    let mut columns: Vec<&'static str> = groups.iter().map(|group| group.0).collect();
    columns.dedup();
    let mut stays = Vec::new();
    for column in columns {
        let values = train.table().column(column)?.to_categorical();
        let counts = values.counts();
        let known = values.dictionary().iter().zip(&counts).filter(|&(_, &count)| count > 0);
        let others = known.filter(|(value, _)| !groups.contains(&(column, value.as_str())));
        stays.extend(others.map(|(value, _)| Stays { column, value: value.clone() }));
    }
    Ok(stays)
}

fn told(stays: &[Stays], data: &Dataset) -> Result<Dataset> {
    let mut table = data.table().clone();
    for one in stays {
        let column = table.column(one.column)?;
        let is_it = |row| f64::from(u8::from(column.text(row).is_some_and(|text| text == one.value)));
        let feature = Column::Numeric((0..table.rows()).map(is_it).collect());
        table.set(&one.feature(), feature)?;
    }
    data.like(table)
}
