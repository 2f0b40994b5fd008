//! COMPAS (ProPublica): is a defendant charged again within two years?

use super::{Edges, Feature, File, GroupRule, Keep, Label, Names, Others, Part, Recipe, Rows, Split};

const SIX: Edges = Edges::Percentiles { of: Rows::All, lowest: Some(0.0), at: &[20.0, 40.0, 60.0, 80.0, 90.0, 100.0] };

/// The lowest edge is zero and open: no prior offence is no bucket.
const PRIORS: Edges = Edges::Percentiles { of: Rows::All, lowest: None, at: &[0.0, 50.0, 70.0, 80.0, 90.0, 100.0] };

pub(super) const RECIPE: Recipe = Recipe {
    name: "compas",
    // `decile_score` and `priors_count` stand in the header twice: the first of each is meant.
    file: File { name: "compas-scores-two-years.csv", names: Names::Header, missing: &["N/A"], tidy: None },
    // ProPublica's own filter.
    rows: &[
        Keep::Between("days_b_screening_arrest", -30.0, 30.0),
        Keep::Not("is_recid", "-1"),
        Keep::Not("c_charge_degree", "O"),
        Keep::Not("score_text", "N/A"),
    ],
    label: Label::Is { column: "two_year_recid", positive: "1" },
    split: Split::Shuffled { seed: 12_345, train: 4_073, test: 2_099, first: Part::Train },
    fill_missing: false,
    features: &[
        ("age", Feature::Buckets(SIX)),
        ("c_charge_degree", Feature::Category),
        ("race", Feature::Category),
        ("score_text", Feature::Category),
        ("sex", Feature::Category),
        ("days_b_screening_arrest", Feature::Number),
        ("decile_score", Feature::Thermometer(SIX)),
        ("priors_count", Feature::Thermometer(PRIORS)),
    ],
    others: Others::Dropped,
    groups: &[
        GroupRule::Value("sex", "Female"),
        GroupRule::Value("sex", "Male"),
        GroupRule::Value("race", "Caucasian"),
        GroupRule::Value("race", "African-American"),
    ],
};
