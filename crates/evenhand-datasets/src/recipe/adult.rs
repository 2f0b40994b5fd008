//! Adult (census income): is a yearly income above 50,000 dollars?

use super::{Edges, Feature, File, GroupRule, Label, Names, Others, Recipe, Rows, Split};

/// The lowest edge is the least age, 17, and open: 17 is no bucket.
const QUARTILES: Edges = Edges::Percentiles { of: Rows::Training, lowest: None, at: &[0.0, 25.0, 50.0, 75.0, 100.0] };

pub(super) const RECIPE: Recipe = Recipe {
    name: "adult",
    file: File { name: "adult.data", names: Names::Given(&NAMES), missing: &[], tidy: Some(tidy) },
    rows: &[],
    label: Label::Is { column: "income", positive: ">50K" },
    split: Split::File("adult.test"),
    fill_missing: false,
    features: &[
        ("workclass", Feature::Category),
        ("education", Feature::Category),
        ("marital-status", Feature::Category),
        ("occupation", Feature::Category),
        ("relationship", Feature::Category),
        ("race", Feature::Category),
        ("sex", Feature::Category),
        ("native-country", Feature::Category),
        ("age", Feature::Buckets(QUARTILES)),
        ("capital-gain", Feature::Buckets(Edges::At(&[-1.0, 1.0, 4_000.0, 10_000.0, 100_000.0]))),
        ("capital-loss", Feature::Buckets(Edges::At(&[-1.0, 1.0, 1_800.0, 1_950.0, 4_500.0]))),
        ("hours-per-week", Feature::Buckets(Edges::At(&[0.0, 39.0, 41.0, 50.0, 100.0]))),
        ("education-num", Feature::Buckets(Edges::At(&[0.0, 8.0, 9.0, 11.0, 16.0]))),
    ],
    others: Others::Dropped,
    groups: &[
        GroupRule::Value("sex", "Female"),
        GroupRule::Value("sex", "Male"),
        GroupRule::Value("race", "White"),
        GroupRule::Value("race", "Black"),
    ],
};

/// The files have no header.
const NAMES: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
];

/// The test file opens with a remark, and its labels end in a full stop.
fn tidy(line: &str) -> Option<String> {
    (!line.starts_with('|')).then(|| line.trim_end_matches('.').to_owned())
}
