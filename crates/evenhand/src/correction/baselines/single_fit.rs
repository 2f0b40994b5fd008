//! One fit with weights that are known beforehand.

use std::sync::Arc;

use crate::correction::{Correction, Problem, Solution};
use crate::learner::Learner;
use crate::{Result, Weights};

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
    let predictor = Arc::new(learner.fit(problem.training(&weights), &mut L::WarmStart::default())?);
    let sums = problem.cell_sums(&predictor)?;
    Ok(Solution::of_single_fit(problem, settings, predictor, &sums, cell_weights))
}
