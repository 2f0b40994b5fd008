//! Algorithms 1 and 2 of the paper: fit, measure, move the multipliers, re-weight, fit again.
//!
//! One loop serves both: which rows a multiplier moves is said by its constraint. The
//! conventions in which the paper's text, its authors' notebooks and our default differ are
//! in [`super::Conventions`]. [Jiang & Nachum 2019, Alg. 1 and 2]

use super::{Assessment, Correction, Keep, Loop, Observer, Problem, Stop, Technique};
use crate::constraint::{Constraint, TiltTable};
use crate::kernel::{Tally, tally};
use crate::learner::{Learner, Predictor, Training};
use crate::{Result, Warning, Weights};

/// What a run found.
#[derive(Debug)]
pub struct Outcome<P> {
    /// The classifier.
    pub predictor: P,
    /// One multiplier per constraint: those behind the classifier's weights.
    pub multipliers: Vec<f64>,
    /// The weight of each cell in the closed form, in (0, 1).
    pub cell_weights: Vec<f64>,
    /// Whether the classifier was fitted with weights of 1 instead (the paper's first fit).
    pub unweighted: bool,
    /// The classifier's rates and violations on the training rows.
    pub train: Assessment,
    /// Every loop.
    pub trace: Vec<Loop>,
    /// How the run ended.
    pub stop: Stop,
    /// How many times the learner was called.
    pub fits: usize,
    /// What to know about the result.
    pub warnings: Vec<Warning>,
}

/// A fitted model on the way, with what it was made from and what it does.
struct Iterate<P> {
    predictor: P,
    multipliers: Vec<f64>,
    unweighted: bool,
    tally: Tally,
    violations: Vec<f64>,
    violation: f64,
}

/// Runs the loop on rows that are already encoded and grouped.
///
/// # Errors
/// [`crate::Error::Setting`] for settings out of range, and what the learner says.
pub fn correct<L: Learner>(
    problem: &Problem,
    settings: &Correction,
    learner: &L,
    observer: &mut dyn Observer,
) -> Result<Outcome<L::Predictor>> {
    settings.check()?;
    if let Some(other) = problem.constraints().iter().find(|one| !settings.notions.contains(&one.notion)) {
        let allowed = format!("what the rows were bound for, `{}`", other.notion);
        return Err(crate::Error::Setting { setting: "notions", found: "something else".into(), allowed });
    }
    let conventions = settings.conventions;
    let lag = conventions.lag && problem.constraints().iter().any(Constraint::speaks_of_labels);
    // Lots are drawn row by row; weights are not.
    let may_merge = settings.technique == Technique::Weighting && learner.takes_merged_rows();
    let merged = if may_merge { problem.merged() } else { None };
    let problem = merged.as_ref().unwrap_or(problem);
    let table = problem.tilt_table(conventions.tilt);
    let mut run = Run { problem, settings, learner, table, memory: L::Memory::default(), fits: 0, unconverged: 0 };
    let (mut multipliers, mut before) = (vec![0.0; problem.constraints().len()], None);
    let mut trace: Vec<Loop> = Vec::new();
    let mut best: Option<Iterate<L::Predictor>> = None;
    let mut improved_at = 0;
    let last = conventions.loops.saturating_add(usize::from(conventions.last_fit));

    let stop = loop {
        let number = trace.len() + 1;
        let unweighted = number == 1 && (conventions.first_unweighted || lag);
        let behind_weights = if lag { before.replace(multipliers.clone()) } else { None };
        let iterate = run.fit(behind_weights.unwrap_or_else(|| multipliers.clone()), unweighted)?;
        run.step(&mut multipliers, &iterate.violations);
        let done = run.record(number, &iterate, &multipliers, observer.seconds());
        let (violation, go_on) = (iterate.violation, observer.after(&done));
        trace.push(done);

        // With nothing left to correct the multipliers stand still: published runs go on, to the same end.
        let nothing_left = violation == 0.0 && conventions.patience.is_some();
        let within = nothing_left || settings.tolerance.is_some_and(|tolerance| violation <= tolerance);
        let better = best.as_ref().is_none_or(|best| run.is_better(&iterate, best));
        if better {
            improved_at = number;
        }
        if better || within || conventions.keep == Keep::Last {
            best = Some(iterate);
        }
        if within {
            break Stop::Converged;
        }
        if !go_on {
            break Stop::Cancelled;
        }
        if number == last {
            break Stop::LoopLimit;
        }
        if conventions.patience.is_some_and(|patience| number - improved_at >= patience) {
            break Stop::Stalled;
        }
    };
    match best {
        Some(best) => Ok(run.outcome(best, trace, stop)),
        None => unreachable!("a loop ends only after a fit"),
    }
}

/// What stays the same from loop to loop, and what the learner remembers.
struct Run<'a, L: Learner> {
    problem: &'a Problem,
    settings: &'a Correction,
    learner: &'a L,
    table: TiltTable,
    memory: L::Memory,
    fits: usize,
    unconverged: usize,
}

impl<L: Learner> Run<'_, L> {
    /// Weights from multipliers, a fit with them, and what the fitted model does.
    fn fit(&mut self, multipliers: Vec<f64>, unweighted: bool) -> Result<Iterate<L::Predictor>> {
        let weights = self.weights(&multipliers, unweighted)?;
        let problem = self.problem;
        let training = Training {
            features: problem.features(),
            labels: problem.labels(),
            classes: problem.classes(),
            weights: &weights,
        };
        let predictor = self.learner.fit(training, &mut self.memory)?;
        self.fits += 1;
        self.unconverged += usize::from(!predictor.converged());
        let tally = tally(&predictor, problem.features(), problem.cells().tally_rows())?;
        let violations = problem.violations(&tally, self.settings.measure);
        let violation = violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        Ok(Iterate { predictor, multipliers, unweighted, tally, violations, violation })
    }

    fn weights(&self, multipliers: &[f64], unweighted: bool) -> Result<Weights> {
        let cells = self.problem.cells();
        let Correction { conventions, technique, .. } = self.settings;
        let values = self.table.weights(multipliers, conventions.factor, cells);
        conventions.learner_weights(*technique, values, unweighted, cells)
    }

    /// λ ← λ − η Δ, with Δ group minus overall: the negative of our violations.
    fn step(&self, multipliers: &mut [f64], violations: &[f64]) {
        for (place, (multiplier, violation)) in multipliers.iter_mut().zip(violations).enumerate() {
            *multiplier += self.settings.conventions.step * self.table.scale(place) * violation;
        }
    }

    fn record(&self, number: usize, iterate: &Iterate<L::Predictor>, moved: &[f64], seconds: f64) -> Loop {
        Loop {
            number,
            multipliers: iterate.multipliers.clone(),
            moved: moved.to_vec(),
            violations: iterate.violations.clone(),
            violation: iterate.violation,
            error: self.problem.error(&iterate.tally),
            loss: self.problem.loss(&iterate.tally),
            seconds,
        }
    }

    fn is_better(&self, one: &Iterate<L::Predictor>, other: &Iterate<L::Predictor>) -> bool {
        one.violation.total_cmp(&other.violation).is_lt()
            || (one.violation.total_cmp(&other.violation).is_eq()
                && self.problem.error(&one.tally) < self.problem.error(&other.tally))
    }

    fn outcome(self, best: Iterate<L::Predictor>, trace: Vec<Loop>, stop: Stop) -> Outcome<L::Predictor> {
        let factor = self.settings.conventions.factor;
        let warnings = match self.unconverged {
            0 => Vec::new(),
            fits => vec![Warning::LearnerNotConverged { fits }],
        };
        Outcome {
            cell_weights: self.table.weights(&best.multipliers, factor, self.problem.cells()),
            unweighted: best.unweighted,
            train: self.problem.assess(&best.tally, self.settings.measure),
            predictor: best.predictor,
            multipliers: best.multipliers,
            trace,
            stop,
            fits: self.fits,
            warnings,
        }
    }
}
