//! Train even-handed classifiers from biased labels, without changing a label or a feature.

pub mod audit;
pub mod cells;
pub mod constraint;
pub mod correction;
pub mod data;
mod error;
pub mod features;
pub mod group;
pub mod kernel;
pub mod learner;
pub mod model;
pub mod notion;
mod parallel;
pub mod recipe;
pub mod sampling;
pub mod synthetic;
mod warning;
mod weights;

pub use audit::Audit;
pub use constraint::{Measure, Tilt};
pub use correction::{Correction, Fitted, Preset, Stop};
pub use data::{Column, Dataset, Labels, ReadOptions, Schema, Table};
pub use error::{Error, Result};
pub use group::{Group, GroupSpec, Groups, Membership};
pub use learner::{Learner, Logistic, Predictor};
pub use model::Model;
pub use notion::Notion;
pub use recipe::Recipe;
pub use warning::Warning;
pub use weights::Weights;
