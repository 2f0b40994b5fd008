//! An odds ratio, and a tipping point, as a sentence.

use super::TippingPoint;

/// An interval of an odds ratio, among those of all groups that hold at once.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) confidence: f64,
    /// For how many groups intervals hold at once.
    pub(super) groups: usize,
}

/// Says what a factor on the odds of a positive label means for a group.
pub(super) fn sentence(group: &str, odds_ratio: f64, interval: Interval) -> String {
    let Interval { low, high, confidence, groups } = interval;
    let at_once = if groups > 1 { format!(", for all {groups} groups at once") } else { String::new() };
    let range = format!("{} % interval {low:.2} to {high:.2}{at_once}", percent(confidence));
    if low <= 1.0 && high >= 1.0 {
        return format!(
            "No bias in positive labels for {group} can be told from chance: {odds_ratio:.2} of the odds ({range})."
        );
    }
    format!(
        "Positive labels for {group} were given at {odds_ratio:.2} of the odds that the data otherwise support ({range})."
    )
}

/// Says how far a group would have to differ truly for no bias to be left.
pub(super) fn tipping_sentence(group: &str, tipping: Option<TippingPoint>, confidence: f64) -> String {
    let Some(TippingPoint { difference, low, high }) = tipping else {
        return format!("No true difference was found that would leave no bias in positive labels for {group}.");
    };
    let sure = percent(confidence);
    if low <= 0.0 && high >= 0.0 {
        return format!(
            "No true difference of {group} is needed for no bias to be left, as far as can be told from chance: none is left where they deserve positive \
labels {} than everyone together ({sure} % interval {} to {}).",
            points(difference),
            points(low),
            points(high)
        );
    }
    let ends = if difference < 0.0 { [-high, -low] } else { [low, high] };
    let [near, far] = ends.map(|end| format!("{:.1}", 100.0 * end));
    format!(
        "{group} would have to deserve positive labels {} than everyone together for no bias to be left ({sure} % interval {near} to {far}).",
        points(difference)
    )
}

/// `6.1 points less often` for a difference of 0.061.
fn points(difference: f64) -> String {
    format!("{:.1} points {} often", 100.0 * difference.abs(), if difference < 0.0 { "more" } else { "less" })
}

/// 95 for 0.95, 99.9 for 0.999.
fn percent(confidence: f64) -> String {
    let rounded = (confidence * 1e6).round() / 1e4;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bias_is_said_in_odds_and_one_within_chance_is_not_claimed() {
        let interval = |low, high, groups| Interval { low, high, confidence: 0.95, groups };
        assert_eq!(
            sentence("sex=female", 0.6234, interval(0.58, 0.67, 1)),
            "Positive labels for sex=female were given at 0.62 of the odds that the data otherwise support (95 % interval 0.58 to 0.67)."
        );
        let several = sentence("a", 1.02, interval(0.9, 1.1, 7));
        assert!(several.starts_with("No bias in positive labels for a can be told"), "{several}");
        assert!(several.ends_with("(95 % interval 0.90 to 1.10, for all 7 groups at once)."), "{several}");
    }

    #[test]
    fn a_tipping_point_is_said_in_points_less_or_more_often() {
        let tipping = |difference, low, high| Some(TippingPoint { difference, low, high });
        assert_eq!(
            tipping_sentence("sex=female", tipping(0.0612, 0.0551, 0.0668), 0.95),
            "sex=female would have to deserve positive labels 6.1 points less often than everyone together for no bias to be left (95 % interval 5.5 to 6.7)."
        );
        let more = tipping_sentence("sex=male", tipping(-0.0612, -0.0668, -0.0551), 0.9);
        assert!(more.contains("6.1 points more often than everyone together"), "{more}");
        assert!(more.ends_with("(90 % interval 5.5 to 6.7)."), "{more}");
        let chance = tipping_sentence("a", tipping(0.004, -0.003, 0.011), 0.95);
        assert!(chance.starts_with("No true difference of a is needed"), "{chance}");
        assert!(chance.ends_with("interval 0.3 points more often to 1.1 points less often)."), "{chance}");
        assert!(tipping_sentence("a", None, 0.95).starts_with("No true difference was found"));
    }
}
