//! A classifier without correction and one with it, on the same rows.

use evenhand::Correction;
use evenhand::audit::ErrorChange;
use evenhand::correction::{Effect, Evaluated};

use crate::metrics::{Evaluation, Evaluator, rates};
use crate::report::Change;
use crate::{Constrained, Panel, Result, Series};

/// Before, after, and what a report says of them.
pub(crate) struct Comparison {
    pub(crate) before: Evaluation,
    pub(crate) after: Evaluation,
    pub(crate) panels: Vec<Panel>,
    pub(crate) constraints: Vec<Constrained>,
    pub(crate) change: Change,
    pub(crate) effect: Effect,
}

impl Comparison {
    pub(crate) fn new(
        correction: &Correction,
        evaluator: &Evaluator<'_>,
        [uncorrected, corrected]: [&Evaluated<'_>; 2],
    ) -> Result<Self> {
        let (before, after) = (evaluator.describe(uncorrected)?, evaluator.describe(corrected)?);
        let panels = Panel::all(&[(Series::Before, &before.audit), (Series::After, &after.audit)], &rates(correction));
        let problem = evaluator.rows().problem;
        let gaps = problem.measured_constraints().iter().zip(&before.violations).zip(&after.violations);
        let constraints = gaps.map(|((constraint, before), after)| {
            Constrained::new(constraint, problem.group_names(), evaluator.classes(), [before, after])
        });
        Ok(Self {
            constraints: constraints.collect(),
            change: change(evaluator, &before, &after)?,
            effect: corrected.effect(uncorrected, correction.notable_change, before.audit.confidence)?,
            panels,
            before,
            after,
        })
    }
}

fn change(evaluator: &Evaluator<'_>, before: &Evaluation, after: &Evaluation) -> Result<Change> {
    let (data, confidence) = (evaluator.rows().data, before.audit.confidence);
    let labels = data.labels().codes();
    let found = ErrorChange::of(labels, &before.decisions, &after.decisions, data.row_weights(), confidence)?;
    let (error_before, error_after) = (before.metrics.error, after.metrics.error);
    // With random decisions errors are expected ones, and these decisions only one draw.
    let interval = Some(found).filter(|found| (found.value - (error_after - error_before)).abs() < 1e-9);
    Ok(Change {
        error_before,
        error_after,
        error_change_low: interval.map(|found| found.low),
        error_change_high: interval.map(|found| found.high),
        violation_before: before.metrics.violation,
        violation_after: after.metrics.violation,
    })
}
