//! Bounds: how they are asked for, and the verdicts on them, beside a result and as exit code.

use clap::Args;
use evenhand::correction::Limit;
use evenhand::{BoundTest, Notion, NotionBound};
use serde::Serialize;

use crate::Ending;
use crate::failure::Usage;
use crate::output::note;

/// How uneven rates may be.
#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    /// Ask for no more than this: largest |overall - group| rate.
    ///
    /// A number is for all notions, NOTION=RATE for one of them (repeatable).
    #[arg(long, value_name = "[NOTION=]RATE", help_heading = "Bounds")]
    pub(crate) max_violation: Vec<Limit>,

    /// Ask for no more than this between any two groups: largest difference of their rates.
    ///
    /// For all notions, or NOTION=RATE for one.
    #[arg(long, value_name = "[NOTION=]RATE", help_heading = "Bounds")]
    pub(crate) max_difference: Vec<Limit>,

    /// Ask for no less than this between any two groups: smallest ratio of their rates (0.8 is the four-fifths rule).
    ///
    /// For all notions, or NOTION=RATIO for one.
    #[arg(long, value_name = "[NOTION=]RATIO", help_heading = "Bounds")]
    pub(crate) min_ratio: Vec<Limit>,
}

impl BoundsArgs {
    /// The bounds on these notions.
    ///
    /// # Errors
    /// Those of [`NotionBound::of_limits`].
    pub(crate) fn on(&self, notions: &[Notion]) -> evenhand::Result<Vec<NotionBound>> {
        NotionBound::of_limits(&self.max_violation, &self.max_difference, &self.min_ratio, notions)
    }
}

/// The test of a bound, and on what.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TestedBound {
    #[serde(flatten)]
    on: TestedOn,
    #[serde(flatten)]
    bound_test: BoundTest,
}

/// What bounds were tested on.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TestedOn {
    /// Rows of a fit: `test` or `training`.
    Rows(&'static str),
    /// What was audited: `predictions` or `labels`.
    Of(&'static str),
}

impl TestedBound {
    pub(crate) fn all(bound_tests: Vec<BoundTest>, on: TestedOn) -> Vec<Self> {
        bound_tests.into_iter().map(|bound_test| Self { on, bound_test }).collect()
    }

    /// The verdict with its numbers, and what else there is to know of it.
    pub(crate) fn to_text(&self) -> String {
        let flattering = if matches!(self.on, TestedOn::Rows("training")) { "; new rows may differ" } else { "" };
        let details = self.bound_test.details().into_iter().map(|detail| format!("    {detail}\n"));
        format!("  {}{flattering}\n{}", self.bound_test.sentence(&self.on()), details.collect::<String>())
    }

    fn on(&self) -> String {
        match self.on {
            TestedOn::Rows(rows) => format!("on {rows} rows"),
            TestedOn::Of(what) => format!("of {what}"),
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
