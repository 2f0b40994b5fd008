//! From a fitted correction to its report.
//!
//! Measures the classifier without correction and with it on the same rows, and with more and less of the
//! correction. Leans on the engine for every number; computes none itself.

use evenhand::audit::{Audit, AuditOptions, AuditedNotion, RateKind};
use evenhand::correction::{Assessment, Observer, Outcome, Problem};
use evenhand::identify::Identification;
use evenhand::{Correction, Dataset, Fitted, Judgement, Learner, Measure, Membership, Notion, Predictor, Warning};

use crate::report::{About, Change, Kind, NotionLine};
use crate::{Bias, Constrained, Panel, Place, Record, Report, Result, Search, Series, Tradeoff};

/// The strengths of a correction that are tried beside none (0) and what was found (1).
const STRENGTHS: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2];

/// What a report of a fit is made of.
pub struct FitResult<'a, L: Learner> {
    /// What was asked.
    pub correction: &'a Correction,
    /// Who learned.
    pub learner: &'a L,
    /// What was found.
    pub fitted: &'a Fitted<L::Predictor>,
    /// The same learner without correction.
    pub uncorrected: &'a Outcome<L::Predictor>,
    /// The rows to measure on.
    pub rows: Rows<'a>,
    /// Whether bounds hold on these rows.
    pub judgements: &'a [Judgement],
    /// The bias in the labels, where it was asked about.
    pub identification: Option<&'a Identification>,
    /// Of the intervals.
    pub confidence: f64,
    /// What weakens the numbers.
    pub warnings: Vec<Warning>,
    /// What is needed to do it again.
    pub record: Record,
}

/// Rows to measure on, raw and made ready.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// As they were read.
    pub data: &'a Dataset,
    /// As the classifier sees them.
    pub problem: &'a Problem,
    /// Whether it was trained on them.
    pub are_training: bool,
}

impl Report {
    /// The report of a fit. With a correction the learner is called eleven times more, for more and less of it;
    /// the observer is told.
    ///
    /// # Errors
    /// What the engine says of rows, confidence or learner.
    pub fn of_fit<L: Learner>(fit: &FitResult<'_, L>, observer: &mut dyn Observer) -> Result<Self> {
        let (correction, binding, problem) = (fit.correction, fit.fitted.binding(), fit.rows.problem);
        let measuring = Measuring::new(fit)?;
        let before = measuring.of(fit.uncorrected)?;
        let after = measuring.of(fit.fitted.outcome())?;
        let panels = Panel::all(&[(Series::Before, &before.audit), (Series::After, &after.audit)], &rates(correction));
        let estimate = |outcome: &Outcome<L::Predictor>| outcome.estimate(problem, correction.measure, fit.confidence);
        let (gaps_before, gaps_after) = (estimate(fit.uncorrected)?, estimate(fit.fitted.outcome())?);
        let constrained = |((constraint, before), after)| {
            Constrained::new(constraint, problem.group_names(), binding.classes(), [before, after])
        };
        let places = problem.constraints().iter().zip(&gaps_before).zip(&gaps_after);
        Ok(Self {
            kind: Kind::Fit,
            method: Some(correction.method.name().to_owned()),
            about: about(fit, &after.audit),
            notions: correction.notions.iter().map(NotionLine::of).collect(),
            change: Some(Change {
                error_before: before.assessed.error,
                error_after: after.assessed.error,
                violation_before: before.assessed.violation,
                violation_after: after.assessed.violation,
            }),
            constraints: places.map(constrained).collect(),
            verdicts: fit.judgements.to_vec(),
            intersections_left_out: after.audit.intersections_left_out,
            bias: fit.identification.map(Bias::of),
            tradeoff: tradeoff(fit, &measuring, [&before, &after], &panels, observer)?,
            search: Some(Search::of(fit.fitted, correction.method)),
            panels,
            warnings: told(&fit.warnings),
            record: fit.record.clone(),
        })
    }
}

/// A classifier on the rows of a report.
struct Measured {
    assessed: Assessment,
    audit: Audit,
}

/// What classifiers are measured by.
struct Measuring<'a> {
    rows: Rows<'a>,
    classes: &'a [String],
    positive: Option<usize>,
    measure: Measure,
    options: AuditOptions,
    /// The groups asked about, and with them those that notions name.
    groups: Membership,
    all_groups: Membership,
}

impl<'a> Measuring<'a> {
    fn new<L: Learner>(fit: &FitResult<'a, L>) -> Result<Self> {
        let (binding, table) = (fit.fitted.binding(), fit.rows.data.table());
        Ok(Self {
            rows: fit.rows,
            classes: binding.classes(),
            positive: binding.positive(),
            measure: fit.correction.measure,
            options: AuditOptions { confidence: fit.confidence, ..AuditOptions::default() },
            groups: binding.groups().membership(table)?,
            all_groups: binding.membership(table)?,
        })
    }

    fn of<P: Predictor>(&self, outcome: &Outcome<P>) -> Result<Measured> {
        let Rows { data, problem, .. } = self.rows;
        let decisions = outcome.decisions(problem, &self.all_groups)?;
        let (labels, weights) = (data.labels().codes(), data.row_weights());
        let audit =
            Audit::of(labels, Some(&decisions), &self.groups, weights, self.classes, self.positive, self.options)?;
        Ok(Measured { assessed: outcome.assess(problem, self.measure)?, audit })
    }
}

fn about<L: Learner>(fit: &FitResult<'_, L>, audit: &Audit) -> About {
    let binding = fit.fitted.binding();
    About {
        label: binding.schema().label_column().to_owned(),
        positive: binding.positive().map(|class| binding.classes()[class].clone()),
        classes: binding.classes().to_vec(),
        rows: audit.rows,
        are_training: fit.rows.are_training,
        training_rows: fit.fitted.problem().features().rows(),
        weighted: audit.weighted,
        confidence: audit.confidence,
        small_group: audit.small_group,
        scores: fit.correction.measure == Measure::Scores,
    }
}

/// The rates that notions speak of, that of positive predictions always among them.
fn rates(correction: &Correction) -> Vec<RateKind> {
    let asked: Vec<RateKind> = correction.notions.iter().flat_map(spoken_of).copied().collect();
    let all = [RateKind::PositiveRate, RateKind::TruePositiveRate, RateKind::FalsePositiveRate, RateKind::Accuracy];
    all.into_iter().filter(|rate| *rate == RateKind::PositiveRate || asked.contains(rate)).collect()
}

fn spoken_of(notion: &Notion) -> &'static [RateKind] {
    match AuditedNotion::of(notion) {
        Some(audited) => audited.rates(),
        None if matches!(notion, Notion::Pinned { .. }) => &[RateKind::Accuracy],
        None => &[RateKind::PositiveRate],
    }
}

/// From none of the correction past all of it, where there is one.
fn tradeoff<L: Learner>(
    fit: &FitResult<'_, L>,
    measuring: &Measuring<'_>,
    [before, after]: [&Measured; 2],
    panels: &[Panel],
    observer: &mut dyn Observer,
) -> Result<Option<Tradeoff>> {
    let (correction, found) = (fit.correction, fit.fitted.outcome());
    let moves = found.multipliers.iter().any(|&multiplier| multiplier != 0.0);
    if !(correction.method.is_correction() && moves) {
        return Ok(None);
    }
    let asked = correction.notions.first().map_or(RateKind::PositiveRate, |notion| spoken_of(notion)[0]);
    let panel = panels.iter().position(|panel| panel.rate == asked).unwrap_or(0);
    let swept = correction.sweep(fit.fitted.problem(), fit.learner, found, &STRENGTHS, observer)?;
    let mut places = vec![Place::new(0.0, &before.assessed, &before.audit, &panels[panel])];
    for (&strength, outcome) in STRENGTHS.iter().zip(&swept) {
        let measured = measuring.of(outcome)?;
        places.push(Place::new(strength, &measured.assessed, &measured.audit, &panels[panel]));
    }
    // The fit itself in place of a repetition of it.
    let chosen = places.iter().take_while(|place| place.strength < 1.0).count();
    places.insert(chosen, Place::new(1.0, &after.assessed, &after.audit, &panels[panel]));
    Ok(Some(Tradeoff { places, chosen: Some(chosen), panel }))
}

/// Warnings in words, each once.
pub(crate) fn told(warnings: &[Warning]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for message in warnings.iter().map(ToString::to_string) {
        if !told.contains(&message) {
            told.push(message);
        }
    }
    told
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
