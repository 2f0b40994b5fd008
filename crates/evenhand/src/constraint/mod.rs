//! Constraints: notions bound to groups and classes, all in one form.
//!
//! A constraint is a linear functional of the decisions over a subset of rows, with a
//! target, and says which rows its multiplier re-weights. `form` is that form and how each
//! notion takes it, `general` how a rate of one's own does, `own_rows` where the rows are that a notion names, `rate_weights` by which columns rows count for more; `functional` evaluates it on sums per cell; `tilt` turns multipliers into
//! weights per cell.
//! Knows nothing of learners or solvers.

mod form;
mod functional;
mod general;
mod own_rows;
mod rate_weights;
mod tilt;

pub use form::{Constraint, Event, Labelled, Reference};
pub(crate) use form::{OwnRows, constraints};
pub use functional::Measure;
pub(crate) use functional::{Functional, bind, overall_rates};
pub(crate) use own_rows::own_rows;
pub(crate) use rate_weights::{weighing, weighing_columns, weighing_numbers, weighing_shares};
pub(crate) use tilt::TiltTable;
pub use tilt::{Tilt, WeightRange, WeightRule};
