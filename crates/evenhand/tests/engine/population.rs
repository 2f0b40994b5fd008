//! The population that several files of tests share.

use evenhand::data::Categorical;
use evenhand::{Column, Dataset, Schema, Table};
use evenhand_datasets::synthetic;

/// Six thousand applicants whose true labels are known.
pub(crate) fn table() -> Table {
    synthetic::population(6000, 11).unwrap()
}

/// The population with three solutions: refused, approved, approved with a better rate.
pub(crate) fn three_classes() -> Dataset {
    let mut table = table();
    let Some(Column::Numeric(income)) = table.get("income") else { panic!("income is numeric") };
    let rich: Vec<bool> = income.iter().map(|income| *income > 40.0).collect();
    let approved = table.get("approved").unwrap().clone();
    let solution = (0..table.rows()).map(|row| {
        Some(match (approved.text(row).as_deref(), rich[row]) {
            (Some("yes"), true) => "best",
            (Some("yes"), false) => "plain",
            _ => "refused",
        })
    });
    table.set("solution", Column::Categorical(Categorical::from_values(solution))).unwrap();
    Dataset::new(table, &Schema::label("solution").ignore("approved").ignore("deserved")).unwrap()
}
