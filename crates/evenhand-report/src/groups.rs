//! Rates by group, with intervals and counts: before, after, and of the labels themselves.
//!
//! Holds [`Panel`], one rate of one class. Leans on audits of the engine; computes nothing.

use evenhand::audit::{Audit, ClassAudit, GroupRates, LabelRates, PredictionAudit, Rate, RateKind};
use serde::{Deserialize, Serialize};

use crate::Gap;

/// One rate of every group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// The class that counts as positive.
    pub class: String,
    /// Which rate.
    pub rate: RateKind,
    /// What each number of a line is about.
    pub series: Vec<Series>,
    /// All rows.
    pub overall: Line,
    /// Each group, lowest rate first by the first predictions (or labels).
    pub groups: Vec<Line>,
    /// Rows that lack a value that defines groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Line>,
    /// Rows in several groups at once, in the same order.
    pub intersections: Vec<Line>,
}

/// Whose rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Series {
    /// Of the observed labels.
    Labels,
    /// Of predictions without correction.
    Before,
    /// Of predictions with it.
    After,
    /// Of predictions that were given.
    Predictions,
}

/// The rates of some rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The group.
    pub group: String,
    /// How many rows it has.
    pub rows: usize,
    /// Whether those that a rate asks about are so few that it says little.
    pub small: bool,
    /// One rate for each of the panel's series.
    pub rates: Vec<Rate>,
    /// Everyone's rate minus the group's by the last of these, for groups.
    pub gap: Option<Gap>,
}

/// A part of an audit: all rows, a group, rows without a value, or an intersection.
#[derive(Clone, Copy)]
enum Part {
    Overall,
    Group(usize),
    Missing(usize),
    Intersection(usize),
}

impl Series {
    /// Its name in tables and legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Before => "before",
            Self::After => "after",
            Self::Predictions => "predictions",
        }
    }
}

impl Panel {
    /// A panel for each class and rate, of audits of the same rows and groups.
    pub(crate) fn all(audits: &[(Series, &Audit)], rates: &[RateKind]) -> Vec<Self> {
        let Some((_, first)) = audits.first() else { return Vec::new() };
        let mut panels = Vec::new();
        for class in 0..first.classes.len() {
            // Whether a prediction agrees with the label does not depend on the class.
            for &rate in rates.iter().filter(|&&rate| class == 0 || rate != RateKind::Accuracy) {
                panels.push(Self::new(audits, class, rate));
            }
        }
        panels
    }

    fn new(audits: &[(Series, &Audit)], class: usize, rate: RateKind) -> Self {
        let first = audits[0].1;
        let labels = first.classes[class].labels.as_ref();
        let has_labels = rate == RateKind::PositiveRate && labels.is_some();
        let mut series: Vec<Series> = if has_labels { vec![Series::Labels] } else { Vec::new() };
        let predicted: Vec<(Series, &PredictionAudit)> = audits
            .iter()
            .filter_map(|(series, audit)| audit.classes[class].predictions.as_ref().map(|found| (*series, found)))
            .collect();
        series.extend(predicted.iter().map(|(series, _)| *series));
        let gaps: Vec<&evenhand::audit::Gap> = match predicted.last() {
            Some((_, found)) => found.violations.iter().flat_map(|violation| &violation.gaps).collect(),
            None => labels.iter().flat_map(|labels| &labels.violation.gaps).collect(),
        };
        let sizes = labels.map(|labels| [labels.groups.len(), labels.missing.len(), labels.intersections.len()]);
        let of_predictions =
            |found: &PredictionAudit| [found.groups.len(), found.missing.len(), found.intersections.len()];
        let sizes = sizes.or_else(|| predicted.first().map(|(_, found)| of_predictions(found))).unwrap_or_default();
        let line = |part: Part| {
            let labelled: Option<&LabelRates> = labels.map(|labels| match part {
                Part::Overall => &labels.overall,
                Part::Group(at) => &labels.groups[at],
                Part::Missing(at) => &labels.missing[at],
                Part::Intersection(at) => &labels.intersections[at],
            });
            let of_predictions = || {
                let found = predicted.first().map(|(_, found)| of_part(found, part));
                found.map_or_else(Default::default, |found| (found.group.clone(), found.rows))
            };
            let (group, rows) = labelled.map_or_else(of_predictions, |found| (found.group.clone(), found.rows));
            let own = labelled.filter(|_| has_labels).map(|labelled| labelled.positive_rate);
            let rates = predicted.iter().map(|(_, found)| *of_part(found, part).rate(rate));
            let rates: Vec<Rate> = own.into_iter().chain(rates).collect();
            Line {
                small: rates.iter().any(|rate| rate.count < first.small_group),
                gap: gaps.iter().find(|gap| gap.group == group && gap.rate == rate).map(|gap| Gap::from_audit(gap)),
                group,
                rows,
                rates,
            }
        };
        // Predictions if there are any: the labels stand before them.
        let by = usize::from(has_labels && series.len() > 1);
        Self {
            class: first.classes[class].positive.clone(),
            rate,
            overall: line(Part::Overall),
            groups: sorted((0..sizes[0]).map(|at| line(Part::Group(at))).collect(), by),
            missing: (0..sizes[1]).map(|at| line(Part::Missing(at))).collect(),
            intersections: sorted((0..sizes[2]).map(|at| line(Part::Intersection(at))).collect(), by),
            series,
        }
    }

    /// The lines that are drawn: everyone, the groups, and rows without a value.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = &Line> {
        std::iter::once(&self.overall).chain(&self.groups).chain(&self.missing)
    }

    /// All lines, in the order of a table.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.drawn().chain(&self.intersections)
    }

    /// The same rate of another audit: of everyone, then of the groups and of rows without a value in the order of this
    /// panel.
    pub(crate) fn rates_of(&self, audit: &Audit) -> Vec<Rate> {
        let class = audit.classes.iter().find(|class| class.positive == self.class);
        let Some(PredictionAudit { overall, groups, missing, .. }) =
            class.and_then(|class: &ClassAudit| class.predictions.as_ref())
        else {
            return Vec::new();
        };
        let named = |line: &Line| groups.iter().chain(missing).find(|found| found.group == line.group);
        let of_groups = self.groups.iter().chain(&self.missing).filter_map(named);
        std::iter::once(overall).chain(of_groups).map(|found| *found.rate(self.rate)).collect()
    }

    /// What the rate is the share of: `predicted “yes”, of rows labelled “yes”`.
    pub fn title(&self) -> String {
        let class = &self.class;
        match self.rate {
            RateKind::PositiveRate if self.series == [Series::Labels] => format!("Labelled “{class}”"),
            RateKind::PositiveRate => format!("Predicted “{class}”"),
            RateKind::TruePositiveRate => format!("Predicted “{class}”, of rows labelled “{class}”"),
            RateKind::FalsePositiveRate => format!("Predicted “{class}”, of rows not labelled “{class}”"),
            RateKind::Accuracy => "Predicted as labelled".to_owned(),
        }
    }

    /// The rows that it asks about, after those of a group.
    pub(crate) fn among(&self) -> String {
        let class = &self.class;
        match self.rate {
            RateKind::PositiveRate | RateKind::Accuracy => String::new(),
            RateKind::TruePositiveRate => format!(" labelled “{class}”"),
            RateKind::FalsePositiveRate => format!(" not labelled “{class}”"),
        }
    }

    /// What is counted, in words.
    pub(crate) fn done(&self) -> String {
        let class = &self.class;
        match self.rate {
            RateKind::PositiveRate if self.series == [Series::Labels] => format!("are labelled “{class}”"),
            RateKind::Accuracy => "are predicted as labelled".to_owned(),
            _ => format!("are predicted “{class}”"),
        }
    }

    /// The name of the rate.
    pub fn rate_name(&self) -> &'static str {
        match self.rate {
            RateKind::PositiveRate => "positive rate",
            RateKind::TruePositiveRate => "true positive rate",
            RateKind::FalsePositiveRate => "false positive rate",
            RateKind::Accuracy => "accuracy",
        }
    }
}

fn of_part(found: &PredictionAudit, part: Part) -> &GroupRates {
    match part {
        Part::Overall => &found.overall,
        Part::Group(at) => &found.groups[at],
        Part::Missing(at) => &found.missing[at],
        Part::Intersection(at) => &found.intersections[at],
    }
}

/// Lowest first, undefined last; what is equal stays in the order of the groups.
fn sorted(mut lines: Vec<Line>, by: usize) -> Vec<Line> {
    let key = |line: &Line| line.rates.get(by).and_then(|rate| rate.value).unwrap_or(f64::INFINITY);
    lines.sort_by(|one, other| key(one).total_cmp(&key(other)));
    lines
}
