//! How multipliers are found.
//!
//! `sqp` looks for the least correction that meets what is asked, by sequential quadratic programming; `printed_loop` is the
//! loop of Algorithms 1 and 2 of the paper. `run` is what both share: weights, fits and what is left of them; `tilted_run` fits once and tilts
//! probabilities, from a `convex_start`, the least of a `smooth_maximum` over a `row_sample`; `oracle` is what `sqp` sees of either, and every run has a `run_log` of its fits. `stored_run` goes over rows in blocks, for a frontier one step behind a `sample_path`. `label_start` is where a search begins whose learner has many minima. `rank` tells which multipliers are independent.
//! Knows nothing of the methods that a correction is compared with.

mod convex_start;
mod label_start;
pub(in crate::correction) mod oracle;
pub(in crate::correction) mod printed_loop;
mod rank;
mod row_sample;
pub(in crate::correction) mod run;
mod run_log;
pub(in crate::correction) mod sample_path;
mod smooth_maximum;
pub(in crate::correction) mod sqp;
pub(in crate::correction) mod stored_run;
pub(in crate::correction) mod tilted_run;
