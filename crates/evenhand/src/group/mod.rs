//! Which rows are in which group.
//!
//! `spec` is what a user writes; `bind` turns it into the rules of `definition`, with
//! edges fixed by what is asked of the training rows; `lookup` evaluates rules on any table;
//! `membership` holds the answer; `template` names groups that only other rows have. Leans on `data` alone, and `bind` on `facts`.

mod bind;
mod buckets;
mod choices;
mod definition;
mod lookup;
mod membership;
mod spec;
mod template;

pub(crate) use buckets::{Ascending, edges as quantile_edges, edges_of, ranks};
pub use definition::{Bound, Condition, Group, Groups};
pub(crate) use lookup::membership as look_up;
pub use membership::Membership;
pub use spec::GroupSpec;
