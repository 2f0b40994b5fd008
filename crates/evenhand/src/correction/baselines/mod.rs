//! Baselines: the methods that a correction is compared with, on the same rows and with the same metrics.
//!
//! `single_fit` is the one fit that most of them share, `reweighing` the weights of Kamiran & Calders,
//! `threshold_postprocessing` the thresholds by group of Hardt, Price & Srebro, `percentile_thresholds` those of the paper's calibration, both from `pattern_rows`, and `lagrangian` the joint
//! training of Eban et al. Their settings are in `settings`. Knows nothing of tilts.

pub(crate) mod lagrangian;
mod pattern_rows;
pub(crate) mod percentile_thresholds;
pub(crate) mod reweighing;
mod single_fit;
pub(crate) mod threshold_postprocessing;

pub(super) use single_fit::single_fit;
