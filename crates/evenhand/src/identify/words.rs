//! An odds ratio as a sentence.

/// Says what a factor on the odds of a positive label means for a group.
pub(super) fn sentence(group: &str, odds_ratio: f64, low: f64, high: f64, confidence: f64) -> String {
    let range = format!("{} % interval {low:.2} to {high:.2}", percent(confidence));
    if low <= 1.0 && high >= 1.0 {
        return format!(
            "No bias in positive labels for {group} can be told from chance: {odds_ratio:.2} of the odds ({range})."
        );
    }
    format!(
        "Positive labels for {group} were given at {odds_ratio:.2} of the odds that the data otherwise support ({range})."
    )
}

/// 95 for 0.95, 99.9 for 0.999.
fn percent(confidence: f64) -> String {
    let rounded = (confidence * 1e6).round() / 1e4;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_bias_is_said_in_odds_and_one_within_chance_is_not_claimed() {
        assert_eq!(
            sentence("sex=female", 0.6234, 0.58, 0.67, 0.95),
            "Positive labels for sex=female were given at 0.62 of the odds that the data otherwise support (95 % interval 0.58 to 0.67)."
        );
        assert!(sentence("a", 1.02, 0.9, 1.1, 0.999).starts_with("No bias in positive labels for a can be told"));
    }
}
