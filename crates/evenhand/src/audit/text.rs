//! An audit in plain text, for a terminal or a log.
//!
//! First the finding for each notion, with every number's definition beside it; then
//! the rates of all groups, with intervals and counts. No colour, no more than 100
//! columns unless a name is longer. Leans on the values of this folder alone.

use std::fmt::{self, Display, Formatter};

use super::{Audit, AuditedNotion, ClassAudit, Estimate, GroupScores, Rate, RateKind, Violation};
use crate::format::{clean, counted, thousands};
use crate::notion::Notion;

/// Names longer than this get a line of their own.
const NAME: usize = 34;

/// At most this many intersections are written; all are in the JSON form.
const MOST_INTERSECTIONS: usize = 24;

impl Display for Audit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Text { audit: self, only: None }.fmt(f)
    }
}

/// An audit as text, all of it or what some notions are about.
struct Text<'a> {
    audit: &'a Audit,
    only: Option<Vec<AuditedNotion>>,
}

impl Text<'_> {
    fn shows(&self, notion: AuditedNotion) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&notion))
    }

    fn shows_rate(&self, rate: RateKind) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|notion| notion.rates().contains(&rate)))
    }
}

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let audit = self.audit;
        audit.write_head(f)?;
        if audit.small_group > 0 {
            writeln!(f, "A share of fewer than {} is marked `few`.", counted(audit.small_group, "row"))?;
        }
        if let (Some(accuracy), true) = (&audit.accuracy, audit.classes.len() > 1) {
            writeln!(
                f,
                "Predicted as labelled, over all classes: {}",
                Shown { rate: accuracy, weighted: audit.weighted }
            )?;
        }
        audit.write_asked(f)?;
        audit.write_bounds(f)?;
        audit.write_scores(f, self.only.is_none())?;
        for class in &audit.classes {
            let asked = self.only.as_ref().is_none_or(|only| !only.is_empty());
            if (class.predictions.is_none() && asked) || self.only.is_none() {
                audit.write_labels(f, class)?;
            }
            self.write_predictions(f, class)?;
        }
        if audit.intersections_left_out > 0 {
            writeln!(f, "\nLeft out: {} with fewer rows.", counted(audit.intersections_left_out, "intersection"))?;
        }
        audit.write_warnings(f)
    }
}

impl Text<'_> {
    fn write_predictions(&self, f: &mut Formatter<'_>, class: &ClassAudit) -> fmt::Result {
        let (Some(predictions), audit) = (&class.predictions, self.audit) else { return Ok(()) };
        let positive = clean(&class.positive);
        if self.only.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        writeln!(f, "\nPREDICTIONS: `{positive}` against the rest")?;
        for violation in predictions.violations.iter().filter(|violation| self.shows(violation.notion)) {
            writeln!(f, "\n{}", definition(violation.notion, &positive))?;
            write_violation(f, violation)?;
        }
        let asked = [
            (RateKind::PositiveRate, format!("share of rows predicted `{positive}`")),
            (RateKind::TruePositiveRate, format!("of rows labelled `{positive}`, share predicted `{positive}`")),
            (RateKind::FalsePositiveRate, format!("of rows labelled otherwise, share predicted `{positive}`")),
            (RateKind::Accuracy, "share of rows where prediction and label agree".to_owned()),
        ];
        let known = |kind: RateKind| class.labels.is_some() || kind == RateKind::PositiveRate;
        for (kind, meaning) in asked.into_iter().filter(|(kind, _)| known(*kind) && self.shows_rate(*kind)) {
            let title = rate_name(kind);
            writeln!(f, "\n{}{}: {meaning}", title[..1].to_uppercase(), &title[1..])?;
            let lines = [&predictions.overall].into_iter().chain(&predictions.groups).chain(&predictions.missing);
            audit.write_rates(f, lines.map(|line| (line.group.as_str(), line.rate(kind))))?;
            let lines = predictions.intersections.iter();
            audit.write_intersections(f, lines.map(|line| (line.group.as_str(), line.rate(kind))))?;
        }
        Ok(())
    }
}

impl Audit {
    /// How many rows and groups there are, and what brackets hold.
    pub(super) fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let first = self.classes.first();
        let labelled = first.and_then(|class| class.labels.as_ref().map(|labels| labels.groups.len()));
        let predicted = || first.and_then(|class| class.predictions.as_ref().map(|found| found.groups.len()));
        let groups = labelled.or_else(predicted).unwrap_or(0);
        writeln!(f, "Audit of {} in {}.", counted(self.rows, "row"), counted(groups, "group"))?;
        let percent = self.confidence * 100.0;
        writeln!(
            f,
            "Brackets hold {percent} % intervals: Wilson's for shares, Newcombe's for how far these are apart."
        )?;
        if self.weighted {
            writeln!(f, "Rates are weighted; intervals use the effective number of rows (Kish).")?;
        }
        if labelled.is_none() {
            writeln!(f, "Without labels: error rates, accuracy and the notions about them are left out.")?;
        }
        Ok(())
    }

    pub(super) fn write_warnings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.warnings.is_empty() {
            writeln!(f, "\nWarnings")?;
        }
        for warning in &self.warnings {
            writeln!(f, "  {}", clean(&warning.to_string()))?;
        }
        Ok(())
    }

    /// The text of what these notions are about, with all bounds and rates that were asked for; all of it without any.
    pub fn text_of(&self, notions: &[Notion]) -> String {
        let only = (!notions.is_empty()).then(|| notions.iter().filter_map(AuditedNotion::of).collect());
        Text { audit: self, only }.to_string()
    }

    /// What scores show, a line for each group, and its bins.
    fn write_scores(&self, f: &mut Formatter<'_>, bins: bool) -> fmt::Result {
        let Some(scores) = &self.scores else { return Ok(()) };
        writeln!(f, "\nSCORES: `{}`, decided from {} on", clean(&scores.column), scores.threshold)?;
        writeln!(f, "Intervals: Newcombe's for AUC, normal ones for calibration, Wilson's for shares.")?;
        if scores.rounded {
            writeln!(f, "So many different scores were ranked to the nearest 1/65,536.")?;
        }
        writeln!(f, "\nAUC: how often a row labelled positive has the higher score of two, a tie counting half")?;
        writeln!(f, "  difference  {:<9}  largest minus smallest group", number(scores.auc_difference))?;
        self.write_estimates(f, |group| group.auc)?;
        writeln!(
            f,
            "\nCalibration in the large: mean score minus share labelled positive; above 0 scores are too high"
        )?;
        writeln!(f, "  difference  {:<9}  largest minus smallest group", number(scores.calibration_difference))?;
        self.write_estimates(f, |group| group.calibration)?;
        writeln!(f, "\nExpected calibration error, over ten bins of scores, and what chance alone would give")?;
        for group in [&scores.overall].into_iter().chain(&scores.groups).chain(&scores.missing) {
            let (error, chance) = (number(group.calibration_error), number(group.calibration_error_by_chance));
            writeln!(f, "  {:NAME$}  {error} (by chance {chance})", clean(&group.group))?;
        }
        if !bins {
            return Ok(());
        }
        writeln!(f, "\nMean score -> share labelled positive, in bins of scores")?;
        for group in [&scores.overall].into_iter().chain(&scores.groups).chain(&scores.missing) {
            writeln!(f, "  {}", clean(&group.group))?;
            let bins = group.bins.iter().map(|bin| (format!("  {:.4} ->", bin.mean_score), &bin.positive_rate));
            for (mean, rate) in bins {
                let few = if rate.count < self.small_group { ", few" } else { "" };
                writeln!(f, "  {mean:NAME$}  {}{few}", Shown { rate, weighted: self.weighted })?;
            }
        }
        Ok(())
    }

    fn write_estimates(&self, f: &mut Formatter<'_>, of: fn(&GroupScores) -> Option<Estimate>) -> fmt::Result {
        let Some(scores) = &self.scores else { return Ok(()) };
        for group in [&scores.overall].into_iter().chain(&scores.groups).chain(&scores.missing) {
            let rows = counted(group.rows, "row");
            let few = if group.rows < self.small_group { ", few" } else { "" };
            let shown = of(group).map_or_else(
                || "undefined".to_owned(),
                |Estimate { value, low, high }| with_interval(value, low, high),
            );
            writeln!(f, "  {:NAME$}  {shown}  {rows}{few}", clean(&group.group))?;
        }
        Ok(())
    }
}

impl Audit {
    /// What bounds were tested on: `predictions` or `labels`.
    pub fn tested(&self) -> &'static str {
        if self.classes.iter().any(|class| class.predictions.is_some()) { "predictions" } else { "labels" }
    }

    /// The rates that were asked for, and how far they are from what they are compared with.
    pub(super) fn write_asked(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.rates.is_empty() {
            writeln!(f, "\nRATES ASKED FOR: of {}", self.tested())?;
        }
        let percent =
            |share: Option<f64>| share.map_or_else(|| "none".to_owned(), |share| format!("{:.2} %", 100.0 * share));
        for one in &self.rates {
            writeln!(f, "  {}", clean(&one.name))?;
            if let (Some(gap), Some(low), Some(high)) = (one.gap, one.low, one.high) {
                let points = |share: f64| format!("{:+.2}", 100.0 * share);
                writeln!(
                    f,
                    "    {} of {}, compared with {}: a difference of {} points [{} to {}]",
                    percent(one.rate),
                    counted(one.rows, "row"),
                    percent(one.reference),
                    points(gap),
                    points(low),
                    points(high)
                )?;
            } else {
                writeln!(f, "    cannot be measured: {}, or none to compare with", counted(one.rows, "row"))?;
            }
        }
        Ok(())
    }

    pub(super) fn write_bounds(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.bounds.is_empty() {
            return Ok(());
        }
        let notions: Vec<String> = self.notions.iter().map(ToString::to_string).collect();
        writeln!(f, "\nBOUNDS: {} by {}", self.tested(), clean(&notions.join(", ")))?;
        for one in &self.bounds {
            writeln!(f, "  {}", one.sentence(&format!("of {}", self.tested())))?;
            for detail in one.details() {
                writeln!(f, "    {detail}")?;
            }
        }
        Ok(())
    }

    fn write_labels(&self, f: &mut Formatter<'_>, class: &ClassAudit) -> fmt::Result {
        let (Some(labels), positive) = (&class.labels, clean(&class.positive)) else { return Ok(()) };
        writeln!(f, "\nLABELS: `{positive}` against the rest\n")?;
        writeln!(f, "Demographic parity: every group is labelled `{positive}` as often as all rows.")?;
        write_violation(f, &labels.violation)?;
        writeln!(f, "\nPositive rate: share of rows labelled `{positive}`")?;
        let lines = [&labels.overall].into_iter().chain(&labels.groups).chain(&labels.missing);
        self.write_rates(f, lines.map(|line| (line.group.as_str(), &line.positive_rate)))?;
        self.write_intersections(f, labels.intersections.iter().map(|line| (line.group.as_str(), &line.positive_rate)))
    }

    fn write_rates<'a>(&self, f: &mut Formatter<'_>, lines: impl Iterator<Item = (&'a str, &'a Rate)>) -> fmt::Result {
        for (name, rate) in lines {
            let name = clean(name);
            let shown = Shown { rate, weighted: self.weighted };
            let few = if rate.count < self.small_group { ", few" } else { "" };
            if name.chars().count() > NAME {
                writeln!(f, "  {name}\n  {:NAME$}  {shown}{few}", "")?;
            } else {
                writeln!(f, "  {name:NAME$}  {shown}{few}")?;
            }
        }
        Ok(())
    }

    fn write_intersections<'a>(
        &self,
        f: &mut Formatter<'_>,
        lines: impl ExactSizeIterator<Item = (&'a str, &'a Rate)>,
    ) -> fmt::Result {
        let more = lines.len().saturating_sub(MOST_INTERSECTIONS);
        self.write_rates(f, lines.take(MOST_INTERSECTIONS))?;
        if more > 0 { writeln!(f, "  and {} more", counted(more, "intersection")) } else { Ok(()) }
    }
}

fn write_violation(f: &mut Formatter<'_>, violation: &Violation) -> fmt::Result {
    let (of_two_larger, of_two_smaller) = match violation.notion {
        AuditedNotion::EqualizedOdds => (", the larger of both rates", ", the smaller of both rates"),
        _ => ("", ""),
    };
    let largest = violation.paper.as_ref();
    writeln!(f, "  violation   {:<9}  largest |overall - group|{of_two_larger}", number(largest.map(|l| l.value)))?;
    if let Some(largest) = largest {
        let (group, rate) = (clean(&largest.group), rate_name(largest.rate));
        let (of_group, overall) = (largest.group_rate, largest.overall_rate);
        let (low, high) = (largest.low, largest.high);
        writeln!(
            f,
            "              at {group}: {rate} {of_group:.4}, overall {overall:.4}; apart [{low:.4}, {high:.4}]"
        )?;
    }
    let difference = number(violation.difference);
    writeln!(f, "  difference  {difference:<9}  largest minus smallest group rate{of_two_larger}")?;
    writeln!(f, "  ratio       {:<9}  smallest over largest group rate{of_two_smaller}", number(violation.ratio))?;
    for (group, rate) in violation.undefined() {
        writeln!(f, "  passed over: {} has no {}, for lack of rows", clean(group), rate_name(rate))?;
    }
    match violation.gaps.len() / violation.notion.rates().len() {
        0 => writeln!(f, "  no group was asked for, so there is nothing to compare"),
        1 => writeln!(f, "  one group alone has no difference and no ratio"),
        _ => Ok(()),
    }
}

fn definition(notion: AuditedNotion, positive: &str) -> String {
    match notion {
        AuditedNotion::DemographicParity => {
            format!("Demographic parity: every group is predicted `{positive}` as often as all rows.")
        }
        AuditedNotion::EqualOpportunity => {
            format!("Equal opportunity: the same, among rows labelled `{positive}` (true positive rate).")
        }
        AuditedNotion::PredictiveEquality => {
            "Predictive equality: the same, among rows labelled otherwise (false positive rate).".to_owned()
        }
        AuditedNotion::EqualizedOdds => "Equalized odds: equal opportunity and predictive equality at once.".to_owned(),
        AuditedNotion::EqualAccuracy => {
            "Equal accuracy: predictions agree with labels as often in every group as in all rows.".to_owned()
        }
    }
}

pub(super) fn rate_name(kind: RateKind) -> &'static str {
    match kind {
        RateKind::PositiveRate => "positive rate",
        RateKind::TruePositiveRate => "true positive rate",
        RateKind::FalsePositiveRate => "false positive rate",
        RateKind::Accuracy => "accuracy",
    }
}

/// A number that may be undefined.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.4}"))
}

/// A number and its interval: `0.1754 [0.1282, 0.2182]`.
pub(super) fn with_interval(value: f64, low: f64, high: f64) -> String {
    format!("{value:.4} [{low:.4}, {high:.4}]")
}

/// A rate, its interval and its counts.
pub(super) struct Shown<'a> {
    pub(super) rate: &'a Rate,
    pub(super) weighted: bool,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Rate { value: Some(value), low: Some(low), high: Some(high), successes, count, .. } = *self.rate else {
            return write!(f, "{:23}  no rows to ask about", "undefined");
        };
        write!(f, "{}  ", with_interval(value, low, high))?;
        // Without weights the sum of weights is a number of rows, exact up to 2^53.
        if self.weighted {
            write!(f, "{}", counted(count, "row"))
        } else {
            write!(f, "{} of {}", thousands(format_args!("{successes:.0}")), counted(count, "row"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::AuditOptions;
    use crate::data::Codes;
    use crate::group::Membership;

    fn example(groups: &[(&str, [bool; 4])], options: &AuditOptions) -> String {
        let names = groups.iter().map(|(name, _)| (*name).to_owned()).collect();
        let masks: Vec<[bool; 4]> = groups.iter().map(|(_, mask)| *mask).collect();
        let membership =
            if groups.is_empty() { Membership::none(4) } else { Membership::from_masks(names, &masks).unwrap() };
        let (labels, predictions) = (Codes::U8(vec![1, 0, 1, 0]), Codes::U8(vec![1, 0, 0, 0]));
        let classes = ["no".to_owned(), "yes".to_owned()];
        Audit::of(&labels, Some(&predictions), &membership, None, &classes, Some(1), options).unwrap().to_string()
    }

    const A: (&str, [bool; 4]) = ("sex=A", [true, true, false, false]);
    const B: (&str, [bool; 4]) = ("sex=B", [false, false, true, true]);

    #[test]
    fn findings_come_first_and_name_their_definition() {
        let text = example(&[A, B], &AuditOptions { small_group: 0, ..AuditOptions::default() });
        let opportunity = "\
Equal opportunity: the same, among rows labelled `yes` (true positive rate).
  violation   0.5000     largest |overall - group|
              at sex=A: true positive rate 1.0000, overall 0.5000; apart [-0.0611, 0.5000]
  difference  1.0000     largest minus smallest group rate
  ratio       0.0000     smallest over largest group rate
";
        assert!(text.contains(opportunity), "{text}");
        let rates = "
True positive rate: of rows labelled `yes`, share predicted `yes`
  overall                             0.5000 [0.0945, 0.9055]  1 of 2 rows
  sex=A                               1.0000 [0.2065, 1.0000]  1 of 1 row
  sex=B                               0.0000 [0.0000, 0.7935]  0 of 1 row
";
        assert!(text.contains(rates), "{text}");
        assert!(text.find(opportunity) < text.find(rates));
    }

    #[test]
    fn small_groups_are_marked_and_warned_of() {
        let text = example(&[A, B], &AuditOptions::default());
        assert!(text.contains("1 of 2 rows, few\n"), "{text}");
        assert!(text.contains("Warnings\n  group `sex=A` has 2 rows"), "{text}");
    }

    #[test]
    fn one_group_or_none_is_said() {
        assert!(example(&[A], &AuditOptions::default()).contains("one group alone has no difference"));
        assert!(example(&[], &AuditOptions::default()).contains("no group was asked for"));
    }

    #[test]
    fn undefined_rates_are_said() {
        let text = example(&[A, ("negatives", [false, true, false, true])], &AuditOptions::default());
        assert!(text.contains("passed over: negatives has no true positive rate"), "{text}");
    }

    #[test]
    fn lines_are_short_and_names_cannot_break_them() {
        let long = "x".repeat(60) + "\n\u{1b}[31m";
        let text = example(&[A, (&long, [true; 4])], &AuditOptions::default());
        assert!(text.contains(&format!("  {}\\n\\u{{1b}}[31m\n", "x".repeat(60))), "{text}");
        let short = example(&[A, B], &AuditOptions::default());
        assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
        assert!(!text.contains('\u{1b}'));
    }
}
