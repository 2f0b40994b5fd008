//! Verdicts on the bounds that were asked for, in words.

use evenhand::{Bound, BoundTest, Verdict};
use serde::Serialize;

use crate::text::{clean, rate};

/// The test of a bound, and on which rows.
#[derive(Serialize)]
pub(super) struct TestedBound {
    /// `test` or `training`.
    rows: &'static str,
    #[serde(flatten)]
    bound_test: BoundTest,
}

impl TestedBound {
    pub(super) fn all(bound_tests: Vec<BoundTest>, rows: &'static str) -> Vec<Self> {
        bound_tests.into_iter().map(|bound_test| Self { rows, bound_test }).collect()
    }

    /// Whether the exit code says so.
    pub(super) fn is_missed(&self) -> bool {
        self.bound_test.is_missed()
    }

    /// The verdict, with its numbers.
    pub(super) fn to_text(&self) -> String {
        let Self { rows, bound_test } = self;
        let flattering = if *rows == "training" { "; new rows may differ" } else { "" };
        let verdict = format!("  {}: {} ({}){flattering}\n", self.bound(), bound_test.verdict, self.numbers());
        let worst = bound_test.worst.as_ref().filter(|_| bound_test.verdict != Verdict::Met);
        let floor = bound_test.expected_under_parity.filter(|_| bound_test.is_near_null());
        let lines = [
            Some(verdict),
            worst.map(|worst| format!("    worst in {}\n", clean(worst))),
            floor.map(|floor| {
                format!("    an even classifier would show about {} on such rows by chance\n", rate(floor))
            }),
        ];
        lines.into_iter().flatten().collect()
    }

    /// The note beside the result, where the bound is not simply met.
    pub(super) fn note(&self) -> Option<String> {
        let (bound, bound_test) = (self.bound(), &self.bound_test);
        let too_few = bound_test.verdict == Verdict::TooFewRows;
        match bound_test.value {
            _ if !self.is_missed() => too_few.then(|| format!("note: {bound}: too few rows to tell whether it is met")),
            Some(value) if !bound_test.bound.holds(value) => {
                let chance = if too_few { "; too few rows to tell whether by chance" } else { "" };
                Some(format!("bound not met: {bound}: measured {}{chance}", rate(value)))
            }
            _ => Some(format!("bound not met: {bound}: not every constraint could be measured")),
        }
    }

    fn bound(&self) -> String {
        let Self { rows, bound_test } = self;
        format!("{} on {rows} rows", clean(&bound_test.asked().to_string()))
    }

    fn numbers(&self) -> String {
        let BoundTest { bound, value, low, high, confidence, verdict, .. } = &self.bound_test;
        let Some(value) = value else { return "nothing could be measured".into() };
        let at_least = low.map(|low| format!("at least {}", rate(low)));
        let at_most = high.map(|high| format!("at most {}", rate(high)));
        let less_is_better = !matches!(bound, Bound::MinRatio(_));
        let end = match (verdict, low, high) {
            (Verdict::TooFewRows, Some(low), Some(high)) => Some(format!("between {} and {}", rate(*low), rate(*high))),
            (Verdict::TooFewRows, ..) => at_least.or(at_most),
            _ if (*verdict == Verdict::Met) == less_is_better => at_most,
            _ => at_least,
        };
        format!("{}, {} at {} % confidence", rate(*value), end.unwrap_or_default(), hundredths(*confidence))
    }
}

/// 95 for 0.95, without what the multiplication leaves behind.
fn hundredths(share: f64) -> String {
    format!("{:.4}", share * 100.0).trim_end_matches('0').trim_end_matches('.').to_owned()
}
