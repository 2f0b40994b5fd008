//! Verdicts in words, the same in every front end.

use super::{Bound, BoundTest, Verdict};
use crate::format::{clean, listed};

/// At most so many constraints are named in a line; the rest are counted.
const MOST_NAMES: usize = 10;

impl BoundTest {
    /// The verdict with its numbers, without a full stop; `on` says on what, as in `on test rows`.
    pub fn sentence(&self, on: &str) -> String {
        format!("{}: {} ({})", self.asked_on(on), self.verdict, self.numbers())
    }

    /// What else there is to know of it, a line each: where it is worst, what could not be measured, what chance alone
    /// would show.
    pub fn details(&self) -> Vec<String> {
        let worst = self.worst.as_ref().filter(|_| self.verdict != Verdict::Met);
        let even = self.expected_under_parity.filter(|_| self.is_near_null());
        let lines = [
            self.why_open(),
            worst.map(|worst| format!("worst in {}", clean(worst))),
            even.map(|even| format!("by chance alone, equal rates would show about {even:.4} on these rows")),
        ];
        lines.into_iter().flatten().collect()
    }

    /// A note for whoever reads no more than that, where the bound is not simply met; `on` as in [`BoundTest::sentence`].
    pub fn note(&self, on: &str) -> Option<String> {
        let asked = self.asked_on(on);
        let beyond = self.value.filter(|&value| !self.bound.holds(value));
        let chance = match self.verdict {
            Verdict::TooFewRows => "; too few rows to tell whether by chance",
            _ => "",
        };
        match (self.verdict, beyond) {
            (Verdict::Met, _) => None,
            (Verdict::CannotTell, _) => {
                let why = self.why_open().map(|why| format!(": {why}")).unwrap_or_default();
                Some(format!("cannot tell whether it is met: {asked}{why}"))
            }
            (_, Some(value)) => Some(format!("bound not met: {asked}: measured {}{chance}", self.bound.shown(value))),
            _ => Some(format!("note: {asked}: too few rows to tell whether it is met")),
        }
    }

    /// What was not tested, and why, where there is such a thing.
    pub fn why_open(&self) -> Option<String> {
        let unmeasured = named(&self.unmeasured).map(|names| format!("no rows to measure {names}"));
        let itself = named(&self.own_reference)
            .map(|names| format!("nobody to compare with in {names}: everyone it is about is in the group"));
        let open = self.value.is_none() && unmeasured.is_none() && itself.is_none();
        let nothing = open.then(|| "there are no two groups to compare".to_owned());
        let all: Vec<String> = [unmeasured, itself, nothing].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn asked_on(&self, on: &str) -> String {
        format!("{} {on}", clean(&self.asked().to_string()))
    }

    fn numbers(&self) -> String {
        let Some(value) = self.value else { return "nothing could be measured".into() };
        let shown = |value: f64| self.bound.shown(value);
        let at_least = self.low.map(|low| format!("at least {}", shown(low)));
        let at_most = self.high.map(|high| format!("at most {}", shown(high)));
        let less_is_better = !matches!(self.bound, Bound::MinRatio(_));
        let end = match (self.verdict, self.low, self.high) {
            (Verdict::TooFewRows, Some(low), Some(high)) => Some(format!("between {} and {}", shown(low), shown(high))),
            (Verdict::TooFewRows | Verdict::CannotTell, ..) => at_least.or(at_most),
            (verdict, ..) if (verdict == Verdict::Met) == less_is_better => at_most,
            _ => at_least,
        };
        let rest = if self.unmeasured.is_empty() { "" } else { " among the others" };
        let end = end.unwrap_or_default();
        format!("{}{rest}, {end} at {} % confidence", shown(value), hundredths(self.confidence))
    }
}

impl Bound {
    /// How many decimals a value takes, at least so many, to stand on the side of the bound that it is on: 5.03 points are not within 5 points, and
    /// are not shown as 5.0. It is shown in units of which there are so many to one.
    pub fn decimals(&self, value: f64, units: f64, least: usize) -> usize {
        decimals(value * units, least, |shown| self.holds(shown / units) == self.holds(value))
    }

    /// How many decimals the number itself takes, at least so many.
    pub fn limit_decimals(&self, units: f64, least: usize) -> usize {
        let limit = self.limit() * units;
        decimals(limit, least, |shown| (shown - limit).abs() <= 1e-12 * units)
    }

    /// A value, with four decimals or as many as it takes.
    fn shown(&self, value: f64) -> String {
        format!("{value:.*}", self.decimals(value, 1.0, 4))
    }
}

/// The fewest decimals, from so many on, with which a number as it is shown will do.
fn decimals(number: f64, least: usize, will_do: impl Fn(f64) -> bool) -> usize {
    const MOST: usize = 15;
    let shown = |decimals: &usize| format!("{number:.decimals$}").parse().is_ok_and(&will_do);
    (least..=MOST).find(shown).unwrap_or(least)
}

/// The first few names in backquotes, and how many more there are.
fn named(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| listed(names, MOST_NAMES, |name| format!("`{}`", clean(name))))
}

/// 95 for 0.95, without what the multiplication leaves behind.
fn hundredths(share: f64) -> String {
    format!("{:.4}", share * 100.0).trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(verdict: Verdict, value: Option<f64>, unmeasured: &[&str], own_reference: &[&str]) -> BoundTest {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        BoundTest {
            bound: Bound::MaxViolation(0.05),
            notion: None,
            value,
            low: value.map(|value| value / 2.0),
            high: value.map(|value| value * 2.0).filter(|_| unmeasured.is_empty()),
            confidence: 0.95,
            verdict,
            worst: value.map(|_| "demographic-parity sex=F".to_owned()),
            unmeasured: names(unmeasured),
            own_reference: names(own_reference),
            expected_under_parity: None,
            row_count: 100,
        }
    }

    #[test]
    fn every_verdict_has_its_words() {
        let met = tested(Verdict::Met, Some(0.02), &[], &[]);
        assert_eq!(
            met.sentence("on test rows"),
            "max-violation 0.05 on test rows: met (0.0200, at most 0.0400 at 95 % confidence)"
        );
        assert_eq!((met.details().len(), met.note("on test rows")), (0, None));
        let few = tested(Verdict::TooFewRows, Some(0.04), &[], &[]);
        assert_eq!(
            few.sentence("of predictions"),
            "max-violation 0.05 of predictions: too few rows to tell (0.0400, between 0.0200 and 0.0800 at 95 % confidence)"
        );
        assert!(few.note("of predictions").unwrap().starts_with("note: max-violation 0.05 of predictions: too few"));
        let beyond = tested(Verdict::TooFewRows, Some(0.06), &[], &[]).note("on test rows").unwrap();
        assert!(beyond.ends_with("measured 0.0600; too few rows to tell whether by chance"), "{beyond}");
    }

    #[test]
    fn a_number_is_shown_on_its_side_of_the_bound() {
        let beyond = tested(Verdict::TooFewRows, Some(0.050_03), &[], &[]);
        assert!(beyond.note("on test rows").unwrap().contains("measured 0.05003;"));
        assert!(beyond.sentence("on test rows").contains("(0.05003, between 0.0250 and 0.1001"));
        let bounds = [Bound::MaxViolation(0.05), Bound::MinRatio(0.8)];
        let shown = |at: usize, value: f64| format!("{:.*}", bounds[at].decimals(value, 100.0, 1), 100.0 * value);
        assert_eq!(
            [0.0503, 0.051, 0.0496, 0.05, 0.050_000_4].map(|value| shown(0, value)),
            ["5.03", "5.1", "5.0", "5.0", "5.00004"]
        );
        assert_eq!([0.7997, 0.8004, 0.79].map(|value| shown(1, value)), ["79.97", "80.0", "79.0"]);
        // What is the bound but for the rounding of its sums is shown as the bound.
        assert_eq!(shown(0, 0.05 + 4e-16), "5.0");
        let limits =
            [0.05, 0.0025, 0.123_45, 1.0 / 3.0].map(|limit| Bound::MaxDifference(limit).limit_decimals(100.0, 1));
        assert_eq!(limits, [1, 2, 3, 10]);
    }

    #[test]
    fn what_cannot_be_told_is_named() {
        let lost = tested(Verdict::CannotTell, Some(0.02), &["equal-opportunity race=C"], &[]);
        assert_eq!(
            lost.sentence("on test rows"),
            "max-violation 0.05 on test rows: cannot tell (0.0200 among the others, at least 0.0100 at 95 % confidence)"
        );
        assert_eq!(lost.details()[0], "no rows to measure `equal-opportunity race=C`");
        let note = lost.note("on test rows").unwrap();
        assert!(
            note.ends_with("max-violation 0.05 on test rows: no rows to measure `equal-opportunity race=C`"),
            "{note}"
        );
        let everyone = tested(Verdict::CannotTell, None, &[], &["demographic-parity x<=100"]);
        assert_eq!(
            everyone.details(),
            ["nobody to compare with in `demographic-parity x<=100`: everyone it is about is in the group"]
        );
        assert_eq!(tested(Verdict::CannotTell, None, &[], &[]).details(), ["there are no two groups to compare"]);
        let many: Vec<String> = (0..12).map(|at| format!("g{at}")).collect();
        assert!(named(&many).unwrap().ends_with("`g9` and 2 more"));
    }
}
