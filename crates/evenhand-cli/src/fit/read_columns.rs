//! What columns were read as: numbers or categories.

use evenhand::correction::Binding;
use evenhand::features::Code;
use serde::Serialize;

use crate::text::clean;

/// At most so many columns of a kind are named; JSON has all.
const MOST_NAMES: usize = 20;

/// What the columns that the learner sees are to it.
#[derive(Serialize)]
pub(super) struct ReadColumns {
    numeric: Vec<String>,
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
        let listed = |names: &[String]| {
            let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| clean(name)).collect();
            let more = names.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            if shown.is_empty() { "none".to_owned() } else { shown.join(", ") + &more }
        };
        format!("Read as numbers: {}; as categories: {}\n", listed(&self.numeric), listed(&self.categorical))
    }
}
