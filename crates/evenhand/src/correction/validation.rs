//! By which rows multipliers are chosen.
//!
//! A classifier treats the rows it was fitted to a little more evenly than others, the more so the
//! fewer there are. Violations can therefore be measured on rows it has not seen: a validation part that is
//! kept from it, or all rows, each by a model of the same weights that was fitted without it (cross-fitting).

use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Observed, Problem};
use crate::data::holdout;
use crate::learner::Learner;
use crate::{Error, Result};

/// By which rows multipliers are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Validation {
    /// The training rows, as the classifier itself decides them.
    #[default]
    Training,
    /// A part of the training rows that is kept from the classifier.
    Holdout {
        /// Which share of them.
        share: f64,
        /// Seed by which they are drawn.
        seed: u64,
    },
    /// All training rows, each decided by a model that was fitted without it and its fold.
    KFold {
        /// How many folds: each makes a fit more.
        folds: usize,
        /// Seed by which rows are put in folds.
        seed: u64,
    },
}

/// Who measures the violations.
pub(super) enum EvaluationRows<L: Learner> {
    Training,
    Holdout(Box<Problem>),
    Folds(Vec<Fold<L>>),
}

/// Some rows, and all others to fit a model to.
pub(super) struct Fold<L: Learner> {
    pub(super) train: Problem,
    pub(super) test: Problem,
    pub(super) warm_start: L::WarmStart,
    /// What labels are observed in `train`, where the shift of features is undone.
    pub(super) observed: Option<Arc<Observed>>,
}

/// `training`, `holdout[=SHARE]` (a fifth unless told) or `k-fold[=FOLDS]` (five), with a seed of 0.
impl std::str::FromStr for Validation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Setting {
            setting: "validation",
            found: format!("`{text}`"),
            allowed: "`training`, `holdout[=SHARE]` or `k-fold[=FOLDS]`".into(),
        };
        let (name, number) = text.split_once('=').map_or((text, None), |(name, number)| (name, Some(number)));
        let validation = match (name, number) {
            ("training", None) => Self::Training,
            ("holdout", share) => {
                let share = share.map_or(Ok(0.2), str::parse).map_err(|_| wrong())?;
                Self::Holdout { share, seed: 0 }
            }
            ("k-fold", folds) => {
                let folds = folds.map_or(Ok(5), str::parse).map_err(|_| wrong())?;
                Self::KFold { folds, seed: 0 }
            }
            _ => return Err(wrong()),
        };
        validation.check()?;
        Ok(validation)
    }
}

impl Validation {
    /// The same with rows drawn by another seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        match self {
            Self::Training => self,
            Self::Holdout { share, .. } => Self::Holdout { share, seed },
            Self::KFold { folds, .. } => Self::KFold { folds, seed },
        }
    }

    /// The rows that a classifier chosen so was fitted to, where these are not all.
    pub(crate) fn fitted_part(&self, problem: &Problem) -> Result<Option<Problem>> {
        match *self {
            Self::Holdout { share, seed } => problem.select(&holdout(problem.labels().len(), share, seed)?.0).map(Some),
            Self::Training | Self::KFold { .. } => Ok(None),
        }
    }

    /// Whether it can be used.
    pub(super) fn check(&self) -> Result<()> {
        match *self {
            Self::Holdout { share, .. } if !(share > 0.0 && share < 1.0) => Err(Error::Setting {
                setting: "holdout share",
                found: share.to_string(),
                allowed: "a fraction above 0 and below 1".into(),
            }),
            Self::KFold { folds, .. } if folds < 2 => {
                Err(Error::Setting { setting: "folds", found: folds.to_string(), allowed: "2 or more".into() })
            }
            _ => Ok(()),
        }
    }

    /// The rows to fit to, if not all, and the evaluation. `aggregate` tells whether rows alike may be made one.
    pub(super) fn part<L: Learner>(
        &self,
        problem: &Problem,
        aggregate: bool,
    ) -> Result<(Option<Problem>, EvaluationRows<L>)> {
        let rows = problem.labels().len();
        let fitting = |rows: &[usize]| -> Result<Problem> {
            let chosen = problem.select(rows)?;
            Ok(if aggregate { chosen.aggregated() } else { None }.unwrap_or(chosen))
        };
        match *self {
            Self::Training => Ok((None, EvaluationRows::Training)),
            Self::Holdout { share, seed } => {
                let (train, validation) = holdout(rows, share, seed)?;
                Ok((Some(fitting(&train)?), EvaluationRows::Holdout(Box::new(problem.select(&validation)?))))
            }
            Self::KFold { folds, seed } => {
                let parts = k_fold(rows, folds, seed)?;
                let fold = |part: &Vec<usize>| -> Result<Fold<L>> {
                    let mut inside = vec![false; rows];
                    for &row in part {
                        inside[row] = true;
                    }
                    let others: Vec<usize> = (0..rows).filter(|&row| !inside[row]).collect();
                    let (train, test) = (fitting(&others)?, problem.select(part)?);
                    Ok(Fold { train, test, warm_start: L::WarmStart::default(), observed: None })
                };
                Ok((None, EvaluationRows::Folds(parts.iter().map(fold).collect::<Result<_>>()?)))
            }
        }
    }
}

/// Rows dealt out like cards, in row order within each part.
fn k_fold(rows: usize, folds: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if rows < folds {
        let allowed = format!("at most the {rows} rows there are");
        return Err(Error::Setting { setting: "folds", found: folds.to_string(), allowed });
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
    fn validations_are_read_as_they_are_typed() {
        assert_eq!("k-fold=3".parse::<Validation>().unwrap(), Validation::KFold { folds: 3, seed: 0 });
        let validation = "holdout".parse::<Validation>().unwrap().seeded(4);
        assert_eq!(validation, Validation::Holdout { share: 0.2, seed: 4 });
        for wrong in ["holdout=2", "k-fold=1", "k-fold=x", "folds", "training=1"] {
            assert_eq!(wrong.parse::<Validation>().unwrap_err().code(), "setting-invalid", "{wrong}");
        }
    }

    #[test]
    fn every_row_is_dealt_once_and_folds_are_of_one_size() {
        let parts = k_fold(103, 5, 1).unwrap();
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..103).collect::<Vec<_>>());
        assert!(parts.iter().all(|part| (20..=21).contains(&part.len())));
        assert_eq!(k_fold(3, 5, 1).unwrap_err().code(), "setting-invalid");
    }
}
