//! Learners: what turns weighted rows into a predictor.
//!
//! A learner sees features, labels and weights and nothing else; it never sees groups.
//! `logistic` is built in; `function` makes a learner of any closure, `process` of any
//! program, `interruptible` one that can be stopped in the middle of a fit. `minimise` is the solver behind `logistic`, `influence` how far its result would stray with other rows.

mod function;
mod influence;
mod interruptible;
mod logistic;
mod minimise;
mod process;

pub use function::{FnLearner, FnPredictor};
pub(crate) use influence::Asked;
pub use interruptible::Interruptible;
pub use logistic::{Logistic, LogisticModel};
pub use process::{ProcessLearner, ProcessModel};

pub use crate::predictor::{Predictor, Scorer, Sensitivity, scores};

use crate::Result;
use crate::data::Codes;
use crate::features::Features;
use crate::weights::Weights;

/// Fits weighted rows.
pub trait Learner {
    /// What fitting returns.
    type Predictor: Predictor;
    /// What one fit leaves behind to make the next one cheaper; its default is a cold start.
    type WarmStart: Default;

    /// Fits the rows with the given weights.
    ///
    /// # Errors
    /// [`crate::Error::Learner`], or what an outside program or closure says.
    fn fit(&self, training: Training<'_>, warm_start: &mut Self::WarmStart) -> Result<Self::Predictor>;

    /// Whether rows that are alike may be handed over as one that weighs as much as they do.
    ///
    /// True of a learner that minimises a weighted sum over rows; not of one that counts rows.
    fn takes_aggregated_rows(&self) -> bool {
        false
    }

    /// How a fit answers to changes of its weights, each of `slopes` a direction: how fast the
    /// weight of every row changes, which may be negative. `None` for learners without derivatives.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn sensitivity(
        &self,
        _training: Training<'_>,
        _predictor: &Self::Predictor,
        _slopes: &[Weights],
        _warm_start: &mut Self::WarmStart,
    ) -> Result<Option<Box<dyn Sensitivity>>> {
        Ok(None)
    }

    /// A predictor of its kind between two classes that has these coefficients, one per feature and then the
    /// intercept; `None` for learners whose predictors have none.
    fn of_coefficients(&self, _coefficients: Vec<f64>) -> Option<Self::Predictor> {
        None
    }

    /// Told before a fit whose weights have moved by so much in each direction of the last
    /// [`Learner::sensitivity`]: it may start where that leads.
    fn extrapolate(&self, _warm_start: &mut Self::WarmStart, _moves: &[f64]) {}
}

/// All that a learner is shown.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// The encoded rows.
    pub features: &'a Features,
    /// The class of each row.
    pub labels: &'a Codes,
    /// How many classes there are.
    pub classes: usize,
    /// The weight of each row.
    pub weights: &'a Weights,
}
