//! What a method found, other than the classifier and its rates: in words, and as JSON.

use evenhand::correction::WeightRule;
use evenhand::correction::{Binding, Decisions, PatternRule, Step, ThresholdPostprocessing, Thresholds};
use evenhand::{Correction, Fitted, Method, Predictor};
use serde::Serialize;

use crate::text::{clean, rate, thousands};

/// At most so many patterns of groups; JSON has all.
const MOST_LINES: usize = 40;

/// Thresholds of post-processing, the slack of the Lagrangian approach, what tilted probabilities depend on; of weights nothing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Rules {
    /// Thresholds by group, with the methods that have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<Thresholds>,
    /// From which probability on rows are decided positive, where that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    /// The same in a sentence.
    #[serde(skip)]
    decided_from: Option<String>,
    /// The columns without which nothing can be decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups_needed: Vec<String>,
    /// The slack that the Lagrangian approach took.
    #[serde(skip_serializing_if = "Option::is_none")]
    slack: Option<f64>,
    #[serde(skip)]
    method: Method,
    /// The column of scores, where these were given.
    #[serde(rename = "score", skip_serializing_if = "Option::is_none")]
    given: Option<String>,
    /// The features beside it.
    #[serde(skip)]
    told_by: Vec<String>,
    /// What decisions depend on where probabilities are tilted.
    #[serde(skip)]
    deciding: Option<String>,
}

impl Rules {
    pub(super) fn new<P: Predictor>(correction: &Correction, fitted: &Fitted<P>) -> Self {
        let (solution, binding) = (fitted.solution(), fitted.binding());
        let decided_from = solution.decided_from(correction);
        Self {
            threshold: decided_from.as_ref().map(|_| solution.threshold),
            decided_from,
            thresholds: solution.thresholds.clone(),
            groups_needed: if solution.needs_groups() { binding.group_columns() } else { Vec::new() },
            slack: solution.slack,
            method: correction.method,
            told_by: others(correction, binding),
            given: correction.score.as_ref().map(|score| score.column.clone()),
            deciding: solution.deciding(binding),
        }
    }

    /// The method in a line, where it is not our own.
    pub(super) fn method(&self) -> String {
        let what = match self.method {
            Method::Unconstrained => "one fit, with nothing asked of it",
            Method::Reweighing => "one fit, with weights that make label and groups independent",
            Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Deterministic }) => {
                "one fit, then a threshold for each pattern of groups"
            }
            Method::ThresholdPostprocessing(_) => {
                "one fit, then thresholds for each pattern of groups; rates are in expectation over random decisions"
            }
            Method::PercentileThresholds => {
                "one fit, then for each pattern of groups the percentile of its scores at which it has the overall rate"
            }
            Method::Correction if self.given.is_some() => {
                "scores that were given, which multipliers tilt; no model of labels was trained"
            }
            Method::Correction if self.deciding.is_some() => {
                "one model of the observed labels, whose probabilities multipliers tilt; no row weighs differently"
            }
            Method::Lagrangian(_) => "coefficients and multipliers trained jointly, violations relaxed by hinges",
            _ => return String::new(),
        };
        format!("{}: {what}\n", self.method)
    }

    /// What stands above multipliers, where there are any.
    pub(super) fn heading(&self, rule: Option<WeightRule>) -> Option<String> {
        match (self.method, rule) {
            (Method::Correction, None) => Some("Multipliers (of tilted probabilities)".to_owned()),
            (_, Some(rule)) => Some(format!("Multipliers ({})", rule.describe())),
            (Method::Lagrangian(_), None) => {
                Some(format!("Multipliers of the relaxed violations, with slack {:.2}", self.slack.unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// Where scores that were given come from, and what tells groups beside them.
    fn scores(&self) -> String {
        let Some(score) = &self.given else { return String::new() };
        match self.told_by.as_slice() {
            [] => format!("Scores are those of the column {score}, which is the only feature. "),
            others => format!("Scores are those of the column {score}; features are it and {}. ", others.join(", ")),
        }
    }

    /// The thresholds, or what a tilt depends on, and what they ask of files to be predicted.
    pub(super) fn to_text(&self) -> String {
        let from = self.decided_from.as_ref().map(|from| format!("{from}\n\n")).unwrap_or_default();
        if let Some(deciding) = &self.deciding {
            return format!("{from}{}{}\n\n", clean(&self.scores()), clean(deciding));
        }
        let Some(Thresholds { patterns, .. }) = &self.thresholds else { return from };
        let line = |rule: &PatternRule| {
            let groups: Vec<String> = rule.groups.iter().map(|name| clean(name)).collect();
            let groups = if groups.is_empty() { "(in no group)".to_owned() } else { groups.join(" and ") };
            format!("  {groups} ({} rows): {}\n", thousands(rule.rows), in_words(&rule.steps))
        };
        let more = patterns.len().checked_sub(MOST_LINES + 1).map(|more| format!("  and {} more\n", more + 1));
        let lines: String = patterns.iter().take(MOST_LINES).map(line).chain(more).collect();
        let needed: Vec<String> = self.groups_needed.iter().map(|name| clean(name)).collect();
        format!(
            "Thresholds of the probability\n{lines}To decide, the model needs the groups: {}.\n\n",
            needed.join(", ")
        )
    }
}

/// The columns that features are made of, but for the one of scores.
fn others(correction: &Correction, binding: &Binding) -> Vec<String> {
    let Some(score) = &correction.score else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for one in binding.encoding().columns() {
        if one.column != score.column && !names.contains(&one.column) {
            names.push(one.column.clone());
        }
    }
    names
}

fn in_words(steps: &[Step]) -> String {
    let step = |Step { at_least, chance }: &Step| {
        let from = at_least.map_or("always".to_owned(), |least| format!("from {}", rate(least)));
        if *chance >= 1.0 { from } else { format!("{from} with chance {chance:.3}") }
    };
    match steps {
        [] => "never positive".to_owned(),
        steps => format!("positive {}", steps.iter().map(step).collect::<Vec<_>>().join(", ")),
    }
}
