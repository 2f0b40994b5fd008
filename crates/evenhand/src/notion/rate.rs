//! A rate of one's own: any rate of decisions, over any rows, against others or a number.
//!
//! Holds [`RateNotion`] and its parts. They name rows and classes as a user writes them; `sentence` reads and writes them, `constraint` binds them to
//! groups and classes. The other notions are special cases. [Jiang & Nachum 2019, App. B]

use crate::group::GroupSpec;

/// A rate of decisions over some rows, and what it should equal.
///
/// Written as a sentence, `predicted positive given sex=female and labelled positive against sex=male and labelled positive`:
///
/// | part | written |
/// | --- | --- |
/// | what is counted | `predicted positive`, `predicted negative`, `predicted CLASS`, `predicted as labelled`, `predicted wrongly` |
/// | how much a row counts | `weighted by` a column of numbers, none of them negative; left out: all rows alike |
/// | among which rows | `given` a subset; left out: everyone |
/// | a subset | `everyone`, `each group` (those asked for), a group specification, `labelled CLASS`, `not labelled CLASS`, several joined by `and` |
/// | what it should equal | `against` a subset or a number, `at least` or `at most` a number; left out: the same rate among everyone with the same label |
///
/// `positive` and `negative` are classes wherever a class is named. A specification of several groups (`race`) asks the same of each of them. What holds
/// one of the words above, or is one of them, is written in backquotes.
///
/// ```
/// use evenhand::Notion;
/// let notion: Notion = "rate=predicted positive given age<=30 and sex=female against age>30 and sex=female".parse()?;
/// assert_eq!(notion.to_string(), "rate=predicted positive given age<=30*sex=female against age>30*sex=female");
/// # Ok::<(), evenhand::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RateNotion {
    /// What is counted.
    pub counted: Counted,
    /// The column of how much a row counts: the rate is then Σ v·decision / Σ v.
    pub weighted_by: Option<String>,
    /// Among which rows.
    pub given: Subset,
    /// What it should equal.
    pub against: Against,
}

/// What a rate counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counted {
    /// Predictions of a class.
    Predicted(ClassName),
    /// Predictions of the label.
    AsLabelled,
    /// Predictions of anything but the label.
    Wrongly,
}

/// A class, by its part or by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassName {
    /// The positive one. With more than two classes, and none of them positive, each of them in turn.
    Positive,
    /// The other of two.
    Negative,
    /// By its name.
    Named(String),
}

/// Some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subset {
    /// By columns.
    pub rows: SubsetRows,
    /// Of those, by their label.
    pub labelled: SubsetLabel,
}

/// Rows by columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubsetRows {
    /// All of them.
    Everyone,
    /// Those of each group that was asked for, one after the other.
    EachGroup,
    /// Those of a specification; of several groups, one after the other.
    Of(GroupSpec),
}

/// Rows by their label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubsetLabel {
    /// Any.
    Any,
    /// This class.
    As(ClassName),
    /// Any other class.
    NotAs(ClassName),
}

/// What a rate should equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    /// The same rate among everyone with the same label.
    Everyone,
    /// The same rate among other rows.
    Rows(Subset),
    /// A number.
    Rate(f64),
    /// A number or more.
    AtLeast(f64),
    /// A number or less.
    AtMost(f64),
}

impl RateNotion {
    /// Whether it is about the groups that were asked for.
    pub fn needs_groups(&self) -> bool {
        self.given.rows == SubsetRows::EachGroup
    }

    /// The rows that it names by columns: those of the rate, and those that it is compared with.
    pub fn named_rows(&self) -> [Option<&GroupSpec>; 2] {
        let against = match &self.against {
            Against::Rows(subset) => subset.spec(),
            _ => None,
        };
        [self.given.spec(), against]
    }

    /// What its violation is.
    pub(super) fn measured(&self) -> &'static str {
        match self.against {
            Against::Everyone => "|overall - subset| of the rate",
            Against::Rows(_) => "|rows compared with - subset| of the rate",
            Against::Rate(_) | Against::AtLeast(_) | Against::AtMost(_) => "|asked - found| rate",
        }
    }
}

impl Subset {
    /// All rows.
    pub const EVERYONE: Self = Self { rows: SubsetRows::Everyone, labelled: SubsetLabel::Any };

    pub(super) fn spec(&self) -> Option<&GroupSpec> {
        match &self.rows {
            SubsetRows::Of(spec) => Some(spec),
            SubsetRows::Everyone | SubsetRows::EachGroup => None,
        }
    }
}
