//! The command line, driven as a user would drive it.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod audit;
mod blind;
mod carried;
mod correct;
mod covariate_shift;
mod damage;
mod data;
mod demo;
mod effect;
mod errors;
mod evaluate;
mod fit;
mod frequency;
mod frontier;
mod help;
mod identify;
mod inject;
#[cfg(unix)]
mod kill;
mod kinds;
mod learner;
mod leftovers;
mod many_rows;
mod method;
#[cfg(feature = "network")]
mod network;
mod one_decision;
mod paper;
mod predict_many;
mod rates;
mod reading;
mod recipe;
mod report;
mod schemas;
mod shell;
mod streams;
mod support;
mod sweep;
mod threshold;
mod verdicts;
mod verify;
