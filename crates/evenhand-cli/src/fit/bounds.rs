//! Verdicts on the bounds that were asked for, in words.

use evenhand::{Bound, Judgement, Verdict};
use serde::Serialize;

use crate::text::{clean, rate};

/// A judgement, and on which rows.
#[derive(Serialize)]
pub(super) struct Judged {
    /// `test` or `training`.
    rows: &'static str,
    #[serde(flatten)]
    judgement: Judgement,
}

impl Judged {
    pub(super) fn all(judgements: Vec<Judgement>, rows: &'static str) -> Vec<Self> {
        judgements.into_iter().map(|judgement| Self { rows, judgement }).collect()
    }

    /// Whether the exit code says so.
    pub(super) fn is_missed(&self) -> bool {
        self.judgement.is_missed()
    }

    /// The verdict, with its numbers.
    pub(super) fn to_text(&self) -> String {
        let Self { rows, judgement } = self;
        let flattering = if *rows == "training" { "; new rows may differ" } else { "" };
        let verdict = format!("  {}: {} ({}){flattering}\n", self.bound(), judgement.verdict, self.numbers());
        let worst = judgement.worst.as_ref().filter(|_| judgement.verdict != Verdict::Met);
        let floor = judgement.floor.filter(|_| judgement.is_near_floor());
        let lines = [
            Some(verdict),
            worst.map(|worst| format!("    worst in {}\n", clean(worst))),
            floor.map(|floor| {
                format!("    an even classifier would show about {} on such rows by chance\n", rate(floor))
            }),
        ];
        lines.into_iter().flatten().collect()
    }

    /// What is said beside the result, where the bound is not simply met.
    pub(super) fn note(&self) -> Option<String> {
        let (bound, judgement) = (self.bound(), &self.judgement);
        let too_few = judgement.verdict == Verdict::TooFewRows;
        match judgement.value {
            _ if !self.is_missed() => too_few.then(|| format!("note: {bound}: too few rows to tell whether it is met")),
            Some(value) if !judgement.bound.holds(value) => {
                let chance = if too_few { "; too few rows to tell whether by chance" } else { "" };
                Some(format!("bound not met: {bound}: measured {}{chance}", rate(value)))
            }
            _ => Some(format!("bound not met: {bound}: not every constraint could be measured")),
        }
    }

    fn bound(&self) -> String {
        let Self { rows, judgement: Judgement { bound, .. } } = self;
        format!("{} {} on {rows} rows", bound.name(), bound.limit())
    }

    fn numbers(&self) -> String {
        let Judgement { bound, value, low, high, confidence, verdict, .. } = &self.judgement;
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
