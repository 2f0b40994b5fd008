//! An audit in a few lines: what a reader looks for first.
//!
//! The violation of each notion with its interval and what can be said of it, the rates of groups side by side, and what
//! was asked for by name. Everything else is in `text`, whose words are used here.

use std::fmt::{self, Display, Formatter};

use super::text::{Shown, number, rate_name, with_interval};
use super::{
    Audit, AuditedNotion, ClassAudit, GroupRates, GroupScores, LabelRates, Largest, Rate, RateKind, Violation,
};
use crate::format::{clean, counted, thousands};

/// At most so many groups are written, those whose rates are farthest from everyone's.
const MOST_GROUPS: usize = 12;

/// Names longer than this get a line of their own.
const NAME: usize = 28;

/// The rates of predictions, and how columns call them. Without labels the first alone is known.
const PREDICTED: [(RateKind, &str); 4] = [
    (RateKind::PositiveRate, "predicted"),
    (RateKind::TruePositiveRate, "true pos."),
    (RateKind::FalsePositiveRate, "false pos."),
    (RateKind::Accuracy, "accuracy"),
];

impl Audit {
    /// The audit in a few lines: violations, and rates by group. As text it has everything.
    pub fn summary(&self) -> String {
        Summary(self).to_string()
    }
}

struct Summary<'a>(&'a Audit);

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let audit = self.0;
        audit.write_head(f)?;
        audit.write_asked(f)?;
        audit.write_bounds(f)?;
        self.write_violations(f)?;
        if let Some(table) = Table::of(&audit.classes) {
            self.write_table(f, &table)?;
        }
        self.write_scores(f)?;
        audit.write_warnings(f)
    }
}

impl Summary<'_> {
    /// The violation of each notion, the largest over the classes.
    fn write_violations(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let classes = &self.0.classes;
        let of_labels = classes.iter().filter_map(|class| Some((class, &class.labels.as_ref()?.violation)));
        writeln!(f, "\nVIOLATIONS: the largest |overall - group| rate, and whose it is")?;
        self.write_largest(f, "demographic parity of labels", of_labels)?;
        for notion in AuditedNotion::ALL {
            let of_notion = classes.iter().filter_map(|class| {
                let violations = &class.predictions.as_ref()?.violations;
                Some((class, violations.iter().find(|violation| violation.notion == notion)?))
            });
            self.write_largest(f, name_of(notion), of_notion)?;
        }
        Ok(())
    }

    fn write_largest<'a>(
        &self,
        f: &mut Formatter<'_>,
        name: &str,
        violations: impl Iterator<Item = (&'a ClassAudit, &'a Violation)>,
    ) -> fmt::Result {
        let mut violations = violations.peekable();
        let Some((_, first)) = violations.peek() else { return Ok(()) };
        let nobody = if first.gaps.is_empty() { "no group was asked for" } else { "no rows to measure it on" };
        let measured = violations.filter_map(|(class, violation)| Some((class, violation.paper.as_ref()?)));
        let largest = measured.reduce(|most, one| if one.1.value > most.1.value { one } else { most });
        let Some((class, largest)) = largest else { return writeln!(f, "  {name:NAME$}  undefined: {nobody}") };
        let Largest { value, low, high, group, .. } = largest;
        let class = if self.0.classes.len() > 1 { format!("`{}`, ", clean(&class.positive)) } else { String::new() };
        let interval = with_interval(*value, *low, *high);
        writeln!(f, "  {name:NAME$}  {interval:25}  {class}{}: {}", clean(group), verdict(largest))
    }

    fn write_table(&self, f: &mut Formatter<'_>, table: &Table<'_>) -> fmt::Result {
        writeln!(f, "\n{}", table.title)?;
        let (shown, left_out) = table.farthest();
        if table.heads.len() > 1 {
            writeln!(f, "  {:NAME$}  {:>9}  {}", "", "rows", table.heads.join("  "))?;
        }
        let lines: Vec<&Line<'_>> = std::iter::once(&table.overall).chain(shown).chain(&table.missing).collect();
        for line in &lines {
            self.write_line(f, table, line)?;
        }
        if left_out > 0 {
            writeln!(f, "  and {} nearer to overall", counted(left_out, "group"))?;
        }
        if lines.iter().any(|line| self.is_small(line)) {
            writeln!(f, "  few: a share of fewer than {}", counted(self.0.small_group, "row"))?;
        }
        let crossed = table.crossed.iter().filter_map(|line| {
            let rate = line.rates[table.by()];
            Some((line.group, rate.value.filter(|_| rate.count >= self.0.small_group)?))
        });
        let mut crossed: Vec<(&str, f64)> = crossed.collect();
        crossed.sort_by(|one, other| one.1.total_cmp(&other.1));
        if let [(least, low), .., (most, high)] = crossed.as_slice() {
            let (head, least, most) = (table.heads[table.by()], clean(least), clean(most));
            writeln!(f, "  in several groups at once, {head}: {low:.4} ({least}) to {high:.4} ({most})")?;
        }
        Ok(())
    }

    /// The rates of some rows: one with its interval, several without theirs.
    fn write_line(&self, f: &mut Formatter<'_>, table: &Table<'_>, line: &Line<'_>) -> fmt::Result {
        let name = clean(line.group);
        if name.chars().count() > NAME {
            write!(f, "  {name}\n  {:NAME$}  ", "")?;
        } else {
            write!(f, "  {name:NAME$}  ")?;
        }
        match line.rates.as_slice() {
            [rate] => write!(f, "{}", Shown { rate, weighted: self.0.weighted })?,
            rates => {
                write!(f, "{:>9}", thousands(line.rows))?;
                for (rate, head) in rates.iter().zip(&table.heads) {
                    let shown = rate.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
                    write!(f, "  {shown:>width$}", width = head.len())?;
                }
            }
        }
        writeln!(f, "{}", if self.is_small(line) { "  few" } else { "" })
    }

    /// Whether one of its rates is a share of few rows.
    fn is_small(&self, line: &Line<'_>) -> bool {
        line.rates.iter().any(|rate| rate.count < self.0.small_group)
    }

    /// What scores show, a line for each group.
    fn write_scores(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(scores) = &self.0.scores else { return Ok(()) };
        writeln!(f, "\nSCORES: `{}`, decided from {} on", clean(&scores.column), scores.threshold)?;
        writeln!(f, "Calibration in the large: mean score minus share labelled positive; above 0 scores are too high")?;
        writeln!(f, "  {:NAME$}  {:24}  {:26}  calib. error", "", "AUC", "calibration in the large")?;
        let estimated = |one: Option<super::Estimate>| {
            one.map_or_else(|| "undefined".to_owned(), |one| with_interval(one.value, one.low, one.high))
        };
        let line = |f: &mut Formatter<'_>, group: &GroupScores| {
            let (auc, calibration) = (estimated(group.auc), estimated(group.calibration));
            let error = number(group.calibration_error);
            let few = if group.rows < self.0.small_group { "  few" } else { "" };
            writeln!(f, "  {:NAME$}  {auc:24}  {calibration:26}  {error}{few}", clean(&group.group))
        };
        line(f, &scores.overall)?;
        for group in scores.groups.iter().take(MOST_GROUPS).chain(&scores.missing) {
            line(f, group)?;
        }
        match scores.groups.len().saturating_sub(MOST_GROUPS) {
            0 => Ok(()),
            more => writeln!(f, "  and {} more", counted(more, "group")),
        }
    }
}

/// Rates by group.
struct Table<'a> {
    title: String,
    heads: Vec<&'static str>,
    overall: Line<'a>,
    groups: Vec<Line<'a>>,
    missing: Vec<Line<'a>>,
    /// Rows in several groups at once.
    crossed: Vec<Line<'a>>,
}

/// The rates of some rows, one for each column.
struct Line<'a> {
    group: &'a str,
    rows: usize,
    rates: Vec<&'a Rate>,
}

impl<'a> Table<'a> {
    /// Of one class all rates that are known; of several how often each group is predicted right.
    fn of(classes: &'a [ClassAudit]) -> Option<Self> {
        match classes {
            [class] => Some(Self::of_class(class)),
            [first, ..] => {
                let found = first.predictions.as_ref()?;
                let lines = |of: &'a [GroupRates]| {
                    let line =
                        |one: &'a GroupRates| Line { group: &one.group, rows: one.rows, rates: vec![&one.accuracy] };
                    of.iter().map(line).collect::<Vec<_>>()
                };
                Some(Self {
                    title: "Accuracy: share of rows where prediction and label agree".to_owned(),
                    heads: vec!["accuracy"],
                    overall: lines(std::slice::from_ref(&found.overall)).remove(0),
                    groups: lines(&found.groups),
                    missing: lines(&found.missing),
                    crossed: lines(&found.intersections),
                })
            }
            [] => None,
        }
    }

    fn of_class(class: &'a ClassAudit) -> Self {
        let (labels, found, positive) = (class.labels.as_ref(), class.predictions.as_ref(), clean(&class.positive));
        let known = if labels.is_some() { &PREDICTED[..] } else { &PREDICTED[..1] };
        let lines = |labelled: Option<&'a [LabelRates]>, predicted: Option<&'a [GroupRates]>| {
            let count = labelled.map(<[_]>::len).or(predicted.map(<[_]>::len)).unwrap_or(0);
            let line = |at: usize| Line::of(labelled.map(|all| &all[at]), predicted.map(|all| &all[at]), known);
            (0..count).map(line).collect::<Vec<_>>()
        };
        let of = |own: fn(&'a super::LabelAudit) -> &'a [LabelRates],
                  other: fn(&'a super::PredictionAudit) -> &'a [GroupRates]| {
            lines(labels.map(own), found.map(other))
        };
        let title = match (labels, found) {
            (Some(_), Some(_)) => {
                format!(
                    "RATES of `{positive}`: true pos. among rows labelled `{positive}`, false pos. among the others"
                )
            }
            (Some(_), None) => format!("Positive rate: share of rows labelled `{positive}`"),
            (None, _) => format!("Positive rate: share of rows predicted `{positive}`"),
        };
        let of_predictions = known.iter().filter(|_| found.is_some()).map(|(_, head)| *head);
        Self {
            title,
            heads: labels.map(|_| "labelled").into_iter().chain(of_predictions).collect(),
            overall: of(|one| std::slice::from_ref(&one.overall), |one| std::slice::from_ref(&one.overall)).remove(0),
            groups: of(|one| &one.groups, |one| &one.groups),
            missing: of(|one| &one.missing, |one| &one.missing),
            crossed: of(|one| &one.intersections, |one| &one.intersections),
        }
    }

    /// The column that groups are ordered by: predictions where there are any.
    fn by(&self) -> usize {
        usize::from(self.heads.len() > 1)
    }

    /// The groups farthest from everyone by any rate, in their order, and how many there are besides.
    fn farthest(&self) -> (Vec<&Line<'a>>, usize) {
        let distance = |line: &Line<'_>| {
            let apart = line.rates.iter().zip(&self.overall.rates).map(|(one, all)| Some(one.value? - all.value?));
            apart.flatten().map(f64::abs).fold(0.0, f64::max)
        };
        let mut sizes: Vec<f64> = self.groups.iter().map(distance).collect();
        sizes.sort_by(|one, other| other.total_cmp(one));
        let least = sizes.get(MOST_GROUPS - 1).copied().unwrap_or(0.0);
        let shown: Vec<&Line<'a>> =
            self.groups.iter().filter(|line| distance(line) >= least).take(MOST_GROUPS).collect();
        let left_out = self.groups.len() - shown.len();
        (shown, left_out)
    }
}

impl<'a> Line<'a> {
    fn of(labelled: Option<&'a LabelRates>, found: Option<&'a GroupRates>, known: &[(RateKind, &str)]) -> Self {
        let of_labels = labelled.map(|one| (one.group.as_str(), one.rows));
        let (group, rows) = of_labels.or(found.map(|one| (one.group.as_str(), one.rows))).unwrap_or_default();
        let of_predictions = found.into_iter().flat_map(|found| known.iter().map(|(kind, _)| found.rate(*kind)));
        Self { group, rows, rates: labelled.map(|one| &one.positive_rate).into_iter().chain(of_predictions).collect() }
    }
}

/// What can be said of a group that was measured farthest from everyone.
fn verdict(largest: &Largest) -> String {
    if largest.low <= 0.0 {
        return "too few rows to tell".to_owned();
    }
    let way = if largest.group_rate < largest.overall_rate { "lower" } else { "higher" };
    format!("{way} {}", rate_name(largest.rate))
}

fn name_of(notion: AuditedNotion) -> &'static str {
    match notion {
        AuditedNotion::DemographicParity => "demographic parity",
        AuditedNotion::EqualOpportunity => "equal opportunity",
        AuditedNotion::PredictiveEquality => "predictive equality",
        AuditedNotion::EqualizedOdds => "equalized odds",
        AuditedNotion::EqualAccuracy => "equal accuracy",
    }
}

#[cfg(test)]
mod tests {
    use crate::audit::{Audit, AuditOptions};
    use crate::data::Codes;
    use crate::group::Membership;

    /// So many rows of each of some groups, every third labelled positive; `predicted` says who is predicted so.
    fn audited(groups: usize, rows: usize, predicted: Option<fn(usize, usize) -> bool>) -> Audit {
        let all: Vec<(usize, usize)> = (0..groups).flat_map(|group| (0..rows).map(move |row| (group, row))).collect();
        let names = (0..groups).map(|group| format!("team={group}")).collect();
        let masks: Vec<Vec<bool>> = (0..groups).map(|group| all.iter().map(|one| one.0 == group).collect()).collect();
        let membership = Membership::from_masks(names, &masks).unwrap();
        let codes =
            |of: &dyn Fn(usize, usize) -> bool| Codes::U8(all.iter().map(|&(g, r)| u8::from(of(g, r))).collect());
        let labels = codes(&|_, row| row.is_multiple_of(3));
        let predictions = predicted.map(|predicted| codes(&predicted));
        let classes = ["no".to_owned(), "yes".to_owned()];
        let options = AuditOptions::default();
        Audit::of(&labels, predictions.as_ref(), &membership, None, &classes, Some(1), &options).unwrap()
    }

    #[test]
    fn a_summary_has_a_line_for_each_notion_and_group() {
        let audit = audited(2, 300, Some(|group, row| row.is_multiple_of(3) || (group == 1 && row % 3 == 1)));
        let text = audit.summary();
        let largest = audit.classes[0].predictions.as_ref().unwrap().violations[0].paper.as_ref().unwrap();
        let interval = format!("{:.4} [{:.4}, {:.4}]", largest.value, largest.low, largest.high);
        let parity = format!("  demographic parity            {interval}    team=0: lower positive rate\n");
        assert!(interval.starts_with("0.1667 [0.1") && text.contains(&parity), "{text}");
        assert!(text.contains("  equal opportunity             0.0000 ["), "{text}");
        assert!(text.contains(": too few rows to tell\n"), "{text}");
        let line = "  team=1                              300    0.3333     0.6667     1.0000      0.5000    0.6667\n";
        assert!(text.contains(line), "{text}");
        assert!(text.lines().count() < audit.to_string().lines().count() / 2, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn labels_alone_have_their_intervals_and_few_rows_are_marked() {
        let text = audited(2, 20, None).summary();
        assert!(text.contains("  demographic parity of labels  0.0000 ["), "{text}");
        assert!(
            text.contains("  team=0                        0.3500 [0.1812, 0.5671]  7 of 20 rows  few\n"),
            "{text}"
        );
        assert!(text.contains("  few: a share of fewer than 30 rows\n"), "{text}");
    }

    #[test]
    fn of_many_groups_the_farthest_are_shown() {
        let text = audited(40, 60, Some(|group, row| row < group)).summary();
        assert!(text.contains("  and 28 groups nearer to overall\n"), "{text}");
        assert!(text.contains("  team=39 ") && !text.contains("  team=19 "), "{text}");
    }
}
