//! Learners whose fits take long, as one: a network, or another program.
//!
//! Beside such a fit it does not matter that what learns is looked up, and the search over multipliers is compiled once for both.

use evenhand::learner::{ProcessLearner, Training};
use evenhand::model::LearnerRecord;
use evenhand::{Learner, Result};

/// One of them; what it fits is a record already.
pub(crate) enum Costly<'a> {
    #[cfg(feature = "network")]
    Network {
        network: &'a evenhand::learner::Network,
        /// Called after every step with how many are done, and of how many.
        watch: &'a (dyn Fn(usize, usize) -> bool + Sync),
    },
    Process(&'a ProcessLearner),
}

impl Learner for Costly<'_> {
    type Predictor = LearnerRecord;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<LearnerRecord> {
        match self {
            #[cfg(feature = "network")]
            Self::Network { network, watch } => {
                let learner = evenhand::learner::WatchedNetwork { learner: network, watch: *watch };
                learner.fit(training, &mut ()).map(|model| LearnerRecord::of_network(network)(&model))
            }
            Self::Process(learner) => learner.fit(training, &mut ()).map(|model| LearnerRecord::Process { model }),
        }
    }

    fn is_nonconvex(&self) -> bool {
        match self {
            #[cfg(feature = "network")]
            Self::Network { network, .. } => network.is_nonconvex(),
            Self::Process(learner) => learner.is_nonconvex(),
        }
    }
}
