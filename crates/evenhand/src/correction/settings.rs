//! What is asked of a correction, and by which conventions it is found.

use serde::{Deserialize, Serialize};

use super::{Binding, Fitted, Observer, Problem, Silent, correct};
use crate::cells::Cells;
use crate::constraint::{Measure, Tilt};
use crate::data::Dataset;
use crate::features::ColumnPlan;
use crate::group::GroupSpec;
use crate::learner::{Learner, Logistic};
use crate::notion::Notion;
use crate::sampling::keep_by_lot;
use crate::{Error, Result, Weights};

/// The settings of a correction.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | notions | (given) | one or more | what is asked to be equal |
/// | groups | none | | across which groups |
/// | withhold | none | | columns the learner may not see, beside those a notion withholds |
/// | preset | [`Preset::Default`] | | all of [`Conventions`] at once |
/// | measure | decisions | | whether decisions or scores are compared |
/// | tolerance | none | 0 to 1 | stop as soon as every violation is within it |
/// | technique | weighting | | weights, or rows kept by lot |
/// | standardise | yes | | whether numeric columns are centred and scaled |
/// | plan | by column type | | how each column is encoded |
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
    /// How the multipliers are found.
    pub conventions: Conventions,
    /// Whether decisions or scores are compared.
    pub measure: Measure,
    /// The largest violation that is good enough.
    pub tolerance: Option<f64>,
    /// How weights reach the learner.
    pub technique: Technique,
    /// Whether numeric columns are centred and scaled.
    pub standardise: bool,
    /// How each column is encoded, in place of what its type suggests.
    pub plan: Option<Vec<ColumnPlan>>,
}

/// The conventions of the loop that finds multipliers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is one way in which published conventions differ")]
pub struct Conventions {
    /// How multipliers enter the exponent.
    pub tilt: Tilt,
    /// What the exponent is multiplied by.
    pub factor: f64,
    /// How far multipliers move against a violation, η in the paper.
    pub step: f64,
    /// How many times they move.
    pub loops: usize,
    /// Whether the first fit has weights of 1, not those of zero multipliers (one over the number of classes).
    pub first_unweighted: bool,
    /// Whether a last fit follows the last move.
    pub last_fit: bool,
    /// For notions of true and false positive rates: whether weights are those of one loop earlier.
    pub lag: bool,
    /// Whether the learner's weights are relative to those of zero multipliers, so that the
    /// correction does not change how strong the learner's penalty is.
    pub relative: bool,
    /// Which of the models is returned.
    pub keep: Keep,
    /// Stop when the smallest violation has not improved for so many loops.
    pub patience: Option<usize>,
}

/// Named sets of [`Conventions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Ours: centred tilt, the best iterate.
    #[default]
    Default,
    /// Algorithms 1 and 2 as printed: bare membership, unweighted first fit, the last iterate.
    Paper,
    /// The authors' notebooks: exponent doubled, a lag for true and false positive rates, the last iterate.
    Notebook,
}

/// Which of the models found on the way is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The one with the smallest training violation, and the lower error among equals.
    #[default]
    Best,
    /// The last one.
    Last,
}

/// How weights reach the learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

impl Preset {
    /// The built-in learner as this preset has it: the authors' liblinear penalised the intercept too.
    pub fn learner(self) -> Logistic {
        Logistic { penalise_intercept: self == Self::Notebook, ..Logistic::default() }
    }

    /// Whether numeric columns are centred and scaled: the authors left them as they were.
    pub fn standardises(self) -> bool {
        self != Self::Notebook
    }

    /// The conventions of this preset.
    pub fn conventions(self) -> Conventions {
        let default = Conventions {
            tilt: Tilt::Centred,
            factor: 1.0,
            step: 2.0,
            loops: 100,
            first_unweighted: false,
            last_fit: true,
            lag: false,
            relative: true,
            keep: Keep::Best,
            patience: Some(30),
        };
        let printed = Conventions {
            tilt: Tilt::Paper,
            step: 1.0,
            first_unweighted: true,
            relative: false,
            keep: Keep::Last,
            patience: None,
            ..default
        };
        match self {
            Self::Default => default,
            Self::Paper => printed,
            Self::Notebook => {
                Conventions { factor: 2.0, first_unweighted: false, last_fit: false, lag: true, ..printed }
            }
        }
    }
}

impl Conventions {
    /// What the learner is given for weights per cell in the closed form.
    pub(crate) fn learner_weights(
        &self,
        technique: Technique,
        mut cell_weights: Vec<f64>,
        unweighted: bool,
        cells: &Cells,
    ) -> Result<Weights> {
        match technique {
            _ if unweighted => cell_weights.fill(1.0),
            Technique::Sampling { seed } => return keep_by_lot(&cell_weights, cells, seed),
            Technique::Weighting if self.relative => {
                for weight in &mut cell_weights {
                    *weight *= cells.classes() as f64;
                }
            }
            Technique::Weighting => {}
        }
        Ok(Weights::of_cells(cell_weights, cells.cell_of_row().clone(), cells.row_weights().cloned()))
    }
}

impl Correction {
    /// A correction for one notion, without groups yet.
    pub fn new(notion: Notion) -> Self {
        Self {
            notions: vec![notion],
            groups: Vec::new(),
            withhold: Vec::new(),
            conventions: Preset::Default.conventions(),
            measure: Measure::Decisions,
            tolerance: None,
            technique: Technique::Weighting,
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

    /// Sets all conventions at once, and whether numbers are standardised. The learner that
    /// goes with them is [`Preset::learner`].
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.conventions = preset.conventions();
        self.standardise = preset.standardises();
        self
    }

    /// Compares decisions or scores.
    #[must_use]
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// Stops as soon as every violation is within this.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Weights rows, or keeps them by lot.
    #[must_use]
    pub fn technique(mut self, technique: Technique) -> Self {
        self.technique = technique;
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
        let outcome = correct(&problem, self, learner, observer)?;
        Ok(Fitted::new(binding, problem, outcome, warnings))
    }

    /// Runs on rows that are already encoded and grouped.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn solve<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<super::Outcome<L::Predictor>> {
        correct(problem, self, learner, observer)
    }

    /// The same learner on the same rows without any correction, to compare with: one fit
    /// with the user's row weights alone.
    ///
    /// # Errors
    /// As [`Correction::fit`].
    pub fn uncorrected<L: Learner>(&self, problem: &Problem, learner: &L) -> Result<super::Outcome<L::Predictor>> {
        let conventions = Conventions {
            first_unweighted: true,
            loops: 1,
            last_fit: false,
            keep: Keep::Last,
            patience: None,
            ..self.conventions
        };
        correct(problem, &Self { conventions, tolerance: None, ..self.clone() }, learner, &mut Silent)
    }

    /// Whether the settings can be used; fitting asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of its range.
    pub fn check(&self) -> Result<()> {
        let wrong = |setting, found: f64, allowed: &str| {
            Err(Error::Setting { setting, found: found.to_string(), allowed: allowed.into() })
        };
        let Conventions { factor, step, loops, .. } = self.conventions;
        if !(step.is_finite() && step > 0.0) {
            return wrong("step", step, "a finite number above zero");
        }
        if !(factor.is_finite() && factor > 0.0) {
            return wrong("factor", factor, "a finite number above zero");
        }
        if loops == 0 {
            return wrong("loops", 0.0, "one or more");
        }
        for (at, notion) in self.notions.iter().enumerate() {
            if self.notions[..at].contains(notion) {
                let found = format!("`{notion}` twice");
                return Err(Error::Setting { setting: "notions", found, allowed: "each notion once".into() });
            }
        }
        match self.tolerance {
            Some(tolerance) if !(0.0..=1.0).contains(&tolerance) => wrong("tolerance", tolerance, "0 to 1"),
            _ => Ok(()),
        }
    }
}
