//! By which method a classifier is made even-handed: ours, or one of those it is compared with.
//!
//! Holds [`Method`], its names, and which settings go with it. What a method does is in `correction::solvers` for a
//! correction, and in `correction::baselines` for the others. Knows nothing of rows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Apply, Correction, CovariateShift, Lagrangian, Technique, ThresholdPostprocessing, Validation};
use crate::notion::Notion;
use crate::{Error, Measure, Result};

/// How a classifier is made even-handed, all on the same rows, groups and features.
///
/// Set by [`Correction::method`]; then [`Correction::solve`] and [`Correction::fit`] use it, and what they
/// return is evaluated alike by [`Solution::evaluate`](crate::correction::Solution::evaluate).
///
/// | method | what it does | needs the group to predict |
/// |---|---|---|
/// | `correction` | finds multipliers and re-weights rows by them | no |
/// | `unconstrained` | one fit with every row as it is | no |
/// | `reweighing` | one fit, with weights that make label and groups independent | no |
/// | `threshold-postprocessing` | one fit, then thresholds by group: the best there are on the training rows | yes |
/// | `percentile-thresholds` | one fit, then one threshold for each pattern of groups, a percentile of its scores: the paper's calibration | yes |
/// | `lagrangian` | trains a linear model and multipliers jointly by gradients | no |
///
/// ```
/// use evenhand::correction::{Binding, Method, Silent};
/// use evenhand::{Correction, Dataset, Logistic, Measure, Notion, Schema};
/// use evenhand_datasets::synthetic;
///
/// # fn main() -> evenhand::Result<()> {
/// let schema = Schema::label("approved").positive("yes").ignore("deserved");
/// let train = Dataset::new(synthetic::population(2_000, 1)?, &schema)?;
/// let test = Dataset::new(synthetic::population(2_000, 2)?, &schema)?;
/// let asked = Correction::new(Notion::DemographicParity).group("sex")?;
///
/// // Every method on one and the same pair of binding and problem.
/// let (binding, problem, _) = Binding::new(&asked, &train)?;
/// let (unseen, _) = binding.problem(&test)?;
/// for method in Method::all() {
///     let settings = asked.clone().method(method);
///     let solution = settings.solve(&problem, &Logistic::default(), &mut Silent)?;
///     let tested = solution.evaluate(&unseen, Measure::Decisions)?;
///     println!("{method}: {} on training rows, {} on others", solution.train.error, tested.error);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Multipliers, and weights from them. [Jiang & Nachum 2019]
    #[default]
    Correction,
    /// One fit, with nothing asked of it.
    Unconstrained,
    /// One fit, with weights P(s)P(y)/P(s,y) for rows of groups s and label y. [Kamiran & Calders 2012]
    Reweighing,
    /// One fit, then thresholds by group: the optimum on the training rows. [Hardt, Price & Srebro 2016]
    ThresholdPostprocessing(ThresholdPostprocessing),
    /// One fit, then for each pattern of groups the percentile of its scores at which it has the overall rate. What the paper's Table 1 calls
    /// calibration. [Jiang & Nachum 2019, App. F]
    PercentileThresholds,
    /// A linear classifier and multipliers trained jointly, violations relaxed by hinges. [Eban et al. 2017]
    Lagrangian(Lagrangian),
}

impl Method {
    /// All methods, each with its usual settings.
    pub fn all() -> [Self; 6] {
        [
            Self::Correction,
            Self::Unconstrained,
            Self::Reweighing,
            Self::ThresholdPostprocessing(ThresholdPostprocessing::default()),
            Self::PercentileThresholds,
            Self::Lagrangian(Lagrangian::default()),
        ]
    }

    /// Its name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Unconstrained => "unconstrained",
            Self::Reweighing => "reweighing",
            Self::ThresholdPostprocessing(_) => "threshold-postprocessing",
            Self::PercentileThresholds => "percentile-thresholds",
            Self::Lagrangian(_) => "lagrangian",
        }
    }

    /// Whether it is our own.
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
    pub fn is_correction(&self) -> bool {
        *self == Self::Correction
    }

    /// Whether deciding needs the columns that tell the groups.
    pub fn decides_by_group(self) -> bool {
        matches!(self, Self::ThresholdPostprocessing(_) | Self::PercentileThresholds)
    }

    /// Whether settings that belong to corrections alone are as they are without one.
    pub(in crate::correction) fn check(self, settings: &Correction) -> Result<()> {
        if self.is_correction() {
            return Ok(());
        }
        let refused = |setting, given: &str, allowed: &str| {
            let found = format!("{given} with the method {self}");
            Err(Error::conflict(setting, "method", found, allowed))
        };
        if settings.validation != Validation::Training {
            return refused("validation", "other rows", "the training rows: only multipliers are chosen by others");
        }
        if settings.apply != Apply::Weights {
            return refused("apply", "tilt", "weights: only the multipliers of a correction tilt probabilities");
        }
        if settings.technique != Technique::Weighting {
            return refused("technique", "sampling", "weighting: only a correction samples rows");
        }
        if settings.covariate_shift != CovariateShift::Ignored {
            return refused(
                "covariate_shift",
                "corrected",
                "ignored: only the weights of a correction are divided by it",
            );
        }
        if let Self::Lagrangian(lagrangian) = self {
            lagrangian.check()?;
        }
        if self == Self::PercentileThresholds && !matches!(settings.notions.as_slice(), [one] if is_one_rate(one)) {
            let asked: Vec<String> = settings.notions.iter().map(ToString::to_string).collect();
            let allowed = "one of demographic-parity, disparate-impact, equal-opportunity and predictive-equality: one threshold sets one rate";
            return refused("notions", &format!("`{}`", asked.join("`, `")), allowed);
        }
        if settings.measure != Measure::Decisions && self.compares_decisions() {
            return refused("measure", "scores", "decisions: that is what this method evens out");
        }
        Ok(())
    }

    /// Whether it evens out decisions between two classes, and nothing else.
    fn compares_decisions(self) -> bool {
        matches!(self, Self::ThresholdPostprocessing(_) | Self::PercentileThresholds | Self::Lagrangian(_))
    }

    /// Whether the method can be used on rows of so many classes.
    pub(in crate::correction) fn check_classes(self, classes: usize) -> Result<()> {
        if classes == 2 || !self.compares_decisions() {
            return Ok(());
        }
        let found = format!("{self} with {classes} classes");
        let allowed = "two classes for this method; a correction and reweighing take more";
        Err(Error::setting("method", found, allowed))
    }
}

/// Whether a notion asks for one rate of positive decisions to be that of everyone, so that a threshold sets it.
fn is_one_rate(notion: &Notion) -> bool {
    matches!(
        notion,
        Notion::DemographicParity
            | Notion::DisparateImpact
            | Notion::PaperDisparateImpact
            | Notion::EqualOpportunity
            | Notion::PredictiveEquality
    )
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        // What the paper's Table 1 calls it.
        let name = if name == "calibration" { "percentile-thresholds" } else { name };
        Self::all().into_iter().find(|method| method.name() == name).ok_or_else(|| {
            Error::setting("method", format!("`{name}`"), format!("one of {}", Self::all().map(Self::name).join(", ")))
        })
    }
}
