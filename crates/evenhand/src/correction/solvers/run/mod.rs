//! What every solver shares: weights from multipliers, a fit with them, its evaluation, and the solution in the end. What a search asks of it
//! is in `oracle`.

mod oracle;

use std::sync::Arc;

use super::oracle::{FitCache, Point};
use super::rank::least_norm;
use super::run_log::{FinalFit, RunLog};
use super::tilted_run::TiltedRun;
use crate::Result;
use crate::cells::Cells;
use crate::constraint::{Measure, Tilt, TiltTable, WeightRule};
use crate::correction::problem::{
    EvaluationRows, Expectations, ExpectedTilt, Observed, Problem, RowTilts, ShiftCorrection, WeightMap,
};
use crate::correction::settings::{Apply, Correction, CovariateShift, Technique};
use crate::correction::solution::Solution;
use crate::correction::trace::{Iteration, Termination};
use crate::kernel::CellSums;
use crate::learner::{Learner, Predictor, Sensitivity};

/// One fitted model, with the multipliers it was fitted with and its evaluation.
pub(in crate::correction) struct Iterate<P> {
    pub(in crate::correction) predictor: Arc<P>,
    pub(in crate::correction) multipliers: Vec<f64>,
    pub(in crate::correction) unweighted: bool,
    /// Sums per cell of its decisions and scores on the training rows.
    pub(in crate::correction) trained: CellSums,
    /// The same on the rows that violations are measured on: by this model, or by those of the folds.
    pub(in crate::correction) sums: CellSums,
    pub(in crate::correction) violations: Vec<f64>,
}

/// The state of a solver from fit to fit: what is fixed, the warm start of the learner, and the log.
pub(in crate::correction) struct Run<'a, L: Learner> {
    pub(in crate::correction) problem: &'a Problem,
    pub(in crate::correction) settings: &'a Correction,
    pub(in crate::correction) learner: &'a L,
    pub(in crate::correction) table: TiltTable,
    pub(in crate::correction) warm_start: L::WarmStart,
    pub(in crate::correction) log: RunLog,
    /// Probabilities of the observed labels, where covariate shift is corrected.
    pub(in crate::correction) observed: Option<Arc<Observed>>,
    /// The fit without correction that gives them.
    plain: Option<Arc<L::Predictor>>,
    /// What is left of groups' tilts by what the learner sees, and the tilts of the rows that are fitted to.
    expected: Option<(Arc<ExpectedTilt<L::Predictor>>, RowTilts)>,
    /// The fit without correction with tilted probabilities, once a search has asked where to start.
    tilted: Option<TiltedRun<'a, L::Predictor>>,
    evaluation: EvaluationRows<L>,
    cache: FitCache<Iterate<L::Predictor>>,
    /// The derivatives of one of them, with respect to some multipliers.
    derivatives: Option<Differentiated>,
}

/// The derivatives of a fit.
struct Differentiated {
    id: usize,
    /// The multipliers that scores were differentiated by, and the values they had.
    basis: Vec<usize>,
    multipliers: Vec<f64>,
    sensitivity: Box<dyn Sensitivity>,
}

impl<P> Clone for Iterate<P> {
    fn clone(&self) -> Self {
        Self {
            predictor: self.predictor.clone(),
            multipliers: self.multipliers.clone(),
            trained: self.trained.clone(),
            sums: self.sums.clone(),
            violations: self.violations.clone(),
            ..*self
        }
    }
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
            log: RunLog::default(),
            observed: None,
            plain: None,
            expected: None,
            tilted: None,
            evaluation: EvaluationRows::Training,
            cache: FitCache::default(),
            derivatives: None,
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
        let rule = settings.rule_for(problem, learner);
        if rule.tilt == Tilt::Expected {
            let (expected, fits) = ExpectedTilt::fit(problem, learner, Apply::Weights)?;
            run.log.count(fits, 0);
            run.expect(Arc::new(expected), rule)?;
        }
        Ok(run)
    }

    /// A run on its training rows that makes weights as those of a solution were made.
    pub(in crate::correction) fn after(
        found: &Solution<L::Predictor>,
        problem: &'a Problem,
        settings: &'a Correction,
        learner: &'a L,
    ) -> Result<Self> {
        let mut run = Self::new(problem, settings, learner);
        if settings.covariate_shift == CovariateShift::Corrected {
            run.observe()?;
        }
        match &found.expected {
            Some(expected) => run.expect(expected.clone(), found.rule)?,
            None => run.table = problem.tilt_table(found.rule),
        }
        Ok(run)
    }

    /// Makes weights by expected tilts.
    fn expect(&mut self, expected: Arc<ExpectedTilt<L::Predictor>>, rule: WeightRule) -> Result<()> {
        if let EvaluationRows::Folds(folds) = &mut self.evaluation {
            for fold in folds {
                fold.tilts = Some(expected.of_problem(&fold.train, None)?);
            }
        }
        let tilts = expected.of_problem(self.problem, None)?;
        self.expected = Some((expected, tilts));
        self.table = self.table_by(rule);
        Ok(())
    }

    /// What each multiplier adds to the exponents of the rows that are fitted to, or of their cells.
    fn table_by(&self, rule: WeightRule) -> TiltTable {
        match &self.expected {
            Some((_, tilts)) if rule.tilt == Tilt::Expected => tilts.table(self.problem, rule),
            _ => self.problem.tilt_table(rule),
        }
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
        self.log.count(fits.0, fits.1);
        Ok(())
    }

    /// The fit without correction with tilted probabilities, if tilts are expectations and decisions are measured.
    fn tilted(&mut self) -> Result<Option<&mut TiltedRun<'a, L::Predictor>>> {
        let zero = |iterate: &Iterate<_>| iterate.multipliers.iter().all(|one| *one == 0.0);
        let first = self.cache.iter().find(|iterate| zero(iterate));
        let own = self.expected.as_ref().filter(|_| self.table.is_by_row());
        let (Some((expected, _)), Some(first), Measure::Decisions) = (own, first, self.settings.measure) else {
            return Ok(None);
        };
        if self.tilted.is_none() {
            let (predictor, expected) = (first.predictor.clone(), expected.clone());
            self.tilted = Some(TiltedRun::of_fit(predictor, expected, self.problem, self.settings)?);
        }
        Ok(self.tilted.as_mut())
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
        let predictor = Arc::new(self.learner.fit(self.problem.training(&weights), &mut self.warm_start)?);
        self.log.count(1, usize::from(!predictor.converged()));
        let trained = self.problem.cell_sums(&predictor)?;
        let sums = self.evaluation_sums(&predictor, &trained, &multipliers, unweighted)?;
        let violations = self.evaluation_rows().violations(&sums, self.settings.measure);
        Ok(Iterate { predictor, multipliers, unweighted, trained, sums, violations })
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
            let own = fold.tilts.as_ref().filter(|_| self.table.is_by_row());
            let own = own.map(|tilts| tilts.table(&fold.train, self.table.rule()));
            let table = own.as_ref().unwrap_or(&self.table);
            let weight_map = weight_map(table, self.settings, cells, fold.observed.as_deref());
            let weights = if unweighted { WeightMap::unweighted(cells) } else { weight_map.weights(multipliers)? };
            let predictor = self.learner.fit(fold.train.training(&weights), &mut fold.warm_start)?;
            self.log.count(1, 0);
            let sums = fold.test.cell_sums(&predictor)?;
            sum = Some(sum.map_or_else(|| sums.clone(), |sum| sum.plus(&sums)));
        }
        Ok(sum.unwrap_or_else(|| trained.clone()))
    }

    /// Adds a fit to the trace; the next multipliers are filled in when they are known.
    pub(in crate::correction) fn record(&mut self, iterate: &Iterate<L::Predictor>, seconds: f64) -> &mut Iteration {
        self.log.record(&iterate.multipliers, &iterate.violations, (self.problem, &iterate.trained), seconds)
    }

    /// The update λ ← λ − η Δ, where Δ is group rate minus overall rate, the negative of our violations.
    pub(in crate::correction) fn move_against(&self, violations: &[f64], step: f64, multipliers: &mut [f64]) {
        for (place, (multiplier, violation)) in multipliers.iter_mut().zip(violations).enumerate() {
            *multiplier += step * self.table.scale(place) * violation;
        }
    }

    /// The solution of a search that ended at some fit.
    pub(in crate::correction) fn into_solution(mut self, point: &Point, stop: Termination) -> Solution<L::Predictor> {
        let iterate = self.cache.take(point).expect("a search keeps what it returns");
        self.shortest_solution(iterate, point.rule, stop)
    }

    /// The solution without correction, where a search began with that fit: to all rows, with the user's row weights alone.
    pub(in crate::correction) fn take_uncorrected(&mut self, point: &Point) -> Option<Solution<L::Predictor>> {
        let table = self.table_by(point.rule);
        let one = |weight: &f64| (weight * table.learner_scale()).to_bits() == 1.0_f64.to_bits();
        let plain = self.settings.technique == Technique::Weighting
            && self.observed.is_none()
            && table.weights(&point.multipliers).iter().all(one);
        if !plain || matches!(self.evaluation, EvaluationRows::Holdout(_)) {
            return None;
        }
        let Iterate { predictor, trained, .. } = self.cache.take(point)?;
        let weights = vec![1.0; self.problem.cells().len()];
        Some(Solution::of_single_fit(self.problem, self.settings, predictor, &trained, weights))
    }

    /// With the shortest multipliers that make the same weights.
    fn shortest_solution(
        &mut self,
        mut iterate: Iterate<L::Predictor>,
        rule: WeightRule,
        stop: Termination,
    ) -> Solution<L::Predictor> {
        if self.table.rule() != rule {
            self.table = self.table_by(rule);
        }
        iterate.multipliers = least_norm(self.table.gram(), &iterate.multipliers);
        self.solution(iterate, stop)
    }

    /// The solution. The log starts anew with it.
    pub(in crate::correction) fn solution(
        &mut self,
        iterate: Iterate<L::Predictor>,
        stop: Termination,
    ) -> Solution<L::Predictor> {
        let fit = FinalFit {
            predictor: iterate.predictor,
            rule: self.table.rule(),
            cell_weights: self.weight_map().by_cell(&iterate.multipliers),
            multipliers: iterate.multipliers,
            trained: &iterate.trained,
        };
        Solution {
            expected: self.expected.as_ref().filter(|_| self.table.is_by_row()).map(|(expected, _)| expected.clone()),
            shift_correction: self.shift_correction(&fit.multipliers),
            unweighted: iterate.unweighted,
            validation: (!self.evaluates_on_training())
                .then(|| self.evaluation_rows().evaluate(&iterate.sums, self.settings.measure)),
            ..self.log.solution(self.problem, self.settings, fit, stop)
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
