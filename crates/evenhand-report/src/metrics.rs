//! Classifiers measured on the rows of a report.
//!
//! Holds [`Evaluator`]. Every number is the engine's.

use evenhand::audit::{Audit, AuditOptions, AuditedNotion, RateKind};
use evenhand::correction::{Binding, Estimated, Evaluated, Metrics, Problem, Solution};
use evenhand::data::Codes;
use evenhand::{Correction, Dataset, Measure, Membership, Notion, Predictor};

use crate::report::About;

/// Rows to measure on, raw and made ready.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// As they were read.
    pub(crate) data: &'a Dataset,
    /// As the classifier sees them.
    pub(crate) problem: &'a Problem,
    /// Whether it was trained on them.
    pub(crate) are_training: bool,
}

impl<'a> Rows<'a> {
    /// Test rows where there are any, else the training rows.
    pub(crate) fn of(train: (&'a Dataset, &'a Problem), test: Option<(&'a Dataset, &'a Problem)>) -> Self {
        let (data, problem) = test.unwrap_or(train);
        Self { data, problem, are_training: test.is_none() }
    }
}

/// A classifier on the rows of a report.
pub(crate) struct Evaluation {
    pub(crate) metrics: Metrics,
    /// The violation of every constraint, with its interval.
    pub(crate) violations: Vec<Estimated>,
    pub(crate) audit: Audit,
    pub(crate) decisions: Codes,
}

/// What classifiers are measured by.
pub(crate) struct Evaluator<'a> {
    rows: Rows<'a>,
    binding: &'a Binding,
    measure: Measure,
    options: AuditOptions,
    /// The groups asked about, those that only these rows have among them.
    groups: Membership,
    /// The groups of training rows, with those that notions name: what decides by group knows no others.
    all_groups: Membership,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        correction: &Correction,
        binding: &'a Binding,
        rows: Rows<'a>,
        confidence: f64,
    ) -> evenhand::Result<Self> {
        let table = rows.data.table();
        Ok(Self {
            rows,
            binding,
            measure: correction.measure,
            options: AuditOptions { confidence, ..AuditOptions::default() },
            groups: binding.groups_in(table)?.membership(table)?,
            all_groups: binding.membership(table)?,
        })
    }

    /// A classifier on these rows.
    pub(crate) fn of<P: Predictor>(&self, solution: &Solution<P>) -> evenhand::Result<Evaluation> {
        self.describe(&self.evaluated(solution)?)
    }

    /// Scores these rows.
    pub(crate) fn evaluated<P: Predictor>(&self, solution: &Solution<P>) -> evenhand::Result<Evaluated<'a>> {
        solution.evaluated_with_decisions(self.rows.problem, &self.all_groups, self.measure)
    }

    /// A classifier that these rows were scored by.
    ///
    /// # Errors
    /// [`evenhand::Error::Length`] without decisions for all rows.
    pub(crate) fn describe(&self, evaluated: &Evaluated<'_>) -> evenhand::Result<Evaluation> {
        let data = self.rows.data;
        let (what, expected) = ("decisions", data.rows());
        let decisions = evaluated.decisions().ok_or(evenhand::Error::Length { what, expected, found: 0 })?;
        let (labels, weights) = (data.labels().codes(), data.row_weights());
        let (classes, positive) = (self.binding.classes(), self.binding.positive());
        let audit = Audit::of(labels, Some(decisions), &self.groups, weights, classes, positive, &self.options)?;
        let violations = evaluated.estimate(self.options.confidence)?;
        Ok(Evaluation { metrics: evaluated.metrics(), violations, audit, decisions: decisions.clone() })
    }

    pub(crate) fn rows(&self) -> Rows<'a> {
        self.rows
    }

    pub(crate) fn classes(&self) -> &'a [String] {
        self.binding.classes()
    }

    /// Error and violation alone.
    pub(crate) fn evaluate<P: Predictor>(&self, solution: &Solution<P>) -> evenhand::Result<Metrics> {
        solution.evaluate(self.rows.problem, self.measure)
    }

    /// What the numbers are of.
    pub(crate) fn about(&self, audit: &Audit, training_rows: usize) -> About {
        let binding = self.binding;
        About {
            label: binding.schema().label_column().to_owned(),
            positive: binding.positive().map(|class| binding.classes()[class].clone()),
            classes: binding.classes().to_vec(),
            rows: audit.rows,
            are_training: self.rows.are_training,
            training_rows,
            weighted: audit.weighted,
            confidence: audit.confidence,
            small_group: audit.small_group,
            scores: self.measure == Measure::Scores,
        }
    }
}

/// The rates that notions compare, that of positive predictions always among them.
pub(crate) fn rates(correction: &Correction) -> Vec<RateKind> {
    let asked: Vec<RateKind> = correction.notions.iter().flat_map(compared_rates).copied().collect();
    let all = [RateKind::PositiveRate, RateKind::TruePositiveRate, RateKind::FalsePositiveRate, RateKind::Accuracy];
    all.into_iter().filter(|rate| *rate == RateKind::PositiveRate || asked.contains(rate)).collect()
}

pub(crate) fn compared_rates(notion: &Notion) -> &'static [RateKind] {
    match AuditedNotion::of(notion) {
        Some(audited) => audited.rates(),
        None if matches!(notion, Notion::Pinned { .. }) => &[RateKind::Accuracy],
        None => &[RateKind::PositiveRate],
    }
}
