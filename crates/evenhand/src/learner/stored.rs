//! Logistic regression on rows in blocks, wherever these are.
//!
//! Holds [`Logistic::fit_stored`]. The loss and the minimiser are those of rows in memory; a pass is a request to a store.

use std::cell::RefCell;

use super::Training;
use super::logistic::{Logistic, LogisticModel, Penalised};
use super::minimise::{Minimiser, Objective, minimise};
use crate::blocks::{Request, RowStore};
use crate::kernel::logistic::LogisticRows;
use crate::{Error, Result};

/// The second derivative of a coefficient that a sample is taken to tell: a row adds at most a quarter to it.
const FEW: f64 = 16.0;

/// The loss of all rows of a store, with one weight per cell and the penalty of some settings.
pub(super) struct Stored<'a> {
    store: &'a dyn RowStore,
    weights: &'a [f64],
    settings: &'a Logistic,
    cost: usize,
    /// Why a pass failed; what was returned for it means nothing.
    failure: RefCell<Option<Error>>,
}

impl Logistic {
    /// Fits to all rows of a store, from where `start` is, with one weight per cell.
    ///
    /// # Errors
    /// [`Error::Interrupted`], what keeps rows from being read, and [`Error::Learner`] where coefficients run off.
    pub(crate) fn fit_stored(
        &self,
        store: &dyn RowStore,
        weights: &[f64],
        start: &mut Minimiser,
        tolerance: f64,
    ) -> Result<LogisticModel> {
        self.check()?;
        let stored = Stored::new(store, weights, self);
        let stop = || stored.failure.borrow().is_some();
        let (coefficients, converged, passes) = minimise(&stored, start, tolerance, self.max_passes, &stop);
        stored.done()?;
        LogisticModel::fitted(store.frame().classes, coefficients, converged, passes)
    }

    /// The largest entry of the gradient of the loss of all rows of a store, with one weight per cell, at the coefficients of a model.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what keeps rows from being read.
    pub(crate) fn gradient_norm_stored(
        &self,
        store: &dyn RowStore,
        weights: &[f64],
        model: &LogisticModel,
    ) -> Result<f64> {
        let stored = Stored::new(store, weights, self);
        let gradient = stored.gradient(model.coefficients());
        stored.done()?;
        Ok(gradient.iter().fold(0.0, |largest, entry| entry.abs().max(largest)))
    }

    /// What a minimisation over all rows may start from: the coefficients of a sample's fit, moved by an offset, and the sample's second
    /// derivatives, of which those of all rows are `times` as large, and by [`Logistic::curvature_ratios`]; `moved` are the offset and these. The penalty of this learner is to the sample what that of the fit to all rows is to
    /// these: where columns depend on each other, the penalty alone curves the loss, and its share must be right.
    pub(crate) fn start_from(
        &self,
        sample: Training<'_>,
        model: &LogisticModel,
        times: f64,
        moved: (Option<&[f64]>, Option<&[f64]>),
    ) -> Minimiser {
        let Training { features, labels, classes, weights } = sample;
        let rows = LogisticRows { features, labels, weights, classes };
        Minimiser::of_sample(&Penalised { rows, settings: self }, model.coefficients(), times, moved)
    }

    /// How the second derivatives of all rows compare with those of a sample, coefficient by coefficient, where the sample has so few rows of some feature that it
    /// cannot tell, else none; of all rows those for single coefficients alone are asked, which is no more than a gradient. This learner is that of all rows, the
    /// other that of the sample.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what keeps rows from being read.
    pub(crate) fn curvature_ratios(
        &self,
        (store, weights): (&dyn RowStore, &[f64]),
        (on_sample, sample): (&Self, Training<'_>),
        model: &LogisticModel,
        times: f64,
    ) -> Result<Vec<f64>> {
        let Training { features, labels, classes, weights: of_rows } = sample;
        let rows = LogisticRows { features, labels, weights: of_rows, classes };
        let own = rows.hessian_diagonal(model.coefficients());
        if own.iter().all(|entry| *entry >= FEW) {
            return Ok(Vec::new());
        }
        let own = Penalised { rows, settings: on_sample }.hessian_diagonal(model.coefficients());
        let stored = Stored::new(store, weights, self);
        let all = stored.hessian_diagonal(model.coefficients());
        stored.done()?;
        let ratio = |(all, own): (f64, f64)| if own > 0.0 && all > 0.0 { all / (times * own) } else { 1.0 };
        Ok(all.into_iter().zip(own).map(ratio).collect())
    }
}

impl<'a> Stored<'a> {
    pub(super) fn new(store: &'a dyn RowStore, weights: &'a [f64], settings: &'a Logistic) -> Self {
        let cost = shape(store, |rows| rows.hessian_cost_of(store.rows()));
        Self { store, weights, settings, cost, failure: RefCell::new(None) }
    }

    /// Whether all passes were made.
    ///
    /// # Errors
    /// Why one was not.
    pub(super) fn done(self) -> Result<()> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }

    /// The answer of a pass, or of nothing where one failed.
    fn ask<T>(&self, request: &Request, with: impl FnOnce(&crate::exact::Totals) -> T) -> Option<T> {
        if self.failure.borrow().is_some() {
            return None;
        }
        match self.store.pass(request) {
            Ok(totals) => Some(with(&totals)),
            Err(error) => {
                *self.failure.borrow_mut() = Some(error);
                None
            }
        }
    }

    fn penalty(&self, position: usize) -> f64 {
        self.settings.penalty(position, self.store.frame().shape().width() + 1)
    }
}

/// No rows, laid out like those of a store.
fn shape<R>(store: &dyn RowStore, with: impl FnOnce(LogisticRows<'_>) -> R) -> R {
    let frame = store.frame();
    let (labels, weights) = (crate::data::Codes::narrow(Vec::new(), frame.classes), crate::Weights::equal(0));
    with(LogisticRows { features: frame.shape(), labels: &labels, weights: &weights, classes: frame.classes })
}

impl Objective for Stored<'_> {
    fn dimension(&self) -> usize {
        shape(self.store, |rows| rows.coefficients())
    }

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let (frame, weights) = (self.store.frame(), vec![self.weights.to_vec()]);
        let request = Request::Gradients { coefficients: at.to_vec(), weights };
        let Request::Gradients { weights, .. } = &request else { unreachable!("it was just made") };
        let found = self.ask(&request, |totals| frame.gradients(totals, weights).pop()).flatten();
        let mut gradient = found.unwrap_or_else(|| vec![0.0; at.len()]);
        for (position, (entry, coefficient)) in gradient.iter_mut().zip(at).enumerate() {
            *entry += self.penalty(position) * coefficient;
        }
        gradient
    }

    fn hessian(&self, at: &[f64]) -> Vec<f64> {
        let (side, weights) = (at.len(), self.weights.to_vec());
        let request = Request::Hessian { coefficients: at.to_vec(), weights };
        let found = self.ask(&request, |totals| self.store.frame().hessian(totals, self.weights));
        let mut matrix = found.unwrap_or_else(|| vec![0.0; side * side]);
        for position in 0..side {
            matrix[position * side + position] += self.penalty(position);
        }
        matrix
    }

    fn hessian_diagonal(&self, at: &[f64]) -> Vec<f64> {
        let request = Request::HessianDiagonal { coefficients: at.to_vec(), weights: self.weights.to_vec() };
        let found = self.ask(&request, |totals| self.store.frame().hessian_diagonal(totals, self.weights));
        let mut diagonal = found.unwrap_or_else(|| vec![1.0; at.len()]);
        for (position, entry) in diagonal.iter_mut().enumerate() {
            *entry += self.penalty(position);
        }
        diagonal
    }

    fn factorisation_cost(&self) -> usize {
        self.cost
    }
}
