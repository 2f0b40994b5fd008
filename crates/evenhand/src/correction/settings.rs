//! What is asked of a correction, and how it is found.

use serde::{Deserialize, Serialize};

use super::goal::any_comparable;
use super::validation::EvaluationRows;
use super::{
    Binding, Bound, CovariateShift, Fitted, Method, Observer, Preset, Problem, Silent, Solution, Solver, Validation,
    baselines, newton, printed_loop, run,
};
use crate::constraint::{Constraint, Measure};
use crate::data::Dataset;
use crate::features::ColumnPlan;
use crate::group::GroupSpec;
use crate::learner::Learner;
use crate::notion::Notion;
use crate::{Error, Result};

/// The settings of a correction.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | notions | (given) | one or more | what is asked to be equal |
/// | groups | none | | across which groups |
/// | withhold | none | | columns the learner may not see, beside those a notion withholds |
/// | bounds | none | | how uneven is good enough; none asks for as even as the rows can tell |
/// | method | correction | | which method is used: ours, or one it is compared with |
/// | solver | that of [`Preset::Default`] | | how the multipliers are found |
/// | select | training rows | | by which rows multipliers are chosen |
/// | measure | decisions | | whether decisions or scores are compared |
/// | technique | weighting | | weights, or rows kept by lot |
/// | shift | kept | undone: not for notions of accuracy | whether weights are divided by φ |
/// | standardise | yes | | whether numeric columns are centred and scaled |
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
    /// How uneven is good enough.
    pub bounds: Vec<Bound>,
    /// By which method.
    #[serde(default, skip_serializing_if = "Method::is_correction")]
    pub method: Method,
    /// How the multipliers are found; other methods have none.
    pub solver: Solver,
    /// By which rows multipliers are chosen.
    pub validation: Validation,
    /// Whether decisions or scores are compared.
    pub measure: Measure,
    /// How weights reach the learner.
    pub technique: Technique,
    /// Whether the shift of features that weights bring is undone.
    #[serde(default, skip_serializing_if = "CovariateShift::is_ignored")]
    pub covariate_shift: CovariateShift,
    /// Whether numeric columns are centred and scaled.
    pub standardise: bool,
    /// How each column is encoded, in place of what its type, the schema and the groups suggest.
    pub plan: Option<Vec<ColumnPlan>>,
}

/// How weights reach the learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Technique {
    /// Each row counts by its weight.
    #[default]
    Weighting,
    /// Each row is kept with a probability equal to its weight, for learners that take no weights.
    Sampling {
        /// Seed of the lots.
        seed: u64,
    },
}

impl Correction {
    /// A correction for one notion, without groups yet.
    pub fn new(notion: Notion) -> Self {
        Self {
            notions: vec![notion],
            groups: Vec::new(),
            withhold: Vec::new(),
            bounds: Vec::new(),
            method: Method::Correction,
            solver: Preset::Default.solver(),
            validation: Validation::Training,
            measure: Measure::Decisions,
            technique: Technique::Weighting,
            covariate_shift: CovariateShift::Ignored,
            standardise: true,
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

    /// Keeps a column from the learner.
    #[must_use]
    pub fn withhold(mut self, column: impl Into<String>) -> Self {
        self.withhold.push(column.into());
        self
    }

    /// Goes by this method, ours or another. Of the settings of the search it heeds none but bounds.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Finds multipliers as a preset does, and standardises numbers as it does. The learner that
    /// goes with it is [`Preset::learner`].
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.solver = preset.solver();
        self.standardise = preset.standardises();
        self
    }

    /// Chooses multipliers by these rows.
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

    /// Asks for no more than this, and for the least correction that meets it.
    #[must_use]
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bounds.push(bound);
        self
    }

    /// Asks for violations of at most this, in the paper's definition; see [`Bound::MaxViolation`].
    #[must_use]
    pub fn max_violation(self, most: f64) -> Self {
        self.bound(Bound::MaxViolation(most))
    }

    /// Weights rows, or keeps them by lot.
    #[must_use]
    pub fn technique(mut self, technique: Technique) -> Self {
        self.technique = technique;
        self
    }

    /// Keeps the shift of features that weights bring, or undoes it.
    #[must_use]
    pub fn covariate_shift(mut self, covariate_shift: CovariateShift) -> Self {
        self.covariate_shift = covariate_shift;
        self
    }

    /// Finds the multipliers, and the classifier that goes with them.
    ///
    /// # Errors
    /// Anything wrong with the settings, the groups or the data, and what the learner says.
    pub fn fit<L: Learner>(&self, data: &Dataset, learner: &L) -> Result<Fitted<L::Predictor>> {
        self.fit_observed(data, learner, &mut Silent)
    }

    /// As [`Correction::fit`], telling an observer after every loop; it may also stop the run.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn fit_observed<L: Learner>(
        &self,
        data: &Dataset,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Fitted<L::Predictor>> {
        let (binding, problem, warnings) = Binding::new(self, data)?;
        let solution = self.solve(&problem, learner, observer)?;
        Fitted::new(self, binding, problem, solution, warnings)
    }

    /// Runs on rows that are already encoded and grouped, by the method of the settings.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn solve<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        self.check_for(problem)?;
        match self.method {
            Method::Correction => self.correct(problem, learner, observer),
            Method::Unconstrained => baselines::single_fit(problem, self, learner, vec![1.0; problem.cells().len()]),
            Method::ThresholdPostprocessing(calibration) => calibration.train(self, problem, learner),
            Method::Lagrangian(lagrangian) => lagrangian.train(self, problem, learner, observer),
            Method::Reweighing => {
                baselines::single_fit(problem, self, learner, baselines::reweighing::cell_weights(problem.cells()))
            }
        }
    }

    /// Finds multipliers.
    fn correct<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        let (part, evaluation) = self.part(problem, learner)?;
        let run = run::Run::before(evaluation, part.as_ref().unwrap_or(problem), self, learner)?;
        match self.solver {
            Solver::Sqp(newton) => newton::correct(run, newton, observer),
            Solver::Loop(loop_settings) => printed_loop::correct(run, loop_settings, observer),
        }
    }

    /// The same learner on the same rows without any correction, to compare with: one fit
    /// with the user's row weights alone.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn uncorrected<L: Learner>(&self, problem: &Problem, learner: &L) -> Result<Solution<L::Predictor>> {
        self.check_for(problem)?;
        let aggregated = self.may_aggregate(learner).then(|| problem.aggregated()).flatten();
        run::uncorrected(aggregated.as_ref().unwrap_or(problem), self, learner)
    }

    /// The rows to fit to, where they are not all of them one by one, and who measures violations.
    pub(super) fn part<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
    ) -> Result<(Option<Problem>, EvaluationRows<L>)> {
        let aggregate = self.may_aggregate(learner);
        let (part, evaluation) = self.validation.part(problem, aggregate)?;
        Ok((part.or_else(|| aggregate.then(|| problem.aggregated()).flatten()), evaluation))
    }

    /// Lots are drawn row by row; weights are not.
    pub(super) fn may_aggregate<L: Learner>(&self, learner: &L) -> bool {
        self.technique == Technique::Weighting && learner.takes_aggregated_rows()
    }

    pub(super) fn check_for(&self, problem: &Problem) -> Result<()> {
        self.check()?;
        self.method.check_classes(problem.classes())?;
        let other = |one: &&Constraint| !self.notions.contains(&one.notion);
        if let Some(other) = problem.constraints().iter().find(other) {
            let allowed = format!("what the rows were bound for, `{}`", other.notion);
            return Err(Error::Setting { setting: "notions", found: "something else".into(), allowed });
        }
        let compares = |bound: &&Bound| !matches!(bound, Bound::MaxViolation(_));
        match self.bounds.iter().find(compares) {
            Some(bound) if !any_comparable(problem.constraints()) => {
                let reason = format!("{} compares groups, and no notion has two that can be compared", bound.name());
                Err(Error::NoConstraints { reason })
            }
            _ => Ok(()),
        }
    }

    /// Whether the settings can be used; fitting asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of its range.
    pub fn check(&self) -> Result<()> {
        self.method.check(self)?;
        self.solver.check()?;
        self.validation.check()?;
        for (at, notion) in self.notions.iter().enumerate() {
            if self.notions[..at].contains(notion) {
                let found = format!("`{notion}` twice");
                return Err(Error::Setting { setting: "notions", found, allowed: "each notion once".into() });
            }
        }
        if let Some(notion) = self
            .notions
            .iter()
            .find(|one| self.covariate_shift == CovariateShift::Corrected && one.weighs_labels_alike())
        {
            let found = format!("corrected with `{notion}`");
            let allowed = "ignored: this notion moves all labels of a row alike, and dividing by that leaves nothing";
            return Err(Error::Setting { setting: "covariate_shift", found, allowed: allowed.into() });
        }
        self.bounds.iter().try_for_each(Bound::check)
    }
}
