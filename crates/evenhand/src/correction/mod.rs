//! Corrections: find the multipliers, and the classifier that goes with them.
//!
//! `settings` says what is asked and how; `binding` is what training rows teach about
//! columns, groups and constraints; `problem` is one set of rows made ready, in which `merge`
//! finds those that are alike; `algorithm` is the loop of the paper; `trace` is what it leaves behind; `fitted` is what a user gets.
//! Leans on everything below it; learners are handed in.

mod algorithm;
mod assessment;
mod binding;
mod fitted;
mod merge;
mod problem;
mod settings;
mod trace;

pub use algorithm::{Outcome, correct};
pub use assessment::{Assessment, GroupRates, NamedValue};
pub use binding::Binding;
pub(crate) use fitted::predict;
pub use fitted::{Fitted, Predictions};
pub use problem::Problem;
pub use settings::{Conventions, Correction, Keep, Preset, Technique};
pub use trace::{Loop, Observer, Silent, Stop};
