//! What a learner sees of a row: codes and numbers, never groups.
//!
//! `encoding` is fitted on training rows, saved in the model, and turns a raw table into
//! [`Features`]; `design` stores them, `number` scales numbers so that they can be computed with. A one-hot column is an index here, never a stored 1.0.
//! Leans on `data`. Knows nothing of labels, groups or weights.

mod design;
mod encoding;
mod fuse;
mod number;

pub use design::{Active, CodedColumn, DenseColumn, Features};
pub(crate) use encoding::RawNumbers;
pub use encoding::{Code, ColumnPlan, EncodedColumn, Encoding, PlanKind};
pub(crate) use number::scaled;
