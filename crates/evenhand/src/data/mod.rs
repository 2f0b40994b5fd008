//! From a file to typed, checked columns, and back.
//!
//! `read` makes a `table` of a file, `write` a file of a table; `codes` is the storage of
//! categories. `schema` says which column is what, `labels` numbers the classes, and
//! `dataset` puts the three together, checked once. `digest` fingerprints a dataset,
//! `split` cuts its rows in two. Knows nothing of groups, encodings or learners.

mod codes;
mod dataset;
mod digest;
mod labels;
mod read;
mod schema;
mod split;
mod table;
mod write;

pub use codes::Codes;
pub use dataset::Dataset;
pub(crate) use digest::digest_text;
pub use digest::sha256;
pub use labels::Labels;
pub use read::{ReadOptions, read_text};
pub use schema::Schema;
pub use split::{holdout, holdout_rows};
pub use table::{Categorical, Column, Table};
pub use write::{Outputs, WriteOptions, write_atomically};
