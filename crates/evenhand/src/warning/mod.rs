//! Things a user should know about a result that is still a result.
//!
//! Holds [`Warning`]; `text` has it in words, `added_up` makes one of those of parts. Collected in what a call returns; the front doors print them.

mod added_up;
mod text;

use serde::{Deserialize, Serialize};

/// Something that makes a result weaker than it looks.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// A group with so few rows that its rates say little.
    SmallGroup {
        /// The group.
        group: String,
        /// How many rows it has.
        rows: usize,
    },
    /// Rows whose sensitive value is missing: in no group of that column, and counted among all rows.
    MissingSensitive {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
    },
    /// Values of a group column that are one text in several spellings, as Unicode has them: groups of their own.
    TwoSpellings {
        /// The column.
        column: String,
        /// The values, which look the same.
        values: Vec<String>,
    },
    /// Values of the label, or of a group column, that differ by blanks or capitals alone: classes or groups of their own.
    AlikeValues {
        /// The column.
        column: String,
        /// Those that are alike, together.
        values: Vec<Vec<String>>,
    },
    /// A constraint that conditions on rows there are none of in training: it gets no multiplier.
    ConstraintDropped {
        /// The constraint.
        constraint: String,
        /// Why.
        reason: String,
    },
    /// A group, or a constraint on one, with nobody outside of it to compare with.
    OwnReference {
        /// The group or the constraint.
        what: String,
    },
    /// A feature that is an exact proxy of a withheld column: it determines the column's groups, row for row.
    ExactProxy {
        /// The withheld column.
        column: String,
        /// The feature.
        feature: String,
        /// The groups that it determines, where these are not all of the column's.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        groups: Vec<String>,
    },
    /// A group that some rows have and training rows did not.
    UnseenGroup {
        /// The group.
        group: String,
        /// How many rows.
        rows: usize,
    },
    /// Quantile buckets that fell together because many rows share a value.
    BucketsMerged {
        /// The group specification.
        spec: String,
        /// How many buckets were asked for.
        asked: usize,
        /// How many are left.
        left: usize,
    },
    /// Missing numbers replaced by the training mean, with an indicator column if training had any missing.
    MissingFilled {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// Whether an indicator column tells the learner.
        indicator: bool,
    },
    /// Categories that training never saw: treated as none of the known ones.
    UnseenCategories {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// One of them.
        example: String,
    },
    /// Unseen categories that differ from a known one by blanks or case alone: most likely the same.
    NearlyKnown {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// One of them.
        found: String,
        /// The category that it nearly is.
        known: String,
    },
    /// Columns of the new data that the model does not know: not used.
    ExtraColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// A feature with the same value in every training row: it can tell the learner nothing.
    ConstantColumn {
        /// The column.
        column: String,
    },
    /// A text column in which almost every row has a value of its own, such as a name.
    NearlyUnique {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
        /// How many of them are numbers.
        numbers: usize,
    },
    /// Features with few values, all of them whole numbers, that a learner takes as numbers: they may be codes.
    PossibleCodes {
        /// They, in the order of the file.
        columns: Vec<CountedValues>,
    },
    /// A name that occurs twice in a header; later ones were renamed.
    RenamedColumn {
        /// The name in the file.
        column: String,
        /// The name used here.
        renamed: String,
    },
    /// A few texts in a column of numbers, which make it a column of categories.
    StrayText {
        /// The column.
        column: String,
        /// The first row that has one.
        row: usize,
        /// The first of the texts, in order of appearance.
        texts: Vec<String>,
        /// How many other texts there are.
        others: usize,
        /// How many rows have a text.
        rows: usize,
        /// How many rows have a number.
        numbers: usize,
    },
    /// Rows in groups that no training row was in together: there is no threshold of their own for them.
    UnseenPattern {
        /// How many rows.
        rows: usize,
        /// The groups of one of them.
        groups: Vec<String>,
    },
    /// Constraints on so few rows that no correction was searched for them.
    NotSearched {
        /// Their names.
        constraints: Vec<String>,
        /// How many rows it takes.
        min_group: usize,
    },
    /// Constraints on so few rows that they were held to less than the bound.
    HeldLoosely {
        /// Their names.
        constraints: Vec<String>,
    },
    /// A correction after which many more or fewer rows are predicted positive, or many more wrong.
    NotableChange {
        /// What changed.
        quantity: Quantity,
        /// The share of rows without correction.
        before: f64,
        /// And with it.
        after: f64,
    },
    /// A correction with more errors than one decision for everyone has, where the classifier without it has fewer.
    WorseThanConstant {
        /// The share of rows predicted wrong.
        error: f64,
        /// And with the same decision for everyone.
        constant: f64,
    },
    /// A correction after which groups that had less than everyone, which it was to help, have less than before.
    LevelledDown {
        /// The groups.
        groups: Vec<Changed>,
        /// The share of all rows that is predicted positive without correction.
        positive_rate: f64,
    },
    /// A correction after which rows that lack a value that defines groups are predicted positive far more, or far
    /// less, often than the others.
    MissingApart {
        /// Which rows, such as `race missing`.
        name: String,
        /// How many there are.
        rows: usize,
        /// The share of them that is predicted positive without correction.
        before: f64,
        /// And with it.
        after: f64,
        /// The share of all other rows without correction.
        others_before: f64,
        /// And with it.
        others_after: f64,
    },
    /// The same decision for every row: positive rates are then equal whatever the groups.
    OneDecision {
        /// The class that is predicted.
        decision: String,
        /// How many rows there are.
        rows: usize,
    },
    /// The learner stopped before its own tolerance was reached.
    LearnerNotConverged {
        /// In how many fits.
        fits: usize,
    },
}

/// A column, and how many distinct values it has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountedValues {
    /// The column.
    pub column: String,
    /// How many distinct values, missing ones apart.
    pub values: usize,
}

/// What a correction may change beside evenness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The share of rows predicted positive.
    PositiveRate,
    /// The share of rows predicted otherwise than labelled.
    Error,
}

/// The rate of a group without a correction and with it.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changed {
    /// The group.
    pub group: String,
    /// Which rate.
    pub rate: String,
    /// Without.
    pub before: f64,
    /// With.
    pub after: f64,
}

impl Warning {
    /// The example of unseen categories where values are missing, and no other is strange.
    pub(crate) const MISSING: &'static str = "(missing)";

    /// The rate to ask for with `target-rate` so that as many rows are predicted positive as without correction, where the
    /// warning is that others are, and a twentieth of it as a bound on its violation: with two digits that count.
    pub fn target_rate(&self) -> Option<[String; 2]> {
        let rate = match self {
            Self::LevelledDown { positive_rate, .. } => *positive_rate,
            Self::NotableChange { quantity: Quantity::PositiveRate, before, .. } if *before > 0.0 => *before,
            _ => return None,
        };
        Some([text::short(rate), text::short(rate / 20.0)])
    }

    /// Whether it is about the decisions on some rows: that all are alike, or what a correction changes of them beside evenness.
    pub fn is_of_decisions(&self) -> bool {
        matches!(
            self,
            Self::NotableChange { .. }
                | Self::WorseThanConstant { .. }
                | Self::LevelledDown { .. }
                | Self::MissingApart { .. }
                | Self::OneDecision { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_codes_have_a_stable_form_in_json() {
        let columns = vec![CountedValues { column: "RAC1P".into(), values: 9 }];
        let json = serde_json::to_string(&Warning::PossibleCodes { columns }).unwrap();
        assert_eq!(json, r#"{"code":"possible-codes","columns":[{"column":"RAC1P","values":9}]}"#);
    }
}
