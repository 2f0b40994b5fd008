//! From raw rows to an optimisation problem over multipliers.
//!
//! `binding` is what training rows teach about columns, groups and constraints, with `kinds` for which columns are
//! numbers and which categories, `withheld` for what of them the learner may not see and `interactions` for intersections that are features too; it makes a `problem`, one set of rows encoded, in cells, with constraints bound to
//! them. `rates` is what a predictor does on these rows. `aggregation` finds rows that are alike. `evaluation_rows` splits off the rows that multipliers are chosen on.
//! `stored` makes blocks of rows that are not all in memory, and a problem of those; `new_rows` counts such rows for a judgement.
//! `inequalities` are what is asked of rates. `expected_tilt` is what is left of a group's tilt where features do not tell the
//! group, `membership_quality` how well they do, and `exact_proxies` finds features that determine it. `weight_map` turns multipliers into sample weights,
//! which `covariate_shift` divides by the shift that they bring and `cell_weights` lists by cell; `biased` goes the other way, from true labels to
//! biased ones, and `closest` finds the multipliers of given violations.
//! Knows nothing of solvers and of how a classifier is evaluated.

mod aggregation;
mod biased;
mod binding;
mod cell_weights;
mod closest;
mod covariate_shift;
mod evaluation_rows;
mod exact_proxies;
mod expected_tilt;
mod inequalities;
mod interactions;
mod kinds;
mod membership_quality;
mod new_rows;
#[expect(clippy::module_inception, reason = "the other files are about this one")]
mod problem;
mod rates;
mod stored;
mod weight_map;
mod withheld;

pub use binding::Binding;
pub use cell_weights::CellWeights;
pub use closest::{AskedViolation, Closest};
pub(crate) use covariate_shift::Observed;
pub use covariate_shift::ShiftCorrection;
pub(in crate::correction) use covariate_shift::are_probabilities;
pub(in crate::correction) use evaluation_rows::EvaluationRows;
pub(crate) use expected_tilt::{Expectations, RowTilts};
pub use expected_tilt::{ExpectedTilt, MembershipModel};
pub(in crate::correction) use inequalities::{Inequalities, norm};
pub use membership_quality::MembershipQuality;
pub(crate) use new_rows::{ChunkSums, NewRows};
pub use problem::Problem;
pub(crate) use stored::{BlockPlan, Encoded};
pub(crate) use weight_map::WeightMap;
