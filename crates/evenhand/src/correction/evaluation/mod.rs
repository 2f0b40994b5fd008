//! What a classifier does on some rows, and how sure that is.
//!
//! `classifier` decides, by probabilities that may be `tilted`, and with `thresholds` by group where there are some; `best_threshold` finds a
//! threshold of its own for it. `metrics` are its error, rates and
//! violations. `estimated` gives the violations with intervals, and `evaluated` all of these from one pass over the
//! rows, with verdicts on bounds. `effect` is what a correction does to rates that nobody asked to change. Knows nothing
//! of how a classifier was found.

mod best_threshold;
mod classifier;
mod effect;
mod estimated;
mod evaluated;
mod metrics;
pub(in crate::correction) mod thresholds;
mod tilted;

pub(crate) use classifier::Classifier;
pub use classifier::{Predictions, decisions};
pub use effect::{Change, Constant, Effect, GroupChange, MissingChange};
pub use estimated::Estimated;
pub use evaluated::Evaluated;
pub use metrics::{GroupRates, Metrics, NamedMultiplier, NamedValue};
pub use thresholds::{PatternRule, Step, Thresholds};
pub(crate) use tilted::TiltBy;
pub(in crate::correction) use tilted::TiltedRows;
