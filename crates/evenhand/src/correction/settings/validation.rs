//! On which rows multipliers are chosen: the training rows, a holdout, or all rows by k-fold cross-validation.
//!
//! A classifier treats the rows it was fitted to a little more evenly than others, the more so the fewer there are.
//! Violations can therefore be measured on rows that the classifier has not seen. Holds the setting [`Validation`];
//! how rows are split accordingly is in `problem::evaluation_rows`.

use serde::{Deserialize, Serialize};

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

/// `training`, `holdout[=SHARE]` (a fifth unless told) or `k-fold[=FOLDS]` (five), with a seed of 0.
impl std::str::FromStr for Validation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong =
            || Error::setting("validation", format!("`{text}`"), "`training`, `holdout[=SHARE]` or `k-fold[=FOLDS]`");
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

    /// Whether it can be used.
    pub(in crate::correction) fn check(&self) -> Result<()> {
        match *self {
            Self::Holdout { share, .. } if !(share > 0.0 && share < 1.0) => {
                Err(Error::setting("holdout share", share, "a fraction above 0 and below 1"))
            }
            Self::KFold { folds, .. } if folds < 2 => Err(Error::setting("folds", folds, "2 or more")),
            _ => Ok(()),
        }
    }
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
}
