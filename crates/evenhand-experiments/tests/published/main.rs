//! The published experiments, and the default beside them, on the public datasets. Skipped, and said so, without
//! them: see `support`.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, too")]

mod beyond;
mod calibration;
mod digits;
mod golden;
mod paper;
mod splits;
mod support;
mod verdicts;
