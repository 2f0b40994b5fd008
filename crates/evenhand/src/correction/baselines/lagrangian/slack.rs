//! Bisection for the least slack that suffices.
//!
//! Holds [`Slack`]. With more slack the classifier is less constrained, so the least slack that suffices is found by
//! bisection, in a few trainings instead of one for every step.

/// A bisection for the fewest steps of slack that suffice.
pub(super) struct Slack<T> {
    step: f64,
    /// The fewest steps not known to be too few, and the fewest known to be enough; all of them are taken for enough.
    first: usize,
    enough: usize,
    trying: usize,
    best: Option<T>,
    trainings: usize,
}

impl<T> Slack<T> {
    /// Starts with no slack.
    pub(super) fn new(step: f64) -> Self {
        // Violations are at most 1, so the slack is too.
        #[allow(clippy::cast_sign_loss)] // a step is positive
        let enough = (1.0 / step - 1e-9).ceil() as usize;
        Self { step, first: 0, enough, trying: 0, best: None, trainings: 0 }
    }

    /// The slack to train with.
    pub(super) fn slack(&self) -> f64 {
        (self.trying as f64 * self.step).min(1.0)
    }

    /// Takes what was trained with it, and whether that was too little slack. Where there is nothing left to try, or it is to
    /// `end`, what was found and by how many trainings.
    pub(super) fn next(&mut self, found: T, too_little: bool, end: bool) -> Option<(T, usize)> {
        self.trainings += 1;
        if too_little && self.trying < self.enough {
            self.first = self.trying + 1;
        } else {
            (self.enough, self.best) = (self.trying, Some(found));
        }
        if end || self.first >= self.enough && self.best.is_some() {
            return self.best.take().map(|best| (best, self.trainings));
        }
        self.trying = self.first.midpoint(self.enough);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_slack_that_is_enough_is_found_by_few_trainings() {
        for least in 0..=20 {
            let mut slack = Slack::new(0.05);
            let (found, trainings) = loop {
                let trying = slack.slack();
                if let Some(found) = slack.next(trying, trying < 0.05 * f64::from(least) - 1e-9, false) {
                    break found;
                }
            };
            assert!((found - 0.05 * f64::from(least)).abs() < 1e-9, "{found} for {least}");
            assert!(trainings <= 6, "{trainings} for {least}");
        }
    }

    #[test]
    fn where_none_is_enough_all_of_it_is_returned_and_an_end_ends_at_once() {
        let mut slack = Slack::new(0.3);
        let found = loop {
            let trying = slack.slack();
            if let Some(found) = slack.next(trying, true, false) {
                break found.0;
            }
        };
        assert!((found - 1.0).abs() < 1e-12);
        assert_eq!(Slack::new(0.05).next("found", false, true), Some(("found", 1)));
    }
}
