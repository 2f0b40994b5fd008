//! The rows that violations are measured on while multipliers are chosen.
//!
//! Holds [`EvaluationRows`], which splits the rows of a problem as the setting
//! [`Validation`] says, and [`Fold`], one part of k-fold cross-validation.

use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Observed, Problem, RowTilts};
use crate::correction::settings::{Correction, Validation};
use crate::data::holdout;
use crate::learner::Learner;
use crate::{Error, Result};

/// The rows that violations are measured on.
pub(in crate::correction) enum EvaluationRows<L: Learner> {
    /// The training rows, with the decisions of the fitted model itself.
    Training,
    /// Rows that are kept from the learner.
    Holdout(Box<Problem>),
    /// All rows, each with the decision of a model that was fitted without its fold.
    Folds(Vec<Fold<L>>),
}

/// One fold of k-fold cross-validation: the rows of the fold, and all others to fit a model to.
pub(in crate::correction) struct Fold<L: Learner> {
    pub(in crate::correction) train: Problem,
    pub(in crate::correction) test: Problem,
    pub(in crate::correction) warm_start: L::WarmStart,
    /// Probabilities of the observed labels of `train`, where covariate shift is corrected.
    pub(in crate::correction) observed: Option<Arc<Observed>>,
    /// The tilts of the rows of `train`, where these are expectations.
    pub(in crate::correction) tilts: Option<RowTilts>,
}

impl Validation {
    /// The rows that the classifier was fitted to, where these are not all.
    pub(crate) fn fitted_part(&self, problem: &Problem) -> Result<Option<Problem>> {
        match *self {
            Self::Holdout { share, seed } => problem.select(&holdout(problem.labels().len(), share, seed)?.0).map(Some),
            Self::Training | Self::KFold { .. } => Ok(None),
        }
    }
}

impl<L: Learner> EvaluationRows<L> {
    /// The rows to fit to, where these are not all rows one by one, and the rows to evaluate on.
    pub(in crate::correction) fn split(
        settings: &Correction,
        problem: &Problem,
        learner: &L,
    ) -> Result<(Option<Problem>, Self)> {
        let rows = problem.labels().len();
        let fitting = |rows: &[usize]| -> Result<Problem> {
            let chosen = problem.select(rows)?;
            Ok(chosen.aggregated_for(settings, learner).unwrap_or(chosen))
        };
        match settings.validation {
            Validation::Training => Ok((problem.aggregated_for(settings, learner), Self::Training)),
            Validation::Holdout { share, seed } => {
                let (train, validation) = holdout(rows, share, seed)?;
                Ok((Some(fitting(&train)?), Self::Holdout(Box::new(problem.select(&validation)?))))
            }
            Validation::KFold { folds, seed } => {
                let parts = k_fold(rows, folds, seed)?;
                let fold = |part: &Vec<usize>| -> Result<Fold<L>> {
                    let mut inside = vec![false; rows];
                    for &row in part {
                        inside[row] = true;
                    }
                    let others: Vec<usize> = (0..rows).filter(|&row| !inside[row]).collect();
                    let (train, test) = (fitting(&others)?, problem.select(part)?);
                    Ok(Fold { train, test, warm_start: L::WarmStart::default(), observed: None, tilts: None })
                };
                Ok((
                    problem.aggregated_for(settings, learner),
                    Self::Folds(parts.iter().map(fold).collect::<Result<_>>()?),
                ))
            }
        }
    }
}

/// The rows of each of so many folds of equal size, drawn at random, in row order within each fold.
fn k_fold(rows: usize, folds: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if rows < folds {
        let allowed = format!("at most the {rows} rows there are");
        return Err(Error::setting("folds", folds, allowed));
    }
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let part = |at: usize| {
        let mut part: Vec<usize> = order.iter().skip(at).step_by(folds).copied().collect();
        part.sort_unstable();
        part
    };
    Ok((0..folds).map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_fold_and_folds_are_of_one_size() {
        let parts = k_fold(103, 5, 1).unwrap();
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..103).collect::<Vec<_>>());
        assert!(parts.iter().all(|part| (20..=21).contains(&part.len())));
        assert_eq!(k_fold(3, 5, 1).unwrap_err().code(), "setting-invalid");
    }
}
