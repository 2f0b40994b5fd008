//! The engine as a user of the crate sees it, one file per subject, in one program: it is linked once.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, too")]

mod architecture;
mod audit_rows;
mod audit_scores;
mod baselines;
mod bits;
mod blind;
mod closest;
mod corrections;
mod covariate_shift;
mod derivatives;
mod estimates;
mod evaluate_files;
mod few_rows;
mod files;
mod forgery;
mod frequencies;
mod frontier;
mod general;
mod identify;
mod interactions;
mod interruption;
mod invariance;
mod joined;
mod kinds;
mod missing;
mod model_files;
#[cfg(feature = "network")]
mod network;
mod odds_factors;
mod one_decision;
mod paper_impact;
mod percentile_thresholds;
mod population;
mod precision;
mod profile;
mod properties;
mod resealed;
mod row_files;
mod sensitivity;
mod solver;
mod stored;
mod threshold;
mod threshold_postprocessing;
mod verdicts;
mod weighted_rates;
