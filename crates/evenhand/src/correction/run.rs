//! What every way of finding multipliers shares: weights, fits, what they do, and the result.

use super::{Assessment, Correction, Loop, Problem, Silent, Stop, Technique};
use crate::cells::Cells;
use crate::constraint::{TiltTable, WeightRange, WeightRule};
use crate::kernel::{Tally, tally};
use crate::learner::{Learner, Predictor, Training};
use crate::sampling::keep_by_lot;
use crate::{Result, Warning, Weights};

/// What a run found.
#[derive(Debug)]
pub struct Outcome<P> {
    /// The classifier.
    pub predictor: P,
    /// One multiplier per constraint: those behind the classifier's weights.
    pub multipliers: Vec<f64>,
    /// How they become weights.
    pub rule: WeightRule,
    /// The weight of each cell in the closed form.
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
#[derive(Clone)]
pub(super) struct Iterate<P> {
    pub(super) predictor: P,
    pub(super) multipliers: Vec<f64>,
    pub(super) unweighted: bool,
    pub(super) tally: Tally,
    pub(super) violations: Vec<f64>,
    pub(super) violation: f64,
}

/// What stays the same from fit to fit, and what the learner remembers.
pub(super) struct Run<'a, L: Learner> {
    pub(super) problem: &'a Problem,
    pub(super) settings: &'a Correction,
    pub(super) learner: &'a L,
    pub(super) table: TiltTable,
    pub(super) memory: L::Memory,
    pub(super) trace: Vec<Loop>,
    fits: usize,
    unconverged: usize,
}

impl<'a, L: Learner> Run<'a, L> {
    pub(super) fn new(problem: &'a Problem, settings: &'a Correction, learner: &'a L) -> Self {
        let table = problem.tilt_table(settings.solver.rule());
        let memory = L::Memory::default();
        Self { problem, settings, learner, table, memory, trace: Vec::new(), fits: 0, unconverged: 0 }
    }

    /// Weights from multipliers, a fit with them, and what the fitted model does.
    pub(super) fn fit(&mut self, multipliers: Vec<f64>, unweighted: bool) -> Result<Iterate<L::Predictor>> {
        let weights =
            learner_weights(&self.table, &multipliers, self.settings.technique, unweighted, self.problem.cells())?;
        let predictor = self.learner.fit(training(self.problem, &weights), &mut self.memory)?;
        self.fits += 1;
        self.unconverged += usize::from(!predictor.converged());
        let problem = self.problem;
        let tally = tally(&predictor, problem.features(), problem.cells().tally_rows())?;
        let violations = problem.violations(&tally, self.settings.measure);
        let violation = violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        Ok(Iterate { predictor, multipliers, unweighted, tally, violations, violation })
    }

    /// Writes a fit into the trace; what comes next is filled in when it is known.
    pub(super) fn record(&mut self, iterate: &Iterate<L::Predictor>, seconds: f64) -> &mut Loop {
        self.trace.push(Loop {
            number: self.trace.len() + 1,
            multipliers: iterate.multipliers.clone(),
            moved: iterate.multipliers.clone(),
            violations: iterate.violations.clone(),
            violation: iterate.violation,
            error: self.problem.error(&iterate.tally),
            loss: self.problem.loss(&iterate.tally),
            seconds,
        });
        self.trace.last_mut().expect("one was just pushed")
    }

    pub(super) fn fits(&self) -> usize {
        self.fits
    }

    /// The result. Loops and fits that come later count as those of another.
    pub(super) fn outcome(&mut self, iterate: Iterate<L::Predictor>, stop: Stop) -> Outcome<L::Predictor> {
        let warnings = match std::mem::take(&mut self.unconverged) {
            0 => Vec::new(),
            fits => vec![Warning::LearnerNotConverged { fits }],
        };
        Outcome {
            rule: self.table.rule(),
            cell_weights: self.table.weights(&iterate.multipliers),
            unweighted: iterate.unweighted,
            train: self.problem.assess(&iterate.tally, self.settings.measure),
            predictor: iterate.predictor,
            multipliers: iterate.multipliers,
            trace: std::mem::take(&mut self.trace),
            stop,
            fits: std::mem::take(&mut self.fits),
            warnings,
        }
    }
}

/// What a learner is shown of a problem.
pub(super) fn training<'a>(problem: &'a Problem, weights: &'a Weights) -> Training<'a> {
    Training { features: problem.features(), labels: problem.labels(), classes: problem.classes(), weights }
}

/// What the learner is given for multipliers.
pub(crate) fn learner_weights(
    table: &TiltTable,
    multipliers: &[f64],
    technique: Technique,
    unweighted: bool,
    cells: &Cells,
) -> Result<Weights> {
    let mut values = table.weights(multipliers);
    match technique {
        _ if unweighted => values.fill(1.0),
        Technique::Sampling { seed } => {
            if table.rule().range == WeightRange::Unbounded {
                // Probabilities: the cell that counts most is kept whole.
                let largest = values.iter().fold(f64::MIN_POSITIVE, |largest, &one| largest.max(one));
                values.iter_mut().for_each(|value| *value /= largest);
            }
            return keep_by_lot(&values, cells, seed);
        }
        Technique::Weighting => values.iter_mut().for_each(|value| *value *= table.learner_scale()),
    }
    Ok(Weights::of_cells(values, cells.cell_of_row().clone(), cells.row_weights().cloned()))
}

/// One fit with weights of 1.
pub(super) fn uncorrected<L: Learner>(
    problem: &Problem,
    settings: &Correction,
    learner: &L,
) -> Result<Outcome<L::Predictor>> {
    let mut run = Run::new(problem, settings, learner);
    let iterate = run.fit(vec![0.0; run.table.multipliers()], true)?;
    run.record(&iterate, super::Observer::seconds(&Silent));
    Ok(run.outcome(iterate, Stop::LoopLimit))
}
