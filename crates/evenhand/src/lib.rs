//! Train even-handed classifiers from biased labels, without changing a label or a feature.

pub mod audit;
pub mod data;
mod error;
pub mod group;
mod parallel;
mod warning;

pub use audit::Audit;
pub use error::{Error, Result};
pub use group::{Group, GroupSpec, Groups, Membership};
pub use warning::Warning;
