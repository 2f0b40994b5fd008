//! Learners: what turns weighted rows into a predictor.
//!
//! A learner sees features, labels and weights and nothing else; it never sees groups.
//! `logistic` is built in; `function` makes a learner of any closure, `process` of any
//! program, `given` one of scores by another model, `network` (behind the feature of that name) a fully connected network, `interruptible` one that can be stopped in the middle of a fit. `minimise` is
//! the minimiser behind `logistic`, `influence` the influence of single rows on its result.

mod function;
mod given;
mod influence;
mod interruptible;
mod logistic;
mod minimise;
#[cfg(feature = "network")]
mod network;
mod process;
mod stored;

pub use function::{FnLearner, FnPredictor, check_probabilities};
pub use given::{Given, GivenModel, GivenScores};
pub(crate) use influence::{Asked, AskedByCell, Influence};
pub use interruptible::Interruptible;
pub use logistic::{Logistic, LogisticModel};
pub(crate) use minimise::Minimiser;
#[cfg(feature = "network")]
pub use network::{Batches, Network, NetworkModel, WatchedNetwork, arithmetic, check as check_network, fit_network};
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

    /// Fits who is in a group: class 1 are its rows, and the others class 0. Learners that keep the labels elsewhere have to tell it from
    /// [`Learner::fit`]; for all others it is the same.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn fit_membership(&self, training: Training<'_>, warm_start: &mut Self::WarmStart) -> Result<Self::Predictor> {
        self.fit(training, warm_start)
    }

    /// Whether equal rows may be aggregated into one weighted row.
    ///
    /// True of a learner that minimises a weighted sum over rows; not of one that counts rows.
    fn takes_aggregated_rows(&self) -> bool {
        false
    }

    /// Whether its loss has many minima, so that fits with close weights may be far apart (a network that is trained anew). A search for multipliers then
    /// starts where the labels themselves, so weighted, are as asked: small steps from no correction would follow noise.
    fn is_nonconvex(&self) -> bool {
        false
    }

    /// Whether it models who is in a group, unless asked otherwise, where a group's columns are kept from it: that takes a fit for each such
    /// group, with membership in place of labels.
    fn models_membership(&self) -> bool {
        false
    }

    /// The derivatives of a fit with respect to its weights, in the directions `slopes`: the rate of change of every
    /// row's weight, which may be negative. `None` for learners without derivatives.
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

    /// Called before a fit whose weights have changed by these steps along the directions of the last
    /// [`Learner::sensitivity`]: the fit may start at the optimum that these derivatives predict.
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
