//! Bounds on how uneven rates may be, and whether they hold as far as some rows can tell.
//!
//! `limit` is what people ask for, `notion_bound` of which notion; `contrast` lists every number that a bound limits, with its confidence interval;
//! `bound_test` puts them to the test, `verdict` says what the worst decides, `null_distribution` what parity would show by chance, and `text` the words. One way for everybody:
//! `audit` and `correction` both lean on it. Knows nothing of files, learners or how decisions were made.

mod bound_test;
mod contrast;
mod limit;
mod notion_bound;
mod null_distribution;
mod text;
mod verdict;

pub use bound_test::BoundTest;
pub(crate) use bound_test::{ConstrainedRows, check};
pub(crate) use contrast::{Contrast, Contrasts};
pub use limit::Bound;
pub use notion_bound::{Limit, NotionBound};
pub use verdict::Verdict;
