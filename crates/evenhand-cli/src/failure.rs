//! What is printed when a command cannot go on: a message, a next step, and exit code 2.
//!
//! Holds [`Usage`], the errors of this crate itself, and the hints to errors of the library,
//! which knows nothing of options.

use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use clap::error::ErrorKind;
use evenhand::Error;
use evenhand::format::{clean, clean_lines};
use serde::Serialize;

use crate::args::given;
use crate::output::{self, note};
use crate::text::quoted;

/// The exit code of bad input and bad usage.
const BAD_INPUT: u8 = 2;

/// The command that could not go on: it decides which options a hint may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    Demo,
    Audit,
    Identify,
    Fit,
    Correct,
    Frontier,
    Sweep,
    Paper,
    Predict,
    Evaluate,
    Verify,
    Data,
    Inject,
    Manual,
}

impl Running {
    /// Whether it has the options that say how a file is read and what its columns are.
    fn has_data_options(self) -> bool {
        matches!(self, Self::Audit | Self::Identify | Self::Inject) || self.corrects()
    }

    /// Whether it has the options that say what is corrected.
    fn corrects(self) -> bool {
        matches!(self, Self::Fit | Self::Correct | Self::Frontier | Self::Sweep)
    }
}

/// Arguments that do not go together, or with the files they name.
#[derive(Debug)]
pub(crate) struct Usage {
    message: String,
    hint: Option<String>,
    code: &'static str,
}

impl Usage {
    /// An error without a next step of its own.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: "usage" }
    }

    /// With a slug of its own, where it is not the arguments that are wrong.
    pub(crate) fn code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    /// With a next step.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Usage {}

/// A panic: our bug, printed as an error like any other.
#[derive(Debug)]
struct Bug(String);

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evenhand itself went wrong: {}", self.0)
    }
}

impl std::error::Error for Bug {}

/// Does some work and turns a panic into an error.
///
/// Panics are recorded rather than printed: the library catches those of the decoders of damaged
/// files, and a user should then see its error alone.
pub(crate) fn guarded<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let last = Arc::new(Mutex::new(String::new()));
    let keep = Arc::clone(&last);
    panic::set_hook(Box::new(move |panic| {
        if let Ok(mut text) = keep.lock() {
            *text = panic.to_string().replace('\n', " ");
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(_) => Err(Bug(last.lock().map(|text| text.clone()).unwrap_or_default()).into()),
    }
}

/// Reports what `clap` found, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // Help and version are data: a closed pipe is the only thing that can go wrong.
        let _ = error.print();
        return 0;
    }
    if given().iter().any(|argument| clean(argument) != *argument) {
        // Without colour: nothing but its own characters may reach the terminal.
        clean_lines(error.render().to_string().trim_end()).lines().for_each(note);
    } else {
        let _ = error.print();
    }
    if error.kind() == ErrorKind::MissingRequiredArgument && error.to_string().contains("\n  --notion ") {
        note(
            "hint: --notion says what should be equal across groups: demographic-parity, equal-opportunity, …; --help lists them",
        );
    }
    if given().iter().any(|argument| argument == "--json") {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        to_stdout("usage", message);
    }
    BAD_INPUT
}

/// Reports an error: on stderr, and with `json` on stdout as well.
pub(crate) fn report(error: &anyhow::Error, running: Running, json: bool) -> u8 {
    let (code, hint) = match (error.downcast_ref::<Error>(), error.downcast_ref::<Usage>()) {
        (Some(known), _) => (known.code(), hint(known, running)),
        (None, Some(usage)) => (usage.code, usage.hint.clone()),
        (None, None) if error.is::<Bug>() => {
            ("internal", Some("please report it with the command you gave".to_owned()))
        }
        (None, None) => ("io", None),
    };
    let message = message(error);
    note(&format!("error: {message}"));
    if let Some(hint) = hint {
        note(&format!("hint: {hint}"));
    }
    if json {
        to_stdout(code, &message);
    }
    BAD_INPUT
}

/// The contexts of an error and the error itself, whose text says what caused it.
fn message(error: &anyhow::Error) -> String {
    let mut parts = Vec::new();
    for part in error.chain() {
        parts.push(part.to_string());
        if part.is::<Error>() {
            break;
        }
    }
    parts.join(": ")
}

fn to_stdout(code: &str, message: &str) {
    let _ = output::json(&Failure { error: Failed { code, message } });
}

/// What is written as JSON of a command that could not go on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Failure<'a> {
    /// Why.
    error: Failed<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Failed<'a> {
    /// A name that stays the same across versions.
    code: &'a str,
    /// The same in words.
    message: &'a str,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Failure<'_>>()
}

/// The option or the step that gets a user on, where there is one that the message does not name.
fn hint(error: &Error, running: Running) -> Option<String> {
    let text = match error {
        Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            "check the path, and the folder you are in".to_owned()
        }
        Error::UnknownColumn { column, known } => match nearest(column, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None if running.has_data_options() => {
                "names count capitals; without a header line give --no-header".to_owned()
            }
            None => return None,
        },
        Error::OtherContent { .. } => {
            "get it again; `evenhand data list --json` says where each file is published".to_owned()
        }
        Error::Unreadable { .. } => "the file may be cut or of another format; get it or write it again".to_owned(),
        Error::RaggedRow { .. } if running.has_data_options() => {
            "correct or remove that line, look for quotes that are not closed, or give --delimiter".to_owned()
        }
        Error::GroupedByIgnored { .. } if running.corrects() => "use --withhold in place of --ignore".to_owned(),
        Error::RaggedRow { .. } => "correct or remove that line, and look for quotes that are not closed".to_owned(),
        Error::EmptyGroup { .. } => "look at the groups there are with `evenhand audit`".to_owned(),
        Error::ModelIntegrity { .. } | Error::ModelVersion { .. } => "write it again with `evenhand fit`".to_owned(),
        Error::LostColumns { .. } => {
            "bring the columns back, or fit a model without them (`evenhand fit --ignore`)".to_owned()
        }
        Error::NotAgreed { .. } => "give --learner with that command, if you trust it".to_owned(),
        Error::NoProbabilities { setting, .. } => {
            format!("leave out --{}, or give --learner a command that writes probabilities", option(setting))
        }
        Error::Setting { setting, with: Some(with), .. } if running.corrects() => match (*setting, *with) {
            // The message says what may be asked for.
            ("notions", _) => return None,
            ("step" | "loops" | "keep", "preset") => format!("leave out --{setting}, or give --preset paper too"),
            ("score", "apply") => "leave out --score, or give --apply tilt too".to_owned(),
            (_, "apply") => format!("leave out --{}, or --apply tilt", option(setting)),
            (_, with) => format!("leave out --{}, or --{}", option(setting), option(with)),
        },
        Error::Setting { setting: "covariate_shift", .. } if running.corrects() => {
            "leave out --covariate-shift".to_owned()
        }
        Error::ColumnType { .. } if running == Running::Predict => {
            "leave it out with --ignore, or write .parquet or .arrow, which keep it as it is".to_owned()
        }
        Error::ColumnType { .. } if running != Running::Verify => "leave it out with --ignore".to_owned(),
        Error::NoConstraints { .. } if matches!(running, Running::Identify | Running::Audit) => {
            "name groups with --group".to_owned()
        }
        Error::NoConstraints { .. } if running.corrects() => {
            "name groups with --group, and a notion with --notion".to_owned()
        }
        Error::NotFinite { .. } | Error::NotNumeric { .. } if running == Running::Predict => {
            "correct the value, or leave it empty if it is missing".to_owned()
        }
        _ if running.has_data_options() => return data_hint(error),
        _ => return None,
    };
    Some(text)
}

/// The option of a setting.
fn option(setting: &str) -> String {
    setting.replace('_', "-")
}

/// The hints that name options about labels and values.
fn data_hint(error: &Error) -> Option<String> {
    let text = match error {
        Error::UnknownPositive { .. } => "give one of these values with --positive".to_owned(),
        Error::PositiveNeeded { classes, .. } => {
            let given: Vec<String> = classes.iter().map(|class| format!("--positive {}", quoted(class))).collect();
            format!("give {}: the value that is good to have", given.join(" or "))
        }
        Error::OneClass { .. } => "check --label, and that the file was not filtered by it".to_owned(),
        Error::TooManyClasses { .. } => "check --label; a number has to be cut into classes first".to_owned(),
        Error::NotFinite { column, found, .. } => {
            format!("give --missing '{found}' to read it as missing, or --ignore '{column}'")
        }
        Error::Rounded { column, .. } => format!("give --categorical '{column}'"),
        Error::Length { what: "column names", expected, .. } => {
            format!("give --columns a name for each of the {expected} columns of the file")
        }
        Error::TooManyFeatures { widest: Some((column, _)), .. } => {
            format!("give --ignore '{column}'; if it holds numbers, --numeric '{column}' says which row does not")
        }
        Error::TooManyValues { column, .. } => format!("give --ignore '{column}'"),
        Error::OutOfRange { column, .. } => format!("or leave it out with --ignore '{column}'"),
        Error::NotNumeric { column, .. } => {
            format!("name the text with --missing if it means a missing value, or give --categorical '{column}'")
        }
        _ => return None,
    };
    Some(text)
}

/// A known name that differs in capitals only, or in at most two characters.
fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let lower = name.to_lowercase();
    let far = |other: &String| edits(&lower, &other.to_lowercase());
    let near = known.iter().min_by_key(|other| far(other))?;
    (far(near) <= 2.min(name.chars().count() / 2)).then_some(near)
}

/// How many characters must be put in, taken out or changed to turn one text into the other.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut line: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut diagonal = line[0];
        line[0] = at + 1;
        for (place, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = line[place + 1];
            line[place + 1] = changed.min(diagonal + 1).min(line[place] + 1);
        }
    }
    line[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guarded(|| -> anyhow::Result<()> { panic!("no such thing") }).unwrap_err();
        let _ = panic::take_hook();
        assert!(error.is::<Bug>() && error.to_string().contains("no such thing"), "{error}");
    }

    #[test]
    fn hints_name_options_of_the_running_command_only() {
        let error = Error::NotFinite { column: "age".into(), row: 2, found: "inf".into() };
        assert!(hint(&error, Running::Fit).unwrap().contains("--missing"));
        assert!(!hint(&error, Running::Predict).unwrap().contains("--"));
        assert_eq!(hint(&error, Running::Verify), None);
    }

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_another_word_is_not() {
        let known = ["income".to_owned(), "sex".to_owned()];
        assert_eq!(nearest("Income", &known), Some(&known[0]));
        assert_eq!(nearest("incme", &known), Some(&known[0]));
        assert_eq!(nearest("gender", &known), None);
        assert_eq!(nearest("se", &known), Some(&known[1]));
    }
}
