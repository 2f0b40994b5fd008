//! Who is compared: the columns of the paper's Table 1, and two more.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use evenhand::correction::{Lagrangian, ThresholdPostprocessing};
use evenhand::{Correction, Error, Method, Notion, Preset, Result};

/// A method as it is entered in the experiments. All train the same learner on the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PaperMethod {
    /// No correction.
    Unconstrained,
    /// Weights that make label and groups independent.
    Reweighing,
    /// Percentile thresholds by group, as the paper has them.
    Calibration,
    /// Thresholds by group that are the optimum on the training rows, with random decisions between them.
    ThresholdPostprocessing,
    /// Model and multipliers trained jointly.
    Lagrangian,
    /// The paper's method by the conventions of its authors' notebooks.
    LabelBias,
    /// This project's default.
    Default,
}

impl PaperMethod {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 7] = [
        Self::Unconstrained,
        Self::Reweighing,
        Self::Calibration,
        Self::ThresholdPostprocessing,
        Self::Lagrangian,
        Self::LabelBias,
        Self::Default,
    ];

    /// Its name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unconstrained => "unconstrained",
            Self::Reweighing => "reweighing",
            Self::Calibration => "calibration",
            Self::ThresholdPostprocessing => "threshold-postprocessing",
            Self::Lagrangian => "lagrangian",
            Self::LabelBias => "label-bias",
            Self::Default => "default",
        }
    }

    /// Whether it can be asked for a notion: thresholds by group need what disparate impact withholds, and one threshold each sets one rate.
    pub fn takes(self, notion: &Notion) -> bool {
        match self {
            Self::Calibration => matches!(notion, Notion::DemographicParity | Notion::EqualOpportunity),
            Self::ThresholdPostprocessing => !notion.withholds_groups(),
            _ => true,
        }
    }

    /// Whether deciding takes the groups of a row.
    pub fn decides_by_group(self) -> bool {
        matches!(self, Self::Calibration | Self::ThresholdPostprocessing)
    }

    /// The settings of the published experiments, turned into this method's.
    pub(super) fn settings(self, published: &Correction) -> Correction {
        let mut settings = published.clone();
        match self {
            Self::Unconstrained => settings.method = Method::Unconstrained,
            Self::Reweighing => settings.method = Method::Reweighing,
            Self::Calibration => settings.method = Method::PercentileThresholds,
            Self::ThresholdPostprocessing => {
                settings.method = Method::ThresholdPostprocessing(ThresholdPostprocessing::default());
            }
            Self::Lagrangian => settings.method = Method::Lagrangian(Lagrangian::default()),
            Self::LabelBias => {}
            Self::Default => settings.solver = Preset::Default.solver(),
        }
        settings
    }
}

impl fmt::Display for PaperMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for PaperMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
            Error::setting("method", format!("`{text}`"), format!("one of {}", Self::ALL.map(Self::name).join(", ")))
        })
    }
}
