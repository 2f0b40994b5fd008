//! What a classifier does on some rows, and how sure that is.
//!
//! `classifier` decides, with `thresholds` by group where there are some; `metrics` are its error, rates and
//! violations. `contrast` lists every number that a bound limits, with its confidence interval; `estimated` gives the
//! violations alone, `evaluated` all of these from one pass over the rows, `bound_test` the verdict on a bound, and `null_distribution` what a classifier at parity would show
//! by chance. `effect` is what a correction does to rates that nobody asked to change. Knows nothing of how a classifier was found.

mod bound_test;
mod classifier;
mod contrast;
mod effect;
mod estimated;
mod evaluated;
mod metrics;
mod null_distribution;
pub(in crate::correction) mod thresholds;

pub use bound_test::{BoundTest, Verdict};
pub(crate) use classifier::Classifier;
pub use classifier::Predictions;
pub use effect::{Change, Effect, GroupChange, MissingChange};
pub use estimated::Estimated;
pub use evaluated::Evaluated;
pub use metrics::{GroupRates, Metrics, NamedValue};
pub use thresholds::{PatternRule, Step, Thresholds};
