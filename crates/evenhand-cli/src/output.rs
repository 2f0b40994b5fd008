//! Where output goes: data to stdout, everything else to stderr.
//!
//! Nothing gets to a terminal but through here, `failure` and `progress`: what could move its cursor is shown escaped.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use evenhand::format::{clean, clean_json, clean_lines};
use evenhand::{Quantity, Warning};
use serde::Serialize;

/// Whether a table or a file goes to stdout: then what is said about it goes to stderr.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes stdout for a table or a file; false where another has it already.
pub(crate) fn take_stdout() -> bool {
    !IS_TAKEN.swap(true, Ordering::Relaxed)
}

/// Writes text to stdout, or to stderr where data go to stdout.
///
/// # Errors
/// What the system says when it cannot be written to.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    put(&clean_lines(text))
}

/// A reader that went away is no error: it has what it wanted.
fn put(text: &str) -> anyhow::Result<()> {
    let write = |mut to: Box<dyn Write>| to.write_all(text.as_bytes()).and_then(|()| to.flush());
    let written =
        if IS_TAKEN.load(Ordering::Relaxed) { write(Box::new(io::stderr())) } else { write(Box::new(io::stdout())) };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a value as indented JSON to where [`text`] goes.
///
/// # Errors
/// As [`text`].
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    put(&clean_json(&(serde_json::to_string_pretty(value)? + "\n")))
}

/// Shows what a command found: as JSON with everything in it, or as text with its warnings on stderr.
///
/// # Errors
/// As [`text`].
pub(crate) fn report(
    json: bool,
    report: &impl Serialize,
    warnings: &[WarningRecord],
    shown: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    if json {
        return self::json(report);
    }
    warn(warnings);
    text(&shown())
}

/// Says something on stderr, on one line. Where that is closed there is nobody to tell.
pub(crate) fn note(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", clean(message));
}

/// A warning as JSON has it: its data, its text, and which rows it is about.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WarningRecord {
    #[serde(flatten)]
    warning: Warning,
    /// The same in words.
    message: String,
    /// Which rows it is about, `training` or `test`, where that has to be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    row_set: Option<&'static str>,
}

impl WarningRecord {
    /// Warnings about some rows, each once.
    pub(crate) fn all(warnings: Vec<Warning>, row_set: Option<&'static str>) -> Vec<Self> {
        let mut records: Vec<Self> = Vec::new();
        for warning in warnings {
            if !records.iter().any(|known| known.warning == warning) {
                records.push(Self { message: warning.to_string(), warning, row_set });
            }
        }
        records
    }
}

/// What stands before rates and verdicts, where these say nothing more: that all rows are decided alike.
pub(crate) fn alike(warnings: &[WarningRecord]) -> String {
    let alike = |record: &&WarningRecord| matches!(record.warning, Warning::OneDecision { .. });
    warnings.iter().find(alike).map(|record| format!("Note: {}.\n\n", clean(&record.message))).unwrap_or_default()
}

/// Prints warnings on stderr, each with what can be done about it.
pub(crate) fn warn(warnings: &[WarningRecord]) {
    let mut advised: Vec<String> = Vec::new();
    for WarningRecord { warning, message, row_set } in warnings {
        let row_set = row_set.map(|row_set| format!(" ({row_set} rows)")).unwrap_or_default();
        note(&format!("warning{row_set}: {message}"));
        // What several warnings advise is said once.
        if let Some(advice) = advice(warning).filter(|one| !advised.contains(one)) {
            note(&format!("  advice: {advice}"));
            advised.push(advice);
        }
    }
}

fn advice(warning: &Warning) -> Option<String> {
    let fixed = match warning {
        Warning::PossibleCodes { columns } => {
            let (column, it) = match columns.as_slice() {
                [one] => (one.column.as_str(), "it"),
                _ => ("COLUMN", "one"),
            };
            return Some(format!(
                "--categorical '{column}' makes {it} a category, --numeric '{column}' says that it is a number"
            ));
        }
        Warning::StrayText { column, others, .. } if *others > 0 => {
            return Some(format!(
                "write numbers without separators, units and other signs (1234.5); --missing TEXT for a text that means a missing value, --categorical '{column}' if categories are meant"
            ));
        }
        Warning::StrayText { column, texts, .. } => {
            let missing: Vec<String> = texts.iter().map(|text| format!("--missing '{text}'")).collect();
            return Some(format!(
                "{} if it means a missing value, --categorical '{column}' if categories are meant",
                missing.join(" ")
            ));
        }
        Warning::NotableChange { quantity: Quantity::Error, .. } => {
            Some("a looser bound (--max-violation) costs less, and `evenhand frontier` shows how much each does")
        }
        Warning::NotableChange { .. } | Warning::LevelledDown { .. } => {
            let [rate, close] = warning.target_rate()?;
            return Some(format!(
                "--notion target-rate={rate} --max-violation target-rate={close} beside the others asks for as many positives as before"
            ));
        }
        Warning::WorseThanConstant { .. } => Some(
            "a looser bound costs less; if the learner does not see the groups, it may have too little to tell people apart by (in the documentation: When not to correct at all)",
        ),
        Warning::OneDecision { .. } => Some(
            "a bound that is met says no more than that; another threshold, a looser bound or features that tell more may tell people apart",
        ),
        Warning::MissingApart { .. } => Some("fill the values where they are known, or make them a group of their own"),
        Warning::SmallGroup { .. } => Some("join it with others, as in --group 'race=A|B', or bring more rows"),
        Warning::MissingSensitive { .. } => Some("fill the values where they are known"),
        Warning::AlikeValues { .. } => Some("spell them alike if they mean the same"),
        Warning::TwoSpellings { .. } => Some("write them in one form, such as Unicode's NFC, before they are read"),
        Warning::BucketsMerged { .. } => Some("ask for fewer buckets, or give edges, as in `age<=30`"),
        Warning::ConstantColumn { .. } => Some("leave it out with --ignore"),
        Warning::RenamedColumn { .. } => Some("give every column a name of its own"),
        Warning::UnseenCategories { .. } => Some("check the spelling of the values, or fit again with rows like these"),
        Warning::ExactProxy { feature, .. } => {
            return Some(format!("--withhold '{feature}' too, if it may not be seen"));
        }
        Warning::OwnReference { .. } => Some("name a group that leaves others to compare with"),
        Warning::UnseenGroup { .. } => {
            Some("fit again with rows like these, or name the groups that are meant, as in `race=A,B`")
        }
        Warning::NearlyKnown { .. } => Some("spell the values as training did, or fit again with rows like these"),
        Warning::UnseenPattern { .. } => Some("fit again with rows like these, or ask for fewer groups"),
        Warning::NotSearched { .. } => {
            Some("join groups, as in --group 'race=A|B', bring more rows, or lower --min-group")
        }
        Warning::HeldLoosely { .. } => Some("bring more rows, or join groups, as in --group 'race=A|B'"),
        Warning::LearnerNotConverged { .. } => Some("raise --l2"),
        _ => None,
    };
    fixed.map(str::to_owned)
}
