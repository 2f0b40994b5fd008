//! The built-in learner, with a way to stop it in the middle of a fit.
//!
//! Millions of rows take seconds a fit, and people press Ctrl-C now. What was found before stands: a
//! correction whose learner says [`crate::Error::Interrupted`] ends with the fits it has.

use super::{Learner, Logistic, LogisticModel, Tangent, Training};
use crate::{Result, Weights};

/// Logistic regression that asks, between passes over the rows, whether to stop.
///
/// # Example
/// ```
/// use evenhand::learner::Interruptible;
/// use evenhand::{Correction, Dataset, Logistic, Notion, Schema, synthetic};
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
    type Memory = <Logistic as Learner>::Memory;

    fn fit(&self, training: Training<'_>, memory: &mut Self::Memory) -> Result<LogisticModel> {
        self.learner.fit_unless(training, memory, self.stop)
    }

    fn takes_merged_rows(&self) -> bool {
        self.learner.takes_merged_rows()
    }

    fn tangent(
        &self,
        training: Training<'_>,
        predictor: &LogisticModel,
        slopes: &[Weights],
        memory: &mut Self::Memory,
    ) -> Result<Option<Box<dyn Tangent>>> {
        self.learner.tangent(training, predictor, slopes, memory)
    }

    fn anticipate(&self, memory: &mut Self::Memory, moves: &[f64]) {
        self.learner.anticipate(memory, moves);
    }

    fn of_coefficients(&self, coefficients: Vec<f64>) -> Option<LogisticModel> {
        self.learner.of_coefficients(coefficients)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::correction::{Loop, Observer};
    use crate::{Correction, Dataset, Notion, Schema, Stop, synthetic};

    /// Counts loops in a number that the learner sees as well.
    struct Counting<'a>(&'a AtomicUsize);

    impl Observer for Counting<'_> {
        fn after(&mut self, _: &Loop) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            true
        }
    }

    #[test]
    fn a_correction_that_is_interrupted_returns_the_fits_it_has() {
        let schema = Schema::label("approved").positive("yes").ignore("deserved");
        let data = Dataset::new(synthetic::population(2_000, 3).unwrap(), &schema).unwrap();
        let correction = Correction::new(Notion::DemographicParity).group("sex").unwrap();
        for most in 1..3 {
            let loops = AtomicUsize::new(0);
            let stop = || loops.load(Ordering::Relaxed) >= most;
            let learner = Interruptible { learner: Logistic::default(), stop: &stop };
            let fitted = correction.fit_observed(&data, &learner, &mut Counting(&loops)).unwrap();
            assert_eq!((fitted.stop(), fitted.trace().len()), (Stop::Cancelled, most));
            let kept = fitted.outcome().train.violation.unwrap();
            let least = fitted.trace().iter().map(|done| done.violation).fold(f64::INFINITY, f64::min);
            assert!((kept - least).abs() < 1e-12, "{kept} is kept, {least} was found");
        }
    }
}
