//! What is asked of a correction and how it is to be found: data, and nothing that runs.
//!
//! Holds [`Correction`] with its builder methods and its check. `method` names the methods there are and `baselines`
//! holds their settings; `solver` says how multipliers are found; `validation` on
//! which rows they are chosen; `threshold` from which probability on rows are decided positive; `weighting` how weights reach the learner. `options` are all of these as front ends are
//! given them, with the rules on what belongs together. What is done with all this is in `solve`.

mod baselines;
mod method;
mod options;
mod solver;
mod threshold;
mod validation;
mod weighted_rates;
mod weighting;

pub use baselines::{Decisions, Lagrangian, ThresholdPostprocessing};
pub use method::Method;
pub use options::CorrectionOptions;
pub use solver::{Keep, LoopSettings, Preset, Solver, SqpSettings};
pub use threshold::Threshold;
pub use validation::Validation;
pub use weighting::{Apply, CovariateShift, Score, Technique};

use serde::{Deserialize, Serialize};

use crate::bound::{Bound, NotionBound};
use crate::constraint::{Measure, Tilt};
use crate::features::ColumnPlan;
use crate::group::GroupSpec;
use crate::notion::Notion;
use crate::{Error, Result};

/// The settings of a correction.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | notions | (given) | one or more | what is asked to be equal |
/// | groups | none | | across which groups |
/// | withhold | none | | columns the learner may not see, beside those a notion withholds |
/// | bounds | none | | how uneven is good enough, of all notions or of one; a notion without any is asked to be as even as the rows can tell |
/// | method | correction | | which method is used: ours, or one it is compared with |
/// | solver | that of [`Preset::Default`] | | how the multipliers are found |
/// | validation | training rows | | on which rows multipliers are chosen |
/// | measure | decisions | | whether decisions or scores are compared |
/// | threshold | half | best: two classes, decisions | from which probability on rows are decided positive |
/// | apply | weights | tilt: with [`Preset::Default`] | whether multipliers weight training rows, or tilt a model's probabilities |
/// | technique | weighting | | weights, or sampled rows |
/// | `covariate_shift` | ignored | corrected: not for notions of accuracy | whether weights are divided by φ |
/// | `notable_change` | 0.2 | above 0, to 1: says nothing | from which share on the result says that a correction changed how many are predicted positive, or wrong |
/// | standardise | yes | | whether numeric columns are centred and scaled |
/// | interactions | yes | | whether intersections among the groups, as of sex and race, are features of the learner too, where it sees their columns |
/// | score | none | with `apply` tilt, and [`Given`](crate::learner::Given) as learner | the column of another model's probabilities, which are corrected |
/// | plan | by column type, and by values where groups are | | how each column is encoded |
///
/// A value out of range is [`Error::Setting`] when fitting starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// What is asked to be equal.
    pub notions: Vec<Notion>,
    /// Across which groups.
    pub groups: Vec<GroupSpec>,
    /// Columns the learner may not see.
    pub withhold: Vec<String>,
    /// Columns that are no features and were not meant to be, such as groups that are given beside the features: the learner does not see them
    /// either, and a feature that tells as much is nothing to warn of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// How uneven is good enough.
    pub bounds: Vec<NotionBound>,
    /// By which method.
    #[serde(default, skip_serializing_if = "Method::is_correction")]
    pub method: Method,
    /// How the multipliers are found; other methods have none.
    pub solver: Solver,
    /// On which rows multipliers are chosen.
    pub validation: Validation,
    /// Whether decisions or scores are compared.
    pub measure: Measure,
    /// From which probability on rows are decided positive.
    #[serde(default, skip_serializing_if = "Threshold::is_half")]
    pub threshold: Threshold,
    /// What multipliers are applied to.
    #[serde(default, skip_serializing_if = "Apply::is_weights")]
    pub apply: Apply,
    /// How weights reach the learner.
    pub technique: Technique,
    /// Whether the covariate shift that weights bring is corrected.
    #[serde(default, skip_serializing_if = "CovariateShift::is_ignored")]
    pub covariate_shift: CovariateShift,
    /// From which share on a change in what is predicted is notable; see [`Effect`](super::Effect).
    #[serde(default = "usual_notable_change", skip_serializing_if = "is_usual")]
    pub notable_change: f64,
    /// Whether numeric columns are centred and scaled.
    pub standardise: bool,
    /// Whether intersections among the groups are features too, where the learner sees their columns and no plan is given.
    pub interactions: bool,
    /// The column of probabilities of the positive class by another model, which no model is trained beside: it is the first feature, as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// How each column is encoded, in place of what its type, the schema and the groups suggest.
    pub plan: Option<Vec<ColumnPlan>>,
}

/// A fifth: the measure of the four-fifths rule.
fn usual_notable_change() -> f64 {
    Correction::NOTABLE_CHANGE
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_usual(notable_change: &f64) -> bool {
    notable_change.to_bits() == Correction::NOTABLE_CHANGE.to_bits()
}

impl Correction {
    /// The usual `notable_change`: a fifth, the measure of the four-fifths rule.
    pub const NOTABLE_CHANGE: f64 = 0.2;

    /// A correction for one notion, without groups yet.
    pub fn new(notion: Notion) -> Self {
        Self {
            notions: vec![notion],
            groups: Vec::new(),
            withhold: Vec::new(),
            beside: Vec::new(),
            bounds: Vec::new(),
            method: Method::Correction,
            solver: Preset::Default.solver(),
            validation: Validation::Training,
            measure: Measure::Decisions,
            threshold: Threshold::Half,
            apply: Apply::Weights,
            technique: Technique::Weighting,
            covariate_shift: CovariateShift::Ignored,
            notable_change: Self::NOTABLE_CHANGE,
            standardise: true,
            interactions: true,
            score: None,
            plan: None,
        }
    }

    /// Asks for another notion as well.
    #[must_use]
    pub fn and(mut self, notion: Notion) -> Self {
        self.notions.push(notion);
        self
    }

    /// Asks it of these groups as well.
    ///
    /// # Errors
    /// [`Error::GroupSyntax`].
    pub fn group(mut self, spec: &str) -> Result<Self> {
        self.groups.push(spec.parse()?);
        Ok(self)
    }

    /// The columns that groups and notions name, of a table with these columns: what has to be read beside features, label and weight.
    ///
    /// # Errors
    /// [`Error::GroupSyntax`].
    pub fn named_columns(&self, known: &[String]) -> Result<Vec<String>> {
        let own = self.notions.iter().flat_map(|notion| notion.own_rows().into_iter().flatten());
        let mut named: Vec<String> =
            self.notions.iter().filter_map(|notion| notion.weighted_by().map(str::to_owned)).collect();
        for spec in self.groups.iter().chain(own) {
            named.extend(spec.columns(known)?);
        }
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// Keeps a column from the learner.
    #[must_use]
    pub fn withhold(mut self, column: impl Into<String>) -> Self {
        self.withhold.push(column.into());
        self
    }

    /// Whether it was asked that the learner does not see a column, by its name, by a notion or since scores are corrected by what else there is.
    pub(super) fn hides(&self, column: &str) -> bool {
        let by_score = self.score.as_ref().is_some_and(|score| !score.with_group);
        by_score || self.notions.iter().any(Notion::withholds_groups) || self.withhold.iter().any(|one| one == column)
    }

    /// Uses this method, ours or a baseline. Of the settings of the search a baseline uses the bounds alone.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Finds multipliers as a preset does, and makes features as it does. The learner that
    /// goes with it is [`Preset::learner`].
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.solver = preset.solver();
        self.standardise = preset.standardises();
        self.interactions = preset.interacts();
        self
    }

    /// Chooses multipliers on these rows.
    #[must_use]
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// Compares decisions or scores.
    #[must_use]
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// Decides from ½ on, or by a threshold of its own.
    #[must_use]
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Asks for no more than this, and for the least correction that meets it: of all notions, or of one
    /// ([`Bound::on`]).
    #[must_use]
    pub fn bound(mut self, bound: impl Into<NotionBound>) -> Self {
        self.bounds.push(bound.into());
        self
    }

    /// Asks for violations of at most this, in the paper's definition; see [`Bound::MaxViolation`].
    #[must_use]
    pub fn max_violation(self, most: f64) -> Self {
        self.bound(Bound::MaxViolation(most))
    }

    /// Weights training rows by multipliers, or tilts the probabilities of a model.
    #[must_use]
    pub fn apply(mut self, apply: Apply) -> Self {
        self.apply = apply;
        self
    }

    /// Corrects the probabilities of the positive class that a column holds, by another model: they are tilted, and [`Given`](crate::learner::Given)
    /// is the learner.
    #[must_use]
    pub fn score(mut self, score: Score) -> Self {
        self.score = Some(score);
        self.apply(Apply::Tilt)
    }

    /// Weights rows, or samples them.
    #[must_use]
    pub fn technique(mut self, technique: Technique) -> Self {
        self.technique = technique;
        self
    }

    /// Ignores the covariate shift that weights bring, or corrects it.
    #[must_use]
    pub fn covariate_shift(mut self, covariate_shift: CovariateShift) -> Self {
        self.covariate_shift = covariate_shift;
        self
    }

    /// Says of a correction that it changed how many are predicted positive, or wrong, from this share on.
    #[must_use]
    pub fn notable_change(mut self, share: f64) -> Self {
        self.notable_change = share;
        self
    }

    /// Whether the settings can be used; fitting asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of its range.
    pub fn check(&self) -> Result<()> {
        self.method.check(self)?;
        self.solver.check()?;
        self.check_apply()?;
        self.check_score()?;
        self.check_weighted_rates()?;
        self.validation.check()?;
        if self.threshold == Threshold::Best && self.measure != Measure::Decisions {
            let allowed = "`half`, or decisions: a threshold changes no score";
            return Err(Error::setting("threshold", "`best` where scores are compared", allowed));
        }
        if !(self.notable_change > 0.0 && self.notable_change <= 1.0) {
            return Err(Error::setting("notable_change", self.notable_change, "above 0 and at most 1"));
        }
        for (at, notion) in self.notions.iter().enumerate() {
            if self.notions[..at].contains(notion) {
                let found = format!("`{notion}` twice");
                return Err(Error::setting("notions", found, "each notion once"));
            }
        }
        if let Some(notion) = self
            .notions
            .iter()
            .find(|one| self.covariate_shift == CovariateShift::Corrected && one.weighs_labels_alike())
        {
            let found = format!("corrected with `{notion}`");
            let allowed = "ignored: this notion moves all labels of a row alike, and dividing by that leaves nothing";
            return Err(Error::setting("covariate_shift", found, allowed));
        }
        NotionBound::check_all(&self.bounds, &self.notions)
    }

    /// Whether the method leaves the probabilities alone that were given.
    fn check_score(&self) -> Result<()> {
        let trains = match self.method {
            Method::Correction => self.apply == Apply::Weights,
            Method::Reweighing | Method::Lagrangian(_) => true,
            Method::Unconstrained | Method::ThresholdPostprocessing(_) | Method::PercentileThresholds => false,
        };
        if self.score.is_some() && trains {
            let (with, how) = match self.method {
                Method::Correction => ("apply", "weights".to_owned()),
                other => ("method", format!("the method {other}")),
            };
            let allowed = "none: a model that is given is not trained again";
            return Err(Error::conflict("score", with, format!("given with {how}"), allowed));
        }
        Ok(())
    }

    /// Whether what belongs to weights is as it is without any.
    fn check_apply(&self) -> Result<()> {
        let expected = matches!(&self.solver, Solver::Sqp(SqpSettings { tilt: Some(Tilt::Expected), .. }));
        if self.covariate_shift == CovariateShift::Corrected && expected {
            let allowed = "ignored, or another tilt";
            return Err(Error::conflict("covariate_shift", "tilt", "corrected with the expected tilt", allowed));
        }
        if self.apply == Apply::Weights {
            return Ok(());
        }
        let refused = |setting, given: &str, allowed: &str| {
            Err(Error::conflict(setting, "apply", format!("{given} where probabilities are tilted"), allowed))
        };
        let Solver::Sqp(settings) = &self.solver else {
            return refused("preset", "the loop of the paper", "the default: the loop fits with weights");
        };
        if settings.tilt.is_some_and(|tilt| tilt != Tilt::Expected) {
            return refused("tilt", "another one", "expected: probabilities are tilted by what features tell");
        }
        if settings.range.is_some() {
            return refused("range", "given", "none: there are no weights to bound");
        }
        if self.technique != Technique::Weighting {
            return refused("technique", "sampling", "weighting: there are no weights to sample by");
        }
        if self.covariate_shift != CovariateShift::Ignored {
            return refused("covariate_shift", "corrected", "ignored: there are no weights that shift features");
        }
        Ok(())
    }
}
