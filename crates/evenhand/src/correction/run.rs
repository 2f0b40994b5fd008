//! What every way of finding multipliers shares: weights, fits, what they do, and the result.

use std::sync::Arc;

use super::covariate_shift::Observed;
use super::validation::EvaluationRows;
use super::weight_map::WeightMap;
use super::{
    Bound, BoundTest, Classifier, Correction, CovariateShift, Iteration, Metrics, Problem, ShiftCorrection, Silent,
    Termination, Thresholds,
};
use crate::cells::Cells;
use crate::constraint::{Measure, TiltTable, WeightRule};
use crate::kernel::CellSums;
use crate::learner::{Learner, Predictor, Training};
use crate::{Result, Warning, Weights};

/// What a run found.
#[derive(Debug)]
pub struct Solution<P> {
    /// The classifier.
    pub predictor: P,
    /// One multiplier per constraint: those behind the classifier's weights. None where the method has none.
    pub multipliers: Vec<f64>,
    /// How they become weights.
    pub rule: WeightRule,
    /// The weight of each cell: in the closed form, or as another method has it.
    pub cell_weights: Vec<f64>,
    /// Where the shift of features was undone, what by: the weights that were used are those of the closed form over φ.
    pub shift_correction: Option<ShiftCorrection<P>>,
    /// Whether the classifier was fitted with weights of 1 instead (the paper's first fit).
    pub unweighted: bool,
    /// The classifier's rates and violations on the training rows.
    pub train: Metrics,
    /// The same on the rows by which multipliers were chosen, where those are not the training rows as
    /// the classifier itself sees them: validation rows, or all of them by models that have not seen them.
    pub validation: Option<Metrics>,
    /// Every loop.
    pub trace: Vec<Iteration>,
    /// What decides in place of the threshold ½, where the method is a calibration.
    pub thresholds: Option<Thresholds>,
    /// By how much relaxed violations might exceed zero, where the method is the Lagrangian approach.
    pub slack: Option<f64>,
    /// How the run ended.
    pub stop: Termination,
    /// How many times the learner was called.
    pub fits: usize,
    /// What to know about the result.
    pub warnings: Vec<Warning>,
}

impl<P: Predictor> Solution<P> {
    /// The weight of every row that it was found on: that of its cell, times the user's own; where the shift of
    /// features was undone, over φ.
    ///
    /// # Errors
    /// What the predictor says, where the shift of features was undone.
    pub fn weights(&self, trained_on: &Problem) -> Result<Weights> {
        let cells = trained_on.cells();
        Ok(match &self.shift_correction {
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
    pub fn evaluate(&self, problem: &Problem, measure: Measure) -> Result<Metrics> {
        self.classifier().evaluate(problem, measure)
    }

    /// Whether bounds hold, as far as other rows can tell; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// As [`Problem::test_bounds`].
    pub fn test_bounds(
        &self,
        problem: &Problem,
        bounds: &[Bound],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<BoundTest>> {
        self.classifier().test_bounds(problem, bounds, measure, confidence)
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
    pub(super) trained: CellSums,
    /// What it, or models like it, do with the rows that violations are measured on.
    pub(super) sums: CellSums,
    pub(super) violations: Vec<f64>,
    pub(super) violation: f64,
}

/// What stays the same from fit to fit, and what the learner remembers.
pub(super) struct Run<'a, L: Learner> {
    pub(super) problem: &'a Problem,
    pub(super) settings: &'a Correction,
    pub(super) learner: &'a L,
    pub(super) table: TiltTable,
    pub(super) warm_start: L::WarmStart,
    pub(super) trace: Vec<Iteration>,
    /// What labels are observed, where the shift of features is undone.
    pub(super) observed: Option<Arc<Observed>>,
    /// The fit without correction that tells it.
    plain: Option<Arc<L::Predictor>>,
    evaluation: EvaluationRows<L>,
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
            warm_start: L::WarmStart::default(),
            trace: Vec::new(),
            observed: None,
            plain: None,
            evaluation: EvaluationRows::Training,
            fits: 0,
            tried: 0,
            unconverged: 0,
        }
    }

    /// A run whose violations are measured by a evaluation, and that is ready to weigh rows.
    pub(super) fn before(
        evaluation: EvaluationRows<L>,
        problem: &'a Problem,
        settings: &'a Correction,
        learner: &'a L,
    ) -> Result<Self> {
        let mut run = Self { evaluation, ..Self::new(problem, settings, learner) };
        if settings.covariate_shift == CovariateShift::Corrected {
            run.observe()?;
        }
        Ok(run)
    }

    /// Fits without correction, to all rows and to those of every fold, to tell which labels are observed.
    fn observe(&mut self) -> Result<()> {
        let (problem, learner, rule) = (self.problem, self.learner, self.table.rule());
        let mut fits = (0, 0);
        let mut plain = |rows: &Problem, warm_start: &mut L::WarmStart| -> Result<(L::Predictor, Arc<Observed>)> {
            let predictor = learner.fit(training(rows, &WeightMap::unweighted(rows.cells())), warm_start)?;
            fits = (fits.0 + 1, fits.1 + usize::from(!predictor.converged()));
            // Multipliers mean the same in every fold: those of all rows.
            let observed = Observed::new(problem.label_table(rule), &predictor, rows)?;
            Ok((predictor, Arc::new(observed)))
        };
        let (predictor, observed) = plain(problem, &mut self.warm_start)?;
        (self.plain, self.observed) = (Some(Arc::new(predictor)), Some(observed));
        if let EvaluationRows::Folds(folds) = &mut self.evaluation {
            for fold in folds {
                fold.observed = Some(plain(&fold.train, &mut fold.warm_start)?.1);
            }
        }
        (self.fits, self.unconverged) = fits;
        Ok(())
    }

    /// How multipliers become the weights of the rows that are fitted to.
    pub(super) fn weight_map(&self) -> WeightMap<'_> {
        weight_map(&self.table, self.settings, self.problem.cells(), self.observed.as_deref())
    }

    /// The rows that violations are measured on.
    pub(super) fn evaluation_rows(&self) -> &Problem {
        match &self.evaluation {
            EvaluationRows::Holdout(problem) => problem,
            EvaluationRows::Training | EvaluationRows::Folds(_) => self.problem,
        }
    }

    /// Whether these are the training rows, seen by the model itself.
    pub(super) fn evaluates_on_training(&self) -> bool {
        matches!(self.evaluation, EvaluationRows::Training)
    }

    /// Weights from multipliers, a fit with them, and what the fitted model does.
    pub(super) fn fit(&mut self, multipliers: Vec<f64>, unweighted: bool) -> Result<Iterate<L::Predictor>> {
        let weights = if unweighted {
            WeightMap::unweighted(self.problem.cells())
        } else {
            self.weight_map().weights(&multipliers)?
        };
        let predictor = self.learner.fit(training(self.problem, &weights), &mut self.warm_start)?;
        self.fits += 1;
        self.tried += 1;
        self.unconverged += usize::from(!predictor.converged());
        let trained = self.problem.cell_sums(&predictor)?;
        let sums = self.evaluation_sums(&predictor, &trained, &multipliers, unweighted)?;
        let violations = self.evaluation_rows().violations(&sums, self.settings.measure);
        let violation = violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        Ok(Iterate { predictor, multipliers, unweighted, trained, sums, violations, violation })
    }

    /// What violations are measured from.
    fn evaluation_sums(
        &mut self,
        predictor: &L::Predictor,
        trained: &CellSums,
        multipliers: &[f64],
        unweighted: bool,
    ) -> Result<CellSums> {
        let folds = match &mut self.evaluation {
            EvaluationRows::Training => return Ok(trained.clone()),
            EvaluationRows::Holdout(problem) => return problem.cell_sums(predictor),
            EvaluationRows::Folds(folds) => folds,
        };
        let mut sum: Option<CellSums> = None;
        for fold in folds {
            let cells = fold.train.cells();
            let weight_map = weight_map(&self.table, self.settings, cells, fold.observed.as_deref());
            let weights = if unweighted { WeightMap::unweighted(cells) } else { weight_map.weights(multipliers)? };
            let predictor = self.learner.fit(training(&fold.train, &weights), &mut fold.warm_start)?;
            self.fits += 1;
            let sums = fold.test.cell_sums(&predictor)?;
            sum = Some(sum.map_or_else(|| sums.clone(), |sum| sum.plus(&sums)));
        }
        Ok(sum.unwrap_or_else(|| trained.clone()))
    }

    /// Writes a fit into the trace; what comes next is filled in when it is known.
    pub(super) fn record(&mut self, iterate: &Iterate<L::Predictor>, seconds: f64) -> &mut Iteration {
        self.trace.push(Iteration {
            number: self.trace.len() + 1,
            multipliers: iterate.multipliers.clone(),
            next_multipliers: iterate.multipliers.clone(),
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
    pub(super) fn solution(&mut self, iterate: Iterate<L::Predictor>, stop: Termination) -> Solution<L::Predictor> {
        self.tried = 0;
        let warnings = match std::mem::take(&mut self.unconverged) {
            0 => Vec::new(),
            fits => vec![Warning::LearnerNotConverged { fits }],
        };
        Solution {
            rule: self.table.rule(),
            cell_weights: self.table.weights(&iterate.multipliers),
            shift_correction: self.shift_correction(&iterate.multipliers),
            unweighted: iterate.unweighted,
            train: self.problem.evaluate(&iterate.trained, self.settings.measure),
            validation: (!self.evaluates_on_training())
                .then(|| self.evaluation_rows().evaluate(&iterate.sums, self.settings.measure)),
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

    fn shift_correction(&self, multipliers: &[f64]) -> Option<ShiftCorrection<L::Predictor>> {
        let (plain, observed) = (self.plain.as_ref()?, self.observed.as_ref()?);
        let label_weights = observed.label_weights(self.table.rule().range, multipliers);
        Some(ShiftCorrection { observed: plain.clone(), label_weights })
    }
}

fn weight_map<'a>(
    table: &'a TiltTable,
    settings: &Correction,
    cells: &'a Cells,
    observed: Option<&'a Observed>,
) -> WeightMap<'a> {
    WeightMap { table, cells, technique: settings.technique, observed }
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
) -> Result<Solution<L::Predictor>> {
    let mut run = Run::new(problem, settings, learner);
    let iterate = run.fit(vec![0.0; run.table.multipliers()], true)?;
    run.record(&iterate, super::Observer::seconds(&Silent));
    Ok(run.solution(iterate, Termination::IterationLimit))
}
