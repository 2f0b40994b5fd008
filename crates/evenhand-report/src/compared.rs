//! A classifier without correction and one with it, on the same rows.

use evenhand::audit::ErrorChange;
use evenhand::correction::Solution;
use evenhand::{Correction, Predictor};

use crate::measuring::{Measured, Measuring, rates};
use crate::report::Change;
use crate::{Constrained, Panel, Result, Series};

/// Before, after, and what a report says of them.
pub(crate) struct Compared {
    pub(crate) before: Measured,
    pub(crate) after: Measured,
    pub(crate) panels: Vec<Panel>,
    pub(crate) constraints: Vec<Constrained>,
    pub(crate) change: Change,
}

impl Compared {
    pub(crate) fn new<P: Predictor>(
        correction: &Correction,
        measuring: &Measuring<'_>,
        [uncorrected, corrected]: [&Solution<P>; 2],
    ) -> Result<Self> {
        let (before, after) = (measuring.of(uncorrected)?, measuring.of(corrected)?);
        let panels = Panel::all(&[(Series::Before, &before.audit), (Series::After, &after.audit)], &rates(correction));
        let (gaps_before, gaps_after) = (measuring.estimate(uncorrected)?, measuring.estimate(corrected)?);
        let problem = measuring.rows().problem;
        let gaps = problem.constraints().iter().zip(&gaps_before).zip(&gaps_after);
        let constraints = gaps.map(|((constraint, before), after)| {
            Constrained::new(constraint, problem.group_names(), measuring.classes(), [before, after])
        });
        Ok(Self {
            constraints: constraints.collect(),
            change: change(measuring, &before, &after)?,
            panels,
            before,
            after,
        })
    }
}

fn change(measuring: &Measuring<'_>, before: &Measured, after: &Measured) -> Result<Change> {
    let (data, confidence) = (measuring.rows().data, before.audit.confidence);
    let labels = data.labels().codes();
    let found = ErrorChange::of(labels, &before.decisions, &after.decisions, data.row_weights(), confidence)?;
    let (error_before, error_after) = (before.evaluated.error, after.evaluated.error);
    // Where lots decide, errors are expected ones, and these decisions only one drawing of the lots.
    let interval = Some(found).filter(|found| (found.value - (error_after - error_before)).abs() < 1e-9);
    Ok(Change {
        error_before,
        error_after,
        error_change_low: interval.map(|found| found.low),
        error_change_high: interval.map(|found| found.high),
        violation_before: before.evaluated.violation,
        violation_after: after.evaluated.violation,
    })
}
