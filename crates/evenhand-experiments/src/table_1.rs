//! The numbers of the paper's Table 1, and whether others agree with them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Estimate, PaperMethod, Part};
use evenhand::Notion;

/// Test error and test violation as published.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Published {
    /// The share decided otherwise than labelled.
    pub error: f64,
    /// The largest |overall rate − group rate|.
    pub violation: f64,
}

/// Whether a number of ours stands for a published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// It does, within what is said in [`Agreement::of`].
    Agrees,
    /// It does not.
    Differs,
    /// One split cannot tell: which rows the authors tested on is not known. [`Agreement::among`] can, from several.
    OtherRows,
}

/// The datasets of the table.
pub const DATASETS: [&str; 5] = ["adult", "bank", "communities", "compas", "german"];

/// One line of the table.
#[derive(Deserialize)]
struct Line {
    dataset: String,
    notion: Notion,
    #[serde(flatten)]
    methods: BTreeMap<PaperMethod, (f64, f64)>,
}

/// What the paper says of a dataset, a notion and a method, if it says something.
///
/// # Panics
/// Never: the table is part of the program, and read in a test.
pub fn published(dataset: &str, notion: &Notion, method: PaperMethod) -> Option<Published> {
    let table: Vec<Line> = serde_json::from_str(include_str!("table_1.json")).expect("a test reads it");
    let line = table.into_iter().find(|line| line.dataset == dataset && line.notion == *notion)?;
    line.methods.get(&method).map(|&(error, violation)| Published { error, violation })
}

/// The authors' split of Communities is not known.
const OTHER_ROWS: &str = "communities";

/// Whether the authors' split of a dataset is known.
pub fn is_split_known(dataset: &str) -> bool {
    dataset != OTHER_ROWS
}

/// The 97.5 % quantile of Student's t, by the expansion of Cornish and Fisher: to 0.001 from ten degrees of freedom on.
fn student(freedom: f64) -> f64 {
    // Of the normal distribution.
    const Z: f64 = 1.959_964;
    let first = (Z.powi(3) + Z) / (4.0 * freedom);
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom.powi(2));
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / (384.0 * freedom.powi(3));
    Z + first + second + third
}

/// How far error and violation may be apart: on the two large datasets, and on the small ones.
const NEAR: [(f64, f64); 2] = [(0.003, 0.005), (0.01, 0.02)];
const LARGE: [&str; 2] = ["adult", "bank"];

/// How many test rows the error without correction may be apart: there is nothing to choose in it.
const ROWS: f64 = 3.0;

/// Half the last digit that is printed.
const ROUNDED: f64 = 0.5e-4;

impl Agreement {
    /// Whether ours agrees with what was published: error and violation within .003 and .005 on Adult and Bank, .01 and
    /// .02 on COMPAS and German; without correction the error within three test rows.
    pub fn of(dataset: &str, method: PaperMethod, ours: &Part, published: &Published) -> Self {
        if !is_split_known(dataset) {
            return Self::OtherRows;
        }
        let (mut error, violation) = NEAR[usize::from(!LARGE.contains(&dataset))];
        if method == PaperMethod::Unconstrained {
            error = ROWS / ours.rows as f64;
        }
        let apart = ours.violation.map_or(f64::INFINITY, |ours| (ours - published.violation).abs());
        let near = (ours.error - published.error).abs() <= error + ROUNDED && apart <= violation + ROUNDED;
        if near { Self::Agrees } else { Self::Differs }
    }

    /// Whether what was published of a split that is not known agrees with what drawn ones have: error and violation each within the interval that holds a further
    /// split with a probability of 95 %. `None` of a single one.
    pub fn among(published: &Published, error: &Estimate, violation: &Estimate) -> Option<Self> {
        let is_near = |published: f64, ours: &Estimate| {
            let splits = ours.splits as f64;
            // The standard deviation of a split, times √(1 + 1/splits): the mean is uncertain too.
            let deviation = ours.error? * (splits + 1.0).sqrt();
            Some((published - ours.mean).abs() <= student(splits - 1.0) * deviation + ROUNDED)
        };
        let both = is_near(published.error, error)? && is_near(published.violation, violation)?;
        Some(if both { Self::Agrees } else { Self::Differs })
    }

    /// The same in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::OtherRows => "other rows",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NOTIONS;

    #[test]
    fn every_dataset_and_notion_was_published_but_for_thresholds_where_they_do_not_apply() {
        for dataset in DATASETS {
            for notion in &NOTIONS {
                for method in [PaperMethod::Unconstrained, PaperMethod::Lagrangian, PaperMethod::LabelBias] {
                    assert!(published(dataset, notion, method).is_some(), "{dataset} {notion} {method}");
                }
                let thresholds = published(dataset, notion, PaperMethod::Calibration);
                let one_rate = matches!(notion, Notion::DemographicParity | Notion::EqualOpportunity);
                assert_eq!(thresholds.is_some(), one_rate, "{dataset} {notion}");
            }
        }
        let adult = published("adult", &Notion::DemographicParity, PaperMethod::LabelBias);
        assert_eq!(adult, Some(Published { error: 0.1651, violation: 0.0037 }));
    }

    #[test]
    fn agreement_is_within_what_is_said_and_not_beyond() {
        let published = Published { error: 0.1, violation: 0.02 };
        let ours = |error, violation| Part { rows: 1000, error, violation: Some(violation) };
        let of = |dataset, method, part| Agreement::of(dataset, method, &part, &published);
        assert_eq!(of("adult", PaperMethod::LabelBias, ours(0.1029, 0.0249)), Agreement::Agrees);
        assert_eq!(of("adult", PaperMethod::LabelBias, ours(0.1031, 0.0249)), Agreement::Differs);
        assert_eq!(of("adult", PaperMethod::LabelBias, ours(0.1, 0.0251)), Agreement::Differs);
        assert_eq!(of("compas", PaperMethod::LabelBias, ours(0.1099, 0.0399)), Agreement::Agrees);
        assert_eq!(of("compas", PaperMethod::Unconstrained, ours(0.1029, 0.02)), Agreement::Agrees);
        assert_eq!(of("compas", PaperMethod::Unconstrained, ours(0.104, 0.02)), Agreement::Differs);
        assert_eq!(of("communities", PaperMethod::LabelBias, ours(0.1, 0.02)), Agreement::OtherRows);
    }

    #[test]
    fn a_number_of_an_unknown_split_is_compared_with_those_of_others() {
        let published = Published { error: 0.1, violation: 0.02 };
        let around = |mean: f64| Estimate { mean, error: Some(0.001), splits: 20 };
        // Student's quantile of 19 degrees of freedom is 2.0930.
        let most = 2.093 * 0.001 * 21.0_f64.sqrt() + ROUNDED;
        let near = |off: f64, more: f64| Agreement::among(&published, &around(0.1 + off), &around(0.02 + more));
        assert_eq!(near(most - 1e-5, 0.0), Some(Agreement::Agrees));
        assert_eq!(near(0.0, 1e-5 - most), Some(Agreement::Agrees));
        assert_eq!(near(most + 1e-5, 0.0), Some(Agreement::Differs));
        assert_eq!(near(0.0, -1e-5 - most), Some(Agreement::Differs));
        let one = Estimate::of(&[0.1]).unwrap();
        assert_eq!(Agreement::among(&published, &one, &one), None);
    }
}
