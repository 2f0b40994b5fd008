//! The paper's experiments: who is compared, on which rows, and what was published of it.
//!
//! `method` names the methods of its Table 1 and ours, `experiment` puts one to the rows of a dataset and a notion,
//! `table_1` holds the published numbers and says whether others agree with them, `table_2` is Table 2, behind the feature `network`, `estimate` is a mean over splits, `injected` a experiment whose truth is known, `rates` shows its theorems on made-up people.
//! Leans on the engine and its datasets. Reads no clock: who wants times lends one. [Jiang & Nachum 2019, Sec. 7]

mod estimate;
mod experiment;
mod injected;
mod method;
mod rates;
mod table_1;
#[cfg(feature = "network")]
pub mod table_2;

pub use estimate::Estimate;
pub use experiment::{Experiment, Measured, Part};
pub use injected::InjectedExperiment;
pub use method::PaperMethod;
pub use rates::{RATES_MULTIPLIERS, RatesErrors, RatesExperiment, RatesPopulation, log_log_slope};
pub use table_1::{Agreement, DATASETS, Published, is_split_known, published};

use evenhand::Notion;

/// The notions of the paper's Table 1.
pub const NOTIONS: [Notion; 4] =
    [Notion::DemographicParity, Notion::PaperDisparateImpact, Notion::EqualOpportunity, Notion::EqualizedOdds];
