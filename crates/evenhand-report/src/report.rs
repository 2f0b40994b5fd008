//! The value that is written: everything a report shows.
//!
//! Holds [`Report`], whose parts are in files of their own. Sections that a command has nothing for are empty, and are
//! not written.

use std::path::Path;

use evenhand::audit::{AskedRate, ScoreAudit};
use evenhand::correction::Effect;
use evenhand::{BoundTest, Notion};
use serde::{Deserialize, Serialize};

use crate::{Bias, Blind, Constrained, Error, Panel, Record, Result, Search, Series, Tradeoff};

/// Everything that is shown, in the order of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was done.
    pub kind: Kind,
    /// By which method, where something was fitted.
    pub method: Option<String>,
    /// What the numbers were measured on.
    pub about: About,
    /// What was asked to be equal.
    pub notions: Vec<NotionLine>,
    /// Error and violation without correction and with it.
    pub change: Option<Change>,
    /// What the correction changes beside evenness.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// How far predictions are from each constraint.
    pub constraints: Vec<Constrained>,
    /// Whether bounds that were asked for hold.
    pub verdicts: Vec<BoundTest>,
    /// What those of an audit are on: notions, of predictions or of labels.
    pub tested: Option<String>,
    /// The rates of one's own that an audit was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedRate>,
    /// Rates by group.
    pub panels: Vec<Panel>,
    /// How many intersections of groups are not shown, for there are too many.
    pub intersections_left_out: usize,
    /// How well scores rank, and whether they are as high as labels are frequent, where an audit was given any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreAudit>,
    /// What multipliers are applied to, and how well features tell groups that the learner may not see.
    #[serde(default)]
    pub blind: Blind,
    /// From which probability on rows are decided positive, in a sentence, where that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_from: Option<String>,
    /// The bias in the labels.
    pub bias: Option<Bias>,
    /// What less violation costs.
    pub tradeoff: Option<Tradeoff>,
    /// How the correction was found.
    pub search: Option<Search>,
    /// What weakens the numbers.
    pub warnings: Vec<String>,
    /// What is needed to do it again.
    pub record: Record,
}

impl Report {
    /// A report of which nothing is known but what it is of.
    pub(crate) fn empty(kind: Kind, about: About, record: Record) -> Self {
        Self {
            kind,
            method: None,
            about,
            notions: Vec::new(),
            change: None,
            effect: None,
            constraints: Vec::new(),
            verdicts: Vec::new(),
            asked: Vec::new(),
            tested: None,
            panels: Vec::new(),
            intersections_left_out: 0,
            scores: None,
            blind: Blind::default(),
            decided_from: None,
            bias: None,
            tradeoff: None,
            search: None,
            warnings: Vec::new(),
            record,
        }
    }
}

/// What a report is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// A classifier with and without correction.
    Fit,
    /// Labels, and predictions where there are any, as they are.
    Audit,
    /// The bias in labels.
    Identify,
    /// Classifiers from no correction to as little violation as weights lead to.
    Frontier,
}

/// The rows that the numbers are of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The column of labels.
    pub label: String,
    /// The class that counts as positive, if one does.
    pub positive: Option<String>,
    /// All classes.
    pub classes: Vec<String>,
    /// How many rows.
    pub rows: usize,
    /// Whether the classifier was trained on them: numbers of new rows may be worse.
    pub are_training: bool,
    /// How many rows it was trained on.
    pub training_rows: usize,
    /// Whether rows had weights of their own.
    pub weighted: bool,
    /// Of all intervals.
    pub confidence: f64,
    /// Groups below this many rows are marked.
    pub small_group: usize,
    /// Whether violations are of probabilities, instead of decisions.
    pub scores: bool,
}

/// A notion in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotionLine {
    /// Its name.
    pub name: String,
    /// What it asks.
    pub definition: String,
    /// What its violation is the largest of.
    pub measured: String,
}

/// A classifier without correction and with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The share predicted otherwise than labelled, without.
    pub error_before: f64,
    /// With.
    pub error_after: f64,
    /// The lower end of the interval of error with minus error without; none where decisions are random.
    pub error_change_low: Option<f64>,
    /// The upper end.
    pub error_change_high: Option<f64>,
    /// The largest violation without; nothing where it could not be measured.
    pub violation_before: Option<f64>,
    /// With.
    pub violation_after: Option<f64>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One page that needs nothing else.
    Html,
    /// A section of a model card.
    Markdown,
    /// Lines for a terminal or a letter.
    Text,
}

impl Format {
    /// The format that a file's name asks for.
    ///
    /// # Errors
    /// [`Error::Format`] for an extension that names none.
    pub fn of_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("html" | "htm") => Ok(Self::Html),
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some("txt") => Ok(Self::Text),
            _ => Err(Error::Format { found: path.file_name().unwrap_or_default().to_string_lossy().into_owned() }),
        }
    }
}

impl NotionLine {
    pub(crate) fn of(notion: &Notion) -> Self {
        Self {
            name: notion.to_string(),
            definition: notion.definition().to_owned(),
            measured: notion.measured().to_owned(),
        }
    }
}

impl Report {
    /// The report in a format.
    ///
    /// # Errors
    /// [`Error::Template`] or [`Error::Json`], where a page cannot be written.
    pub fn render(&self, format: Format) -> Result<String> {
        match format {
            Format::Html => self.html(),
            Format::Markdown => Ok(self.markdown()),
            Format::Text => Ok(self.text()),
        }
    }

    /// The heading.
    pub(crate) fn title(&self) -> String {
        let label = &self.about.label;
        match self.kind {
            Kind::Fit => format!("Predicting “{label}”, before and after correction"),
            Kind::Audit if self.is_of_labels() => format!("Labels of “{label}”, by group"),
            Kind::Audit => format!("Predictions of “{label}”, by group"),
            Kind::Frontier => format!("What less violation costs, predicting “{label}”"),
            Kind::Identify => format!("What labels of “{label}” say about themselves"),
        }
    }

    /// The heading over the groups.
    pub(crate) fn groups_heading(&self) -> &'static str {
        match self.kind {
            Kind::Fit => "Before and after, by group",
            Kind::Frontier => "Both ends of the path, by group",
            Kind::Audit | Kind::Identify => "Rates by group",
        }
    }

    /// Whether classifiers were trained for it.
    pub(crate) fn is_trained(&self) -> bool {
        matches!(self.kind, Kind::Fit | Kind::Frontier)
    }

    /// Whether it is of a path of corrections.
    pub(crate) fn is_path(&self) -> bool {
        self.kind == Kind::Frontier
    }

    /// Whether no predictions were looked at.
    pub(crate) fn is_of_labels(&self) -> bool {
        self.panels.iter().all(|panel| panel.series == [Series::Labels])
    }

    /// The name of a constraint, without that of its notion where there is but one.
    pub(crate) fn short_name<'a>(&self, name: &'a str) -> &'a str {
        match self.notions.as_slice() {
            [only] => name.strip_prefix(only.name.as_str()).map_or(name, str::trim_start),
            _ => name,
        }
    }

    /// Which rows the numbers are of, in words.
    pub(crate) fn measured_on(&self) -> String {
        let rows = crate::number::counted(self.about.rows, "row");
        let weighted = if self.about.weighted { ", each with its own weight" } else { "" };
        if !self.is_trained() {
            return format!("Measured on {rows}{weighted}.");
        }
        if self.about.are_training {
            format!(
                "Measured on the {rows} that it was trained on{weighted}: on new rows, gaps and error may well be larger."
            )
        } else {
            let trained = crate::number::counted(self.about.training_rows, "row");
            format!("Measured on {rows} held back for testing{weighted}; trained on {trained}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_how_a_report_is_written() {
        assert_eq!(Format::of_path(Path::new("a/b.HTML")).unwrap(), Format::Html);
        assert_eq!(Format::of_path(Path::new("card.md")).unwrap(), Format::Markdown);
        let error = Format::of_path(Path::new("/somewhere/report.pdf")).unwrap_err().to_string();
        assert!(error.starts_with("`report.pdf` does not say"), "{error}");
    }
}
