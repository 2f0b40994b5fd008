//! The slug of every error: what programs tell errors apart by. Wording may improve, slugs stay.

use super::Error;

impl Error {
    /// A slug that stays the same across versions, for JSON, Python and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::NoTemporary { .. } => "no-temporary",
            Self::PartlyWritten { .. } => "partly-written",
            Self::Unreadable { .. } => "file-unreadable",
            Self::OtherContent { .. } => "file-not-published",
            Self::RaggedRow { .. } => "row-ragged",
            Self::NoRows { .. } => "no-rows",
            Self::UnknownColumn { .. } => "column-unknown",
            Self::LostColumns { .. } => "columns-lost",
            Self::ColumnType { .. } => "column-type",
            Self::NotNumeric { .. } => "value-not-numeric",
            Self::NotFinite { .. } => "value-not-finite",
            Self::OutOfRange { .. } => "value-out-of-range",
            Self::Rounded { .. } => "value-rounded",
            Self::TooManyValues { .. } => "column-too-many-values",
            Self::ColumnKind { .. } => "column-kind",
            Self::LabelMissing { .. } => "label-missing",
            Self::OneClass { .. } => "label-one-class",
            Self::TooManyClasses { .. } => "label-too-many-classes",
            Self::UnknownPositive { .. } => "positive-unknown",
            Self::PositiveNeeded { .. } => "positive-needed",
            Self::UnknownClass { .. } => "class-unknown",
            Self::RowWeight { .. } => "weight-invalid",
            Self::NoWeight { .. } => "weight-none",
            Self::NoFeatures => "no-features",
            Self::GroupSyntax { .. } => "group-syntax",
            Self::GroupValue { .. } => "group-value",
            Self::EmptyGroup { .. } => "group-empty",
            Self::RepeatedGroup { .. } => "group-repeated",
            Self::NotionSyntax { .. } | Self::RateSyntax { .. } => "notion-syntax",
            Self::NoConstraints { .. } => "no-constraints",
            Self::TooLarge { .. } => "problem-too-large",
            Self::TargetClass { .. } => "target-class",
            Self::GroupRole { .. } => "group-role",
            Self::GroupNeeded { .. } => "group-needed",
            Self::Setting { .. } => "setting-invalid",
            Self::Length { .. } => "length-mismatch",
            Self::Learner { .. } => "learner-failed",
            Self::Score { .. } => "score-invalid",
            Self::Interrupted => "interrupted",
            Self::ModelFormat { .. } => "model-format",
            Self::ModelVersion { .. } => "model-version",
            Self::ModelIntegrity { .. } => "model-integrity",
        }
    }
}
