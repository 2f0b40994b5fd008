//! Reports: one page that a regulator, a manager and an engineer can all read.
//!
//! A [`Report`] is a value: everything that is shown, and nothing that is not. It is made of what the engine found
//! ([`Report::from_fit`], [`Report::from_frontier`], [`Report::from_audit`], [`Report::from_identification`]) and written as
//! text, as Markdown for a model card, or as one HTML file that needs no network; the HTML holds the value itself as JSON, and every number in it comes from there. The same value gives the
//! same bytes: no clock is read, and no folder is named.
//!
//! ```
//! use evenhand::correction::Silent;
//! use evenhand::{Correction, Dataset, Logistic, Notion, Schema};
//! use evenhand_datasets::synthetic;
//! use evenhand_report::{FitResult, Format, Record, Report, STRENGTHS, Trained};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = Schema::label("approved").positive("yes").ignore("deserved");
//! let data = Dataset::new(synthetic::population(2_000, 1)?, &schema)?;
//! let (asked, learner) = (Correction::new(Notion::DemographicParity).group("sex")?, Logistic::default());
//! let fitted = asked.fit(&data, &learner)?;
//! let trained = Trained {
//!     correction: &asked,
//!     learner: &learner,
//!     binding: fitted.binding(),
//!     trained_on: fitted.problem(),
//!     train: &data,
//!     test: None,
//!     confidence: 0.95,
//!     warnings: Vec::new(),
//!     record: Record::new(data.digest(), data.rows(), &asked, &learner),
//! };
//! let found = fitted.solution();
//! let result = FitResult { trained, found, evaluated: None, identify: true, strengths: &STRENGTHS };
//! let report = Report::from_fit(&result, &mut Silent)?;
//! assert!(report.summary()[0].starts_with("Before correction, rows in sex=female were predicted “yes”"));
//! assert!(report.render(Format::Html)?.contains("<h1"));
//! # Ok(()) }
//! ```
//!
//! `report` is the value, made of `groups`, `gap`, `scores`, `blind`, `bias`, `tradeoff`, `search` and `record`; `from_fit`, `from_frontier`
//! and `from_audit` fill it, the first two with what `metrics` measures and `comparison` compares; `summary`, `limits`
//! and `number` are its words; `text`, `markdown` and `html` write it.

mod bias;
mod blind;
mod comparison;
mod error;
mod from_audit;
mod from_fit;
mod from_frontier;
mod gap;
mod groups;
mod html;
mod limits;
mod markdown;
mod metrics;
mod number;
mod record;
mod report;
mod scores;
mod search;
mod summary;
mod text;
mod tradeoff;

pub use bias::{Bias, GroupBias};
pub use blind::Blind;
pub use error::{Error, Result};
pub use from_fit::{FEW_STRENGTHS, FitResult, STRENGTHS, Trained};
pub use from_frontier::FrontierResult;
pub use gap::{Constrained, Gap, LabelledAs, OtherRows};
pub use groups::{Line, Panel, Series};
pub use record::{Record, built_in};
pub use report::{About, Change, Format, Kind, NotionLine, Report};
pub use search::{CellWeight, Search, SmallCells, Step};
pub use tradeoff::{Baseline, Tradeoff, TradeoffPoint};
