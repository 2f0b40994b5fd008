//! A point of a frontier as outputs write it: the same keys from every front end.
//!
//! Holds [`PointRecord`], and the names of what was asked and of what multipliers became.

use serde::Serialize;

use super::evaluation::{Metrics, NamedValue};
use super::frontier::{Asked, Frontier, Point};
use super::problem::{Binding, MembershipQuality};
use super::settings::{Apply, Correction, Threshold};
use super::trace::Termination;
use crate::learner::Predictor;

/// A point. The keys are stable.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointRecord {
    /// What was asked: [`Asked::name`].
    pub asked: &'static str,
    /// The bound, where one was asked for.
    pub max_violation: Option<f64>,
    /// One multiplier for each constraint.
    pub multipliers: Vec<NamedValue>,
    /// What multipliers became: [`Point::weights`].
    pub weights: &'static str,
    /// From which probability on rows are decided positive, where that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// On the training rows.
    pub train: Metrics,
    /// On test rows, where there are any.
    pub test: Option<Metrics>,
    /// How its search ended.
    pub stop: Termination,
    /// How many times the learner was called for it.
    pub fits: usize,
    /// Whether another point is better in both: [`Point::dominated`].
    pub dominated: bool,
    /// Whether what was asked is reached: [`Point::is_met`].
    #[serde(skip)]
    pub met: bool,
}

impl PointRecord {
    /// The record of a point of the frontier of a correction; `test` is how it does on test rows.
    pub fn new<P>(point: &Point<P>, test: Option<Metrics>, binding: &Binding, settings: &Correction) -> Self {
        let solution = &point.solution;
        let names = binding.constraints().iter().map(|constraint| constraint.name.clone());
        let named = |(name, &value): (String, &f64)| NamedValue { name, value: Some(value) };
        Self {
            asked: point.asked.name(),
            max_violation: point.asked.bound(),
            multipliers: names.zip(&solution.multipliers).map(named).collect(),
            weights: point.weights(settings.apply),
            threshold: (settings.threshold == Threshold::Best).then_some(solution.threshold),
            train: solution.train.clone(),
            test,
            stop: solution.stop,
            fits: solution.fits,
            dominated: point.dominated,
            met: point.is_met(),
        }
    }
}

impl Asked {
    /// The name of what was asked.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::MaxViolation(_) => "max-violation",
            Self::Evenness => "evenness",
        }
    }
}

impl<P> Point<P> {
    /// What multipliers became: the kind of weights, or a tilt.
    pub fn weights(&self, apply: Apply) -> &'static str {
        if apply == Apply::Tilt { "tilt" } else { self.solution.rule.name() }
    }
}

impl<P: Predictor> Frontier<P> {
    /// How well features tell groups that the learner may not see, by the models of the first point that has some: they are those of all.
    pub fn memberships(&self, binding: &Binding) -> Vec<MembershipQuality> {
        let mut all = self.points.iter().map(|point| point.solution.memberships(binding));
        all.find(|found| !found.is_empty()).unwrap_or_default()
    }
}
