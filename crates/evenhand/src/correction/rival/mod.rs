//! The methods a correction is compared with, on the same rows and through the same numbers.
//!
//! `once` is the one fit that most of them share, `reweighing` the weights of Kamiran & Calders.
//! Leans on `problem`, `run` and learners; knows nothing of multipliers and tilts.

mod once;
pub(crate) mod reweighing;

pub(super) use once::once;
