//! Predictors: what gives class probabilities to rows.
//!
//! Holds the one trait that learners return and kernels sum over. Leans on `features` and
//! `parallel`. Knows nothing of labels, weights or groups.

use std::ops::Range;
use std::sync::Arc;

use crate::features::Features;
use crate::{Result, parallel};

/// Gives class probabilities to rows.
pub trait Predictor: Send + Sync {
    /// Puts the predictor to some rows; the scorer returned gives their probabilities.
    ///
    /// # Errors
    /// [`crate::Error::Learner`] or [`crate::Error::Length`] when it cannot score them.
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>>;

    /// Whether fitting reached its own tolerance.
    fn converged(&self) -> bool {
        true
    }
}

impl<P: Predictor + ?Sized> Predictor for Arc<P> {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        (**self).on(features)
    }

    fn converged(&self) -> bool {
        (**self).converged()
    }
}

/// The derivatives of a fitted predictor's probabilities with respect to the weights it was fitted with, in one or more
/// directions.
pub trait Sensitivity: Send + Sync {
    /// Puts it to some rows; the scorer returned gives, for each row, direction by direction, how
    /// fast the probability of each class changes.
    ///
    /// # Errors
    /// As [`Predictor::on`].
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>>;

    /// Direction by direction, what no change of a probability exceeds in size, whatever the row. The unit of sums over rows follows from it,
    /// so that it may not depend on which of the rows are looked at: the bounds of columns are those of all rows.
    fn bounds(&self, features: &Features) -> Vec<f64>;
}

/// Writes the class probabilities of a range of rows over a vector, row by row.
pub type Scorer<'a> = Box<dyn Fn(Range<usize>, &mut Vec<f64>) + Send + Sync + 'a>;

/// The probabilities of all rows, `classes` numbers a row.
///
/// # Errors
/// As [`Predictor::on`].
pub fn scores(predictor: &dyn Predictor, features: &Features, classes: usize) -> Result<Vec<f64>> {
    let scorer = predictor.on(features)?;
    let mut all = vec![0.0; features.rows() * classes];
    parallel::fill(&mut all, classes, |rows, out| {
        let mut part = Vec::with_capacity(out.len());
        scorer(rows, &mut part);
        out.copy_from_slice(&part);
    });
    Ok(all)
}
