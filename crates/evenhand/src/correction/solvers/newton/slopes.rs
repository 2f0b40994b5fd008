//! How a fit answers to the multipliers behind it: from the slopes of weights to those of limits.

use super::goal::Goal;
use crate::Result;
use crate::constraint::Measure;
use crate::correction::solvers::run::{Iterate, Run};
use crate::kernel::cell_sum_derivatives;
use crate::learner::{Learner, Sensitivity};

/// Per free multiplier, how the goal's distances and the error answer to it.
#[derive(Debug, Default)]
pub(super) struct Slopes {
    pub(super) distances: Vec<Vec<f64>>,
    pub(super) errors: Vec<f64>,
}

/// How a fit answers to the free multipliers; `None` without derivatives.
pub(super) fn slopes<L: Learner>(
    run: &mut Run<'_, L>,
    free: &[usize],
    goal: &Goal,
    iterate: &Iterate<L::Predictor>,
) -> Result<Option<(Slopes, Box<dyn Sensitivity>)>> {
    let weight_map = run.weight_map();
    let (weights, directions) =
        (weight_map.weights(&iterate.multipliers)?, weight_map.slopes(&iterate.multipliers, free));
    let training = run.problem.training(&weights);
    let Some(sensitivity) = run.learner.sensitivity(training, &iterate.predictor, &directions, &mut run.warm_start)?
    else {
        return Ok(None);
    };
    let judging = run.evaluation_rows();
    let (features, rows) = (judging.features(), judging.cells().cell_rows());
    let changes =
        cell_sum_derivatives(&iterate.predictor, &*sensitivity, free.len(), features, rows, judging.bandwidth())?;
    let error = |change| match run.settings.measure {
        Measure::Decisions => judging.error(change),
        // Even scores are an equation to be solved, whatever decisions they lead to.
        Measure::Scores => 0.0,
    };
    let slopes = Slopes {
        distances: changes.iter().map(|change| goal.slopes(change)).collect(),
        errors: changes.iter().map(error).collect(),
    };
    Ok(Some((slopes, sensitivity)))
}
