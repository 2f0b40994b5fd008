//! Help texts, and what is wrong with arguments.

use crate::support::{CliTest, snapshot, snapshot_of};

#[test]
fn the_program_says_what_it_does() {
    snapshot!(CliTest::new(), "--help");
}

#[test]
fn every_command_has_a_long_help_with_an_example() {
    let test = CliTest::new();
    for command in COMMANDS {
        let help = test.run(&format!("{command} --help-all"));
        assert!(help.contains("Example") && help.contains(&format!("evenhand {command}")), "{help}");
        assert!(!help.to_lowercase().contains("fair"), "{help}");
        snapshot_of!(format!("help_{}", command.replace(' ', "_")), help);
    }
}

#[test]
fn help_fits_two_screens_has_an_example_and_names_the_rest() {
    let test = CliTest::new();
    for command in COMMANDS {
        let output = test.command(&format!("{command} --help")).env("COLUMNS", "80").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.lines().count() <= 100, "{command}: {} lines", help.lines().count());
        assert!(help.contains("Example") && help.contains(&format!("evenhand {command}")), "{help}");
        assert!(help.contains("--help-all"), "{help}");
    }
    snapshot!(test, "fit --help");
}

const COMMANDS: [&str; 17] = [
    "demo",
    "audit",
    "identify",
    "fit",
    "correct",
    "frontier",
    "sweep",
    "paper",
    "predict",
    "evaluate",
    "verify",
    "data",
    "data list",
    "data get",
    "inject",
    "completions",
    "man",
];

#[test]
fn short_help_is_short() {
    snapshot!(CliTest::new(), "predict -h");
}

#[test]
fn the_version_is_told() {
    let said = CliTest::new().run("--version");
    for part in ["\nevenhand ", "\nengine: evenhand ", "\nfiles: CSV, ", "\nfeatures: "] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(CliTest::new().run("-V").lines().nth(2), said.lines().nth(2));
}

#[test]
fn the_words_of_python_are_understood() {
    let test = CliTest::new();
    let ours =
        test.json("fit loans.csv --label approved --positive yes --group sex --notion demographic-parity --json");
    let theirs = test.json(
        "fit loans.csv --label approved --pos-label yes --sensitive-features sex --constraints demographic_parity --method weighting --json",
    );
    assert_eq!(ours["multipliers"], theirs["multipliers"]);
    let base = "fit loans.csv --label approved --positive yes --group sex --notion demographic-parity --json";
    for (ours, theirs) in [
        ("--technique sampling", "--method sampling"),
        ("--method threshold-postprocessing --decisions deterministic", "--method thresholds"),
    ] {
        let [ours, theirs] = [ours, theirs].map(|option| test.json(&format!("{base} {option}"))["train"].clone());
        assert_eq!(ours, theirs);
    }
}

#[test]
fn arguments_that_are_not_known_are_refused() {
    snapshot!(CliTest::new(), "audit loans.csv --label approved --colour");
}

#[test]
fn a_missing_argument_is_told_as_json_too() {
    snapshot!(CliTest::new(), "fit loans.csv --label approved --json");
}

#[test]
fn settings_out_of_range_are_refused_before_any_file_is_read() {
    let test = CliTest::new();
    let base = "fit nowhere.csv --label approved --group sex --notion demographic-parity";
    let wrong = [
        "--preset paper --step 0",
        "--preset paper --loops 0",
        "--max-fits 0",
        "--holdout 1",
        "--l2=-1",
        "--max-violation 3",
        "--min-ratio=-1",
        "--confidence 95",
        "--delimiter ab",
        "--weights weights.txt",
        "--trace trace",
        "--notion evenness",
        "--threads 0",
    ];
    let all: Vec<String> = wrong.iter().map(|option| test.run(&format!("{base} {option}"))).collect();
    snapshot_of!(all.join("\n"));
}
