//! What columns were read as: numbers or categories.

use evenhand::correction::Binding;
use evenhand::features::Code;
use serde::Serialize;

use crate::text::{clean, listed};

/// At most so many columns of a kind are named; JSON has all.
const MOST_NAMES: usize = 20;

/// What the columns that the learner sees are to it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ReadColumns {
    /// Columns that are numbers to the learner.
    numeric: Vec<String>,
    /// Columns that are categories to the learner.
    categorical: Vec<String>,
}

impl ReadColumns {
    pub(super) fn of(binding: &Binding) -> Self {
        let mut found = Self { numeric: Vec::new(), categorical: Vec::new() };
        for one in binding.encoding().columns() {
            let names = match one.code {
                Code::OneHot { .. } => &mut found.categorical,
                Code::Number { .. } | Code::Buckets { .. } => &mut found.numeric,
            };
            if !names.contains(&one.column) {
                names.push(one.column.clone());
            }
        }
        found
    }

    /// In a line.
    pub(super) fn to_text(&self) -> String {
        let [numeric, categorical] = [&self.numeric, &self.categorical].map(|names| match &names[..] {
            [] => "none".to_owned(),
            names => listed(names, MOST_NAMES, clean),
        });
        format!("Read as numbers: {numeric}; as categories: {categorical}\n")
    }
}
