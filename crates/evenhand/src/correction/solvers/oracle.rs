//! What a search asks of a run: fits, their derivatives, and the weights that multipliers stand for.
//!
//! The trait [`Oracle`] hides the learner, so that a search is compiled once and not for every learner.

use crate::Result;
use crate::bound::NotionBound;
use crate::constraint::{TiltTable, WeightRule};
use crate::correction::problem::Problem;
use crate::correction::settings::{Correction, SqpSettings};
use crate::correction::solution::Solution;
use crate::correction::trace::{Observer, Termination};
use crate::kernel::{BoundaryRows, CellSums};

/// What is asked of a search.
#[derive(Debug, Clone)]
pub(in crate::correction) struct Target {
    pub(in crate::correction) bounds: Vec<NotionBound>,
    /// Without a bound: whether evenness has the penalty of a bound, to find out how even rates can be.
    pub(in crate::correction) at_any_cost: bool,
}

/// A fit as a search sees it: its multipliers and what it does on the rows. The predictor stays with the run.
#[derive(Debug, Clone)]
pub(in crate::correction) struct Point {
    /// The number by which the run finds its fit again.
    pub(in crate::correction) id: usize,
    pub(in crate::correction) rule: WeightRule,
    pub(in crate::correction) multipliers: Vec<f64>,
    /// The mean squared exponent, `λᵀGλ`.
    pub(in crate::correction) size: f64,
    /// The mean exponent of each constraint's group, `Gλ`.
    pub(in crate::correction) exponents: Vec<f64>,
    /// Its decisions and scores on the rows that violations are measured on.
    pub(in crate::correction) sums: CellSums,
    pub(in crate::correction) error: f64,
}

impl Point {
    /// The fit with some multipliers; `sums` are its decisions and scores on `rows`, on which violations are measured.
    pub(super) fn new(id: usize, table: &TiltTable, multipliers: Vec<f64>, rows: &Problem, sums: CellSums) -> Self {
        let exponents = table.mean_exponents(&multipliers);
        let size = multipliers.iter().zip(&exponents).map(|(multiplier, exponent)| multiplier * exponent).sum();
        Self { id, rule: table.rule(), multipliers, size, exponents, error: rows.error(&sums), sums }
    }
}

/// The fits that a search may come back to, each by the number of its point.
#[derive(Debug)]
pub(super) struct FitCache<T> {
    fits: Vec<(usize, T)>,
    next: usize,
}

impl<T> Default for FitCache<T> {
    fn default() -> Self {
        Self { fits: Vec::new(), next: 0 }
    }
}

impl<T> FitCache<T> {
    /// The number of the next fit.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Keeps a fit under the next number.
    pub(super) fn push(&mut self, fit: T) {
        self.fits.push((self.next, fit));
        self.next += 1;
    }

    pub(super) fn get(&self, point: &Point) -> Option<&T> {
        self.fits.iter().find(|(id, _)| *id == point.id).map(|(_, fit)| fit)
    }

    pub(super) fn take(&mut self, point: &Point) -> Option<T> {
        let at = self.fits.iter().position(|(id, _)| *id == point.id)?;
        Some(self.fits.swap_remove(at).1)
    }

    /// Lets go of all but these.
    pub(super) fn retain(&mut self, keep: &[&Point]) {
        self.fits.retain(|(id, _)| keep.iter().any(|point| point.id == *id));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.fits.iter().map(|(_, fit)| fit)
    }
}

/// The first derivatives of the sums per cell of a fit, one for each multiplier, and the second derivatives of its expected
/// number of errors, row by row.
pub(in crate::correction) type SumDerivatives = (Vec<CellSums>, Vec<f64>);

/// A run that a search steers.
pub(in crate::correction) trait Oracle {
    /// What is asked, and how.
    fn settings(&self) -> &Correction;

    /// The rows that violations are measured on.
    fn evaluation(&self) -> &Problem;

    /// How multipliers enter exponents.
    fn table(&self) -> &TiltTable;

    /// Makes weights by another rule from now on.
    fn set_rule(&mut self, rule: WeightRule);

    /// Whether weights may be made by another rule.
    fn may_take(&self, rule: WeightRule) -> bool;

    /// Whether fits may be spent on restarts and on going on at any cost: not where that was done before on a sample of the rows.
    fn explores(&self) -> bool {
        true
    }

    /// How many multipliers were tried since the last solution.
    fn tried(&self) -> usize;

    /// Fits with the weights of some multipliers, and tells the observer. With the fit comes whether to go on; `None` where it
    /// was interrupted.
    fn evaluate(&mut self, multipliers: Vec<f64>, observer: &mut dyn Observer) -> Result<Option<(Point, bool)>>;

    /// Multipliers that are worth an evaluation before a search for some target starts. The fit without correction was evaluated before.
    ///
    /// # Errors
    /// What the predictors say.
    fn candidates(&mut self, target: &Target, settings: SqpSettings) -> Result<Vec<Vec<f64>>>;

    /// The derivatives of a fit with respect to some multipliers; `None` for learners without.
    fn differentiate(&mut self, point: &Point, basis: &[usize]) -> Result<Option<SumDerivatives>>;

    /// The rows near the decision boundary of the fit that was differentiated last; `None` where violations are measured on
    /// other rows than those it was fitted to, or on scores.
    fn near_boundary(&self, point: &Point, reach: f64) -> Result<Option<BoundaryRows>>;

    /// Lets go of all fits but these.
    fn retain(&mut self, keep: &[&Point]);
}

/// A run whose searches end in solutions.
pub(in crate::correction) trait Solves: Oracle {
    /// What its learner returns.
    type Predictor;

    /// The solution of a search that ended at some fit; the trace and the counts start anew with it.
    ///
    /// # Errors
    /// What the predictors say.
    fn solution_at(&mut self, point: &Point, stop: Termination) -> Result<Solution<Self::Predictor>>;
}
