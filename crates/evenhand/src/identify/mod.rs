//! Identification: how far labels were tilted against each group, with its uncertainty.
//!
//! Under the paper's model observed labels are the closest distortion of true ones that a bias
//! allowed, and the true ones give every group the overall rate. Then the multipliers that make the *scores* of a
//! corrected classifier even are the bias itself. [Jiang & Nachum 2019, Prop. 1 and Cor. 1]
//! `estimate` finds them with standard errors: by weights for rates among everyone, of one class in two, and for all other notions by `joint`, a model of the truth and
//! the bias together (`bias_model` is one row of it, `joint_rows` their sums over `rows`, rounded by `sizes`, `chord` steps by the derivatives of a sample, `one_class` takes classes together that nobody asks about where there are too many). `simultaneous` says how far intervals reach that hold for all groups at
//! once, `bootstrap` checks them by drawing rows again, `sensitivity` asks what they would be if
//! groups truly differed, `stored` goes through rows that are not all in memory, `weights` undoes them in labels, `words` says what they mean. Leans on `correction` and the built-in learner.

mod bias_model;
mod bootstrap;
mod chord;
mod estimate;
mod joint;
mod joint_rows;
mod one_class;
mod rows;
mod sensitivity;
mod simultaneous;
mod sizes;
mod stored;
mod weights;
mod words;

pub use bootstrap::Resampled;
pub use estimate::{Effect, Identification, Multiplier};
pub use sensitivity::{Sensitivity, SensitivityCurve, SensitivityPoint, TippingPoint};
pub use stored::StoredIdentification;

use serde::{Deserialize, Serialize};

use estimate::Estimated;
use joint::Joint;
use one_class::OneClass;

use crate::constraint::{Tilt, WeightRange};
use crate::correction::{Binding, Correction, Problem, Solver, Termination};
use crate::data::Dataset;
use crate::features::{ColumnPlan, Encoding};
use crate::group::GroupSpec;
use crate::interval::quantile;
use crate::learner::Logistic;
use crate::notion::Notion;
use crate::{Error, Measure, Result, Warning};

/// What the numbers of demographic parity rest on, in words that every output repeats, by what a bias is taken to go by.
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
/// | notions | demographic parity | see below | what true labels are taken to keep |
/// | withhold | none | | columns the learner may not see |
/// | beside | none | | columns that are no features and were not meant to be |
/// | plan | by column type, and by values where groups are | | how each column is encoded |
/// | confidence | 0.95 | 0.5 to 0.999999 | of the intervals |
/// | resamples | 0 | 0, or 20 and more | how many times rows are drawn again to check the intervals |
/// | seed | 0 | | of these draws |
/// | sensitivity | false | | whether to estimate under true differences between groups too |
/// | tilt | centred | centred or expected | what a bias is taken to go by: the group, or what features tell of it |
/// | learner | [`Logistic`] with `l2` 0.01 | | what describes the labels |
///
/// Every notion that asks for equality identifies its multipliers; one that is a bound (`pinned`, `at least`, `at most`) does not, and [`Identification::missing`]
/// says so.
///
/// A value out of range is [`Error::Setting`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identify {
    /// Whose bias is asked about.
    pub groups: Vec<GroupSpec>,
    /// What true labels are taken to keep.
    #[serde(default = "parity")]
    pub notions: Vec<Notion>,
    /// Columns the learner may not see.
    pub withhold: Vec<String>,
    /// Columns that are no features and were not meant to be; see [`Correction::beside`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
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
            notions: parity(),
            withhold: Vec::new(),
            beside: Vec::new(),
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

    /// Takes true labels to keep this notion, in place of demographic parity.
    #[must_use]
    pub fn notion(mut self, notion: Notion) -> Self {
        self.notions = vec![notion];
        self
    }

    /// Estimates the bias in some labels.
    ///
    /// # Errors
    /// Anything wrong with settings, groups or data, and what the learner says.
    pub fn run(&self, data: &Dataset) -> Result<(Identification, Vec<Warning>)> {
        let correction = self.correction()?;
        let (binding, problem, warnings) = Binding::new(&correction, data)?;
        let found = self.of_problem(&problem, data);
        Ok((found.map_err(|error| naming_widest(error, binding.encoding()))?, warnings))
    }

    fn of_problem(&self, whole: &Problem, data: &Dataset) -> Result<Identification> {
        self.check()?;
        let (correction, learner, tilt) = (self.correction()?, &self.learner, self.tilt);
        if self.sensitivity && !joint::is_by_weights(whole) {
            let found = "with another notion than demographic parity, or more than two classes";
            return Err(Error::setting("sensitivity", found, "demographic parity of two classes"));
        }
        let one_class = OneClass::of(self, whole, data)?;
        let problem = one_class.as_ref().map_or(whole, |one| &one.problem);
        let by_weights = joint::is_by_weights(problem);
        let estimated = match joint::obstacle(problem, tilt) {
            Some(why) => Estimated::missing(why),
            None if by_weights => estimate::by_weights(problem, &correction, learner)?,
            None => estimate::jointly(problem, learner, tilt)?,
        };
        let estimated = match &one_class {
            Some(one) => one.of_all(estimated),
            None => estimated,
        };
        let mut found = estimate::identification(whole, &estimated, data.labels().classes(), self.confidence, tilt)?;
        if let Some(one) = &one_class {
            found.assumption = words::taken_together(&found.assumption, &one.because);
        }
        if found.missing.is_some() {
            return Ok(found);
        }
        match (self.resamples, by_weights) {
            (0, _) => {}
            (_, true) => bootstrap::check(&mut found, problem, &correction, self, |drawn| {
                let again = estimate::solve(drawn, &correction, learner)?;
                Ok((again.stop == Termination::Converged).then_some((again.multipliers, again.exponents)))
            })?,
            (_, false) => bootstrap::check(&mut found, problem, &correction, self, |drawn| {
                let again = Joint::solve(drawn, learner, tilt)?;
                if !again.converged {
                    return Ok(None);
                }
                let raised = again.effects(&estimate::asked(drawn))?.iter().map(|effect| -effect).collect();
                Ok(Some((again.multipliers, raised)))
            })?,
        }
        if self.sensitivity {
            let (traced, fits) = sensitivity::trace(problem, &correction, learner, self.confidence)?;
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
        refuse_weighted(&self.notions)?;
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

    /// What true labels are taken to keep, of scores, by bounded weights: the theory's own form.
    fn correction(&self) -> Result<Correction> {
        let Some(first) = self.notions.first() else {
            return Err(Error::NoConstraints { reason: "no notion was given".into() });
        };
        let mut correction = Correction::new(first.clone()).measure(Measure::Scores);
        correction.notions.clone_from(&self.notions);
        correction.groups.clone_from(&self.groups);
        correction.withhold.clone_from(&self.withhold);
        correction.beside.clone_from(&self.beside);
        correction.plan.clone_from(&self.plan);
        if let Solver::Sqp(settings) = &mut correction.solver {
            (settings.range, settings.tilt) = (Some(WeightRange::Bounded), Some(self.tilt));
        }
        Ok(correction)
    }
}

/// An error of too many features, with the column that has the most of them.
fn naming_widest(error: Error, encoding: &Encoding) -> Error {
    let Error::TooManyFeatures { features, most, .. } = error else { return error };
    let widths = encoding.columns().iter().map(|one| (one.column.clone(), one.code.width()));
    Error::TooManyFeatures { features, most, widest: widths.max_by_key(|(_, width)| *width) }
}

/// A bias is not identified by a rate that is weighted by a column.
fn refuse_weighted(notions: &[Notion]) -> Result<()> {
    match notions.iter().find(|notion| notion.weighted_by().is_some()) {
        Some(notion) => {
            let allowed =
                "a rate without `weighted by`: a bias is identified as a factor on odds by group, and not by a column";
            Err(Error::setting("notion", format!("`{notion}`"), allowed))
        }
        None => Ok(()),
    }
}

/// What true labels are taken to keep, unless told otherwise.
fn parity() -> Vec<Notion> {
    vec![Notion::DemographicParity]
}
