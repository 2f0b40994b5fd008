//! Corrections: settings and rows in, a classifier with its multipliers and weights out.
//!
//! - `settings` says what is asked and how it is to be found. It is data, and runs nothing.
//! - `problem` makes raw rows ready: encoded, in cells, with constraints bound to them; and turns multipliers into
//!   sample weights.
//! - `evaluation` measures what a classifier does on some rows, with confidence intervals and verdicts on bounds.
//! - `solution` is what every method returns, `trace` what it tells on the way.
//! - `solvers` find multipliers; `baselines` are the methods that a correction is compared with.
//! - `solve` chooses among them, `at_threshold` a threshold of their own; `fitted` is what a user gets, `frontier` a path of solutions from bound to bound
//!   (`point_record` its points as they are written),
//!   `sweep` solutions with more and less of the multipliers found, `odds_factors` what multipliers mean for a group.
//!
//! Which of them may import which is in the table of `ARCHITECTURE.md`, and a test compares it with the code. Learners
//! are handed in.

mod at_threshold;
pub(crate) mod baselines;
mod evaluation;
mod fitted;
mod frontier;
mod odds_factors;
mod point_record;
mod problem;
mod settings;
mod solution;
mod solve;
mod solvers;
mod stored;
mod sweep;
mod trace;

pub use crate::blocks::PassWatch;
pub use crate::bound::{Bound, BoundTest, Limit, NotionBound, Verdict};
pub use crate::constraint::{Constraint, Event, Labelled, Measure, Reference, Tilt, WeightRange, WeightRule};
pub use evaluation::{
    Change, Constant, Effect, Estimated, Evaluated, GroupChange, GroupRates, Metrics, MissingChange, NamedMultiplier,
    NamedValue, PatternRule, Predictions, Step, Thresholds, decisions,
};
pub(crate) use evaluation::{Classifier, TiltBy};
pub use fitted::Fitted;
pub use frontier::{Asked, Frontier, Point};
pub use point_record::PointRecord;
pub use problem::{
    AskedViolation, Binding, CellWeights, Closest, ExpectedTilt, MembershipModel, MembershipQuality, Problem,
    ShiftCorrection,
};
pub(crate) use problem::{Expectations, Observed, WeightMap};
pub use settings::{
    Apply, Correction, CorrectionOptions, CovariateShift, Decisions, Keep, Lagrangian, LoopSettings, Method, Preset,
    Score, Solver, SqpSettings, Technique, Threshold, ThresholdPostprocessing, Validation,
};
pub use solution::{Solution, TradeOff};
pub(crate) use stored::{EvaluatedRows, Learnt, PreparedRows, RawRows, SampleSize, TableRows, digest_as, remote_rows};
pub use stored::{
    RemoteAggregation, RemoteRows, RemoteTask, SAMPLE_ROWS, Sampled, StoredFiles, StoredFit, StoredFrontier,
    StoredSettings,
};
pub use trace::{Iteration, Observer, Silent, Termination};
