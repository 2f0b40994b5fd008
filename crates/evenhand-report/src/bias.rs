//! What the labels say about themselves: an identified bias as factors on the odds.
//!
//! Holds [`Bias`], what is shown of an identification of the engine.

use evenhand::identify::{Identification, Sensitivity, SensitivityPoint};
use evenhand::{Correction, Dataset, Identify};
use serde::{Deserialize, Serialize};

use crate::number::points;

/// The heading over what the estimate would be if groups truly differed.
pub(crate) const SENSITIVITY: &str = "If groups truly differ";

/// The bias in the labels, as far as it can be identified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    /// How many rows it was identified on.
    pub rows: usize,
    /// Of the intervals.
    pub confidence: f64,
    /// What all this rests on.
    pub assumption: String,
    /// Why there is no estimate, where there is none; then there are no groups.
    pub missing: Option<String>,
    /// What the bias did to each group.
    pub groups: Vec<GroupBias>,
    /// How that depends on how far the groups truly differ, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
}

/// By which factor the odds of a label of one group were changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupBias {
    /// The group.
    pub group: String,
    /// The label; without it a positive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// How many rows it has.
    pub rows: usize,
    /// The factor; 1 is no bias.
    pub odds_ratio: Option<f64>,
    /// The lower end of its interval, taken by itself.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The lower end of its interval among those that hold for all groups at once.
    pub simultaneous_low: Option<f64>,
    /// The upper end.
    pub simultaneous_high: Option<f64>,
    /// The same in words.
    pub sentence: String,
}

impl GroupBias {
    /// The group, and the label where it is not a positive one.
    pub(crate) fn name(&self) -> String {
        self.class.as_ref().map_or_else(|| self.group.clone(), |class| format!("{}, label “{class}”", self.group))
    }
}

impl Bias {
    /// What an identification found.
    pub fn of(identified: &Identification) -> Self {
        // JSON has no infinities; where there is one, nothing is known.
        let finite = |value: f64| value.is_finite().then_some(value);
        let group_bias = |effect: &evenhand::identify::Effect| GroupBias {
            group: effect.group.clone(),
            class: effect.class.clone(),
            rows: effect.rows,
            odds_ratio: finite(effect.odds_ratio),
            low: finite(effect.low),
            high: finite(effect.high),
            simultaneous_low: finite(effect.simultaneous_low),
            simultaneous_high: finite(effect.simultaneous_high),
            sentence: effect.sentence.clone(),
        };
        Self {
            rows: identified.rows,
            confidence: identified.confidence,
            assumption: identified.assumption.clone(),
            missing: identified.missing.as_ref().map(|why| format!("There is no estimate of the bias: {why}.")),
            groups: identified.effects.iter().map(group_bias).collect(),
            sensitivity: identified.sensitivity.clone().map(finite_points),
        }
    }

    /// The bias in the labels of training rows, for the groups and features of a correction; nothing without
    /// groups, or where labels are of more than two classes.
    pub(crate) fn identify(correction: &Correction, train: &Dataset, confidence: f64) -> Option<Self> {
        if correction.groups.is_empty() || train.labels().classes().len() != 2 {
            return None;
        }
        let settings = Identify {
            groups: correction.groups.clone(),
            withhold: correction.withhold.clone(),
            beside: correction.beside.clone(),
            plan: correction.plan.clone(),
            confidence,
            ..Identify::default()
        };
        Some(match settings.run(train) {
            Ok((found, _)) => Self::of(&found),
            Err(error) => Self {
                rows: train.rows(),
                confidence,
                assumption: String::new(),
                missing: Some(format!("The bias of the labels could not be identified: {error}.")),
                groups: Vec::new(),
                sensitivity: None,
            },
        })
    }

    /// What it assumes and then what was found, sentence by sentence; or why there is no estimate.
    pub(crate) fn sentences(&self) -> Vec<&str> {
        match &self.missing {
            Some(missing) => vec![missing],
            None => std::iter::once(&self.assumption)
                .chain(self.groups.iter().map(|group| &group.sentence))
                .map(String::as_str)
                .collect(),
        }
    }
}

/// The same without points that JSON cannot hold.
fn finite_points(mut sensitivity: Sensitivity) -> Sensitivity {
    let is_finite = |point: &SensitivityPoint| {
        let numbers =
            [point.multiplier, point.multiplier_low, point.multiplier_high, point.odds_ratio, point.low, point.high];
        numbers.iter().all(|number| number.is_finite())
    };
    for curve in &mut sensitivity.curves {
        curve.points.retain(is_finite);
    }
    sensitivity
}

/// Of the points of a curve, those that a short table has: both ends, and the quarters between.
pub(crate) fn quarters(points: &[SensitivityPoint]) -> impl Iterator<Item = &SensitivityPoint> {
    let every = (points.len().saturating_sub(1) / 4).max(1);
    points.iter().enumerate().filter(move |(at, _)| at % every == 0 || at + 1 == points.len()).map(|(_, point)| point)
}

/// A true difference in words: `2.0 points less often`.
pub(crate) fn difference_words(difference: f64) -> String {
    let points = points(difference.abs());
    match difference {
        difference if difference.abs() < 5e-4 => "as often".to_owned(),
        difference if difference > 0.0 => format!("{points} points less often"),
        _ => format!("{points} points more often"),
    }
}
