//! Constraints: notions bound to groups and classes, all in one form.
//!
//! A constraint is a linear functional of the decisions over a subset of rows, with a
//! target, and says which exponent its multiplier drives. `form` is that form and how each
//! notion takes it; `functional` evaluates it on a tally; `tilt` turns multipliers into
//! weights per cell.
//! Leans on `notion`, `group` and `cells`. Knows nothing of learners or loops.

mod form;
mod functional;
mod tilt;

pub use form::{Constraint, Event, Labelled, Reference, constraints};
pub use functional::{Functional, Measure};
pub use tilt::{Tilt, TiltTable, WeightRange, WeightRule};
