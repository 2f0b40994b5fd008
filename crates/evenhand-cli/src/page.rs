//! Reports as files: checked before any work, written with the other files of a run.
//!
//! Also the command that made a report, as the report repeats it: without folders, so that the same data and
//! settings give the same report wherever they are.

use std::path::Path;

use anyhow::Result;
#[cfg(feature = "report")]
use {
    crate::args::given,
    crate::failure::Usage,
    crate::files,
    crate::outputs::Outputs,
    crate::text::quoted,
    evenhand_report::{Error, Format, Report},
};

/// Checks that a report can be put there, and that its name says how it is written.
///
/// # Errors
/// [`Usage`], naming the path and what to do.
#[cfg(feature = "report")]
pub(crate) fn check(path: &Path, others: &[&Path]) -> Result<()> {
    Format::of_path(path).map_err(convert_error)?;
    files::check_output(path, others)
}

/// This build writes no reports, and has no option to ask for one.
#[cfg(not(feature = "report"))]
#[allow(clippy::unnecessary_wraps, reason = "as in a build that has them")]
pub(crate) fn check(_path: &Path, _others: &[&Path]) -> Result<()> {
    Ok(())
}

/// The line about a report that was written.
pub(crate) fn wrote(path: Option<&Path>) -> String {
    path.map(|path| format!("Wrote the report to {}.\n", path.display())).unwrap_or_default()
}

/// Writes a report in the format that the path says.
///
/// # Errors
/// What the system says when it cannot be written.
#[cfg(feature = "report")]
pub(crate) fn write(outputs: &mut Outputs, path: &Path, report: &Report) -> Result<()> {
    let page = report.render(Format::of_path(path).map_err(convert_error)?).map_err(convert_error)?;
    outputs.text(path, &page)
}

/// An error of the report crate as one of ours: those of the engine have codes and hints of their own.
#[cfg(feature = "report")]
pub(crate) fn convert_error(error: Error) -> anyhow::Error {
    match error {
        Error::Engine(error) => error.into(),
        error @ Error::Format { .. } => Usage::new(error.to_string()).hint("for example: --report report.html").into(),
        other => other.into(),
    }
}

/// The command line that is running, to be typed again.
#[cfg(feature = "report")]
pub(crate) fn command() -> String {
    let quoted: Vec<String> = given().iter().map(|argument| quoted(&without_folders(argument))).collect();
    format!("evenhand {}", quoted.join(" "))
}

/// A text with every path from the root in it cut down to the file's name.
#[cfg(feature = "report")]
pub(crate) fn without_folders(text: &str) -> String {
    let cut = |part: &str| {
        let path = Path::new(part);
        let name = path.file_name().filter(|_| path.is_absolute());
        name.map_or_else(|| part.to_owned(), |name| name.to_string_lossy().into_owned())
    };
    if Path::new(text).is_absolute() && Path::new(text).exists() {
        return cut(text);
    }
    let words = text.split(' ').map(|word| word.split('=').map(cut).collect::<Vec<_>>().join("="));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[cfg(feature = "report")]
mod tests {
    use super::*;

    #[test]
    fn commands_name_no_folder_and_can_be_typed_again() {
        assert_eq!(without_folders("--model=/a/b/model.json"), "--model=model.json");
        assert_eq!(without_folders("python3 /a/learner.py --fast"), "python3 learner.py --fast");
        assert_eq!(without_folders("data/loans.csv"), "data/loans.csv");
        assert_eq!(
            (quoted("age<=30"), quoted("it's"), quoted("a=b")),
            ("'age<=30'".into(), r"'it'\''s'".into(), "a=b".into())
        );
    }
}
