//! One fit with weights that are known beforehand.

use crate::Result;
use crate::correction::{Correction, Iteration, Problem, Solution, Termination};
use crate::learner::{Learner, Predictor};
use crate::{Warning, Weights};

/// Fits once, each row with the weight of its cell times the user's own weight.
///
/// # Errors
/// What the learner says.
pub(in crate::correction) fn single_fit<L: Learner>(
    problem: &Problem,
    settings: &Correction,
    learner: &L,
    cell_weights: Vec<f64>,
) -> Result<Solution<L::Predictor>> {
    let aggregated = problem.aggregated_for(settings, learner);
    let problem = aggregated.as_ref().unwrap_or(problem);
    let cells = problem.cells();
    let weights = Weights::of_cells(cell_weights.clone(), cells.cell_of_row().clone(), cells.row_weights().cloned());
    let predictor = learner.fit(problem.training(&weights), &mut L::WarmStart::default())?;
    let sums = problem.cell_sums(&predictor)?;
    let train = problem.evaluate(&sums, settings.measure);
    let only = Iteration {
        number: 1,
        multipliers: Vec::new(),
        next_multipliers: Vec::new(),
        violations: problem.violations(&sums, settings.measure),
        violation: train.violation.unwrap_or(0.0),
        error: train.error,
        loss: problem.loss(&sums),
        seconds: 0.0,
    };
    let unconverged = (!predictor.converged()).then_some(Warning::LearnerNotConverged { fits: 1 });
    Ok(Solution {
        multipliers: Vec::new(),
        rule: settings.solver.rule(),
        unweighted: cell_weights.iter().all(|weight| weight.to_bits() == 1.0_f64.to_bits()),
        cell_weights,
        shift_correction: None,
        predictor,
        train,
        validation: None,
        effect: None,
        trace: vec![only],
        thresholds: None,
        slack: None,
        trade_off: None,
        stop: Termination::IterationLimit,
        fits: 1,
        warnings: unconverged.into_iter().collect(),
    })
}
