//! Bank marketing: does a client subscribe to a term deposit?

use super::{Edges, Feature, File, GroupRule, Label, Names, Others, Part, Recipe, Rows, Split};

/// Fifths of all clients; nothing lies below zero.
const FIFTHS: Edges = Edges::Percentiles { of: Rows::All, lowest: Some(0.0), at: &[20.0, 40.0, 60.0, 80.0, 100.0] };

pub(super) const RECIPE: Recipe = Recipe {
    name: "bank",
    file: File { name: "bank-additional-full.csv", names: Names::Header, missing: &[], tidy: None },
    rows: &[],
    label: Label::Is { column: "y", positive: "yes" },
    split: Split::Shuffled { seed: 42, train: 32_950, test: 8_238, first: Part::Test },
    fill_missing: false,
    features: &[
        ("age", Feature::Buckets(FIFTHS)),
        ("job", Feature::Category),
        ("marital", Feature::Category),
        ("education", Feature::Category),
        ("default", Feature::Category),
        ("housing", Feature::Category),
        ("loan", Feature::Category),
        ("contact", Feature::Category),
        ("day_of_week", Feature::Category),
        ("poutcome", Feature::Category),
        ("duration", Feature::Thermometer(FIFTHS)),
        ("campaign", Feature::Number),
        ("previous", Feature::Number),
        ("emp.var.rate", Feature::Number),
        ("cons.price.idx", Feature::Centred),
        ("cons.conf.idx", Feature::Centred),
        ("euribor3m", Feature::Centred),
        ("nr.employed", Feature::Centred),
    ],
    others: Others::Dropped,
    groups: &[GroupRule::Buckets("age")],
};
