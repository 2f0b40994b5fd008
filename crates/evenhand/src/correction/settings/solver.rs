//! How the multipliers are found: the solver, its settings, and named presets.
//!
//! Presets are ours, the paper's, and those of its authors' notebooks. The solvers themselves are in
//! `correction::solvers`.

use serde::{Deserialize, Serialize};

use crate::constraint::{Tilt, WeightRange, WeightRule};
use crate::learner::Logistic;
use crate::{Error, Result};

/// How the multipliers are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Sequential quadratic programming, with the centred tilt.
    Sqp(SqpSettings),
    /// The loop of Algorithms 1 and 2.
    Loop(LoopSettings),
}

/// The settings of sequential quadratic programming. The first five are for users; none needs tuning.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `max_fits` | 100 | ≥ 1 | how many multipliers are tried at most: a fit each, and one more a fold where folds are fitted |
/// | `margin` | 1.645 | 0 to 10 | how many standard errors to stay below a bound, so that it holds on new rows (never below half of it) |
/// | `min_group` | 30 | | groups with fewer rows of those that a rate conditions on are measured, but not searched for |
/// | `range` | as what is asked needs | | whether weights are bounded as in the paper, or not |
/// | `tilt` | expected for disparate impact, else centred | | how multipliers enter exponents |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SqpSettings {
    /// How many multipliers are tried at most.
    pub max_fits: usize,
    /// Whether weights are bounded; `None` for bounded ones unless these end short of what is asked, and others lead further.
    pub range: Option<WeightRange>,
    /// How multipliers enter exponents; `None` for [`Tilt::Expected`] where a notion keeps groups from the built-in learner (disparate impact), else
    /// [`Tilt::Centred`], and for others where these end short of what is asked.
    pub tilt: Option<Tilt>,
    /// How many standard errors to stay below a bound: 1.645 is one-sided 95 %.
    pub margin: f64,
    /// Groups with fewer rows of those that a rate conditions on are measured, shown and tested, but not searched for: the
    /// normal approximation of a share begins to hold at about 30 rows.
    pub min_group: usize,
    /// The tolerance of violations: smaller ones are not worth another fit, however many rows there are.
    pub even: f64,
    /// Violations of up to this count as even where no step makes them smaller.
    pub close: f64,
    /// μ with a bound: points of error that a point of infeasibility may cost. Large, since a bound is to be met.
    pub penalty: f64,
    /// μ without a bound: points of error that a point of unevenness is worth, that of the largest difference between a group and the others
    /// and that of the mean: together about a point of error for a point of violation.
    pub evenness_penalty: f64,
    /// ρ: points of error that a mean squared exponent of 2 costs. Small, but no zero: directions in which nothing changes
    /// take no step.
    pub regularisation: f64,
    /// The first radius of the trust region: how far a step may move an exponent. No radius is more than twice as large.
    pub radius: f64,
    /// The smallest radius: steps within it change next to no decision, so that the search has stalled.
    pub min_radius: f64,
    /// A step is accepted if the merit function falls by this share of what the model promised.
    pub accept: f64,
    /// A step is not worth a fit where the model of the merit function promises a smaller decrease: 0.03 points of error.
    pub tolerance: f64,
    /// How far from zero one multiplier may take an exponent: weights are then 3,000 times apart, and bounded ones saturated.
    pub max_exponent: f64,
    /// How far a refinement on single rows may move an exponent: probabilities then move by a quarter of it.
    pub refinement_reach: f64,
    /// From which exponent bounded weights are saturated, within 2 % of their ends: where a correction goes further, unbounded ones are tried too.
    pub saturation: f64,
    /// How many standard errors rates may differ by and be told from even ones by no rows: no bound is tighter.
    pub resolution: f64,
    /// How many candidates a refinement looks at.
    pub refinement_evaluations: usize,
    /// Without a bound, other weights are tried only where more than this share of the infeasibility is left.
    pub restart_share: f64,
}

impl Default for SqpSettings {
    fn default() -> Self {
        Self {
            max_fits: 100,
            range: None,
            tilt: None,
            margin: 1.645,
            min_group: 30,
            even: 1e-3,
            close: 3e-3,
            penalty: 20.0,
            evenness_penalty: 0.5,
            regularisation: 2e-3,
            radius: 2.0,
            min_radius: 0.01,
            accept: 0.1,
            tolerance: 3e-4,
            max_exponent: 8.0,
            saturation: 4.0,
            resolution: 0.5,
            refinement_reach: 0.08,
            refinement_evaluations: 1500,
            restart_share: 0.25,
        }
    }
}

/// The settings of the loop of Algorithms 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoopSettings {
    /// How multipliers become weights.
    pub rule: WeightRule,
    /// Step size of the update of the multipliers, η in the paper.
    pub step: f64,
    /// How many times they are updated.
    pub loops: usize,
    /// Whether the first fit has weights of 1, not those of zero multipliers (one over the number of classes).
    pub first_unweighted: bool,
    /// Whether a last fit follows the last update.
    pub last_fit: bool,
    /// For notions of true and false positive rates: whether weights are those of one iteration earlier.
    pub lag: bool,
    /// Which of the models is returned.
    pub keep: Keep,
}

/// Named ways to find the multipliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// Ours: centred tilt, sequential quadratic programming.
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

impl Preset {
    /// The built-in learner as this preset has it: the authors' liblinear penalised the intercept too.
    pub fn learner(self) -> Logistic {
        Logistic { penalise_intercept: self == Self::Notebook, ..Logistic::default() }
    }

    /// Whether numeric columns are centred and scaled: the authors left them as they were.
    pub fn standardises(self) -> bool {
        self != Self::Notebook
    }

    /// Whether intersections among the groups are features too: the paper has columns alone.
    pub fn interacts(self) -> bool {
        self == Self::Default
    }

    /// How this preset finds the multipliers.
    pub fn solver(self) -> Solver {
        let rule = WeightRule { tilt: Tilt::Paper, factor: 1.0, range: WeightRange::Bounded, relative: false };
        let printed = LoopSettings {
            rule,
            step: 1.0,
            loops: 100,
            first_unweighted: true,
            last_fit: true,
            lag: false,
            keep: Keep::Last,
        };
        match self {
            Self::Default => Solver::Sqp(SqpSettings::default()),
            Self::Paper => Solver::Loop(printed),
            Self::Notebook => Solver::Loop(LoopSettings {
                rule: WeightRule { factor: 2.0, ..rule },
                first_unweighted: false,
                last_fit: false,
                lag: true,
                ..printed
            }),
        }
    }
}

impl Solver {
    /// How multipliers become weights at the start, where the learner sees all groups.
    pub fn rule(&self) -> WeightRule {
        match self {
            Self::Sqp(sqp) => WeightRule {
                range: sqp.range.unwrap_or_default(),
                tilt: sqp.tilt.unwrap_or_default(),
                ..WeightRule::CENTRED
            },
            Self::Loop(loop_settings) => loop_settings.rule,
        }
    }

    /// Whether a search may go over to another tilt: not where one was asked for.
    pub(in crate::correction) fn may_take(&self, tilt: Tilt) -> bool {
        match self {
            Self::Sqp(sqp) => sqp.tilt.is_none_or(|asked| asked == tilt),
            Self::Loop(_) => false,
        }
    }

    /// How many times the learner is called at most.
    pub fn most_fits(&self) -> usize {
        match self {
            Self::Sqp(sqp) => sqp.max_fits,
            Self::Loop(loop_settings) => loop_settings.loops.saturating_add(usize::from(loop_settings.last_fit)),
        }
    }

    pub(in crate::correction) fn check(&self) -> Result<()> {
        match self {
            Self::Sqp(settings) => settings.check(),
            Self::Loop(settings) => settings.check(),
        }
    }
}

impl SqpSettings {
    fn check(&self) -> Result<()> {
        if self.max_fits == 0 {
            return Err(Error::setting("max_fits", 0, "one or more"));
        }
        let above_zero = [
            ("even", self.even),
            ("close", self.close),
            ("penalty", self.penalty),
            ("evenness_penalty", self.evenness_penalty),
            ("regularisation", self.regularisation),
            ("radius", self.radius),
            ("min_radius", self.min_radius),
            ("tolerance", self.tolerance),
            ("max_exponent", self.max_exponent),
            ("saturation", self.saturation),
            ("refinement_reach", self.refinement_reach),
        ];
        let ranges = [
            ("margin", self.margin, 10.0),
            ("accept", self.accept, 1.0),
            ("restart_share", self.restart_share, 1.0),
            ("resolution", self.resolution, 10.0),
        ];
        for (setting, found) in above_zero {
            if !(found.is_finite() && found > 0.0) {
                return Err(Error::setting(setting, found, ABOVE_ZERO));
            }
        }
        for (setting, found, most) in ranges {
            if !(0.0..=most).contains(&found) {
                return Err(Error::setting(setting, found, format!("from 0 to {most}")));
            }
        }
        Ok(())
    }
}

impl LoopSettings {
    fn check(&self) -> Result<()> {
        for (setting, found) in [("step", self.step), ("factor", self.rule.factor)] {
            if !(found.is_finite() && found > 0.0) {
                return Err(Error::setting(setting, found, ABOVE_ZERO));
            }
        }
        if self.loops == 0 {
            return Err(Error::setting("loops", 0, "one or more"));
        }
        if self.rule.tilt == Tilt::Expected {
            return Err(Error::setting("tilt", "expected with the loop of the paper", "centred or paper"));
        }
        Ok(())
    }
}

const ABOVE_ZERO: &str = "a finite number above zero";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_setting_of_the_search_is_taken_that_it_cannot_compute_with() {
        type Change = fn(&mut SqpSettings);
        let wrong: [(&str, Change); 18] = [
            ("max_fits", |one| one.max_fits = 0),
            ("margin", |one| one.margin = -1.0),
            ("margin", |one| one.margin = f64::NAN),
            ("even", |one| one.even = 0.0),
            ("close", |one| one.close = 0.0),
            ("penalty", |one| one.penalty = f64::INFINITY),
            ("evenness_penalty", |one| one.evenness_penalty = 0.0),
            ("regularisation", |one| one.regularisation = 0.0),
            ("radius", |one| one.radius = -1.0),
            ("radius", |one| one.radius = f64::NAN),
            ("min_radius", |one| one.min_radius = 0.0),
            ("accept", |one| one.accept = 2.0),
            ("tolerance", |one| one.tolerance = -1e-4),
            ("max_exponent", |one| one.max_exponent = 0.0),
            ("saturation", |one| one.saturation = f64::NAN),
            ("resolution", |one| one.resolution = -0.5),
            ("refinement_reach", |one| one.refinement_reach = 0.0),
            ("restart_share", |one| one.restart_share = 1.5),
        ];
        for (setting, change) in wrong {
            let mut settings = SqpSettings::default();
            assert!(Solver::Sqp(settings).check().is_ok());
            change(&mut settings);
            let error = Solver::Sqp(settings).check().unwrap_err().to_string();
            assert!(error.contains(&format!("`{setting}`")), "{setting}: {error}");
        }
    }
}
