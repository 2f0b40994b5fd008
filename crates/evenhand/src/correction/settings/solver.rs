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
    /// Sequential quadratic programming in the multipliers with a trust region, with the centred tilt.
    Sqp(SqpSettings),
    /// The loop of Algorithms 1 and 2.
    Loop(LoopSettings),
}

/// The settings of sequential quadratic programming in the multipliers. None needs tuning.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `max_fits` | 100 | ≥ 1 | how many multipliers are tried at most: one fit each, and one more per fold with k-fold validation |
/// | `margin` | 1.645 | 0 to 10 | how many standard errors to stay below a bound, so that it holds on new rows (never below half of it) |
/// | `range` | as what is asked needs | | whether weights are bounded as in the paper, or not |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SqpSettings {
    /// How many multipliers are tried at most.
    pub max_fits: usize,
    /// Whether weights are bounded; `None` starts with bounded weights, and takes unbounded ones where bounded weights
    /// do not reach what is asked.
    pub range: Option<WeightRange>,
    /// How many standard errors to stay below a bound.
    pub margin: f64,
}

impl Default for SqpSettings {
    fn default() -> Self {
        // One-sided 95 %.
        Self { max_fits: 100, range: None, margin: 1.645 }
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
    /// How multipliers become weights at the start.
    pub fn rule(&self) -> WeightRule {
        match self {
            Self::Sqp(newton) => WeightRule { range: newton.range.unwrap_or_default(), ..WeightRule::CENTRED },
            Self::Loop(loop_settings) => loop_settings.rule,
        }
    }

    /// How many times the learner is called at most.
    pub fn most_fits(&self) -> usize {
        match self {
            Self::Sqp(newton) => newton.max_fits,
            Self::Loop(loop_settings) => loop_settings.loops.saturating_add(usize::from(loop_settings.last_fit)),
        }
    }

    pub(in crate::correction) fn check(&self) -> Result<()> {
        let wrong = |setting, found: f64, allowed: &str| Err(Error::setting(setting, found, allowed));
        match self {
            Self::Sqp(SqpSettings { max_fits: 0, .. }) => wrong("max_fits", 0.0, "one or more"),
            Self::Sqp(SqpSettings { margin, .. }) if !(0.0..=10.0).contains(margin) => {
                wrong("margin", *margin, "from 0 to 10")
            }
            Self::Loop(LoopSettings { step, .. }) if !(step.is_finite() && *step > 0.0) => {
                wrong("step", *step, "a finite number above zero")
            }
            Self::Loop(LoopSettings { rule, .. }) if !(rule.factor.is_finite() && rule.factor > 0.0) => {
                wrong("factor", rule.factor, "a finite number above zero")
            }
            Self::Loop(LoopSettings { loops: 0, .. }) => wrong("loops", 0.0, "one or more"),
            Self::Sqp(_) | Self::Loop(_) => Ok(()),
        }
    }
}
