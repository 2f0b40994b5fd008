//! Communities and crime: is violent crime among the highest three tenths?

use super::{Edges, Feature, File, GroupRule, Label, Names, Others, Recipe, Rows, Split};

/// At most the median, and above it. All shares lie from 0 to 1.
const HALVES: Feature = Feature::Buckets(Edges::Percentiles { of: Rows::All, lowest: Some(-1.0), at: &[50.0, 100.0] });

pub(super) const RECIPE: Recipe = Recipe {
    name: "communities",
    about: "Communities with much violent crime; groups are halves of four racial shares",
    file: File { name: "communities.data.gz", names: Names::Listed, missing: &["?"], tidy: None },
    rows: &[],
    label: Label::Above { column: "ViolentCrimesPerPop", percentile: 70.0 },
    split: Split::Listed,
    fill_missing: true,
    // Beside the shares themselves, which are among the others.
    features: &[("racepctblack", HALVES), ("racePctAsian", HALVES), ("racePctWhite", HALVES), ("racePctHisp", HALVES)],
    others: Others::Numbers { but: &["state", "county", "community", "communityname", "fold"] },
    groups: &[
        GroupRule::Buckets("racepctblack"),
        GroupRule::Buckets("racePctAsian"),
        GroupRule::Buckets("racePctWhite"),
        GroupRule::Buckets("racePctHisp"),
    ],
};
