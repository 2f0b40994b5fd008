//! What every solver shares: weights from multipliers, a fit with them, its evaluation, and the solution in the end.

use std::sync::Arc;

use crate::cells::Cells;
use crate::constraint::TiltTable;
use crate::correction::problem::{EvaluationRows, Observed, Problem, ShiftCorrection, WeightMap};
use crate::correction::settings::{Correction, CovariateShift};
use crate::correction::solution::Solution;
use crate::correction::trace::{Iteration, Observer, Silent, Termination};
use crate::kernel::CellSums;
use crate::learner::{Learner, Predictor};
use crate::{Result, Warning};

/// One fitted model, with the multipliers it was fitted with and its evaluation.
#[derive(Clone)]
pub(in crate::correction) struct Iterate<P> {
    pub(in crate::correction) predictor: P,
    pub(in crate::correction) multipliers: Vec<f64>,
    pub(in crate::correction) unweighted: bool,
    /// Sums per cell of its decisions and scores on the training rows.
    pub(in crate::correction) trained: CellSums,
    /// The same on the rows that violations are measured on: by this model, or by those of the folds.
    pub(in crate::correction) sums: CellSums,
    pub(in crate::correction) violations: Vec<f64>,
    pub(in crate::correction) violation: f64,
}

/// The state of a solver from fit to fit: what is fixed, the warm start of the learner, and the trace.
pub(in crate::correction) struct Run<'a, L: Learner> {
    pub(in crate::correction) problem: &'a Problem,
    pub(in crate::correction) settings: &'a Correction,
    pub(in crate::correction) learner: &'a L,
    pub(in crate::correction) table: TiltTable,
    pub(in crate::correction) warm_start: L::WarmStart,
    pub(in crate::correction) trace: Vec<Iteration>,
    /// Probabilities of the observed labels, where covariate shift is corrected.
    pub(in crate::correction) observed: Option<Arc<Observed>>,
    /// The fit without correction that gives them.
    plain: Option<Arc<L::Predictor>>,
    evaluation: EvaluationRows<L>,
    fits: usize,
    /// How many multipliers were tried: fewer than fits where folds are fitted for each.
    tried: usize,
    unconverged: usize,
}

impl<'a, L: Learner> Run<'a, L> {
    /// A run that is evaluated on its training rows, without a correction of covariate shift.
    pub(in crate::correction) fn new(problem: &'a Problem, settings: &'a Correction, learner: &'a L) -> Self {
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

    /// A run that is evaluated on given rows; where covariate shift is corrected, after the fit that this takes.
    pub(in crate::correction) fn before(
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

    /// Fits without correction, to all rows and to those of every fold, for the probabilities of the observed labels.
    fn observe(&mut self) -> Result<()> {
        let (problem, learner, rule) = (self.problem, self.learner, self.table.rule());
        let mut fits = (0, 0);
        let mut plain = |rows: &Problem, warm_start: &mut L::WarmStart| -> Result<(L::Predictor, Arc<Observed>)> {
            let predictor = learner.fit(rows.training(&WeightMap::unweighted(rows.cells())), warm_start)?;
            fits = (fits.0 + 1, fits.1 + usize::from(!predictor.converged()));
            // One table for all folds, that of all rows, so that multipliers mean the same in each of them.
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
    pub(in crate::correction) fn weight_map(&self) -> WeightMap<'_> {
        weight_map(&self.table, self.settings, self.problem.cells(), self.observed.as_deref())
    }

    /// The rows that violations are measured on.
    pub(in crate::correction) fn evaluation_rows(&self) -> &Problem {
        match &self.evaluation {
            EvaluationRows::Holdout(problem) => problem,
            EvaluationRows::Training | EvaluationRows::Folds(_) => self.problem,
        }
    }

    /// Whether these are the training rows, with the decisions of the fitted model itself.
    pub(in crate::correction) fn evaluates_on_training(&self) -> bool {
        matches!(self.evaluation, EvaluationRows::Training)
    }

    /// Weights from multipliers, a fit with them, and its evaluation.
    pub(in crate::correction) fn fit(
        &mut self,
        multipliers: Vec<f64>,
        unweighted: bool,
    ) -> Result<Iterate<L::Predictor>> {
        let weights = if unweighted {
            WeightMap::unweighted(self.problem.cells())
        } else {
            self.weight_map().weights(&multipliers)?
        };
        let predictor = self.learner.fit(self.problem.training(&weights), &mut self.warm_start)?;
        self.fits += 1;
        self.tried += 1;
        self.unconverged += usize::from(!predictor.converged());
        let trained = self.problem.cell_sums(&predictor)?;
        let sums = self.evaluation_sums(&predictor, &trained, &multipliers, unweighted)?;
        let violations = self.evaluation_rows().violations(&sums, self.settings.measure);
        let violation = violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()));
        Ok(Iterate { predictor, multipliers, unweighted, trained, sums, violations, violation })
    }

    /// Sums per cell on the rows that violations are measured on.
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
            let predictor = self.learner.fit(fold.train.training(&weights), &mut fold.warm_start)?;
            self.fits += 1;
            let sums = fold.test.cell_sums(&predictor)?;
            sum = Some(sum.map_or_else(|| sums.clone(), |sum| sum.plus(&sums)));
        }
        Ok(sum.unwrap_or_else(|| trained.clone()))
    }

    /// Adds a fit to the trace; the next multipliers are filled in when they are known.
    pub(in crate::correction) fn record(&mut self, iterate: &Iterate<L::Predictor>, seconds: f64) -> &mut Iteration {
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

    /// The update λ ← λ − η Δ, where Δ is group rate minus overall rate, the negative of our violations.
    pub(in crate::correction) fn move_against(&self, violations: &[f64], step: f64, multipliers: &mut [f64]) {
        for (place, (multiplier, violation)) in multipliers.iter_mut().zip(violations).enumerate() {
            *multiplier += step * self.table.scale(place) * violation;
        }
    }

    /// How many multipliers were tried since the last result.
    pub(in crate::correction) fn tried(&self) -> usize {
        self.tried
    }

    /// The solution. The trace and the counts start anew with it.
    pub(in crate::correction) fn solution(
        &mut self,
        iterate: Iterate<L::Predictor>,
        stop: Termination,
    ) -> Solution<L::Predictor> {
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

/// One fit with weights of 1.
pub(in crate::correction) fn uncorrected<L: Learner>(
    problem: &Problem,
    settings: &Correction,
    learner: &L,
) -> Result<Solution<L::Predictor>> {
    let mut run = Run::new(problem, settings, learner);
    let iterate = run.fit(vec![0.0; run.table.multipliers()], true)?;
    run.record(&iterate, Observer::seconds(&Silent));
    Ok(run.solution(iterate, Termination::IterationLimit))
}
