//! Train even-handed classifiers from biased labels, without changing a label or a feature.
//!
//! People decided who got the loan; the decisions became training labels; models inherit
//! their bias. This crate implements Jiang & Nachum, "Identifying and Correcting Label Bias
//! in Machine Learning": it finds one multiplier per constraint that says how far labels
//! were tilted against a group, and re-weights rows so that training on the observed labels
//! becomes training on even-handed ones.
//!
//! A file and a [`Schema`] make a [`Dataset`], checked once. A [`Correction`] says what is
//! asked ([`Notion`]), of which groups ([`GroupSpec`]), and by which conventions. Fitting it
//! with a [`Learner`] gives a [`Fitted`], which predicts; a [`Model`] is what is saved of it.
//! [`Audit`] evaluates any labels and predictions, with or without a correction.
//!
//! ```
//! use evenhand::{Correction, Dataset, Logistic, Measure, Notion, Schema};
//! use evenhand_datasets::synthetic; // a crate of its own
//!
//! # fn main() -> evenhand::Result<()> {
//! // Made-up loans: `approved` is what people decided, `deserved` the truth nobody has.
//! let loans = synthetic::population(5_000, 1)?;
//! let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
//!
//! let fitted = Correction::new(Notion::DemographicParity)
//!     .group("sex")?
//!     .group("age_band=18-24")?
//!     .max_violation(0.01)
//!     .fit(&data, &Logistic::default())?;
//!
//! for (constraint, multiplier) in fitted.multipliers() {
//!     println!("{constraint}: {multiplier:+.2}");
//! }
//! let (after, _) = fitted.evaluate(&data, Measure::Decisions)?;
//! assert!(after.violation.is_some_and(|violation| violation <= 0.01));
//! let predictions = fitted.predict(data.table())?; // needs neither labels nor groups
//! assert_eq!(predictions.decisions.len(), 5_000);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here prints, reads a clock, or draws a random number without a seed; no result
//! depends on the number of threads. The equations and their places in the code are in
//! `docs/maths.md` of the repository.

pub mod audit;
mod blocks;
mod bound;
mod cells;
mod constraint;
pub mod correction;
pub mod data;
mod error;
mod exact;
pub mod facts;
pub mod features;
pub mod format;
pub mod group;
pub mod identify;
mod interval;
mod kernel;
pub mod learner;
pub mod model;
pub mod notion;
mod parallel;
mod predictor;
mod sampling;
pub mod scratch;
mod warning;
mod weights;

pub use audit::Audit;
pub use bound::{Bound, BoundTest, NotionBound, Verdict};
pub use constraint::{Measure, Tilt};
pub use correction::{Correction, Fitted, Method, Preset, Termination};
pub use data::{Column, Dataset, Labels, ReadOptions, Schema, Table};
pub use error::{Cause, Error, Result};
pub use group::{Group, GroupSpec, Groups, Membership};
pub use identify::Identify;
pub use learner::{Learner, Logistic};
pub use model::Model;
pub use notion::Notion;
pub use predictor::Predictor;
pub use warning::{Changed, CountedValues, Quantity, Warning};
pub use weights::Weights;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
