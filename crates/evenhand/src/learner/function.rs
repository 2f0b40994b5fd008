//! A learner made of a closure.
//!
//! Holds [`FnLearner`] and [`FnPredictor`]: for any training code that can be called.

use super::{Learner, Predictor, Scorer, Training};
use crate::features::Features;
use crate::{Error, Result};

/// A learner that calls a closure; what the closure returns predicts.
///
/// # Example
/// ```
/// use evenhand::features::Features;
/// use evenhand::learner::{FnLearner, FnPredictor, Training};
///
/// // A "learner" that gives every row the weighted share of class 1.
/// let learner = FnLearner::new(|training: Training<'_>| {
///     let weights = training.weights.to_rows();
///     let positive: f64 = training.labels.iter().zip(&weights).map(|(label, w)| label as f64 * w).sum();
///     let share = positive / weights.iter().sum::<f64>();
///     Ok(FnPredictor::new(2, move |features: &Features| Ok([1.0 - share, share].repeat(features.rows()))))
/// });
/// # let _ = learner;
/// ```
pub struct FnLearner<F> {
    fit: F,
}

impl<F> FnLearner<F> {
    /// A learner that fits by calling `fit`.
    pub fn new<P: Predictor>(fit: F) -> Self
    where
        F: Fn(Training<'_>) -> Result<P>,
    {
        Self { fit }
    }
}

impl<P: Predictor, F: Fn(Training<'_>) -> Result<P>> Learner for FnLearner<F> {
    type Predictor = P;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<P> {
        (self.fit)(training)
    }
}

/// A predictor that calls a closure for the class probabilities of all rows, row by row.
#[derive(Clone)]
pub struct FnPredictor<F> {
    classes: usize,
    scores: F,
}

impl<F: Fn(&Features) -> Result<Vec<f64>> + Send + Sync> FnPredictor<F> {
    /// A predictor of that many classes.
    pub fn new(classes: usize, scores: F) -> Self {
        Self { classes, scores }
    }
}

impl<F: Fn(&Features) -> Result<Vec<f64>> + Send + Sync> Predictor for FnPredictor<F> {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        scorer_of_all((self.scores)(features)?, features.rows(), self.classes)
    }
}

/// A scorer that reads from scores computed for all rows at once.
pub(super) fn scorer_of_all<'a>(all: Vec<f64>, rows: usize, classes: usize) -> Result<Scorer<'a>> {
    if all.len() != rows * classes {
        return Err(Error::Length { what: "scores of a predictor", expected: rows * classes, found: all.len() });
    }
    if let Some(at) = all.iter().position(|score| !score.is_finite()) {
        let detail = format!("row {}, class {}: the score is {}", at / classes + 1, at % classes, all[at]);
        return Err(Error::learner(detail));
    }
    Ok(Box::new(move |rows, out| {
        out.clear();
        out.extend_from_slice(&all[rows.start * classes..rows.end * classes]);
    }))
}
