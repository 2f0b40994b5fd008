//! German credit (Statlog): is an applicant a bad risk?

use super::{File, GroupRule, Label, Names, Others, Part, Recipe, Split};

pub(super) const RECIPE: Recipe = Recipe {
    name: "german",
    file: File { name: "german.data-numeric", names: Names::Given(&NAMES), missing: &[], tidy: Some(tidy) },
    rows: &[],
    // Class 2 is bad credit.
    label: Label::Is { column: "class", positive: "2" },
    split: Split::Shuffled { seed: 42, train: 670, test: 330, first: Part::Test },
    fill_missing: false,
    features: &[],
    others: Others::Numbers { but: &[] },
    groups: &[GroupRule::AtMost("age", 30.0)],
};

/// The numeric recoding has no names; what two of its columns hold is known from the original.
const NAMES: [&str; 25] = [
    "x1",
    "duration_months",
    "x3",
    "x4",
    "x5",
    "x6",
    "x7",
    "x8",
    "x9",
    "age",
    "x11",
    "x12",
    "x13",
    "x14",
    "x15",
    "x16",
    "x17",
    "x18",
    "x19",
    "x20",
    "x21",
    "x22",
    "x23",
    "x24",
    "class",
];

/// Fields are separated by any number of blanks.
#[expect(clippy::unnecessary_wraps, reason = "the recipe of Adult drops lines")]
fn tidy(line: &str) -> Option<String> {
    Some(line.split_whitespace().collect::<Vec<_>>().join(","))
}
