//! Influence functions of a logistic regression and of the multipliers behind it.
//!
//! Multipliers λ and coefficients β solve two systems at once: the gradient g(β, λ) of the weighted
//! loss vanishes, and so do the violations v(β) of scores. Linearised, a row that adds `g_i` to
//! one and `v_i` to the other moves λ by `−J⁻¹(v_i − aᵀH⁻¹g_i)`, with `a = ∂v/∂β`, H the second
//! derivatives and `J = −aᵀH⁻¹ ∂g/∂λ`. The sum of their squares is the sandwich estimate of λ's variance.

use super::logistic::Penalised;
use super::minimise::Minimiser;
use super::{Logistic, LogisticModel, Training};
use crate::data::Codes;
use crate::kernel::logistic::{LogisticRows, Parts};
use crate::weights::Weights;
use crate::{Error, Result, parallel};

/// What is asked of [`Logistic::influence`], per multiplier or violation.
pub(crate) struct Asked<'a> {
    /// How fast each multiplier changes each row's weight.
    pub(crate) slopes: &'a [Weights],
    /// How much each row's probability counts in each violation.
    pub(crate) counts: &'a [Weights],
    /// Per cell and violation: how much a row's probability counts, and its level where the violation has none of it.
    pub(crate) shares: &'a [[f64; 2]],
    pub(crate) cell_of_row: &'a Codes,
    pub(crate) row_weights: Option<&'a [f64]>,
}

/// J and the sum of squares in the middle of the sandwich, row by row.
#[derive(Debug)]
pub(crate) struct Influence {
    pub(crate) jacobian: Vec<f64>,
    pub(crate) products: Vec<f64>,
}

impl Logistic {
    /// The influence of each row on the multipliers behind a fit.
    ///
    /// # Errors
    /// [`Error::Learner`] where there are too many coefficients for a matrix of second derivatives.
    pub(crate) fn influence(
        &self,
        training: Training<'_>,
        model: &LogisticModel,
        asked: &Asked<'_>,
    ) -> Result<Influence> {
        let Training { features, labels, classes, weights } = training;
        let rows = LogisticRows { features, labels, weights, classes };
        let at = model.coefficients();
        parallel::inside(|| {
            let gradients: Vec<Vec<f64>> = rows.gradients(at, asked.slopes);
            let scores = asked.counts.iter().map(|count| LogisticRows { weights: count, ..rows }.score_gradient(at));
            let sensitivities =
                Minimiser::default().sensitivities(&Penalised { rows, settings: self }, at, scores.collect());
            let sensitivities = sensitivities
                .ok_or_else(|| Error::learner("there are too many features for standard errors; leave some out"))?;
            // A sensitivity is minus H⁻¹a.
            let product = |sensitivity: &Vec<f64>, gradient: &Vec<f64>| -> f64 {
                sensitivity.iter().zip(gradient).map(|(a, g)| a * g).sum()
            };
            let jacobian = sensitivities
                .iter()
                .flat_map(|sensitivity| gradients.iter().map(move |gradient| product(sensitivity, gradient)));
            let directions: Vec<Vec<f64>> =
                sensitivities.iter().map(|sensitivity| sensitivity.iter().map(|entry| -entry).collect()).collect();
            let Asked { shares, cell_of_row, row_weights, .. } = *asked;
            let parts = Parts { directions: &directions, shares, cell_of_row, row_weights };
            Ok(Influence { jacobian: jacobian.collect(), products: rows.influence(at, &parts) })
        })
    }
}
