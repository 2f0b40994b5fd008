//! A folder of small files, and the program run in it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use evenhand::{ReadOptions, Table};
use regex_lite::Regex;
use tempfile::TempDir;

/// A temporary folder with `loans.csv` in it.
pub(crate) struct CliTest {
    folder: TempDir,
}

impl CliTest {
    pub(crate) fn new() -> Self {
        let test = Self { folder: tempfile::tempdir().unwrap() };
        test.write("loans.csv", &loans(400));
        test
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The same table in the format that the name says.
    pub(crate) fn convert(&self, from: &str, to: &str) {
        self.convert_with(from, to, &ReadOptions::default().categorical(["id"]));
    }

    /// The same, read in a way of one's own.
    pub(crate) fn convert_with(&self, from: &str, to: &str, options: &ReadOptions) {
        let (table, _) = Table::read(&self.path(from), options).unwrap();
        table.write(&self.path(to)).unwrap();
    }

    /// The program with these words, in the folder, not yet started.
    pub(crate) fn command(&self, command: &str) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_evenhand"));
        program
            .args(words(command))
            .current_dir(self.folder.path())
            .env_remove("COLUMNS")
            .env("NO_COLOR", "1")
            .env("EVENHAND_CACHE", "cache")
            .env("NO_PROXY", "127.0.0.1");
        program
    }

    pub(crate) fn output(&self, command: &str) -> Output {
        let output = self.command(command).output().unwrap();
        crate::schemas::check(&words(command), &output);
        output
    }

    /// Runs a command that must end with that code, with more in its environment.
    #[track_caller]
    pub(crate) fn expect_with(&self, code: i32, command: &str, variables: &[(&str, &str)]) -> Output {
        let output = self.command(command).envs(variables.iter().copied()).output().unwrap();
        crate::schemas::check(&words(command), &output);
        assert_ended(code, command, &output);
        output
    }

    /// The exit code, stdout and stderr of a command line.
    pub(crate) fn run(&self, command: &str) -> String {
        transcript(&self.output(command))
    }

    /// Runs a command that must end with that code.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, command: &str) -> Output {
        let output = self.output(command);
        assert_ended(code, command, &output);
        output
    }

    /// What a command writes to stdout as JSON; it must end with 0.
    #[track_caller]
    pub(crate) fn json(&self, command: &str) -> serde_json::Value {
        serde_json::from_slice(&self.expect(0, command).stdout).unwrap()
    }
}

/// Whether a command ended with that code; with 2 it must say what is wrong, and a panic, which ends so too, is no refusal.
#[track_caller]
fn assert_ended(code: i32, command: &str, output: &Output) {
    assert_eq!(output.status.code(), Some(code), "{command}\n{}", transcript(output));
    let said = String::from_utf8_lossy(&output.stderr);
    let refused = said.lines().any(|line| line.starts_with("error: ")) && !said.contains("evenhand itself went wrong");
    assert!(code != 2 || refused, "{command}\n{said}");
}

/// The exit code of a command, and what it wrote.
fn transcript(output: &Output) -> String {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    format!("exit code {}\n----- stdout\n{stdout}----- stderr\n{stderr}", output.status.code().unwrap())
}

/// A text without what differs from machine to machine.
pub(crate) fn stable(text: &str) -> String {
    let left_out = [
        (r"[0-9a-f]{64}", "[SHA-256]"),
        (r"\d\.\d+e-?\d+", "[SMALL]"),
        (r"\d+\.\d\d s([;.])", "[TIME] s$1"),
        (r#""seconds": [-.e0-9]+"#, r#""seconds": [TIME]"#),
        (r"evenhand \d+\.\d+\.\d+", "evenhand [VERSION]"),
        // Digits behind the eighth depend on the processor.
        (r"(\d\.\d{8})\d+", "$1"),
    ];
    left_out.iter().fold(text.to_owned(), |text, (pattern, name)| {
        Regex::new(pattern).unwrap().replace_all(&text, *name).into_owned()
    })
}

/// Compares a text, or one of several that has a name, with what it was.
macro_rules! snapshot_of {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(crate::support::stable(&$text)) })
    };
    ($name:expr, $text:expr) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!($name, crate::support::stable(&$text))
        })
    };
}
pub(crate) use snapshot_of;

/// Compares what a command does with what it did.
macro_rules! snapshot {
    ($test:expr, $command:expr) => {
        crate::support::snapshot_of!($test.run($command))
    };
}
pub(crate) use snapshot;

/// Words between blanks; quotes keep blanks together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![];
    for (at, part) in command.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The folder that holds the public datasets, one folder each, where there is one.
///
/// Without it tests that need them are skipped, and say so; with `EVENHAND_DATA_REQUIRED=1` its absence is a failure.
pub(crate) fn data_folder() -> Option<String> {
    let folder = std::env::var("EVENHAND_DATA").ok().filter(|folder| Path::new(folder).is_dir());
    if folder.is_none() {
        let required = std::env::var("EVENHAND_DATA_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "EVENHAND_DATA must name the folder that holds the datasets");
        // Not by a macro, whose output a test that passes does not show.
        let _ = writeln!(std::io::stderr(), "SKIPPED: EVENHAND_DATA names no folder");
    }
    folder
}

/// A stream of whole numbers below a bound, the same everywhere.
pub(crate) struct RandomNumbers(u64);

impl RandomNumbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: u64) -> i64 {
        // The multiplier and increment of Knuth's MMIX; the high bits are the random ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % bound).unwrap()
    }
}

/// Loans approved by income and history, and less often for women.
pub(crate) fn loans(rows: usize) -> String {
    let mut rng = RandomNumbers::new(7);
    let mut text = "id,income,history,sex,age,region,approved\n".to_owned();
    for row in 0..rows {
        let (income, history) = (20 + rng.below(80), rng.below(3));
        let (sex, age, region) = (rng.below(2), 18 + rng.below(50), rng.below(4));
        let score = income + 15 * history - 25 * sex + rng.below(40) - 75;
        let approved = if score > 0 { "yes" } else { "no" };
        let history = ["bad", "none", "good"][usize::try_from(history).unwrap()];
        let sex = ["male", "female"][usize::try_from(sex).unwrap()];
        writeln!(text, "{row:04},{income},{history},{sex},{age},r{region},{approved}").unwrap();
    }
    text
}

/// Every line of a CSV file changed, the header too.
pub(crate) fn each_line(csv: &str, change: impl Fn(usize, &str) -> String) -> String {
    csv.lines().enumerate().map(|(at, line)| change(at, line) + "\n").collect()
}

/// The file with one byte changed.
pub(crate) fn flip(path: &Path, to: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(to, bytes).unwrap();
}
