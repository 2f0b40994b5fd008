//! The summary in plain words, with its uncertainty.
//!
//! Sentences are made of the numbers of a report and nothing else. A gap whose interval holds zero is never stated as one.

use evenhand::audit::{AskedRate, RateKind};
use evenhand::correction::Effect;
use evenhand::{Bound, Verdict};

use crate::number::{capital, confidence, count, counted, decimal, percent, percent_whole, points, range, with_minus};
use crate::report::{Change, Kind, Report};
use crate::{Bias, Constrained, Gap, Line, Panel};

/// A classifier that decides so few rows otherwise than the rest hardly decides.
const ALIKE: f64 = 0.01;

impl Report {
    /// The summary: first the largest gap before and after, then what else a reader must know.
    pub fn summary(&self) -> Vec<String> {
        match self.kind {
            Kind::Fit => self.found_by_fit(),
            Kind::Frontier => self.found_by_fit().into_iter().chain(self.halfway()).collect(),
            Kind::Audit => {
                let found = self.panels.iter().map(|panel| self.found_in(panel));
                found
                    .take(1)
                    .chain(self.asked.iter().map(|rate| self.asked_for(rate)))
                    .chain(self.verdicts())
                    .chain(self.panels.iter().skip(1).map(|panel| self.found_in(panel)))
                    .chain(self.found_in_scores())
                    .collect()
            }
            Kind::Identify => self.bias.iter().flat_map(Bias::sentences).map(str::to_owned).collect(),
        }
    }

    /// Which group is farthest from everyone, by one rate.
    fn found_in(&self, panel: &Panel) -> String {
        let title = panel.title();
        let value = |line: &Line| line.rates.last().and_then(|rate| rate.value);
        let Some(overall) = value(&panel.overall) else { return format!("{title}: no rows to measure it on.") };
        let measured = panel.groups.iter().filter_map(|line| Some((line, line.gap?, value(line)?)));
        let farthest = measured.reduce(|far, one| if one.1.size() > far.1.size() { one } else { far });
        let Some((worst, gap, of_group)) = farthest else {
            return format!("{title}: {} of everyone; there is no group to compare with.", percent(overall));
        };
        let less = gap.value.is_none_or(|value| value >= 0.0);
        let gap = if less { gap } else { gap.turned() };
        let (among, size) = (panel.among(), points(gap.value.unwrap_or(0.0)));
        let far = format!(
            "rows in {}{among} {} {} often than everyone{among}",
            worst.group,
            panel.done(),
            if less { "less" } else { "more" },
        );
        let numbers = format!("{} against {}", percent(of_group), percent(overall));
        if gap.may_be_none() {
            return format!(
                "Too few rows to tell whether {far}: {size} points were measured ({}), {numbers}.",
                self.interval(&gap)
            );
        }
        format!("{} by {size} points ({}): {numbers}.", capital(&far), self.interval(&gap))
    }

    /// A rate of one's own, and what it is compared with.
    fn asked_for(&self, asked: &AskedRate) -> String {
        let (Some(rate), Some(reference), Some(gap)) = (asked.rate, asked.reference, asked.gap) else {
            return format!("{}: no rows to measure it on, or to compare with.", asked.name);
        };
        let ends = range(asked.low, asked.high, points)
            .map(|ends| format!(", {} interval {ends}", confidence(self.about.confidence)))
            .unwrap_or_default();
        format!(
            "{}: {} of {}, compared with {}; a difference of {} points{ends}.",
            asked.name,
            percent(rate),
            counted(asked.rows, "row"),
            percent(reference),
            points(gap)
        )
    }

    /// What half of the way costs.
    fn halfway(&self) -> Option<String> {
        let path = &self.tradeoff.as_ref()?.points;
        let first = path.first()?;
        let half = first.violation? / 2.0;
        let point = path.iter().find(|point| point.violation.is_some_and(|violation| violation <= half))?;
        let change = point.error - first.error;
        let more = if change < 0.0 { "less" } else { "more" };
        Some(format!(
            "The first point with half of the largest violation or less ({} of {} points) has {} points {more} error on the observed labels than no correction.",
            points(point.violation?),
            points(first.violation?),
            points(change.abs())
        ))
    }

    fn found_by_fit(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.beyond_evenness().into_iter().collect();
        let farthest = |gap: fn(&Constrained) -> &Gap| {
            let measured = self.constraints.iter().filter(move |one| gap(one).value.is_some());
            measured.reduce(|far, one| if gap(one).size() > gap(far).size() { one } else { far })
        };
        match farthest(|one| &one.before) {
            Some(worst) => {
                sentences.push(self.before(worst));
                sentences.push(self.after(worst));
                let left = farthest(|one| &one.after).filter(|left| left.name != worst.name);
                sentences
                    .extend(left.filter(|left| left.after.size() > worst.after.size()).map(|left| self.left(left)));
            }
            None if !self.constraints.is_empty() => {
                sentences
                    .push("These rows are too few to tell anything: no group has rows that could be measured.".into());
            }
            None => {}
        }
        let unmeasured = self.constraints.iter().filter(|one| one.after.value.is_none()).count();
        if unmeasured > 0 && unmeasured < self.constraints.len() {
            let what =
                if unmeasured == 1 { "1 constraint".to_owned() } else { format!("{} constraints", count(unmeasured)) };
            sentences.push(format!("Too few rows to tell: {what} could not be measured at all."));
        }
        sentences.extend(self.undecided());
        sentences.extend(self.verdicts());
        sentences.extend(self.left_undone());
        sentences
    }

    /// What the correction changes that was not asked for. It comes first: "met" alone would hide it.
    fn beyond_evenness(&self) -> Option<String> {
        let summary = self.effect.as_ref()?.summary.as_deref()?;
        let end = if self.is_path() { "At the end of the path: the" } else { "The" };
        Some(summary.replacen("The", end, 1))
    }

    /// What a search that stopped for the cost left undone.
    fn left_undone(&self) -> Option<String> {
        let search = self.search.as_ref().filter(|search| search.trade_off.is_some())?;
        Some(format!("The search {}.", search.ending))
    }

    /// Says so where a corrected classifier decides nearly alike for all: then rates are even, and of no use.
    fn undecided(&self) -> Option<String> {
        let panel = self.panels.iter().find(|panel| panel.rate == RateKind::PositiveRate)?;
        let rate = |line: &Line| line.rates.last().and_then(|rate| rate.value);
        let everyone = rate(&panel.overall).filter(|_| self.about.classes.len() == 2)?;
        (!(ALIKE..=1.0 - ALIKE).contains(&everyone)).then(|| {
            format!(
                "Note that {} of everyone are then predicted “{}”: rates are even because it hardly decides.",
                percent(everyone),
                panel.class
            )
        })
    }

    fn interval(&self, gap: &Gap) -> String {
        let ends = gap.range().unwrap_or_else(|| "not known".into());
        format!("{}\u{20}interval {ends}", confidence(self.about.confidence))
    }

    fn before(&self, worst: &Constrained) -> String {
        let less = worst.before.value.is_none_or(|value| value >= 0.0);
        let gap = if less { worst.before } else { worst.before.turned() };
        let (subject, predicted, than) = (worst.subject(), worst.predicted(), worst.than(less));
        let size = points(gap.value.unwrap_or(0.0));
        if gap.may_be_none() {
            return format!(
                "Before correction there were too few rows to tell whether {subject} were {predicted} {than}: {size} points were measured ({}).",
                self.interval(&gap)
            );
        }
        format!("Before correction, {subject} were {predicted} {size} points {than} ({}).", self.interval(&gap))
    }

    fn after(&self, worst: &Constrained) -> String {
        let less = worst.before.value.is_none_or(|value| value >= 0.0);
        let gap = if less { worst.after } else { worst.after.turned() };
        let with = match self.method.as_deref() {
            _ if self.kind == Kind::Frontier => "At the end of the path".to_owned(),
            None | Some("correction") => "After it".to_owned(),
            Some(method) => format!("With the method {method}"),
        };
        let Some(value) = gap.value else { return format!("{with}: too few rows to tell.") };
        let ends = gap.range().map(|ends| format!(" ({ends})")).unwrap_or_default();
        let chance = if gap.may_be_none() { ", which these rows cannot tell from none" } else { "" };
        format!("{with}: {} points{ends}{chance}{}{}.", points(value), self.price(), self.positives())
    }

    /// What it costs: error is always that on the observed labels.
    fn price(&self) -> String {
        let Some(Change { error_before, error_after, error_change_low, error_change_high, .. }) = self.change else {
            return String::new();
        };
        let change = error_after - error_before;
        let from = format!("{} before, {} after", percent(error_before), percent(error_after));
        if points(change) == "0.0" {
            return format!(", with the same error on the observed labels ({from})");
        }
        let (more, low, high) = if change > 0.0 {
            ("more", error_change_low, error_change_high)
        } else {
            ("less", error_change_high.map(|high| -high), error_change_low.map(|low| -low))
        };
        let ends = range(low, high, points).map(|ends| format!("{ends}; ")).unwrap_or_default();
        format!(", at {} points {more} error on the observed labels ({ends}{from})", points(change.abs()))
    }

    /// How many more or fewer are predicted positive.
    fn positives(&self) -> String {
        let change = self.effect.as_ref().and_then(|effect: &Effect| effect.positive_rate);
        let (Some(change), Some(class)) = (change, &self.about.positive) else { return String::new() };
        let (before, after) = (percent(change.before), percent(change.after));
        if change.before <= 0.0 || before == after {
            return String::new();
        }
        let share = percent_whole((change.after / change.before - 1.0).abs());
        let fewer = if change.after < change.before { "fewer" } else { "more" };
        format!(", and {share} {fewer} rows predicted “{class}” ({before} before, {after} after)")
    }

    fn left(&self, left: &Constrained) -> String {
        let less = left.after.value.is_none_or(|value| value >= 0.0);
        let gap = if less { left.after } else { left.after.turned() };
        let chance = if gap.may_be_none() { "; these rows cannot tell it from none" } else { "" };
        format!(
            "The largest gap that is left: {} are {} {} points {} ({}{chance}).",
            left.subject(),
            left.predicted(),
            points(gap.value.unwrap_or(0.0)),
            left.than(less),
            self.interval(&gap)
        )
    }

    /// Whether bounds hold. Each says which definition it is a bound on.
    fn verdicts(&self) -> impl Iterator<Item = String> {
        self.verdicts.iter().map(|tested| {
            let bound = tested.bound;
            let (units, least, unit, than) = match bound {
                Bound::MinRatio(_) => (1.0, 3, "", "at least"),
                _ => (100.0, 1, " points", "at most"),
            };
            let shown = |value: f64| decimal(value * units, bound.decimals(value, units, least));
            let asked = format!("{than} {}", decimal(bound.limit() * units, bound.limit_decimals(units, least)));
            let verdict = match tested.verdict {
                Verdict::Met => "met",
                Verdict::NotMet => "not met",
                Verdict::TooFewRows => "too few rows to tell whether it is met",
                Verdict::CannotTell => "it cannot be told whether it is met",
            };
            let on = self.tested.as_ref().map(|tested| format!("{tested}, ")).unwrap_or_default();
            let open: Vec<String> = tested.why_open().into_iter().map(|why| format!(" ({why})")).collect();
            let found = tested.value.map(|value| format!("; {}{unit} measured", shown(value))).unwrap_or_default();
            let ends = range(tested.low, tested.high, shown)
                .map(|ends| format!(", {} interval {ends}", confidence(tested.confidence)))
                .unwrap_or_default();
            let notion = tested.notion.as_ref().map(|notion| format!("{notion}, ")).unwrap_or_default();
            format!(
                "The bound that was asked for, {asked}{unit} ({on}{notion}{}): {verdict}{}{found}{ends}.",
                with_minus(tested.bound.measured()),
                open.concat()
            )
        })
    }
}
