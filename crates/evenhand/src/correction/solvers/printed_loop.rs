//! Algorithms 1 and 2 of the paper as printed: fit, measure violations, update the multipliers, re-weight, repeat.
//!
//! One loop serves both algorithms: which rows a multiplier re-weights is said by its constraint. The conventions in
//! which the paper's text and its authors' notebooks differ are in [`LoopSettings`]. [Jiang & Nachum 2019, Alg. 1 and 2]

use super::run::{Iterate, Run};
use crate::constraint::Constraint;
use crate::correction::problem::Inequalities;
use crate::correction::settings::{Keep, LoopSettings};
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination, largest};
use crate::learner::Learner;
use crate::{Error, Result};

/// Runs the loop on rows that are already encoded and grouped.
pub(in crate::correction) fn correct<L: Learner>(
    mut run: Run<'_, L>,
    loop_settings: LoopSettings,
    observer: &mut dyn Observer,
) -> Result<Solution<L::Predictor>> {
    let (problem, settings) = (run.problem, run.settings);
    let lag = loop_settings.lag && problem.constraints().iter().any(Constraint::conditions_on_labels);
    let last = settings.solver.most_fits();
    let (mut multipliers, mut before) = (vec![0.0; problem.constraints().len()], None);
    let asked = Inequalities::exact(run.evaluation_rows(), &settings.bounds, settings.measure);
    let mut best: Option<Iterate<L::Predictor>> = None;

    let stop = loop {
        let number = run.log.evaluations() + 1;
        let unweighted = number == 1 && (loop_settings.first_unweighted || lag);
        let behind_weights = if lag { before.replace(multipliers.clone()) } else { None };
        let iterate = match run.fit(behind_weights.unwrap_or_else(|| multipliers.clone()), unweighted) {
            Err(Error::Interrupted) if best.is_some() => break Termination::Cancelled,
            fit => fit?,
        };
        run.move_against(&iterate.violations, loop_settings.step, &mut multipliers);
        let done = run.record(&iterate, observer.seconds());
        done.next_multipliers.clone_from(&multipliers);
        let go_on = observer.after(done);

        let met = !settings.bounds.is_empty() && asked.are_met(&iterate.sums);
        if met || loop_settings.keep == Keep::Last || best.as_ref().is_none_or(|best| is_better(&run, &iterate, best)) {
            best = Some(iterate);
        }
        if met {
            break Termination::Converged;
        }
        if !go_on {
            break Termination::Cancelled;
        }
        if number == last {
            break Termination::IterationLimit;
        }
    };
    Ok(run.solution(best.expect("a loop ends only after a fit"), stop))
}

fn is_better<L: Learner>(run: &Run<'_, L>, one: &Iterate<L::Predictor>, other: &Iterate<L::Predictor>) -> bool {
    let error = |iterate: &Iterate<L::Predictor>| run.problem.error(&iterate.trained);
    let violation = |iterate: &Iterate<L::Predictor>| largest(&iterate.violations);
    violation(one).total_cmp(&violation(other)).then(error(one).total_cmp(&error(other))).is_lt()
}
