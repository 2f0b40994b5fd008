//! From a fitted correction to its report.
//!
//! Measures the classifier without correction and with it on the same rows, with more and less of the correction,
//! and other methods beside it. Leans on the engine for every number; computes none itself.

use evenhand::audit::RateKind;
use evenhand::correction::{Binding, Evaluated, Observer, Problem, Solution};
use evenhand::{Correction, Dataset, Learner, Warning};

use crate::comparison::Comparison;
use crate::metrics::{Evaluator, Rows, compared_rates};
use crate::report::{Kind, NotionLine};
use crate::{Baseline, Bias, Blind, Panel, Record, Report, Result, Search, Tradeoff, TradeoffPoint};

/// The strengths of a correction that are usually tried beside none (0) and what was found (1).
pub const STRENGTHS: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2];

/// Fewer of them, where learning takes long.
pub const FEW_STRENGTHS: [f64; 4] = [0.25, 0.5, 0.75, 1.25];

/// What reports of fits and of frontiers are both made of: what was asked, and of which rows.
pub struct Trained<'a, L: Learner> {
    /// What was asked.
    pub correction: &'a Correction,
    /// Who learned.
    pub learner: &'a L,
    /// What training rows taught.
    pub binding: &'a Binding,
    /// The training rows as the learner saw them.
    pub trained_on: &'a Problem,
    /// The training rows as they were read.
    pub train: &'a Dataset,
    /// Other rows to measure on, as they were read and made ready; without any, the training rows are measured on.
    pub test: Option<(&'a Dataset, &'a Problem)>,
    /// Of the intervals.
    pub confidence: f64,
    /// What weakens the numbers.
    pub warnings: Vec<Warning>,
    /// What is needed to do it again.
    pub record: Record,
}

impl<'a, L: Learner> Trained<'a, L> {
    /// What classifiers are measured by.
    pub(crate) fn evaluator(&self) -> evenhand::Result<Evaluator<'a>> {
        let rows = Rows::of((self.train, self.trained_on), self.test);
        Evaluator::new(self.correction, self.binding, rows, self.confidence)
    }

    /// What reports of fits and of frontiers both say of a classifier without correction and one with it.
    pub(crate) fn report(&self, kind: Kind, evaluator: &Evaluator<'_>, compared: Comparison) -> Report {
        let (correction, audit) = (self.correction, &compared.after.audit);
        let about = evaluator.about(audit, self.trained_on.features().rows());
        Report {
            method: Some(correction.method.name().to_owned()),
            notions: correction.notions.iter().map(NotionLine::of).collect(),
            intersections_left_out: audit.intersections_left_out,
            change: Some(compared.change),
            effect: Some(compared.effect),
            constraints: compared.constraints,
            panels: compared.panels,
            warnings: messages(&self.warnings),
            ..Report::empty(kind, about, self.record.clone())
        }
    }
}

/// What a report of a fit is made of.
pub struct FitResult<'a, L: Learner> {
    /// What was asked, and of which rows.
    pub trained: Trained<'a, L>,
    /// What was found.
    pub found: &'a Solution<L::Predictor>,
    /// The classifier without correction and with it on the rows to measure on, with decisions; computed where they are
    /// not at hand, with one more call of the learner.
    pub evaluated: Option<[&'a Evaluated<'a>; 2]>,
    /// Whether the bias in the labels of training rows is identified.
    pub identify: bool,
    /// The strengths of the correction to try, from low to high.
    pub strengths: &'a [f64],
}

impl Report {
    /// The report of a fit. The learner is called once more for each strength, and for methods to compare with; the
    /// observer is notified.
    ///
    /// # Errors
    /// What the engine says of rows, confidence or learner.
    pub fn from_fit<L: Learner>(fit: &FitResult<'_, L>, observer: &mut dyn Observer) -> Result<Self> {
        let trained = &fit.trained;
        let (correction, trained_on) = (trained.correction, trained.trained_on);
        let evaluator = trained.evaluator()?;
        let computed;
        let [before, after] = if let Some(evaluated) = fit.evaluated {
            evaluated
        } else {
            let before = match &fit.found.uncorrected {
                Some(begun_with) => evaluator.evaluated(begun_with)?,
                None => evaluator.evaluated(&correction.uncorrected(trained_on, trained.learner)?)?,
            };
            computed = [before, evaluator.evaluated(fit.found)?];
            [&computed[0], &computed[1]]
        };
        let compared = Comparison::new(correction, &evaluator, [before, after])?;
        let tradeoff = tradeoff(fit, &evaluator, &compared, observer)?;
        Ok(Self {
            verdicts: after.test_bounds(&correction.bounds, trained.confidence)?,
            blind: Blind::of(trained.binding, std::iter::once(fit.found)),
            decided_from: fit.found.decided_from(correction),
            bias: fit.identify.then(|| Bias::identify(correction, trained.train, trained.confidence)).flatten(),
            tradeoff,
            search: Some(Search::of(trained.binding, trained_on, fit.found, correction)?),
            ..trained.report(Kind::Fit, &evaluator, compared)
        })
    }
}

/// The panel of the first notion.
pub(crate) fn first_panel(correction: &Correction, panels: &[Panel]) -> usize {
    let asked = correction.notions.first().map_or(RateKind::PositiveRate, |notion| compared_rates(notion)[0]);
    panels.iter().position(|panel| panel.rate == asked).unwrap_or(0)
}

/// From none of the correction past all of it; of another method, with and without it.
fn tradeoff<L: Learner>(
    fit: &FitResult<'_, L>,
    evaluator: &Evaluator<'_>,
    compared: &Comparison,
    observer: &mut dyn Observer,
) -> Result<Option<Tradeoff>> {
    let Trained { correction, trained_on, learner, .. } = fit.trained;
    let found = fit.found;
    let Comparison { before, after, panels, .. } = compared;
    let at = first_panel(correction, panels);
    let Some(panel) = panels.get(at) else { return Ok(None) };
    let is_correction = correction.method.is_correction();
    if correction.method == evenhand::Method::Unconstrained || (is_correction && !moves(found)) {
        return Ok(None);
    }
    let mut points = vec![TradeoffPoint::of_strength(0.0, &before.metrics, &before.audit, panel)];
    if is_correction {
        let swept = correction.sweep(trained_on, learner, found, fit.strengths, observer)?;
        for (&strength, solution) in fit.strengths.iter().zip(&swept) {
            let measured = evaluator.of(solution)?;
            points.push(TradeoffPoint::of_strength(strength, &measured.metrics, &measured.audit, panel));
        }
    }
    // The fit itself instead of a repetition of it.
    let chosen = points.iter().take_while(|point| point.strength.is_some_and(|strength| strength < 1.0)).count();
    points.insert(
        chosen,
        if is_correction {
            TradeoffPoint::of_strength(1.0, &after.metrics, &after.audit, panel)
        } else {
            TradeoffPoint::new(correction.method.name().to_owned(), &after.metrics, &after.audit, panel)
        },
    );
    let baselines = Baseline::all(correction, trained_on, learner, evaluator, observer)?;
    Ok(Some(Tradeoff { points, chosen: Some(chosen), baselines, panel: at }))
}

/// Whether there is a correction at all.
fn moves<P>(found: &Solution<P>) -> bool {
    found.multipliers.iter().any(|&multiplier| multiplier != 0.0)
}

/// Warnings in words, each once.
pub(crate) fn messages(warnings: &[Warning]) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for message in warnings.iter().map(ToString::to_string) {
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
