//! A fit that is stopped in the middle.

use std::sync::atomic::{AtomicUsize, Ordering};

use evenhand::correction::{Iteration, Observer};
use evenhand::learner::Interruptible;
use evenhand::{Correction, Dataset, Logistic, Notion, Schema, Termination};
use evenhand_datasets::synthetic;

/// Counts loops in a number that the learner sees as well.
struct Counting<'a>(&'a AtomicUsize);

impl Observer for Counting<'_> {
    fn after(&mut self, _: &Iteration) -> bool {
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
        assert_eq!((fitted.stop(), fitted.trace().len()), (Termination::Cancelled, most));
        let kept = fitted.solution().train.violation.unwrap();
        let least = fitted.trace().iter().map(|done| done.violation).fold(f64::INFINITY, f64::min);
        assert!((kept - least).abs() < 1e-12, "{kept} is kept, {least} was found");
    }
}
