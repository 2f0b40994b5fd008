//! What becomes of a raw column: as it is planned before any row was seen, and as training rows taught it.

use serde::{Deserialize, Serialize};

/// What to do with one raw column, before any row was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnPlan {
    /// The raw column. It may stand in several plans.
    pub column: String,
    /// What should become of it.
    pub kind: PlanKind,
}

/// What should become of a raw column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlanKind {
    /// One feature per category.
    OneHot,
    /// One feature per category but these.
    OneHotWithout(Vec<String>),
    /// The number as it is.
    Number,
    /// The number less the given centre.
    Centred(f64),
    /// The number less its training mean, over its training standard deviation.
    Standardised,
    /// Buckets between the given edges.
    Buckets {
        /// Ascending edges.
        edges: Vec<f64>,
        /// Whether lower buckets stay on.
        thermometer: bool,
    },
}

/// What becomes of a raw column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Code {
    /// One feature per category, and one for missing if training had any.
    OneHot {
        /// The categories of the training rows, in text order.
        values: Vec<String>,
        /// Whether missing is a category of its own.
        missing: bool,
        /// Categories that are no features, although training rows have them: those that the learner may not see.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withheld: Vec<String>,
    },
    /// The number less `centre`, over `scale`; missing is `fill`.
    Number {
        /// Subtracted.
        centre: f64,
        /// Divided by.
        scale: f64,
        /// The training mean.
        fill: f64,
        /// Whether a second feature tells that the number was missing.
        indicator: bool,
    },
    /// Left-open, right-closed intervals between neighbouring edges; outside all of them, no feature.
    Buckets {
        /// Ascending edges, one more than there are buckets.
        edges: Vec<f64>,
        /// Whether a bucket switches on the features of all lower buckets too.
        thermometer: bool,
    },
}

impl Code {
    /// How many features this code makes.
    pub fn width(&self) -> usize {
        match self {
            Self::OneHot { values, missing, .. } => values.len() + usize::from(*missing),
            Self::Number { indicator, .. } => 1 + usize::from(*indicator),
            Self::Buckets { edges, .. } => edges.len().saturating_sub(1),
        }
    }

    /// The categories that are no features.
    pub(crate) fn withheld(&self) -> &[String] {
        match self {
            Self::OneHot { withheld, .. } => withheld,
            Self::Number { .. } | Self::Buckets { .. } => &[],
        }
    }

    /// A name for every feature.
    pub(super) fn feature_names(&self, column: &str) -> Vec<String> {
        let absent = |wanted: bool| wanted.then(|| format!("{column} is missing"));
        match self {
            Self::OneHot { values, missing, .. } => {
                values.iter().map(|value| format!("{column}={value}")).chain(absent(*missing)).collect()
            }
            Self::Number { indicator, .. } => std::iter::once(column.to_owned()).chain(absent(*indicator)).collect(),
            Self::Buckets { edges, thermometer: false } => {
                edges.windows(2).map(|edge| format!("{column} in ({}, {}]", edge[0], edge[1])).collect()
            }
            Self::Buckets { edges, thermometer: true } => {
                edges.windows(2).map(|edge| format!("{column}>{}", edge[0])).collect()
            }
        }
    }
}
