//! One class against the rest: its rates in every group.
//!
//! Holds [`ClassAudit`] and the tables it is made of. Leans on `confusion`, `rate` and
//! `violation`.

use serde::{Deserialize, Serialize};

use super::confusion::{ConfusionMatrices, ConfusionMatrix, View};
use super::rate::Counted;
use super::{AuditedNotion, Rate, RateKind, Violation};

/// The name under which all rows are reported.
const OVERALL: &str = "overall";

/// The audit of one class, "positive" here, against all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassAudit {
    /// The class.
    pub positive: String,
    /// The labels themselves: how the data stand before any model. `None` where only predictions are known.
    pub labels: Option<LabelAudit>,
    /// The predictions, when there are any.
    pub predictions: Option<PredictionAudit>,
}

/// What the labels alone show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelAudit {
    /// All rows.
    pub overall: LabelRates,
    /// Each group asked for.
    pub groups: Vec<LabelRates>,
    /// Rows that lack a value that defines groups, named as in `race missing`; they are compared with nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<LabelRates>,
    /// Rows that are in several groups at once, named `a & b`.
    pub intersections: Vec<LabelRates>,
    /// Demographic parity, the one notion that needs no predictions.
    pub violation: Violation,
}

/// How often some rows are labelled as the class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelRates {
    /// The group.
    pub group: String,
    /// How many rows it has.
    pub rows: usize,
    /// Their weight.
    pub weight: f64,
    /// Share labelled as the class.
    pub positive_rate: Rate,
}

/// What the predictions show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PredictionAudit {
    /// All rows.
    pub overall: GroupRates,
    /// Each group asked for.
    pub groups: Vec<GroupRates>,
    /// Rows that lack a value that defines groups, named as in `race missing`; they are compared with nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<GroupRates>,
    /// Rows that are in several groups at once, named `a & b`.
    pub intersections: Vec<GroupRates>,
    /// One per notion, in the order of [`AuditedNotion::ALL`]; without labels the first alone.
    pub violations: Vec<Violation>,
}

/// The rates of some rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupRates {
    /// The group.
    pub group: String,
    /// How many rows it has.
    pub rows: usize,
    /// Their weight.
    pub weight: f64,
    /// How many of its rows are labelled as the class; 0 without labels.
    pub positives: usize,
    /// Share predicted as the class.
    pub positive_rate: Rate,
    /// Share predicted as the class, among rows labelled so.
    pub true_positive_rate: Rate,
    /// Share predicted as the class, among rows labelled otherwise.
    pub false_positive_rate: Rate,
    /// Share of rows predicted as labelled, over all classes.
    pub accuracy: Rate,
}

impl ClassAudit {
    /// Audits one class. `hits` tells rows predicted as labelled; `patterns` are those whose
    /// intersections are reported.
    pub(super) fn of(
        view: View<'_>,
        class: usize,
        classes: &[String],
        hits: &ConfusionMatrices<'_>,
        patterns: &[usize],
        z: f64,
    ) -> Self {
        let matrices = ConfusionMatrices::of(view, class);
        let names = view.membership.group_names();
        let label = |name: String, rows: ConfusionMatrix| LabelRates::new(name, rows, z);
        let predicted = |name: String, rows: ConfusionMatrix| GroupRates::new(name, rows, z);
        Self {
            positive: classes[class].clone(),
            labels: Some({
                let Tables { overall, groups, missing, intersections } = Tables::of(view, &matrices, patterns, label);
                let rate_of = |_, group: Option<usize>| group.map_or(&overall, |g| &groups[g]).positive_rate.value;
                let labelled = |rows: ConfusionMatrix| Counted {
                    successes: rows.sum(|labelled, _| labelled),
                    asked: rows.sum(|_, _| true),
                };
                let gap_of = |_, group| labelled(matrices.group(group)).gap(labelled(matrices.others(group)), z);
                let violation = Violation::measure(AuditedNotion::DemographicParity, names, rate_of, gap_of);
                LabelAudit { overall, groups, missing, intersections, violation }
            }),
            predictions: view.predictions.is_some().then(|| {
                let mut rates = Tables::of(view, &matrices, patterns, predicted);
                let right = |_, rows: ConfusionMatrix| Rate::new(rows.sum(|_, hit| hit), rows.sum(|_, _| true), z);
                let accuracies = Tables::of(view, hits, patterns, right);
                for (rates, accuracy) in rates.each_mut().zip(accuracies.into_each()) {
                    rates.accuracy = accuracy;
                }
                let Tables { overall, groups, missing, intersections } = rates;
                let rate_of = |rate, group: Option<usize>| group.map_or(&overall, |g| &groups[g]).rate(rate).value;
                let gap_of = |kind: RateKind, group| {
                    let matrices = if kind == RateKind::Accuracy { hits } else { &matrices };
                    counted(kind, matrices.group(group)).gap(counted(kind, matrices.others(group)), z)
                };
                let measure = |&notion: &AuditedNotion| Violation::measure(notion, names, rate_of, gap_of);
                let violations = AuditedNotion::ALL.iter().map(measure).collect();
                PredictionAudit { overall, groups, missing, intersections, violations }
            }),
        }
    }
}

/// Something of all rows, of each group, of rows without a value, and of the intersections that patterns name.
struct Tables<T> {
    overall: T,
    groups: Vec<T>,
    missing: Vec<T>,
    intersections: Vec<T>,
}

impl<T> Tables<T> {
    fn of(
        view: View<'_>,
        matrices: &ConfusionMatrices<'_>,
        patterns: &[usize],
        row: impl Fn(String, ConfusionMatrix) -> T,
    ) -> Self {
        let membership = view.membership;
        let set = |set: usize| row(membership.names()[set].clone(), matrices.group(set));
        let name = |pattern: usize| {
            let groups = membership.group_names().iter().enumerate();
            let inside = groups.filter(|(group, _)| membership.contains(pattern, *group));
            inside.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" & ")
        };
        Self {
            overall: row(OVERALL.to_owned(), matrices.overall()),
            groups: (0..membership.groups()).map(set).collect(),
            missing: membership.missing().map(set).collect(),
            intersections: patterns.iter().map(|&pattern| row(name(pattern), matrices.intersection(pattern))).collect(),
        }
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let parts = self.groups.iter_mut().chain(&mut self.missing).chain(&mut self.intersections);
        std::iter::once(&mut self.overall).chain(parts)
    }

    fn into_each(self) -> impl Iterator<Item = T> {
        std::iter::once(self.overall).chain(self.groups).chain(self.missing).chain(self.intersections)
    }
}

/// The rows that a rate is the share of, and those that it asks about.
fn counted(kind: RateKind, rows: ConfusionMatrix) -> Counted {
    let (successes, asked) = match kind {
        RateKind::PositiveRate => (rows.sum(|_, predicted| predicted), rows.sum(|_, _| true)),
        RateKind::TruePositiveRate => {
            (rows.sum(|labelled, predicted| labelled && predicted), rows.sum(|labelled, _| labelled))
        }
        RateKind::FalsePositiveRate => {
            (rows.sum(|labelled, predicted| !labelled && predicted), rows.sum(|labelled, _| !labelled))
        }
        RateKind::Accuracy => (rows.sum(|labelled, predicted| labelled == predicted), rows.sum(|_, _| true)),
    };
    Counted { successes, asked }
}

impl LabelRates {
    fn new(group: String, rows: ConfusionMatrix, z: f64) -> Self {
        let all = rows.sum(|_, _| true);
        let positive_rate = Rate::new(rows.sum(|labelled, _| labelled), all, z);
        Self { group, rows: all.rows, weight: all.weight, positive_rate }
    }
}

impl PredictionAudit {
    /// What predictions show whose labels nobody knows: rates of a class, taken for labels until here.
    pub(super) fn without_labels(found: LabelAudit) -> Self {
        let all = |rates: Vec<LabelRates>| rates.into_iter().map(GroupRates::without_labels).collect();
        Self {
            overall: GroupRates::without_labels(found.overall),
            groups: all(found.groups),
            missing: all(found.missing),
            intersections: all(found.intersections),
            violations: vec![found.violation],
        }
    }
}

impl GroupRates {
    fn without_labels(LabelRates { group, rows, weight, positive_rate }: LabelRates) -> Self {
        let unknown = Rate { value: None, successes: 0.0, total: 0.0, count: 0, low: None, high: None };
        let [true_positive_rate, false_positive_rate, accuracy] = [unknown; 3];
        Self { group, rows, weight, positives: 0, positive_rate, true_positive_rate, false_positive_rate, accuracy }
    }

    fn new(group: String, rows: ConfusionMatrix, z: f64) -> Self {
        let all = rows.sum(|_, _| true);
        let rate = |kind| {
            let Counted { successes, asked } = counted(kind, rows);
            Rate::new(successes, asked, z)
        };
        Self {
            group,
            rows: all.rows,
            weight: all.weight,
            positives: rows.sum(|labelled, _| labelled).rows,
            positive_rate: rate(RateKind::PositiveRate),
            true_positive_rate: rate(RateKind::TruePositiveRate),
            false_positive_rate: rate(RateKind::FalsePositiveRate),
            accuracy: rate(RateKind::Accuracy),
        }
    }

    /// One of the rates.
    pub fn rate(&self, kind: RateKind) -> &Rate {
        match kind {
            RateKind::PositiveRate => &self.positive_rate,
            RateKind::TruePositiveRate => &self.true_positive_rate,
            RateKind::FalsePositiveRate => &self.false_positive_rate,
            RateKind::Accuracy => &self.accuracy,
        }
    }
}
