//! One fit with weights that are known beforehand.

use crate::Result;
use crate::correction::run::training;
use crate::correction::{Correction, Loop, Outcome, Problem, Stop};
use crate::learner::{Learner, Predictor};
use crate::{Warning, Weights};

/// Fits once, every row weighing as its cell does, times the user's own weight.
///
/// # Errors
/// What the learner says.
pub(in crate::correction) fn once<L: Learner>(
    problem: &Problem,
    settings: &Correction,
    learner: &L,
    cell_weights: Vec<f64>,
) -> Result<Outcome<L::Predictor>> {
    let merged = settings.may_merge(learner).then(|| problem.merged()).flatten();
    let problem = merged.as_ref().unwrap_or(problem);
    let cells = problem.cells();
    let weights = Weights::of_cells(cell_weights.clone(), cells.cell_of_row().clone(), cells.row_weights().cloned());
    let predictor = learner.fit(training(problem, &weights), &mut L::Memory::default())?;
    let tally = problem.tally(&predictor)?;
    let train = problem.assess(&tally, settings.measure);
    let only = Loop {
        number: 1,
        multipliers: Vec::new(),
        moved: Vec::new(),
        violations: problem.violations(&tally, settings.measure),
        violation: train.violation.unwrap_or(0.0),
        error: train.error,
        loss: problem.loss(&tally),
        seconds: 0.0,
    };
    let unconverged = (!predictor.converged()).then_some(Warning::LearnerNotConverged { fits: 1 });
    Ok(Outcome {
        multipliers: Vec::new(),
        rule: settings.solver.rule(),
        unweighted: cell_weights.iter().all(|weight| weight.to_bits() == 1.0_f64.to_bits()),
        cell_weights,
        undone: None,
        predictor,
        train,
        judged: None,
        trace: vec![only],
        thresholds: None,
        slack: None,
        stop: Stop::LoopLimit,
        fits: 1,
        warnings: unconverged.into_iter().collect(),
    })
}
