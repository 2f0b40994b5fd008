//! What a learner sees of a row: codes and numbers, never groups.
//!
//! `encoding` is fitted on training rows, saved in the model, and turns a raw table into
//! [`Features`]: `code` has what may become of a column, `category`, `number` and `bucket` how it becomes that. `design` stores features, `fuse`
//! combines columns with few values. A one-hot column is an index here, never a stored 1.0.
//! Leans on `data`. Knows nothing of labels, groups or weights.

mod bucket;
mod category;
mod code;
mod design;
mod encoding;
mod fuse;
mod number;

pub use code::{Code, ColumnPlan, PlanKind};
pub use design::{Active, CodedColumn, DenseColumn, Features};
pub(crate) use encoding::EncodedRows;
pub use encoding::{EncodedColumn, Encoding};
pub(crate) use number::{RawNumbers, scaled};
