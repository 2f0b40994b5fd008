//! Everything that can go wrong, as data.
//!
//! Holds [`Error`], the one error type of the library; `code` has its stable slugs, `words` how messages write lists and counts. A message
//! says what, where and what to do. Leans on nothing; everything else leans on it.

mod code;
mod words;

use std::path::PathBuf;

use words::{asked, count, count_have, list, other_rows, paths};

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error behind another, of whatever type.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong, where, and what to do about it.
///
/// Where another error is the cause, `source()` gives it, and the text says it too. [`Error::code`] gives a slug that stays the same while the wording may improve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read or write a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No temporary file or folder could be made or filled.
    #[error("no room for temporary files in {}: {source}; make some there, or name another folder in TMPDIR", folder.display())]
    NoTemporary {
        /// Where they go.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Of the files of one run some are new, and the next could not be put in its place.
    #[error("{}: {source}; new are {}; as before are {}", path.display(), paths(new), paths(old))]
    PartlyWritten {
        /// The one that could not be put in its place.
        path: PathBuf,
        /// Those that are new.
        new: Vec<PathBuf>,
        /// Those that are as they were.
        old: Vec<PathBuf>,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not what its format says: truncated, damaged, or of another format.
    #[error("{}: not readable as {format}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The format that was tried.
        format: &'static str,
        /// What the parser said.
        source: Cause,
    },
    /// A file is not the one that was published under its name.
    #[error("{}: its content is not the published one; SHA-256 expected {}, found {found}", path.display(), expected.join(" or "))]
    OtherContent {
        /// The file.
        path: PathBuf,
        /// The SHA-256 of the published content: any of these.
        expected: Vec<String>,
        /// That of the file.
        found: String,
    },
    /// A file was changed while its rows were read.
    #[error("{}: it changed while it was read; start again when nothing writes to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Of files that are read as one, one has other columns than the first.
    #[error("{}: {problem}; its columns must be those of {}", path.display(), first.display())]
    OtherColumns {
        /// The file.
        path: PathBuf,
        /// The first of the files.
        first: PathBuf,
        /// What is different.
        problem: String,
    },
    /// Something is wrong with the rows of one of several files.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<Error>,
    },
    /// Something was asked of rows that are not all in memory which needs them to be.
    #[error(
        "{what} needs all rows in memory, and these are too many to be held there; take fewer rows, or raise `memory`"
    )]
    NotStored {
        /// What was asked.
        what: String,
    },
    /// Rows are not the same each time they are read.
    #[error(
        "the rows changed while they were gone through: {before} at first, and then {}; read them from where they do not change, or keep a copy", other_rows(*before, *after)
    )]
    RowsChanged {
        /// How many there were at first.
        before: usize,
        /// How many there were then.
        after: usize,
    },
    /// A block of encoded rows is damaged, or of other rows than it was asked about.
    #[error("a block of encoded rows is damaged, or belongs to other rows; start again")]
    BlockFormat,
    /// A line has another number of fields than the header.
    #[error("{}, row {row}: {found} fields where {expected} were expected; the line may be cut, or the delimiter another", path.display())]
    RaggedRow {
        /// The file.
        path: PathBuf,
        /// The row, counted as the file counts it.
        row: usize,
        /// How many fields the header has.
        expected: usize,
        /// How many this row has.
        found: usize,
    },
    /// A table without rows, or a split that leaves one part without rows.
    #[error("{what} has no rows")]
    NoRows {
        /// Which table.
        what: String,
    },
    /// A column was named that the data do not have.
    #[error("no column `{column}`; the data have: {}", list(known))]
    UnknownColumn {
        /// The name asked for.
        column: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Columns that the model was trained on are not in the new data.
    #[error("the data lack {} that the model was trained on: {}", count(columns.len(), "column"), list(columns))]
    LostColumns {
        /// The missing names.
        columns: Vec<String>,
    },
    /// A column holds a type this crate has no meaning for.
    #[error("column `{column}` holds {found}; turn it into numbers or text, or leave it out with `ignore`")]
    ColumnType {
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// A value that had to be a number is not one.
    #[error("column `{column}`, row {row}: `{found}` is not a number")]
    NotNumeric {
        /// The column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
    },
    /// A number that is infinite.
    #[error("column `{column}`, row {row}: `{found}` is not finite; make it missing, or cap it")]
    NotFinite {
        /// The column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
    },
    /// A whole number with more digits than a double holds, where its digits tell values apart.
    #[error(
        "column `{column}`, row {row}: `{found}` has more digits than a number keeps here, and values would merge; read the column as categories"
    )]
    Rounded {
        /// The column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
    },
    /// Numbers so large or so small that doubles cannot compute with them.
    #[error("column `{column}`, row {row}: `{found}` is too {} to compute with; give the column in another unit, or as categories", if *large { "large" } else { "small" })]
    OutOfRange {
        /// The column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
        /// Whether it is too large, or too small.
        large: bool,
    },
    /// A column with more distinct values than are kept.
    #[error(
        "column `{column}` has more than {most} distinct values, which are not kept; leave it out with `ignore`, or say that it is numeric if it holds numbers"
    )]
    TooManyValues {
        /// The column.
        column: String,
        /// How many are kept.
        most: usize,
    },
    /// A column that had to be categorical, or numeric, is the other.
    #[error("column `{column}` is {found}, but {wanted} is needed {purpose}")]
    ColumnKind {
        /// The column.
        column: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// What for.
        purpose: String,
    },
    /// Rows without a label.
    #[error("label column `{column}`: {} no value, the first in row {row}; drop or fill them", count_have(*count, "row"))]
    LabelMissing {
        /// The label column.
        column: String,
        /// The first such row.
        row: usize,
        /// How many there are.
        count: usize,
    },
    /// Only one class among the labels.
    #[error("label column `{column}` has one class only, `{class}`; a classifier needs at least two")]
    OneClass {
        /// The label column.
        column: String,
        /// That class.
        class: String,
    },
    /// More classes than a classification problem plausibly has.
    #[error(
        "label column `{column}` has {found} distinct values, at most {most} are classes; is it a number to be predicted rather than a class?"
    )]
    TooManyClasses {
        /// The label column.
        column: String,
        /// How many distinct values.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// The positive class is not among the labels.
    #[error("label column `{column}` has no value `{positive}`; it has: {}", list(known))]
    UnknownPositive {
        /// The label column.
        column: String,
        /// The value asked for.
        positive: String,
        /// The values there are.
        known: Vec<String>,
    },
    /// Two classes, and no way to tell which one is positive.
    #[error("label column `{column}` has the values {}; say which one is positive with `positive`", list(classes))]
    PositiveNeeded {
        /// The label column.
        column: String,
        /// The two values.
        classes: Vec<String>,
    },
    /// A label in new data that training never saw, or a prediction that is no label.
    #[error("column `{column}`, row {row}: `{found}` is none of the known classes: {}", list(known))]
    UnknownClass {
        /// The label column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
        /// The classes of training.
        known: Vec<String>,
    },
    /// A number to weight a rate by that is negative, missing or infinite.
    #[error(
        "column `{column}`, row {row}: a rate cannot be weighted by `{found}`; numbers to weight by are finite and not negative, and no row lacks one"
    )]
    RateWeight {
        /// The column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// What was found.
        found: String,
    },
    /// A frequency of a row that is no whole number.
    #[error(
        "frequency column `{column}`, row {row}: `{found}` is not a frequency; it is how many times a row counts, a whole number from 0 to 4294967295"
    )]
    Frequency {
        /// The column of frequencies.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
    },
    /// A row weight that is negative, missing or infinite.
    #[error("weight column `{column}`, row {row}: `{found}` is not a weight; weights are finite and not negative")]
    RowWeight {
        /// The weight column.
        column: String,
        /// The row, counted as the file counts it.
        row: usize,
        /// The value.
        found: String,
    },
    /// All weight is zero.
    #[error("{what} sum to zero; at least one row needs a positive weight")]
    NoWeight {
        /// Which weights.
        what: String,
    },
    /// No column is left for the learner.
    #[error("no feature is left: every column is the label, a weight, ignored or withheld")]
    NoFeatures,
    /// A group specification that cannot be read.
    #[error(
        "group `{spec}`: {problem}; write `sex`, `race=Black,White`, `race=Black|Hispanic`, `age<=30`, `age/5` or `sex*race`"
    )]
    GroupSyntax {
        /// The specification.
        spec: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A group asks for a value that its column does not hold.
    #[error("group `{spec}`: column `{column}` has no value `{value}`; it has: {}", list(known))]
    GroupValue {
        /// The specification.
        spec: String,
        /// The column.
        column: String,
        /// The value asked for.
        value: String,
        /// The values there are.
        known: Vec<String>,
    },
    /// A group without a single row.
    #[error("group `{group}` has no rows in {place}")]
    EmptyGroup {
        /// The group.
        group: String,
        /// Which data.
        place: String,
    },
    /// Two groups of the same name.
    #[error("group `{group}` is given twice")]
    RepeatedGroup {
        /// The group.
        group: String,
    },
    /// A notion that cannot be read.
    #[error("notion `{notion}`: {problem}; known are: {}", list(known))]
    NotionSyntax {
        /// What was written.
        notion: String,
        /// What is wrong with it.
        problem: String,
        /// The spellings there are.
        known: Vec<String>,
    },
    /// A rate of one's own that cannot be read, or asks for what is not there.
    #[error(
        "notion `{notion}`: {problem}; a rate is written `rate=predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET|RATE]`, as in `rate=predicted positive given age<=30 against age>30`"
    )]
    RateSyntax {
        /// What was written.
        notion: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// Nothing to correct for: no constraint could be formed.
    #[error("no constraint can be formed: {reason}")]
    NoConstraints {
        /// Why.
        reason: String,
    },
    /// More constraints, classes and combinations of groups than are corrected together.
    #[error(
        "{what} are too many together: they make {found} numbers, at most {most} are kept; name the class that is positive, or ask for fewer groups or notions"
    )]
    TooLarge {
        /// What there is too much of.
        what: String,
        /// How many numbers would be kept.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// A target rate for a class that the labels do not have, or for none in particular.
    #[error("the target rate is for {}; write `target-rate=CLASS:RATE` with one of: {}", asked(class.as_deref()), list(known))]
    TargetClass {
        /// The class asked for.
        class: Option<String>,
        /// The classes there are.
        known: Vec<String>,
    },
    /// The label cannot define groups.
    #[error("column `{column}` cannot define groups: it is the label; name other columns")]
    GroupedByLabel {
        /// The column.
        column: String,
    },
    /// A column that was ignored cannot define groups.
    #[error(
        "column `{column}` cannot define groups: it is ignored; to keep it from the learner alone, withhold it instead"
    )]
    GroupedByIgnored {
        /// The column.
        column: String,
    },
    /// A classifier that decides by groups, by thresholds or by a tilt, was put to rows whose groups are not known.
    #[error("no column `{column}`: it defines a group, and this model decides by groups; bring the column back, or fit by another method. The data have: {}", .known.join(", "))]
    GroupNeeded {
        /// The column.
        column: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A setting out of its range.
    #[error("`{setting}` is {found}; allowed is {allowed}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What was given.
        found: String,
        /// What may be given.
        allowed: String,
        /// The setting that it does not go with, where it would be right without that one.
        with: Option<&'static str>,
    },
    /// Two inputs that must have the same length do not.
    #[error("{what}: {found} where {expected} were expected")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many were expected.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A learner failed.
    #[error("the learner failed: {detail}")]
    Learner {
        /// What it said.
        detail: String,
        /// The error behind it, where there is one.
        source: Option<Cause>,
    },
    /// A learner gave scores that are no probabilities, where these are needed.
    #[error("`{setting}` needs probabilities, and the learner gives none: {problem}")]
    NoProbabilities {
        /// The setting that needs them.
        setting: &'static str,
        /// What it gives instead.
        problem: String,
    },
    /// A model file names a command that the user has not named.
    #[error("this model runs `{command}`; name that command as the learner to agree to it")]
    NotAgreed {
        /// The command.
        command: String,
    },
    /// So many features that standard errors cannot be computed.
    #[error("there are {features} features, and standard errors are computed for at most {most}{}", words::widest(.widest.as_ref()))]
    TooManyFeatures {
        /// How many there are.
        features: usize,
        /// How many there may be.
        most: usize,
        /// The column with the most of them, and how many, where it is known.
        widest: Option<(String, usize)>,
    },
    /// A learner gave a score that is no probability.
    #[error("{learner}, row {row}: the score {found} is no probability; scores lie between 0 and 1")]
    Score {
        /// The learner.
        learner: String,
        /// The row of those it was given.
        row: usize,
        /// The score.
        found: String,
    },
    /// Somebody asked to stop before there was anything to return.
    #[error("interrupted before the first fit was done")]
    Interrupted,
    /// A file that is not a model.
    #[error("{}: not an evenhand model: {source}", path.display())]
    ModelFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Cause,
    },
    /// A model file of another version of the format.
    #[error("{}: model format {found}, this program reads {expected}; fit again, or use the program that wrote it", path.display())]
    ModelVersion {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: u64,
        /// The version that is read.
        expected: u64,
    },
    /// A model file whose content is not what was written.
    #[error("{}: the content does not match its SHA-256; the file was changed or damaged since it was written", path.display())]
    ModelIntegrity {
        /// The file.
        path: PathBuf,
    },
}

impl Error {
    /// A setting that is out of its range: what was given, and what may be given.
    pub fn setting(setting: &'static str, found: impl std::fmt::Display, allowed: impl Into<String>) -> Self {
        Self::Setting { setting, found: found.to_string(), allowed: allowed.into(), with: None }
    }

    /// A setting that does not go with another.
    pub(crate) fn conflict(
        setting: &'static str,
        with: &'static str,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Setting { setting, found: found.into(), allowed: allowed.into(), with: Some(with) }
    }

    /// What the system said when no temporary file could be made or filled.
    pub(crate) fn no_temporary(source: std::io::Error) -> Self {
        Self::NoTemporary { folder: std::env::temp_dir(), source }
    }

    /// The same error, with the file that its rows are in, where it does not name one.
    #[must_use]
    pub(crate) fn in_file(self, path: &std::path::Path) -> Self {
        match self {
            Self::Io { .. }
            | Self::NoTemporary { .. }
            | Self::Unreadable { .. }
            | Self::RaggedRow { .. }
            | Self::Changed { .. }
            | Self::OtherColumns { .. }
            | Self::InFile { .. }
            | Self::Interrupted => self,
            Self::NoRows { ref what } if *what == path.display().to_string() => self,
            source => Self::InFile { path: path.to_owned(), source: Box::new(source) },
        }
    }

    /// What a learner said when it failed.
    pub fn learner(detail: impl Into<String>) -> Self {
        Self::Learner { detail: detail.into(), source: None }
    }

    /// The same, with the error behind it.
    pub(crate) fn learner_by(detail: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Learner { detail: detail.into(), source: Some(source.into()) }
    }

    /// The row it is about, if it is about one: a front door may count rows otherwise than a file does.
    pub fn row_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::RaggedRow { row, .. }
            | Self::NotNumeric { row, .. }
            | Self::NotFinite { row, .. }
            | Self::OutOfRange { row, .. }
            | Self::Rounded { row, .. }
            | Self::Score { row, .. }
            | Self::LabelMissing { row, .. }
            | Self::UnknownClass { row, .. }
            | Self::RateWeight { row, .. }
            | Self::Frequency { row, .. }
            | Self::RowWeight { row, .. } => Some(row),
            Self::InFile { source, .. } => source.row_mut(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_can_be_counted_otherwise() {
        let mut error = Error::NotFinite { column: "x".into(), row: 4, found: "inf".into() };
        *error.row_mut().unwrap() -= 1;
        assert!(error.to_string().starts_with("column `x`, row 3: `inf`"), "{error}");
        assert_eq!(Error::NoRows { what: "it".into() }.row_mut(), None);
    }

    #[test]
    fn the_error_behind_another_is_told_and_kept() {
        let cause = std::io::Error::other("cut off");
        let error = Error::Unreadable { path: "a.csv".into(), format: "CSV", source: cause.into() };
        assert_eq!(error.to_string(), "a.csv: not readable as CSV: cut off");
        let source = std::error::Error::source(&error).unwrap();
        assert!(source.downcast_ref::<std::io::Error>().is_some());
    }
}
