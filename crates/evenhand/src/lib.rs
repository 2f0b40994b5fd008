//! Train even-handed classifiers from biased labels, without changing a label or a feature.

pub mod data;
mod error;
mod parallel;
mod warning;

pub use data::{Column, Dataset, Labels, ReadOptions, Schema, Table};
pub use error::{Error, Result};
pub use warning::Warning;
