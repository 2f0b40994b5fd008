//! A run as a search sees it: fits, their derivatives, and the rows near their decision boundaries.

use super::{Differentiated, Run, weight_map};
use crate::constraint::{Measure, Tilt, TiltTable, WeightRule};
use crate::correction::problem::{EvaluationRows, Problem};
use crate::correction::settings::{Correction, SqpSettings};
use crate::correction::solution::Solution;
use crate::correction::solvers::label_start::even_labels;
use crate::correction::solvers::oracle::{Oracle, Point, Solves, SumDerivatives, Target};
use crate::correction::solvers::sqp;
use crate::correction::trace::{Observer, Termination};
use crate::kernel::{BoundaryRows, boundary_rows, cell_sum_derivatives};
use crate::learner::Learner;
use crate::{Error, Result};

impl<L: Learner> Solves for Run<'_, L> {
    type Predictor = L::Predictor;

    fn solution_at(&mut self, point: &Point, stop: Termination) -> Result<Solution<L::Predictor>> {
        let iterate = self.cache.get(point).expect("a search keeps what it returns").clone();
        Ok(self.shortest_solution(iterate, point.rule, stop))
    }
}

impl<L: Learner> Oracle for Run<'_, L> {
    fn settings(&self) -> &Correction {
        self.settings
    }

    fn evaluation(&self) -> &Problem {
        self.evaluation_rows()
    }

    fn table(&self) -> &TiltTable {
        &self.table
    }

    fn set_rule(&mut self, rule: WeightRule) {
        self.table = self.table_by(rule);
    }

    fn may_take(&self, rule: WeightRule) -> bool {
        // A correction of covariate shift is laid out for one tilt.
        let laid_out = self.observed.is_none() || rule.tilt == self.table.rule().tilt;
        self.settings.solver.may_take(rule.tilt) && laid_out && (rule.tilt != Tilt::Expected || self.expected.is_some())
    }

    fn tried(&self) -> usize {
        self.log.evaluations()
    }

    fn evaluate(&mut self, multipliers: Vec<f64>, observer: &mut dyn Observer) -> Result<Option<(Point, bool)>> {
        if let Some(last) = &mut self.derivatives {
            let moves: Vec<f64> = last.basis.iter().map(|&at| multipliers[at] - last.multipliers[at]).collect();
            self.learner.extrapolate(&mut self.warm_start, &moves);
            last.multipliers.clone_from(&multipliers);
        }
        let iterate = match self.fit(multipliers, false) {
            Err(Error::Interrupted) => return Ok(None),
            fit => fit?,
        };
        let fitted = (self.problem, &iterate.trained);
        let seconds = observer.seconds();
        let go_on = observer.after(self.log.record_step(&iterate.multipliers, &iterate.violations, fitted, seconds));
        let (multipliers, sums) = (iterate.multipliers.clone(), iterate.sums.clone());
        let point = Point::new(self.cache.next(), &self.table, multipliers, self.evaluation_rows(), sums);
        self.cache.push(iterate);
        Ok(Some((point, go_on)))
    }

    /// For a learner with many minima, what makes the labels themselves even. Where tilts are expectations, what tilts the probabilities of the fit without correction as asked: weights make a learner follow it.
    fn candidates(&mut self, target: &Target, settings: SqpSettings) -> Result<Vec<Vec<f64>>> {
        if self.learner.is_nonconvex() {
            let even = even_labels(self.problem, self.table.rule(), settings.max_exponent);
            return Ok(even.into_iter().collect());
        }
        let tilted = self.tilted()?;
        tilted.map(|tilted| sqp::solve_silently(tilted, target, settings)).into_iter().collect()
    }

    fn differentiate(&mut self, point: &Point, basis: &[usize]) -> Result<Option<SumDerivatives>> {
        let Some(iterate) = self.cache.get(point) else { return Ok(None) };
        let map = weight_map(&self.table, self.settings, self.problem.cells(), self.observed.as_deref());
        let (weights, slopes) = (map.weights(&point.multipliers)?, map.slopes(&point.multipliers, basis));
        let training = self.problem.training(&weights);
        let sensitivity = self.learner.sensitivity(training, &*iterate.predictor, &slopes, &mut self.warm_start)?;
        let Some(sensitivity) = sensitivity else { return Ok(None) };
        let rows = match &self.evaluation {
            EvaluationRows::Holdout(problem) => problem,
            EvaluationRows::Training | EvaluationRows::Folds(_) => self.problem,
        };
        let (features, cells) = (rows.features(), rows.cells().cell_rows());
        let (predictor, bandwidth) = (&*iterate.predictor, rows.bandwidth());
        let (count, with_scores) = (basis.len(), self.settings.measure == Measure::Scores);
        let derivatives =
            cell_sum_derivatives(predictor, &*sensitivity, count, features, cells, bandwidth, with_scores)?;
        let (id, basis, multipliers) = (point.id, basis.to_vec(), point.multipliers.clone());
        self.derivatives = Some(Differentiated { id, basis, multipliers, sensitivity });
        Ok(Some(derivatives))
    }

    fn near_boundary(&self, point: &Point, reach: f64) -> Result<Option<BoundaryRows>> {
        let differentiated = self.derivatives.as_ref().filter(|one| one.id == point.id);
        let (Some(iterate), Some(derivatives)) = (self.cache.get(point), differentiated) else { return Ok(None) };
        if !self.evaluates_on_training() || self.settings.measure != Measure::Decisions {
            return Ok(None);
        }
        let (features, cells) = (self.problem.features(), self.problem.cells().cell_rows());
        let count = derivatives.basis.len();
        boundary_rows(&*iterate.predictor, &*derivatives.sensitivity, count, features, cells, reach).map(Some)
    }

    fn retain(&mut self, keep: &[&Point]) {
        self.cache.retain(keep);
    }
}
