//! Notions: what is asked to be equal across groups.
//!
//! `name` reads and writes their spellings; `rate` is the general one, whose `sentence` is read and written apart. What a notion asks of which rows is said in
//! `constraint`, the one place where all of them take the same form.

mod name;
mod rate;
mod sentence;

pub use rate::{Against, ClassName, Counted, RateNotion, Subset, SubsetLabel, SubsetRows};

use serde::{Deserialize, Serialize};

use crate::group::GroupSpec;

/// What is asked to be equal across groups, or equal to a given number.
///
/// Violations of all of them are measured as overall (or asked) rate minus group rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Notion {
    /// Every group is predicted positive at the overall rate.
    DemographicParity,
    /// Demographic parity by a learner that may not see the columns that tell the group.
    DisparateImpact,
    /// Demographic parity by a learner that may not see the indicators of the groups themselves, as in the paper's Table 1; other values of their
    /// columns stay features. A column that groups compare with a number has no such indicators, and is withheld whole.
    PaperDisparateImpact,
    /// Every group has the overall true positive rate.
    EqualOpportunity,
    /// Every group has the overall true positive rate and the overall false positive rate.
    EqualizedOdds,
    /// Every group has the overall false positive rate.
    PredictiveEquality,
    /// Every group is predicted as accurately as everyone.
    EqualAccuracy,
    /// A class is predicted at a given rate.
    TargetRate {
        /// The class; the positive one if none is named.
        class: Option<String>,
        /// The rate asked for, in (0, 1).
        rate: f64,
        /// Whether every group must have that rate, or all rows together.
        per_group: bool,
    },
    /// Rows known to be labelled right are predicted right.
    Pinned {
        /// Which rows.
        rows: GroupSpec,
        /// The share of them that must be predicted right, in (0, 1].
        accuracy: f64,
    },
    /// Rows whose true rate is known from elsewhere are predicted positive at that rate.
    KnownRate {
        /// Which rows.
        rows: GroupSpec,
        /// The rate, in (0, 1).
        rate: f64,
    },
    /// A rate of one's own: of any decisions, over any rows, against others or a number.
    Rate(RateNotion),
}

impl Notion {
    /// Whether the learner may not see the group: the columns that tell it, or ([`Notion::PaperDisparateImpact`]) its indicator alone.
    pub fn withholds_groups(&self) -> bool {
        matches!(self, Self::DisparateImpact | Self::PaperDisparateImpact)
    }

    /// Whether the notion is about groups at all.
    pub fn needs_groups(&self) -> bool {
        match self {
            Self::TargetRate { per_group, .. } => *per_group,
            Self::Pinned { .. } | Self::KnownRate { .. } => false,
            Self::Rate(rate) => rate.needs_groups(),
            _ => true,
        }
    }

    /// The rows it is about, and those that they are compared with, where it names them itself.
    pub fn own_rows(&self) -> [Option<&GroupSpec>; 2] {
        match self {
            Self::Pinned { rows, .. } | Self::KnownRate { rows, .. } => [Some(rows), None],
            Self::Rate(rate) => rate.named_rows(),
            _ => [None, None],
        }
    }

    /// The column of numbers that its rate is weighted by.
    pub fn weighted_by(&self) -> Option<&str> {
        match self {
            Self::Rate(rate) => rate.weighted_by.as_deref(),
            _ => None,
        }
    }

    /// Whether it names columns: rows by them, or what these are weighted by.
    pub(crate) fn needs_table(&self) -> bool {
        self.weighted_by().is_some() || self.own_rows().iter().any(Option::is_some)
    }

    /// Whether its multipliers change how much a row counts, with whatever label, and not which label counts more.
    pub fn weighs_labels_alike(&self) -> bool {
        match self {
            Self::EqualAccuracy | Self::Pinned { .. } => true,
            Self::Rate(rate) => !matches!(rate.counted, Counted::Predicted(_)),
            _ => false,
        }
    }

    /// What its violation is: the largest of these distances over all groups.
    pub fn measured(&self) -> &'static str {
        match self {
            Self::DemographicParity | Self::DisparateImpact | Self::PaperDisparateImpact => {
                "|overall - group| positive rate"
            }
            Self::EqualOpportunity => "|overall - group| true positive rate",
            Self::EqualizedOdds => "|overall - group| true or false positive rate",
            Self::PredictiveEquality => "|overall - group| false positive rate",
            Self::EqualAccuracy => "|overall - group| accuracy",
            Self::TargetRate { .. } => "|asked - found| rate of the class",
            Self::Pinned { .. } => "|asked - found| accuracy of the pinned rows",
            Self::KnownRate { .. } => "|known - found| positive rate of the rows",
            Self::Rate(rate) => rate.measured(),
        }
    }

    /// The notion in one line.
    pub fn definition(&self) -> &'static str {
        match self {
            Self::DemographicParity => "every group is predicted positive at the overall rate",
            Self::DisparateImpact => {
                "every group is predicted positive at the overall rate, by a learner that may not see the group"
            }
            Self::PaperDisparateImpact => {
                "every group is predicted positive at the overall rate, by a learner that may not see the indicators of the groups"
            }
            Self::EqualOpportunity => {
                "rows labelled positive are predicted positive at the overall rate in every group"
            }
            Self::EqualizedOdds => "true positive rate and false positive rate of every group are the overall ones",
            Self::PredictiveEquality => {
                "rows labelled negative are predicted positive at the overall rate in every group"
            }
            Self::EqualAccuracy => "every group is predicted as accurately as everyone",
            Self::TargetRate { per_group: false, .. } => "a class is predicted at the rate asked for",
            Self::TargetRate { per_group: true, .. } => "a class is predicted at the rate asked for in every group",
            Self::Pinned { .. } => "the pinned rows are predicted right",
            Self::KnownRate { .. } => "the rows are predicted positive at the rate that is known of them",
            Self::Rate(rate) => match rate.against {
                Against::Everyone => "the rate is that of everyone with the same label",
                Against::Rows(_) => "the rate is that of the rows it is compared with",
                Against::Rate(_) => "the rate is the one asked for",
                Against::AtLeast(_) => "the rate is the one asked for or more",
                Against::AtMost(_) => "the rate is the one asked for or less",
            },
        }
    }
}
