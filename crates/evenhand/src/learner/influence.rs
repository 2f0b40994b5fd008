//! Influence functions of a logistic regression and of the multipliers behind it.
//!
//! Multipliers λ and coefficients β solve two systems at once: the gradient g(β, λ) of the weighted
//! loss vanishes, and so do the violations v(β) of scores. Linearised, a row that adds `g_i` to
//! one and `v_i` to the other moves λ by `−J⁻¹(v_i − aᵀH⁻¹g_i)`, with `a = ∂v/∂β`, H the second
//! derivatives and `J = −aᵀH⁻¹ ∂g/∂λ`. The sum of their squares is the sandwich estimate of λ's variance.

use super::logistic::Penalised;
use super::minimise::{FACTORED, Minimiser, Objective};
use super::stored::Stored;
use super::{Logistic, LogisticModel, Training};
use crate::blocks::{InfluenceParts, Request, RowStore};
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

/// The same of rows in blocks: a number per cell in place of one per row.
pub(crate) struct AskedByCell<'a> {
    /// Per multiplier, how fast it changes the weight of each cell.
    pub(crate) slopes: &'a [Vec<f64>],
    /// Per violation, how much the probability of a row of each cell counts.
    pub(crate) counts: &'a [Vec<f64>],
    /// As those of [`Asked`].
    pub(crate) shares: &'a [[f64; 2]],
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
            let scores = rows.score_gradients(at, asked.counts);
            let (jacobian, directions) = moved(&Penalised { rows, settings: self }, at, scores, &gradients)?;
            let Asked { shares, cell_of_row, row_weights, .. } = *asked;
            let heaviest = row_weights.map_or(1.0, |weights| weights.iter().copied().fold(0.0, f64::max));
            let parts = Parts { directions: &directions, shares, cell_of_row, row_weights, heaviest };
            Ok(Influence { jacobian, products: rows.influence(at, &parts) })
        })
    }

    /// The same of rows in blocks, with weights by cell.
    ///
    /// # Errors
    /// Those of [`Logistic::influence`], and what keeps rows from being read.
    pub(crate) fn influence_stored(
        &self,
        store: &dyn RowStore,
        weights: &[f64],
        model: &LogisticModel,
        asked: &AskedByCell<'_>,
    ) -> Result<Influence> {
        let (frame, at) = (store.frame(), model.coefficients());
        let (slopes, counts) = (asked.slopes.to_vec(), asked.counts.to_vec());
        let gradients = Request::Gradients { coefficients: at.to_vec(), weights: slopes };
        let gradients = frame.gradients(&store.pass(&gradients)?, asked.slopes);
        let scores = Request::ScoreGradients { coefficients: at.to_vec(), weights: counts };
        let scores = frame.gradients(&store.pass(&scores)?, asked.counts);
        let objective = Stored::new(store, weights, self);
        let found = moved(&objective, at, scores, &gradients);
        objective.done()?;
        let (jacobian, directions) = found?;
        let parts = InfluenceParts { directions, weights: weights.to_vec(), shares: asked.shares.to_vec() };
        let request = Request::Influence { coefficients: at.to_vec(), parts };
        let Request::Influence { parts, .. } = &request else { unreachable!("it was just made") };
        Ok(Influence { jacobian, products: frame.influence(&store.pass(&request)?, parts) })
    }
}

/// J, row by row, and for each violation the direction H⁻¹a of the coefficients that it moves along, from the derivatives of violations and the gradients
/// that multipliers add.
fn moved(
    objective: &dyn Objective,
    at: &[f64],
    scores: Vec<Vec<f64>>,
    gradients: &[Vec<f64>],
) -> Result<(Vec<f64>, Vec<Vec<f64>>)> {
    let sensitivities = Minimiser::default().sensitivities(objective, at, scores).ok_or(Error::TooManyFeatures {
        features: at.len() - 1,
        most: FACTORED - 1,
        widest: None,
    })?;
    // A sensitivity is minus H⁻¹a.
    let product = |sensitivity: &Vec<f64>, gradient: &Vec<f64>| -> f64 {
        sensitivity.iter().zip(gradient).map(|(a, g)| a * g).sum()
    };
    let jacobian = sensitivities
        .iter()
        .flat_map(|sensitivity| gradients.iter().map(move |gradient| product(sensitivity, gradient)))
        .collect();
    let directions = sensitivities.iter().map(|sensitivity| sensitivity.iter().map(|entry| -entry).collect()).collect();
    Ok((jacobian, directions))
}
