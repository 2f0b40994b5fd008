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
///
/// Scores that are no probabilities are [`Error::Score`], with the name of the predictor and the row.
#[derive(Clone)]
pub struct FnPredictor<F> {
    classes: usize,
    scores: F,
    name: String,
    first_row: usize,
}

impl<F: Fn(&Features) -> Result<Vec<f64>> + Send + Sync> FnPredictor<F> {
    /// A predictor of that many classes.
    pub fn new(classes: usize, scores: F) -> Self {
        Self { classes, scores, name: "the predictor".to_owned(), first_row: 1 }
    }

    /// What messages call it, and the number that they give to the first row.
    #[must_use]
    pub fn named(self, name: impl Into<String>, first_row: usize) -> Self {
        Self { name: name.into(), first_row, ..self }
    }
}

impl<F: Fn(&Features) -> Result<Vec<f64>> + Send + Sync> Predictor for FnPredictor<F> {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        let mut all = (self.scores)(features)?;
        check_length(&all, features, self.classes)?;
        let row = |at: usize| features.places().map_or(at, |places| places[at]) + self.first_row;
        check_probabilities(&mut all, self.classes, &self.name, row)?;
        Ok(scorer_of_all(all, self.classes))
    }
}

/// A score may be beyond 0 or 1 by as much as single precision rounds.
const ROUNDING: f64 = 1e-6;

/// Checks that scores, row by row, are probabilities; what rounding has put beyond 0 or 1 is put back.
///
/// `learner` is what messages call what gave them, and `row` the number they give to a row.
///
/// # Errors
/// [`Error::Score`].
pub fn check_probabilities(
    scores: &mut [f64],
    classes: usize,
    learner: &str,
    row: impl Fn(usize) -> usize,
) -> Result<()> {
    if let Some(at) = scores.iter().position(|score| !(-ROUNDING..=1.0 + ROUNDING).contains(score)) {
        let (learner, found) = (learner.to_owned(), scores[at].to_string());
        return Err(Error::Score { learner, row: row(at / classes), found });
    }
    for score in scores {
        *score = score.clamp(0.0, 1.0);
    }
    Ok(())
}

/// Checks that there is a score for each row and class.
pub(super) fn check_length(scores: &[f64], features: &Features, classes: usize) -> Result<()> {
    let (expected, found) = (features.rows() * classes, scores.len());
    if found == expected { Ok(()) } else { Err(Error::Length { what: "scores of a predictor", expected, found }) }
}

/// A scorer that reads from scores computed for all rows at once.
pub(super) fn scorer_of_all<'a>(all: Vec<f64>, classes: usize) -> Scorer<'a> {
    Box::new(move |rows, out| {
        out.clear();
        out.extend_from_slice(&all[rows.start * classes..rows.end * classes]);
    })
}
