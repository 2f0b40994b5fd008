//! How multipliers are found.
//!
//! `sqp` looks for the least correction that meets what is asked, by sequential quadratic programming, and sees fits only as an `oracle` shows them. What
//! computes the fits is a run: `run` for weights, `tilted_run` for tilted probabilities of one fit (from a `convex_start`, the least of a `smooth_maximum` over a
//! `row_sample`), `stored_run` for rows in blocks (for a frontier one step behind a `sample_path`). `searched` joins a search and a run. `printed_loop` is the loop
//! of Algorithms 1 and 2 of the paper. Every run has a `run_log` of its fits. `label_start` is where a search begins whose learner has many minima. `rank` tells
//! which multipliers are independent. Nothing here knows of the methods that a correction is compared with.

mod convex_start;
mod label_start;
pub(in crate::correction) mod oracle;
pub(in crate::correction) mod printed_loop;
mod rank;
mod row_sample;
pub(in crate::correction) mod run;
mod run_log;
pub(in crate::correction) mod sample_path;
pub(in crate::correction) mod searched;
mod smooth_maximum;
pub(in crate::correction) mod sqp;
pub(in crate::correction) mod stored_run;
pub(in crate::correction) mod tilted_run;
