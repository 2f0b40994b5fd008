//! How multipliers are found.
//!
//! `newton` looks for the least correction that meets what is asked, with derivatives; `printed_loop` is the loop of
//! Algorithms 1 and 2 of the paper. `run` is what both share: weights, fits and what is left of them.
//! Knows nothing of the methods that a correction is compared with.

pub(in crate::correction) mod newton;
pub(in crate::correction) mod printed_loop;
pub(in crate::correction) mod run;
