//! The built-in learner, with a way to stop it in the middle of a fit.
//!
//! Millions of rows take seconds a fit, and people press Ctrl-C now. What was found before stands: a
//! correction whose learner says [`crate::Error::Interrupted`] ends with the fits it has.

use super::{Learner, Logistic, LogisticModel, Sensitivity, Training};
use crate::{Result, Weights};

/// Logistic regression that asks, between passes over the rows, whether to stop.
///
/// # Example
/// ```
/// use evenhand::learner::Interruptible;
/// use evenhand::{Correction, Dataset, Logistic, Notion, Schema};
/// use evenhand_datasets::synthetic;
///
/// # fn main() -> evenhand::Result<()> {
/// let schema = Schema::label("approved").positive("yes").ignore("deserved");
/// let data = Dataset::new(synthetic::population(1_000, 1)?, &schema)?;
/// let learner = Interruptible { learner: Logistic::default(), stop: &|| true };
/// let error = Correction::new(Notion::DemographicParity).group("sex")?.fit(&data, &learner).unwrap_err();
/// assert_eq!(error.code(), "interrupted"); // at once: there is no fit to return
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Interruptible<'a> {
    /// What fits.
    pub learner: Logistic,
    /// Whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Learner for Interruptible<'_> {
    type Predictor = LogisticModel;
    type WarmStart = <Logistic as Learner>::WarmStart;

    fn fit(&self, training: Training<'_>, warm_start: &mut Self::WarmStart) -> Result<LogisticModel> {
        self.learner.fit_unless(training, warm_start, self.stop)
    }

    fn models_membership(&self) -> bool {
        self.learner.models_membership()
    }

    fn takes_aggregated_rows(&self) -> bool {
        self.learner.takes_aggregated_rows()
    }

    fn sensitivity(
        &self,
        training: Training<'_>,
        predictor: &LogisticModel,
        slopes: &[Weights],
        warm_start: &mut Self::WarmStart,
    ) -> Result<Option<Box<dyn Sensitivity>>> {
        self.learner.sensitivity(training, predictor, slopes, warm_start)
    }

    fn extrapolate(&self, warm_start: &mut Self::WarmStart, moves: &[f64]) {
        self.learner.extrapolate(warm_start, moves);
    }

    fn of_coefficients(&self, coefficients: Vec<f64>) -> Option<LogisticModel> {
        self.learner.of_coefficients(coefficients)
    }
}
