//! The methods a correction is compared with, on the same rows and through the same numbers.
//!
//! `once` is the one fit that most of them share, `reweighing` the weights of Kamiran & Calders, `calibration` the
//! thresholds by group of Hardt, Price & Srebro, `lagrangian` the joint training of Eban et al.
//! Leans on `problem`, `run` and learners; knows nothing of multipliers and tilts.

pub(crate) mod lagrangian;
pub(crate) mod reweighing;
mod single_fit;
pub(crate) mod threshold_postprocessing;

pub(super) use single_fit::single_fit;
