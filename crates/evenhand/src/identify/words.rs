//! An odds ratio and a tipping point as sentences, what they assume, and the units of multipliers.

use super::TippingPoint;
use super::bias_model::Term;
use crate::constraint::{Reference, Tilt};
use crate::correction::Problem;

/// An interval of an odds ratio, among those of all groups that hold at once.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) confidence: f64,
    /// For how many factors intervals hold at once: one for each group, or for each of its labels.
    pub(super) groups: usize,
}

/// What the numbers of a problem rest on.
pub(super) fn assumption_of(problem: &Problem, tilt: Tilt) -> String {
    let constraints = problem.constraints();
    let is_parity = |one: &crate::constraint::Constraint| {
        !Term::of(one).is_about_truth() && one.reference == Reference::Overall && one.group.is_some()
    };
    let all = constraints.iter().all(is_parity);
    if all && problem.positive().is_some() {
        return super::assumption(tilt);
    }
    let mut notions: Vec<String> = Vec::new();
    for one in constraints {
        let notion = format!("`{}` ({})", one.notion, one.notion.definition());
        if !notions.contains(&notion) {
            notions.push(notion);
        }
    }
    let about_truth = constraints.iter().any(|one| Term::of(one).is_about_truth());
    let by = match (tilt, about_truth) {
        (Tilt::Expected, _) => "what features tell of the group, and on nothing else",
        (_, true) => "group, and on how probable the labels truly are that a rate conditions on",
        (_, false) => "group alone",
    };
    let truth = if about_truth { ", a label conditioned on by how probable it truly is" } else { "" };
    format!(
        "What follows is an estimate of labelling bias only if (1) true labels keep what is asked: {}, with the true probability of a label in the place \
of a prediction{truth}, (2) labels were distorted as little as the bias required, by a factor on their odds that depends on {by}, and (3) the model can describe \
the true labels. If these do not keep what is asked, that is in the estimate too.",
        notions.join("; ")
    )
}

/// What an estimate rests on where classes were taken together.
pub(super) fn taken_together(assumption: &str, because: &str) -> String {
    format!("{assumption} The model tells the label that is asked about from the others: {because}.")
}

/// What a multiplier of 1 adds to an exponent.
pub(super) fn unit(problem: &Problem, tilt: Tilt) -> String {
    let mut units: Vec<String> = Vec::new();
    for one in problem.constraints() {
        let member = if tilt == Tilt::Expected { "P(g|x)" } else { "g" };
        let scaled = match one.reference {
            Reference::Overall => format!("{member}/Z - 1"),
            Reference::Rows { .. } => format!("{member}/Z - g'"),
            _ => format!("{member}/Z"),
        };
        let unit = if Term::of(one).is_about_truth() { format!("p({scaled})") } else { scaled };
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    units.join(" or ")
}

/// Says what a factor on the odds of a label means for a group; without a class of a positive one.
pub(super) fn sentence(group: &str, class: Option<&str>, odds_ratio: f64, interval: Interval) -> String {
    let (labels, capital) = match class {
        Some(class) => (format!("labels `{class}`"), format!("Labels `{class}`")),
        None => ("positive labels".to_owned(), "Positive labels".to_owned()),
    };
    let Interval { low, high, confidence, groups } = interval;
    let what = if class.is_some() { "factors" } else { "groups" };
    let at_once = if groups > 1 { format!(", for all {groups} {what} at once") } else { String::new() };
    let range = format!("{} % interval {low:.2} to {high:.2}{at_once}", percent(confidence));
    if low <= 1.0 && high >= 1.0 {
        return format!(
            "No bias in {labels} for {group} can be told from chance: {odds_ratio:.2} of the odds ({range})."
        );
    }
    format!(
        "{capital} for {group} were given at {odds_ratio:.2} of the odds that the data otherwise support ({range})."
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
            sentence("sex=female", None, 0.6234, interval(0.58, 0.67, 1)),
            "Positive labels for sex=female were given at 0.62 of the odds that the data otherwise support (95 % interval 0.58 to 0.67)."
        );
        let of_class = sentence("a", Some("some"), 0.5, interval(0.4, 0.6, 1));
        assert!(of_class.starts_with("Labels `some` for a were given at 0.50 of the odds"), "{of_class}");
        let of_several = sentence("a", Some("some"), 0.5, interval(0.4, 0.6, 6));
        assert!(of_several.ends_with("0.40 to 0.60, for all 6 factors at once)."), "{of_several}");
        let several = sentence("a", None, 1.02, interval(0.9, 1.1, 7));
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
