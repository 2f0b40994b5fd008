//! The model file: everything a classifier was made from, in one checked JSON file.
//!
//! `record` is its content, `file` its form on disk, `verify` re-derives it from the data, `verify_stored` from rows that are not all in memory, `refit` by
//! doing its run again; `evaluate` evaluates it on other rows, `evaluate_files` on rows that are not all in memory, and `predict_files` scores such rows;
//! `validate` knows what holds of every model, and is asked when one is read.
//! It names groups and holds sums, never a row: no individual's sensitive value is in it.

mod evaluate;
mod evaluate_files;
mod file;
mod predict_files;
mod record;
mod refit;
mod validate;
mod verify;
mod verify_stored;

pub use evaluate::Evaluation;
pub use file::{FORMAT_VERSION, Sealed};
pub use record::{CellRecord, LearnerRecord, LoopRecord, Model, Provenance, Split};
pub use verify::{Check, Verdict};
