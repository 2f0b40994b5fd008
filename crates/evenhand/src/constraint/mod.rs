//! Constraints: notions bound to groups and classes, all in one form.
//!
//! A constraint is a linear functional of the decisions over a subset of rows, with a
//! target, and says which rows its multiplier re-weights. `form` is that form and how each
//! notion takes it; `functional` evaluates it on sums per cell; `tilt` turns multipliers into
//! weights per cell.
//! Knows nothing of learners or solvers.

mod form;
mod functional;
mod tilt;

pub(crate) use form::constraints;
pub use form::{Constraint, Event, Labelled, Reference};
pub use functional::Measure;
pub(crate) use functional::{Functional, bind, overall_rates};
pub(crate) use tilt::TiltTable;
pub use tilt::{Tilt, WeightRange, WeightRule};
