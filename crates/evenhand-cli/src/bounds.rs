//! Verdicts on the bounds that were asked for: beside a result, and as exit code.

use evenhand::BoundTest;
use serde::Serialize;

use crate::Ending;
use crate::failure::Usage;
use crate::output::note;

/// The test of a bound, and on what.
#[derive(Serialize)]
pub(crate) struct TestedBound {
    #[serde(flatten)]
    judged: Judged,
    #[serde(flatten)]
    bound_test: BoundTest,
}

/// What bounds were judged on.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Judged {
    /// Rows of a fit: `test` or `training`.
    Rows(&'static str),
    /// What was audited: `predictions` or `labels`.
    Of(&'static str),
}

impl TestedBound {
    pub(crate) fn all(bound_tests: Vec<BoundTest>, judged: Judged) -> Vec<Self> {
        bound_tests.into_iter().map(|bound_test| Self { judged, bound_test }).collect()
    }

    /// The verdict with its numbers, and what else there is to know of it.
    pub(crate) fn to_text(&self) -> String {
        let flattering = if matches!(self.judged, Judged::Rows("training")) { "; new rows may differ" } else { "" };
        let details = self.bound_test.details().into_iter().map(|detail| format!("    {detail}\n"));
        format!("  {}{flattering}\n{}", self.bound_test.sentence(&self.on()), details.collect::<String>())
    }

    fn on(&self) -> String {
        match self.judged {
            Judged::Rows(rows) => format!("on {rows} rows"),
            Judged::Of(what) => format!("of {what}"),
        }
    }
}

/// Whether there is something to be strict about.
pub(crate) fn check_strict<B>(strict: bool, bounds: &[B]) -> Result<(), Usage> {
    if strict && bounds.is_empty() {
        return Err(Usage::new("--strict is about bounds, and there is none")
            .hint("give --max-violation, --max-difference or --min-ratio too"));
    }
    Ok(())
}

/// Says on stderr which bounds are not simply met, and how a command with them ends.
pub(crate) fn ending(bounds: &[TestedBound], strict: bool) -> Ending {
    bounds.iter().filter_map(|one| one.bound_test.note(&one.on())).for_each(|line| note(&line));
    if bounds.iter().any(|one| one.bound_test.fails(strict)) { Ending::Missed } else { Ending::Fine }
}
