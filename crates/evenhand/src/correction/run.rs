//! What every way of finding multipliers shares: weights, fits, what they do, and the result.

use std::sync::Arc;

use super::select::Jury;
use super::shift::Observed;
use super::weighing::Weighing;
use super::{
    Assessment, Bound, Classifier, Correction, Judgement, Loop, Problem, Shift, Silent, Stop, Thresholds, Undone,
};
use crate::cells::Cells;
use crate::constraint::{Measure, TiltTable, WeightRule};
use crate::kernel::Tally;
use crate::learner::{Learner, Predictor, Training};
use crate::{Result, Warning, Weights};

/// What a run found.
#[derive(Debug)]
pub struct Outcome<P> {
    /// The classifier.
    pub predictor: P,
    /// One multiplier per constraint: those behind the classifier's weights. None where the method has none.
    pub multipliers: Vec<f64>,
    /// How they become weights.
    pub rule: WeightRule,
    /// The weight of each cell: in the closed form, or as another method has it.
    pub cell_weights: Vec<f64>,
    /// Where the shift of features was undone, what by: the weights that were used are those of the closed form over φ.
    pub undone: Option<Undone<P>>,
    /// Whether the classifier was fitted with weights of 1 instead (the paper's first fit).
    pub unweighted: bool,
    /// The classifier's rates and violations on the training rows.
    pub train: Assessment,
    /// The same on the rows by which multipliers were chosen, where those are not the training rows as
    /// the classifier itself sees them: validation rows, or all of them by models that have not seen them.
    pub judged: Option<Assessment>,
    /// Every loop.
    pub trace: Vec<Loop>,
    /// What decides in place of the threshold ½, where the method is a calibration.
    pub thresholds: Option<Thresholds>,
    /// By how much relaxed violations might exceed zero, where the method is the Lagrangian approach.
    pub slack: Option<f64>,
    /// How the run ended.
    pub stop: Stop,
    /// How many times the learner was called.
    pub fits: usize,
    /// What to know about the result.
    pub warnings: Vec<Warning>,
}

impl<P: Predictor> Outcome<P> {
    /// The weight of every row that it was found on: that of its cell, times the user's own; where the shift of
    /// features was undone, over φ.
    ///
    /// # Errors
    /// What the predictor says, where the shift of features was undone.
    pub fn weights(&self, trained_on: &Problem) -> Result<Weights> {
        let cells = trained_on.cells();
        Ok(match &self.undone {
            Some(undone) => Weights::of_each(undone.weights(trained_on)?, cells.row_weights().cloned()),
            None => {
                Weights::of_cells(self.cell_weights.clone(), cells.cell_of_row().clone(), cells.row_weights().cloned())
            }
        })
    }

    /// Error, rates and violations on other rows, bound like those it was trained on. Where lots decide, in expectation.
    ///
    /// # Errors
    /// What the predictor says.
    pub fn assess(&self, problem: &Problem, measure: Measure) -> Result<Assessment> {
        self.classifier().assess(problem, measure)
    }

    /// Whether bounds hold, as far as other rows can tell; see [`Problem::judge`].
    ///
    /// # Errors
    /// As [`Problem::judge`].
    pub fn judge(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<Judgement>> {
        self.classifier().judge(problem, bounds, measure, confidence)
    }

    /// What to know about how other rows are decided: that some are in groups which training rows never had together.
    pub fn unseen(&self, problem: &Problem) -> Option<Warning> {
        self.thresholds.as_ref()?.unseen(problem)
    }

    pub(crate) fn classifier(&self) -> Classifier<'_> {
        Classifier { predictor: &self.predictor, thresholds: self.thresholds.as_ref() }
    }
}

/// A fitted model on the way, with what it was made from and what it does.
#[derive(Clone)]
pub(super) struct Iterate<P> {
    pub(super) predictor: P,
    pub(super) multipliers: Vec<f64>,
    pub(super) unweighted: bool,
    /// What it does with the training rows.
    pub(super) trained: Tally,
    /// What it, or models like it, do with the rows that violations are measured on.
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
    /// What labels are observed, where the shift of features is undone.
    pub(super) observed: Option<Arc<Observed>>,
    /// The fit without correction that tells it.
    plain: Option<Arc<L::Predictor>>,
    jury: Jury<L>,
    fits: usize,
    /// How many multipliers were tried: fewer than fits where folds are fitted for each.
    tried: usize,
    unconverged: usize,
}

impl<'a, L: Learner> Run<'a, L> {
    /// A run that judges itself, and has not looked yet at which labels are observed.
    pub(super) fn new(problem: &'a Problem, settings: &'a Correction, learner: &'a L) -> Self {
        Self {
            problem,
            settings,
            learner,
            table: problem.tilt_table(settings.solver.rule()),
            memory: L::Memory::default(),
            trace: Vec::new(),
            observed: None,
            plain: None,
            jury: Jury::Training,
            fits: 0,
            tried: 0,
            unconverged: 0,
        }
    }

    /// A run whose violations are measured by a jury, and that is ready to weigh rows.
    pub(super) fn before(
        jury: Jury<L>,
        problem: &'a Problem,
        settings: &'a Correction,
        learner: &'a L,
    ) -> Result<Self> {
        let mut run = Self { jury, ..Self::new(problem, settings, learner) };
        if settings.shift == Shift::Undone {
            run.observe()?;
        }
        Ok(run)
    }

    /// Fits without correction, to all rows and to those of every fold, to tell which labels are observed.
    fn observe(&mut self) -> Result<()> {
        let (problem, learner, rule) = (self.problem, self.learner, self.table.rule());
        let mut fits = (0, 0);
        let mut plain = |rows: &Problem, memory: &mut L::Memory| -> Result<(L::Predictor, Arc<Observed>)> {
            let predictor = learner.fit(training(rows, &Weighing::unweighted(rows.cells())), memory)?;
            fits = (fits.0 + 1, fits.1 + usize::from(!predictor.converged()));
            // Multipliers mean the same in every fold: those of all rows.
            let observed = Observed::new(problem.label_table(rule), &predictor, rows)?;
            Ok((predictor, Arc::new(observed)))
        };
        let (predictor, observed) = plain(problem, &mut self.memory)?;
        (self.plain, self.observed) = (Some(Arc::new(predictor)), Some(observed));
        if let Jury::Folds(folds) = &mut self.jury {
            for fold in folds {
                fold.observed = Some(plain(&fold.train, &mut fold.memory)?.1);
            }
        }
        (self.fits, self.unconverged) = fits;
        Ok(())
    }

    /// How multipliers become the weights of the rows that are fitted to.
    pub(super) fn weighing(&self) -> Weighing<'_> {
        weighing(&self.table, self.settings, self.problem.cells(), self.observed.as_deref())
    }

    /// The rows that violations are measured on.
    pub(super) fn judging(&self) -> &Problem {
        match &self.jury {
            Jury::Validation(problem) => problem,
            Jury::Training | Jury::Folds(_) => self.problem,
        }
    }

    /// Whether these are the training rows, seen by the model itself.
    pub(super) fn judges_itself(&self) -> bool {
        matches!(self.jury, Jury::Training)
    }

    /// Weights from multipliers, a fit with them, and what the fitted model does.
    pub(super) fn fit(&mut self, multipliers: Vec<f64>, unweighted: bool) -> Result<Iterate<L::Predictor>> {
        let weights = if unweighted {
            Weighing::unweighted(self.problem.cells())
        } else {
            self.weighing().weights(&multipliers)?
        };
        let predictor = self.learner.fit(training(self.problem, &weights), &mut self.memory)?;
        self.fits += 1;
        self.tried += 1;
        self.unconverged += usize::from(!predictor.converged());
        let trained = self.problem.tally(&predictor)?;
        let tally = self.judged(&predictor, &trained, &multipliers, unweighted)?;
        let violations = self.judging().violations(&tally, self.settings.measure);
        let violation = violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        Ok(Iterate { predictor, multipliers, unweighted, trained, tally, violations, violation })
    }

    /// What violations are measured from.
    fn judged(
        &mut self,
        predictor: &L::Predictor,
        trained: &Tally,
        multipliers: &[f64],
        unweighted: bool,
    ) -> Result<Tally> {
        let folds = match &mut self.jury {
            Jury::Training => return Ok(trained.clone()),
            Jury::Validation(problem) => return problem.tally(predictor),
            Jury::Folds(folds) => folds,
        };
        let mut sum: Option<Tally> = None;
        for fold in folds {
            let cells = fold.train.cells();
            let weighing = weighing(&self.table, self.settings, cells, fold.observed.as_deref());
            let weights = if unweighted { Weighing::unweighted(cells) } else { weighing.weights(multipliers)? };
            let predictor = self.learner.fit(training(&fold.train, &weights), &mut fold.memory)?;
            self.fits += 1;
            let tally = fold.test.tally(&predictor)?;
            sum = Some(sum.map_or_else(|| tally.clone(), |sum| sum.plus(&tally)));
        }
        Ok(sum.unwrap_or_else(|| trained.clone()))
    }

    /// Writes a fit into the trace; what comes next is filled in when it is known.
    pub(super) fn record(&mut self, iterate: &Iterate<L::Predictor>, seconds: f64) -> &mut Loop {
        self.trace.push(Loop {
            number: self.trace.len() + 1,
            multipliers: iterate.multipliers.clone(),
            moved: iterate.multipliers.clone(),
            violations: iterate.violations.clone(),
            violation: iterate.violation,
            error: self.problem.error(&iterate.trained),
            loss: self.problem.loss(&iterate.trained),
            seconds,
        });
        self.trace.last_mut().expect("one was just pushed")
    }

    /// λ ← λ − η Δ, with Δ group minus overall: the negative of our violations.
    pub(super) fn move_against(&self, violations: &[f64], step: f64, multipliers: &mut [f64]) {
        for (place, (multiplier, violation)) in multipliers.iter_mut().zip(violations).enumerate() {
            *multiplier += step * self.table.scale(place) * violation;
        }
    }

    /// How many multipliers were tried since the last result.
    pub(super) fn tried(&self) -> usize {
        self.tried
    }

    /// The result. Loops and fits that come later count as those of another.
    pub(super) fn outcome(&mut self, iterate: Iterate<L::Predictor>, stop: Stop) -> Outcome<L::Predictor> {
        self.tried = 0;
        let warnings = match std::mem::take(&mut self.unconverged) {
            0 => Vec::new(),
            fits => vec![Warning::LearnerNotConverged { fits }],
        };
        Outcome {
            rule: self.table.rule(),
            cell_weights: self.table.weights(&iterate.multipliers),
            undone: self.undone(&iterate.multipliers),
            unweighted: iterate.unweighted,
            train: self.problem.assess(&iterate.trained, self.settings.measure),
            judged: (!self.judges_itself()).then(|| self.judging().assess(&iterate.tally, self.settings.measure)),
            predictor: iterate.predictor,
            multipliers: iterate.multipliers,
            trace: std::mem::take(&mut self.trace),
            thresholds: None,
            slack: None,
            stop,
            fits: std::mem::take(&mut self.fits),
            warnings,
        }
    }

    fn undone(&self, multipliers: &[f64]) -> Option<Undone<L::Predictor>> {
        let (plain, observed) = (self.plain.as_ref()?, self.observed.as_ref()?);
        let label_weights = observed.label_weights(self.table.rule().range, multipliers);
        Some(Undone { observed: plain.clone(), label_weights })
    }
}

fn weighing<'a>(
    table: &'a TiltTable,
    settings: &Correction,
    cells: &'a Cells,
    observed: Option<&'a Observed>,
) -> Weighing<'a> {
    Weighing { table, cells, technique: settings.technique, observed }
}

/// What a learner is shown of a problem.
pub(super) fn training<'a>(problem: &'a Problem, weights: &'a Weights) -> Training<'a> {
    Training { features: problem.features(), labels: problem.labels(), classes: problem.classes(), weights }
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
