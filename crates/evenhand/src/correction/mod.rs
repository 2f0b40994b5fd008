//! Corrections: find the multipliers, and the classifier that goes with them.
//!
//! `settings` says what is asked and how, `bound` how uneven is good enough; `binding` is what training
//! rows teach about columns, groups and constraints, with `kinds` for what is a number and what a category; `problem` is one set of rows made ready, in which
//! `aggregate` finds those that are alike. `newton` finds multipliers by the steps of `step` towards the `goal`, with `slopes`, among those that `span` tells apart;
//! `polish` settles the last rows; `frontier` goes on from goal to goal; `sweep` takes more and less of what was found; `published` is the loop of the paper; `run` is
//! what both share, `weight_map` what a learner is given in it, `shift` what weights do to features, `select` by which rows they judge. `trace` is what they leave behind; `fitted` is what a user
//! gets. `method` names the methods there are, `rival` holds those that are not ours; `classifier` is what decides, by one threshold or by many. `verdict` says whether bounds hold: `compared` has every number a bound limits with its interval,
//! `estimated` the violations alone, `floor` what chance alone makes of them.
//! Leans on everything below it; learners are handed in.

mod aggregation;
pub(crate) mod baselines;
mod biased;
mod binding;
mod bound;
mod cell_weights;
mod classifier;
mod contrast;
mod covariate_shift;
mod estimated;
mod fitted;
mod frontier;
mod goal;
mod kinds;
mod method;
mod metrics;
mod newton;
mod null_distribution;
mod polish;
mod preset;
mod printed_loop;
mod problem;
mod run;
mod settings;
mod slopes;
mod span;
mod step;
mod sweep;
mod trace;
mod validation;
mod verdict;
mod weight_map;

pub use crate::constraint::{Constraint, Event, Labelled, Measure, Reference, Tilt, WeightRange, WeightRule};
pub use baselines::lagrangian::Lagrangian;
pub use baselines::threshold_postprocessing::{Decisions, PatternRule, Step, ThresholdPostprocessing, Thresholds};
pub use binding::Binding;
pub use bound::Bound;
pub use cell_weights::CellWeights;
pub(crate) use classifier::Classifier;
pub(crate) use covariate_shift::Observed;
pub use covariate_shift::{CovariateShift, ShiftCorrection};
pub use estimated::Estimated;
pub use fitted::{Fitted, Predictions};
pub use frontier::{Asked, Frontier, Point};
pub use method::Method;
pub use metrics::{GroupRates, Metrics, NamedValue};
pub use preset::{Keep, LoopSettings, Preset, Solver, SqpSettings};
pub use problem::Problem;
pub use run::Solution;
pub use settings::{Correction, Technique};
pub use trace::{Iteration, Observer, Silent, Termination};
pub use validation::Validation;
pub use verdict::{BoundTest, Verdict};
pub(crate) use weight_map::WeightMap;
