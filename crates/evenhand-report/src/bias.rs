//! What the labels say about themselves: an identified bias as factors on the odds.
//!
//! Holds [`Bias`], what is shown of an identification of the engine.

use evenhand::Stop;
use evenhand::identify::Identification;
use serde::{Deserialize, Serialize};

/// The bias in the labels, as far as it can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    /// How many rows it was told from.
    pub rows: usize,
    /// Of the intervals.
    pub confidence: f64,
    /// Whether multipliers were found that make probabilities even: without them there is no estimate.
    pub found: bool,
    /// What the bias did to each group.
    pub groups: Vec<Tilted>,
    /// What all this rests on.
    pub assumption: String,
}

/// By which factor the odds of a positive label of one group were changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tilted {
    /// The group.
    pub group: String,
    /// How many rows it has.
    pub rows: usize,
    /// The factor; 1 is no bias.
    pub odds_ratio: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The same in words.
    pub sentence: String,
}

impl Bias {
    /// What an identification found.
    pub fn of(identified: &Identification) -> Self {
        // JSON has no infinities; where there is one, nothing is known.
        let finite = |value: f64| value.is_finite().then_some(value);
        let tilted = |effect: &evenhand::identify::Effect| Tilted {
            group: effect.group.clone(),
            rows: effect.rows,
            odds_ratio: finite(effect.odds_ratio),
            low: finite(effect.low),
            high: finite(effect.high),
            sentence: effect.sentence.clone(),
        };
        Self {
            rows: identified.rows,
            confidence: identified.confidence,
            found: identified.stop == Stop::Converged,
            groups: identified.effects.iter().map(tilted).collect(),
            assumption: identified.assumption.clone(),
        }
    }
}
