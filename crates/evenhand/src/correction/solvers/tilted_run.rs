//! A run that fits once: multipliers tilt the probabilities of one model.
//!
//! Corollary 1 applied to the model itself. To a search it is a run like any other, whose evaluations cost a pass over rows and whose
//! derivatives are exact; see [`TiltedRows`].

use std::sync::Arc;

use rayon::prelude::*;

use super::convex_start;
use super::oracle::{Oracle, Point, Solves, SumDerivatives, Target};
use super::rank::{independent, least_norm};
use super::run_log::{FinalFit, RunLog};
use crate::Result;
use crate::constraint::{Measure, Tilt, TiltTable, WeightRule};
use crate::correction::evaluation::TiltedRows;
use crate::correction::problem::{EvaluationRows, ExpectedTilt, Problem, WeightMap};
use crate::correction::settings::{Apply, Correction, SqpSettings};
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination};
use crate::kernel::{BoundaryRows, CellSums, boundary_rows, cell_sum_derivatives};
use crate::learner::{Learner, Predictor};

/// One model, and rows whose probabilities multipliers tilt.
pub(in crate::correction) struct TiltedRun<'a, P> {
    problem: &'a Problem,
    settings: &'a Correction,
    predictor: Arc<P>,
    expected: Arc<ExpectedTilt<P>>,
    table: TiltTable,
    trained: TiltedRows,
    /// The rows that violations are measured on, where these are not the training rows as the model sees them: a holdout, or folds by
    /// models that were fitted without them.
    others: Vec<(Problem, TiltedRows)>,
    /// Where searches may start, once one has asked for it, with sums per cell on the rows that the model was fitted to.
    starts: Option<Vec<(Vec<f64>, CellSums)>>,
    log: RunLog,
    next: usize,
    /// The multipliers that were differentiated by last, and at which evaluation.
    differentiated: Option<(usize, Vec<usize>)>,
}

/// A model of the observed labels and those of membership, all fitted to the same rows.
struct Models<P> {
    predictor: Arc<P>,
    expected: Arc<ExpectedTilt<P>>,
    fits: usize,
    unconverged: usize,
}

impl<P: Predictor> Models<P> {
    fn fit<L: Learner<Predictor = P>>(problem: &Problem, learner: &L) -> Result<Self> {
        let weights = WeightMap::unweighted(problem.cells());
        let predictor = Arc::new(learner.fit(problem.training(&weights), &mut L::WarmStart::default())?);
        let (expected, fits) = ExpectedTilt::fit(problem, learner, Apply::Tilt)?;
        let short = expected.memberships.iter().filter(|model| !model.predictor.converged()).count();
        let unconverged = short + usize::from(!predictor.converged());
        Ok(Self { predictor, expected: Arc::new(expected), fits: fits + 1, unconverged })
    }

    fn rows(&self, problem: &Problem) -> Result<TiltedRows> {
        TiltedRows::of(&*self.predictor, &*self.expected, problem)
    }
}

impl<'a, P: Predictor> TiltedRun<'a, P> {
    /// Fits the models, those of folds too.
    ///
    /// # Errors
    /// What the learner says, and where it gives no probabilities.
    pub(in crate::correction) fn fit<L: Learner<Predictor = P>>(
        evaluation: EvaluationRows<L>,
        problem: &'a Problem,
        settings: &'a Correction,
        learner: &L,
    ) -> Result<Self> {
        let models = Models::fit(problem, learner)?;
        let mut fits = models.fits;
        let others = match evaluation {
            EvaluationRows::Training => Vec::new(),
            EvaluationRows::Holdout(holdout) => {
                let rows = models.rows(&holdout)?;
                vec![(*holdout, rows)]
            }
            EvaluationRows::Folds(folds) => {
                let mut all = Vec::with_capacity(folds.len());
                for fold in folds {
                    let own = Models::fit(&fold.train, learner)?;
                    fits += own.fits;
                    let rows = own.rows(&fold.test)?;
                    all.push((fold.test, rows));
                }
                all
            }
        };
        let trained = models.rows(problem)?;
        let Models { predictor, expected, unconverged, .. } = models;
        let mut run = Self { others, ..Self::of(predictor, expected, trained, problem, settings) };
        run.log.count(fits, unconverged);
        Ok(run)
    }

    /// A fit that is there already, on its training rows.
    ///
    /// # Errors
    /// What the predictors say.
    pub(in crate::correction) fn of_fit(
        predictor: Arc<P>,
        expected: Arc<ExpectedTilt<P>>,
        problem: &'a Problem,
        settings: &'a Correction,
    ) -> Result<Self> {
        let trained = TiltedRows::of(&*predictor, &*expected, problem)?;
        Ok(Self::of(predictor, expected, trained, problem, settings))
    }

    fn of(
        predictor: Arc<P>,
        expected: Arc<ExpectedTilt<P>>,
        trained: TiltedRows,
        problem: &'a Problem,
        settings: &'a Correction,
    ) -> Self {
        let rule = WeightRule { tilt: Tilt::Expected, ..WeightRule::CENTRED };
        Self {
            problem,
            settings,
            predictor,
            expected,
            table: trained.tilts().table(problem, rule),
            trained,
            others: Vec::new(),
            starts: None,
            log: RunLog::default(),
            next: 0,
            differentiated: None,
        }
    }

    /// Sums per cell on the rows that violations are measured on.
    fn evaluation_sums(&self, multipliers: &[f64], trained: &CellSums) -> Result<CellSums> {
        let mut all: Option<CellSums> = None;
        for (problem, rows) in &self.others {
            let sums = problem.cell_sums(&rows.by(multipliers))?;
            all = Some(all.map_or_else(|| sums.clone(), |all| all.plus(&sums)));
        }
        Ok(all.unwrap_or_else(|| trained.clone()))
    }

    /// The rows of a holdout, or the training rows: all folds together are these.
    fn evaluation_rows(&self) -> &Problem {
        match &*self.others {
            [(holdout, _)] => holdout,
            _ => self.problem,
        }
    }

    /// The solution with some multipliers. The log starts anew with it.
    ///
    /// # Errors
    /// What the predictors say.
    pub(in crate::correction) fn solution(&mut self, multipliers: Vec<f64>, stop: Termination) -> Result<Solution<P>> {
        let trained = self.problem.cell_sums(&self.trained.by(&multipliers))?;
        let validation = if self.others.is_empty() {
            None
        } else {
            let sums = self.evaluation_sums(&multipliers, &trained)?;
            Some(self.evaluation_rows().evaluate(&sums, self.settings.measure))
        };
        let (predictor, rule) = (self.predictor.clone(), self.table.rule());
        let fit = FinalFit { predictor, multipliers, rule, cell_weights: self.unweighted(), trained: &trained };
        Ok(Solution {
            apply: Apply::Tilt,
            expected: Some(self.expected.clone()),
            validation,
            ..self.log.solution(self.problem, self.settings, fit, stop)
        })
    }

    /// The solutions with each of some scales times given multipliers.
    ///
    /// # Errors
    /// What the predictors say.
    pub(in crate::correction) fn sweep(
        &mut self,
        multipliers: &[f64],
        scales: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Solution<P>>> {
        let mut swept = Vec::with_capacity(scales.len());
        for scale in scales {
            let scaled = multipliers.iter().map(|multiplier| scale * multiplier).collect();
            let Some((point, go_on)) = self.evaluate(scaled, observer)? else { break };
            let stop = if go_on { Termination::Converged } else { Termination::Cancelled };
            swept.push(self.solution(point.multipliers, stop)?);
            if !go_on {
                break;
            }
        }
        Ok(swept)
    }

    /// The weights of a fit without correction, cell by cell.
    fn unweighted(&self) -> Vec<f64> {
        vec![1.0; self.problem.cells().len()]
    }

    /// The solution without correction, where the search began with it and no row was held out.
    pub(in crate::correction) fn begun_with(&self) -> Option<Solution<P>> {
        let sums = self.log.uncorrected().filter(|_| self.others.len() != 1)?;
        let predictor = self.predictor.clone();
        Some(Solution::of_single_fit(self.problem, self.settings, predictor, sums, self.unweighted()))
    }
}

impl<P: Predictor> Solves for TiltedRun<'_, P> {
    type Predictor = P;

    fn solution_at(&mut self, point: &Point, stop: Termination) -> Result<Solution<P>> {
        self.solution(least_norm(self.table.gram(), &point.multipliers), stop)
    }
}

impl<P: Predictor> Oracle for TiltedRun<'_, P> {
    fn settings(&self) -> &Correction {
        self.settings
    }

    fn evaluation(&self) -> &Problem {
        self.evaluation_rows()
    }

    fn table(&self) -> &TiltTable {
        &self.table
    }

    fn set_rule(&mut self, _: WeightRule) {}

    fn may_take(&self, _: WeightRule) -> bool {
        false
    }

    fn tried(&self) -> usize {
        self.log.evaluations()
    }

    fn evaluate(&mut self, multipliers: Vec<f64>, observer: &mut dyn Observer) -> Result<Option<(Point, bool)>> {
        let start = self.starts.iter().flatten().find(|(start, _)| *start == multipliers);
        let trained = match start {
            Some((_, sums)) => sums.clone(),
            None => self.problem.cell_sums(&self.trained.by(&multipliers))?,
        };
        let sums = self.evaluation_sums(&multipliers, &trained)?;
        let violations = self.evaluation_rows().violations(&sums, self.settings.measure);
        let (fitted, seconds) = ((self.problem, &trained), observer.seconds());
        let go_on = observer.after(self.log.record_step(&multipliers, &violations, fitted, seconds));
        let point = Point::new(self.next, &self.table, multipliers, self.evaluation_rows(), sums);
        self.next += 1;
        Ok(Some((point, go_on)))
    }

    fn candidates(&mut self, _: &Target, _: SqpSettings) -> Result<Vec<Vec<f64>>> {
        if self.settings.measure == Measure::Scores {
            return Ok(Vec::new());
        }
        if self.starts.is_none() {
            let basis = independent(self.table.gram(), self.table.multipliers());
            let path = convex_start::path(self.problem, &self.trained, &basis)?;
            // Side by side: a pass over rows of its own for each would keep threads waiting for each other between them.
            let sums = |start: Vec<f64>| {
                let sums = self.problem.cell_sums(&self.trained.by(&start))?;
                Ok((start, sums))
            };
            self.starts = Some(path.into_par_iter().map(sums).collect::<Result<_>>()?);
        }
        Ok(self.starts.iter().flatten().map(|(start, _)| start.clone()).collect())
    }

    fn differentiate(&mut self, point: &Point, basis: &[usize]) -> Result<Option<SumDerivatives>> {
        let with_scores = self.settings.measure == Measure::Scores;
        let at = |problem: &Problem, rows: &TiltedRows, bandwidth: f64| {
            let (tilted, slopes) = (rows.by(&point.multipliers), rows.slopes(&point.multipliers, basis));
            let cells = problem.cells().cell_rows();
            cell_sum_derivatives(&tilted, &slopes, basis.len(), problem.features(), cells, bandwidth, with_scores)
        };
        let bandwidth = self.evaluation_rows().bandwidth();
        self.differentiated = Some((point.id, basis.to_vec()));
        if self.others.is_empty() {
            return at(self.problem, &self.trained, bandwidth).map(Some);
        }
        let mut all: Option<SumDerivatives> = None;
        for (problem, rows) in &self.others {
            let (sums, curvature) = at(problem, rows, bandwidth)?;
            all = Some(match all {
                None => (sums, curvature),
                Some((total, curved)) => (
                    total.iter().zip(&sums).map(|(one, other)| one.plus(other)).collect(),
                    curved.iter().zip(&curvature).map(|(one, other)| one + other).collect(),
                ),
            });
        }
        Ok(all)
    }

    fn near_boundary(&self, point: &Point, reach: f64) -> Result<Option<BoundaryRows>> {
        let basis = self.differentiated.as_ref().filter(|(id, _)| *id == point.id);
        let (Some((_, basis)), true, Measure::Decisions) = (basis, self.others.is_empty(), self.settings.measure)
        else {
            return Ok(None);
        };
        let (tilted, slopes) = (self.trained.by(&point.multipliers), self.trained.slopes(&point.multipliers, basis));
        let (features, cells) = (self.problem.features(), self.problem.cells().cell_rows());
        boundary_rows(&tilted, &slopes, basis.len(), features, cells, reach).map(Some)
    }

    fn retain(&mut self, _: &[&Point]) {}
}
