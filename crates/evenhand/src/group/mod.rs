//! Which rows are in which group.
//!
//! `spec` is what a user writes; `bind` turns it into the rules of `definition`, with
//! edges fixed from the training rows; `lookup` evaluates rules on any table;
//! `membership` holds the answer; `template` names groups that only other rows have. Leans on `data` alone: knows nothing of labels.

mod bind;
mod buckets;
mod definition;
mod lookup;
mod membership;
mod spec;
mod template;

pub use definition::{Bound, Condition, Group, Groups};
pub use membership::Membership;
pub use spec::GroupSpec;
