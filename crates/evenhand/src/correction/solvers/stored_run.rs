//! A run over rows in blocks, which are never all in memory, helped by a sample of them that is.
//!
//! A fit to all rows begins where the sample's fit with the same weights is, moved as far as the last fit to all rows was from
//! the sample's: what is left to do is small, and the sample's second derivatives tell the steps. Derivatives of rates with respect to multipliers
//! come from the sample alone: a search needs their direction, and tests what they promise on all rows.
//! So a fit takes a few passes of gradients and one of decisions, and nothing else is asked of all rows.

use std::sync::Arc;

use super::oracle::{FitCache, Oracle, Point, Solves, SumDerivatives, Target};
use super::rank::least_norm;
use super::run_log::{FinalFit, RunLog};
use super::sample_path::SamplePath;
use crate::blocks::{Request, RowStore};
use crate::constraint::{Measure, Tilt, TiltTable, WeightRule};
use crate::correction::problem::Problem;
use crate::correction::settings::{Correction, SqpSettings};
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination};
use crate::kernel::{BoundaryRows, CellSums, cell_sum_derivatives};
use crate::learner::{Learner as _, Logistic, LogisticModel, Minimiser, Predictor as _};
use crate::{Error, Result, Weights};

/// Rows in blocks and a sample of them, in the same cells.
pub(in crate::correction) struct StoredRows<'a> {
    pub(in crate::correction) store: &'a dyn RowStore,
    /// The cells and constraints of all rows, without the rows.
    pub(in crate::correction) problem: &'a Problem,
    pub(in crate::correction) sample: &'a Problem,
}

/// Where a search over all rows starts, as a sample of them suggests.
pub(in crate::correction) enum SampleStart<'a> {
    /// Without correction.
    Uncorrected,
    /// With multipliers that were found.
    At(Vec<f64>),
    /// For every target with those that a path on the sample leads to.
    Along(Box<SamplePath<'a>>),
}

/// A solution, and the sums of decisions without correction and with it.
pub(in crate::correction) type Found = (Solution<LogisticModel>, [CellSums; 2]);

/// A fit to all rows.
#[derive(Debug, Clone)]
struct IterateFit {
    model: Arc<LogisticModel>,
    /// The sample's fit with the same weights.
    of_sample: Arc<LogisticModel>,
    multipliers: Vec<f64>,
    sums: CellSums,
}

/// The state of a search over rows in blocks.
pub(in crate::correction) struct StoredRun<'a> {
    rows: StoredRows<'a>,
    settings: &'a Correction,
    learner: &'a Logistic,
    /// The same learner with a penalty that is to the sample what that of the other is to all rows.
    on_sample: Logistic,
    table: TiltTable,
    start: SampleStart<'a>,
    /// Whether the sample was searched for the same target: passes over all rows are not spent on exploring it again.
    follows_sample: bool,
    warm_start: Minimiser,
    /// How far the last fit to all rows is from that to the sample.
    offset: Option<Vec<f64>>,
    /// How the second derivatives of all rows compare with the sample's, once that is known; none where the sample has rows enough to tell them.
    ratios: Option<Vec<f64>>,
    /// What the last fit to all rows left for the next.
    minimiser: Option<Minimiser>,
    cache: FitCache<IterateFit>,
    log: RunLog,
}

impl StoredRows<'_> {
    /// How many rows there are for each of the sample.
    fn times(&self) -> f64 {
        self.problem.cells().total_weight() / self.sample.cells().total_weight()
    }

    /// A learner with a penalty that is to the sample what that of another is to all rows.
    pub(in crate::correction) fn learner_on_sample(&self, learner: &Logistic) -> Logistic {
        Logistic { l2: learner.l2 / self.times(), ..*learner }
    }
}

impl<'a> StoredRun<'a> {
    /// A run that makes weights by a rule, and starts where a sample suggests.
    pub(in crate::correction) fn new(
        rows: StoredRows<'a>,
        settings: &'a Correction,
        learner: &'a Logistic,
        rule: WeightRule,
        start: SampleStart<'a>,
    ) -> Self {
        Self {
            table: rows.problem.tilt_table(rule),
            on_sample: rows.learner_on_sample(learner),
            rows,
            settings,
            learner,
            follows_sample: matches!(start, SampleStart::At(_)),
            start,
            warm_start: Minimiser::default(),
            offset: None,
            ratios: None,
            minimiser: None,
            cache: FitCache::default(),
            log: RunLog::default(),
        }
    }

    /// The weight that a learner is given for the rows of each cell.
    fn weights(&self, multipliers: &[f64]) -> Vec<f64> {
        let scale = self.table.learner_scale();
        self.table.weights(multipliers).into_iter().map(|weight| weight * scale).collect()
    }

    /// The same weights on the rows of the sample.
    fn of_sample(&self, weights: Vec<f64>) -> Weights {
        let cells = self.rows.sample.cells();
        Weights::of_cells(weights, cells.cell_of_row().clone(), cells.row_weights().cloned())
    }

    fn fit(&mut self, multipliers: Vec<f64>) -> Result<IterateFit> {
        let weights = self.weights(&multipliers);
        let on_sample = self.of_sample(weights.clone());
        let training = self.rows.sample.training(&on_sample);
        let of_sample = self.on_sample.fit(training, &mut self.warm_start)?;
        let times = self.rows.times();
        let mut start = self.start(&weights, &on_sample, &of_sample)?;
        // Half the square of the tolerance is how far from the least the loss of all rows may be: it grows with them.
        let tolerance = self.learner.tolerance * times.max(1.0).sqrt();
        let model = self.learner.fit_stored(self.rows.store, &weights, &mut start, tolerance)?;
        let offset = model.coefficients().iter().zip(of_sample.coefficients()).map(|(all, sample)| all - sample);
        self.offset = Some(offset.collect());
        self.minimiser = Some(start);
        self.log.count(1, usize::from(!model.converged()));
        let sums = self.decide(&model)?;
        Ok(IterateFit { model: Arc::new(model), of_sample: Arc::new(of_sample), multipliers, sums })
    }

    /// What a fit to all rows starts from: where the sample's is, by its second derivatives. Where those of all rows had to be asked for, since the sample lacks rows to tell them,
    /// they are kept for later fits.
    fn start(&mut self, weights: &[f64], on_sample: &Weights, of_sample: &LogisticModel) -> Result<Minimiser> {
        if let Some(last) = self.minimiser.take().filter(Minimiser::knows_curvature) {
            let offset = self.offset.iter().flatten().chain(std::iter::repeat(&0.0));
            return Ok(last.moved_to(of_sample.coefficients().iter().zip(offset).map(|(at, by)| at + by).collect()));
        }
        let (training, times) = (self.rows.sample.training(on_sample), self.rows.times());
        if self.ratios.is_none() {
            let sample = (&self.on_sample, training);
            self.ratios = Some(self.learner.curvature_ratios((self.rows.store, weights), sample, of_sample, times)?);
        }
        let moved = (self.offset.as_deref(), self.ratios.as_deref().filter(|ratios| !ratios.is_empty()));
        Ok(self.on_sample.start_from(training, of_sample, times, moved))
    }

    /// The decisions and scores of a model on all rows, per cell.
    fn decide(&self, model: &LogisticModel) -> Result<CellSums> {
        let threshold = self.rows.problem.threshold();
        let request = Request::CellSums { coefficients: model.coefficients().to_vec(), threshold };
        Ok(self.rows.store.frame().cell_sums(&self.rows.store.pass(&request)?, threshold))
    }

    /// The solution of the fit without correction alone.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what keeps rows from being read.
    pub(in crate::correction) fn uncorrected_alone(mut self, observer: &mut dyn Observer) -> Result<Found> {
        let zero = vec![0.0; self.table.multipliers()];
        let (point, _) = self.evaluate(zero, observer)?.ok_or(Error::Interrupted)?;
        let solution = self.uncorrected(&point).ok_or(Error::Interrupted)?;
        Ok((solution, [point.sums.clone(), point.sums]))
    }

    /// The solution without correction, where a search began with that fit.
    pub(in crate::correction) fn uncorrected(&self, point: &Point) -> Option<Solution<LogisticModel>> {
        let fit = self.cache.get(point)?;
        let weights = vec![1.0; self.rows.problem.cells().len()];
        Some(Solution::of_single_fit(self.rows.problem, self.settings, fit.model.clone(), &fit.sums, weights))
    }
}

impl Solves for StoredRun<'_> {
    type Predictor = LogisticModel;

    fn solution_at(&mut self, point: &Point, stop: Termination) -> Result<Solution<LogisticModel>> {
        let fit = self.cache.get(point).expect("a search keeps what it returns").clone();
        self.set_rule(point.rule);
        let multipliers = least_norm(self.table.gram(), &fit.multipliers);
        let cell_weights = self.table.weights(&multipliers);
        let (predictor, rule) = (fit.model, self.table.rule());
        let fit = FinalFit { predictor, multipliers, rule, cell_weights, trained: &fit.sums };
        Ok(Solution { unweighted: false, ..self.log.solution(self.rows.problem, self.settings, fit, stop) })
    }
}

impl Oracle for StoredRun<'_> {
    fn settings(&self) -> &Correction {
        self.settings
    }

    fn evaluation(&self) -> &Problem {
        self.rows.problem
    }

    fn table(&self) -> &TiltTable {
        &self.table
    }

    fn set_rule(&mut self, rule: WeightRule) {
        if self.table.rule() != rule {
            self.table = self.rows.problem.tilt_table(rule);
        }
    }

    fn may_take(&self, rule: WeightRule) -> bool {
        self.settings.solver.may_take(rule.tilt) && rule.tilt != Tilt::Expected
    }

    fn explores(&self) -> bool {
        !self.follows_sample
    }

    fn tried(&self) -> usize {
        self.log.evaluations()
    }

    fn evaluate(&mut self, multipliers: Vec<f64>, observer: &mut dyn Observer) -> Result<Option<(Point, bool)>> {
        let fit = match self.fit(multipliers) {
            Err(Error::Interrupted) => return Ok(None),
            fit => fit?,
        };
        let violations = self.rows.problem.violations(&fit.sums, self.settings.measure);
        let (fitted, seconds) = ((self.rows.problem, &fit.sums), observer.seconds());
        let go_on = observer.after(self.log.record_step(&fit.multipliers, &violations, fitted, seconds));
        let (multipliers, sums) = (fit.multipliers.clone(), fit.sums.clone());
        let point = Point::new(self.cache.next(), &self.table, multipliers, self.rows.problem, sums);
        self.cache.push(fit);
        Ok(Some((point, go_on)))
    }

    fn candidates(&mut self, target: &Target, settings: SqpSettings) -> Result<Vec<Vec<f64>>> {
        match &mut self.start {
            SampleStart::Uncorrected => Ok(Vec::new()),
            SampleStart::At(multipliers) => {
                let found = std::mem::take(multipliers);
                self.start = SampleStart::Uncorrected;
                Ok(vec![found])
            }
            SampleStart::Along(path) => {
                let Some((multipliers, rule)) = path.next(target, settings)? else { return Ok(Vec::new()) };
                self.set_rule(rule);
                Ok(vec![multipliers])
            }
        }
    }

    fn differentiate(&mut self, point: &Point, basis: &[usize]) -> Result<Option<SumDerivatives>> {
        let Some(fit) = self.cache.get(point).cloned() else { return Ok(None) };
        let (sample, scale) = (self.rows.sample, self.table.learner_scale());
        let weights = self.of_sample(self.weights(&point.multipliers));
        let mut all = self.table.slopes(&point.multipliers);
        let slope = |&at: &usize| {
            let slope: Vec<f64> = std::mem::take(&mut all[at]).into_iter().map(|slope| slope * scale).collect();
            self.of_sample(slope)
        };
        let slopes: Vec<Weights> = basis.iter().map(slope).collect();
        let training = sample.training(&weights);
        let sensitivity = self.on_sample.sensitivity(training, &fit.of_sample, &slopes, &mut self.warm_start)?;
        let Some(sensitivity) = sensitivity else { return Ok(None) };
        let rows = sample.cells().cell_rows();
        let (features, bandwidth) = (sample.features(), sample.bandwidth());
        let (predictor, with_scores) = (&*fit.of_sample, self.settings().measure == Measure::Scores);
        let (sums, errors) =
            cell_sum_derivatives(predictor, &*sensitivity, basis.len(), features, rows, bandwidth, with_scores)?;
        let times = self.rows.times();
        // Each cell of the sample stands for all its rows.
        let cells = self.rows.problem.cells();
        let share = |cell: usize| {
            let drawn = sample.cells().weight(cell);
            if drawn > 0.0 { cells.weight(cell) / drawn } else { 0.0 }
        };
        let sums = sums.iter().map(|sums| sums.times_by_cell(share)).collect();
        Ok(Some((sums, errors.into_iter().map(|error| error * times).collect())))
    }

    fn near_boundary(&self, _: &Point, _: f64) -> Result<Option<BoundaryRows>> {
        Ok(None)
    }

    fn retain(&mut self, keep: &[&Point]) {
        self.cache.retain(keep);
    }
}
