//! Train even-handed classifiers from biased labels, without changing a label or a feature.

mod cells;
pub mod constraint;
pub mod correction;
pub mod data;
mod error;
pub mod features;
mod kernel;
pub mod learner;
pub mod model;
pub mod notion;
mod parallel;
mod sampling;
mod warning;
mod weights;

pub use data::{Column, Dataset, Labels, ReadOptions, Schema, Table};
pub use error::{Error, Result};
pub use warning::Warning;
pub use weights::Weights;
