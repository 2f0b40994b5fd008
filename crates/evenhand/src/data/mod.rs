//! From a file to typed, checked columns.
//!
//! `table` holds columns as a file held them; `codes` is their storage.

mod codes;
mod table;

pub use codes::Codes;
pub use table::{Categorical, Column, Table};
