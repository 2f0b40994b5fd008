//! From a file to typed, checked columns, and back.
//!
//! `read` makes a `table` of a file, `write` a file of a table, `carry` a file of a file; `codes` is the storage of
//! categories. `schema` says which column is what, `labels` numbers the classes, and
//! `dataset` puts the three together, checked once. `digest` fingerprints a dataset,
//! `split` cuts its rows in two, `row_weights` takes the unit out of weights, `repeat` reads rows that stand for several. Knows nothing of groups, encodings or learners.

mod carry;
mod codes;
mod dataset;
mod digest;
mod labels;
mod read;
mod repeat;
mod row_weights;
mod schema;
mod split;
mod table;
mod unit;
mod write;

pub use carry::{Carry, NextChunk};
pub use codes::Codes;
pub use dataset::Dataset;
pub(crate) use dataset::{check_each_weight, check_part, no_weight};
pub(crate) use digest::digest_text;
pub use digest::sha256;
pub use labels::{LabelRole, Labels};
pub use read::{ReadOptions, RowFiles, find_files, read_text};
pub use row_weights::RowWeightScale;
pub(crate) use row_weights::{WeightUnit, computable, mean_one};
pub use schema::Schema;
pub use split::{holdout, holdout_rows};
pub use table::{Categorical, Column, Table};
pub(crate) use unit::power_of_two;
pub use write::{Outputs, WriteOptions, write_atomically};
