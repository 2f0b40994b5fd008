//! Identification: how far labels were tilted against each group, with its uncertainty.
//!
//! Under the paper's model observed labels are the closest distortion of true ones that a bias
//! allowed, and the true ones give every group the overall rate. Then the multipliers that make the *scores* of a
//! corrected classifier even are the bias itself. [Jiang & Nachum 2019, Prop. 1 and Cor. 1]
//! `estimate` finds them with standard errors, `simultaneous` says how far intervals reach that hold for all groups at
//! once, `bootstrap` checks them by drawing rows again, `sensitivity` asks what they would be if groups truly differed, `words` says what they mean. Leans on `correction` and the built-in learner.

mod bootstrap;
mod estimate;
mod sensitivity;
mod simultaneous;
mod words;

pub use bootstrap::Resampled;
pub use estimate::{Effect, Identification, Multiplier};
pub use sensitivity::{Sensitivity, SensitivityCurve, SensitivityPoint, TippingPoint};

use serde::{Deserialize, Serialize};

use crate::constraint::{Tilt, WeightRange};
use crate::correction::{Binding, Correction, Problem, Solver};
use crate::data::Dataset;
use crate::features::ColumnPlan;
use crate::group::GroupSpec;
use crate::interval::quantile;
use crate::learner::Logistic;
use crate::notion::Notion;
use crate::{Error, Measure, Result, Warning};

/// What the numbers rest on, in words that every output repeats, by what a bias is taken to go by.
pub fn assumption(tilt: Tilt) -> String {
    let by = match tilt {
        Tilt::Centred | Tilt::Paper => "group alone",
        Tilt::Expected => "what features tell of the group, and on nothing else",
    };
    format!(
        "What follows is an estimate of labelling bias only if (1) without bias every group would be labelled positive at the overall \
rate, (2) labels were distorted as little as the bias required, by a factor on the odds that depends on {by}, and (3) the model can \
describe the labels. If groups truly differ in what is labelled, that difference is in the estimate too."
    )
}

/// The settings of an identification.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | groups | (given) | one or more | whose bias is asked about |
/// | withhold | none | | columns the learner may not see |
/// | plan | by column type, and by values where groups are | | how each column is encoded |
/// | confidence | 0.95 | 0.5 to 0.999999 | of the intervals |
/// | resamples | 0 | 0, or 20 and more | how many times rows are drawn again to check the intervals |
/// | seed | 0 | | of these draws |
/// | sensitivity | false | | whether to estimate under true differences between groups too |
/// | tilt | centred | centred or expected | what a bias is taken to go by: the group, or what features tell of it |
/// | learner | [`Logistic`] with `l2` 0.01 | | what describes the labels |
///
/// A value out of range is [`Error::Setting`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identify {
    /// Whose bias is asked about.
    pub groups: Vec<GroupSpec>,
    /// Columns the learner may not see.
    pub withhold: Vec<String>,
    /// How each column is encoded, in place of what its type, the schema and the groups suggest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<ColumnPlan>>,
    /// Of the intervals.
    pub confidence: f64,
    /// How many times rows are drawn again.
    pub resamples: usize,
    /// Seed of these draws.
    pub seed: u64,
    /// Whether to estimate under true differences between groups too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitivity: bool,
    /// What a bias is taken to go by: the group itself, or what features tell of it.
    #[serde(default)]
    pub tilt: Tilt,
    /// What describes the labels. The penalty is small, since shrunken coefficients would shrink the bias as well.
    pub learner: Logistic,
}

impl Default for Identify {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            withhold: Vec::new(),
            plan: None,
            confidence: 0.95,
            resamples: 0,
            seed: 0,
            sensitivity: false,
            tilt: Tilt::Centred,
            learner: Logistic { l2: 0.01, tolerance: 1e-7, ..Logistic::default() },
        }
    }
}

impl Identify {
    /// Asks about these groups as well.
    ///
    /// # Errors
    /// [`Error::GroupSyntax`].
    pub fn group(mut self, spec: &str) -> Result<Self> {
        self.groups.push(spec.parse()?);
        Ok(self)
    }

    /// Estimates the bias in some labels.
    ///
    /// # Errors
    /// Anything wrong with settings, groups or data, and what the learner says; [`Error::Setting`] with
    /// more than two classes.
    pub fn run(&self, data: &Dataset) -> Result<(Identification, Vec<Warning>)> {
        let correction = self.correction();
        let (_, problem, warnings) = Binding::new(&correction, data)?;
        Ok((self.run_on(&problem)?, warnings))
    }

    /// As [`Identify::run`], on rows that are already encoded and grouped for demographic parity.
    ///
    /// # Errors
    /// As [`Identify::run`].
    pub fn run_on(&self, problem: &Problem) -> Result<Identification> {
        if problem.classes() != 2 {
            let found = format!("of {} classes", problem.classes());
            return Err(Error::setting("label", found, "a label of two classes"));
        }
        self.check()?;
        let correction = self.correction();
        let mut found = estimate::estimate(problem, &correction, &self.learner, self.confidence)?;
        if self.resamples > 0 && found.missing.is_none() {
            bootstrap::check(&mut found, problem, &correction, &self.learner, self)?;
        }
        if self.sensitivity && found.missing.is_none() {
            let (traced, fits) = sensitivity::trace(problem, &correction, &self.learner, self.confidence)?;
            (found.sensitivity, found.fits) = (Some(traced), found.fits + fits);
        }
        Ok(found)
    }

    /// Whether the settings can be used; running asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of its range.
    pub fn check(&self) -> Result<()> {
        quantile(self.confidence)?;
        self.learner.check()?;
        if self.tilt == Tilt::Paper {
            return Err(Error::setting(
                "tilt",
                "paper",
                "centred or expected: that of the paper leaves multipliers undetermined",
            ));
        }
        if self.resamples > 0 && self.resamples < 20 {
            let found = self.resamples.to_string();
            return Err(Error::setting("resamples", found, "0, or 20 and more"));
        }
        Ok(())
    }

    /// Demographic parity of scores, by bounded weights: the theory's own form.
    fn correction(&self) -> Correction {
        let mut correction = Correction::new(Notion::DemographicParity).measure(Measure::Scores);
        correction.groups.clone_from(&self.groups);
        correction.withhold.clone_from(&self.withhold);
        correction.plan.clone_from(&self.plan);
        if let Solver::Sqp(settings) = &mut correction.solver {
            (settings.range, settings.tilt) = (Some(WeightRange::Bounded), Some(self.tilt));
        }
        correction
    }
}
