//! Corrections: find the multipliers, and the classifier that goes with them.
//!
//! `settings` says what is asked and how, `bound` how uneven is good enough; `binding` is what training
//! rows teach about columns, groups and constraints, with `kinds` for what is a number and what a category; `problem` is one set of rows made ready, in which
//! `merge` finds those that are alike. `newton` finds multipliers by the steps of `step` towards the `goal`, with `slopes`, among those that `span` tells apart;
//! `polish` settles the last rows; `frontier` goes on from goal to goal; `sweep` takes more and less of what was found; `published` is the loop of the paper; `run` is
//! what both share, `weighing` what a learner is given in it, `shift` what weights do to features, `select` by which rows they judge. `trace` is what they leave behind; `fitted` is what a user
//! gets. `method` names the methods there are, `rival` holds those that are not ours; `classifier` is what decides, by one threshold or by many. `verdict` says whether bounds hold: `compared` has every number a bound speaks of with its interval,
//! `estimated` the violations alone, `floor` what chance alone makes of them.
//! Leans on everything below it; learners are handed in.

mod assessment;
mod biased;
mod binding;
mod bound;
mod cell_weights;
mod classifier;
mod compared;
mod estimated;
mod fitted;
mod floor;
mod frontier;
mod goal;
mod kinds;
mod merge;
mod method;
mod newton;
mod polish;
mod preset;
mod problem;
mod published;
pub(crate) mod rival;
mod run;
mod select;
mod settings;
mod shift;
mod slopes;
mod span;
mod step;
mod sweep;
mod trace;
mod verdict;
mod weighing;

pub use crate::constraint::{Constraint, Event, Labelled, Measure, Reference, Tilt, WeightRange, WeightRule};
pub use assessment::{Assessment, GroupRates, NamedValue};
pub use binding::Binding;
pub use bound::Bound;
pub use cell_weights::CellWeights;
pub(crate) use classifier::Classifier;
pub use estimated::Estimated;
pub use fitted::{Fitted, Predictions};
pub use frontier::{Asked, Frontier, Point};
pub use method::Method;
pub use preset::{Conventions, Keep, Newton, Preset, Solver};
pub use problem::Problem;
pub use rival::calibration::{Calibration, Decisions, PatternRule, Step, Thresholds};
pub use rival::lagrangian::Lagrangian;
pub use run::Outcome;
pub use select::Selection;
pub use settings::{Correction, Technique};
pub(crate) use shift::Observed;
pub use shift::{Shift, Undone};
pub use trace::{Loop, Observer, Silent, Stop};
pub use verdict::{Judgement, Verdict};
pub(crate) use weighing::Weighing;
