//! Scores by another model in place of a fit.
//!
//! Holds [`Given`]: the probabilities of labels are those of a column that comes with the rows, and who is in a group is learned by logistic
//! regression on what else comes with them.

use super::function::scorer_of_all;
use super::{Learner, Logistic, LogisticModel, Predictor, Scorer, Training, check_probabilities};
use crate::features::Features;
use crate::{Error, Result};

/// A learner that trains no model of labels: their probabilities are given, as the first feature
/// ([`Correction::score`](crate::Correction::score) sees to that).
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// By what membership is modelled.
    pub membership: Logistic,
}

/// What [`Given`] predicts by.
#[derive(Debug, Clone)]
pub enum GivenModel {
    /// The probability of the positive class is the first feature.
    Scores(GivenScores),
    /// A model of who is in a group.
    Membership(LogisticModel),
}

/// Reads the probability of the positive one of two classes from the first feature.
#[derive(Debug, Clone, Copy)]
pub struct GivenScores;

impl Learner for Given {
    type Predictor = GivenModel;
    type WarmStart = <Logistic as Learner>::WarmStart;

    fn fit(&self, training: Training<'_>, _: &mut Self::WarmStart) -> Result<GivenModel> {
        if training.classes != 2 {
            let found = format!("given with {} classes", training.classes);
            return Err(Error::setting("score", found, "two classes: a score is the probability of one of them"));
        }
        Ok(GivenModel::Scores(GivenScores))
    }

    fn fit_membership(&self, training: Training<'_>, warm_start: &mut Self::WarmStart) -> Result<GivenModel> {
        self.membership.fit(training, warm_start).map(GivenModel::Membership)
    }

    fn takes_aggregated_rows(&self) -> bool {
        true
    }
}

impl Predictor for GivenModel {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        match self {
            Self::Scores(scores) => scores.on(features),
            Self::Membership(model) => model.on(features),
        }
    }

    fn converged(&self) -> bool {
        match self {
            Self::Scores(_) => true,
            Self::Membership(model) => model.converged(),
        }
    }
}

impl Predictor for GivenScores {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        let column = features.dense().iter().find(|column| column.feature == 0);
        let column = column.ok_or_else(|| Error::learner("the first feature is no column of scores"))?;
        let mut scores = column.values().to_vec();
        let row = |at: usize| features.places().map_or(at, |places| places[at]) + 1;
        check_probabilities(&mut scores, 1, "the column of scores", row)?;
        Ok(scorer_of_all(scores.into_iter().flat_map(|score| [1.0 - score, score]).collect(), 2))
    }
}
