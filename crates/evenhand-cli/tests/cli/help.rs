//! Help texts, and what is wrong with arguments.

use crate::support::{CliTest, snapshot, snapshot_of};

#[test]
fn the_program_says_what_it_does() {
    snapshot!(CliTest::new(), "--help");
}

#[test]
fn every_command_has_a_long_help_with_an_example() {
    let test = CliTest::new();
    let commands =
        ["demo", "audit", "identify", "fit", "frontier", "sweep", "paper", "predict", "verify", "data", "inject"];
    for command in commands {
        let help = test.run(&format!("{command} --help"));
        assert!(help.contains("Example") && help.contains(&format!("evenhand {command}")), "{help}");
        assert!(!help.to_lowercase().contains("fair"), "{help}");
        snapshot_of!(format!("help_{command}"), help);
    }
    for command in ["list", "get"] {
        let help = test.run(&format!("data {command} --help"));
        assert!(help.contains("Example") && help.contains(&format!("evenhand data {command}")), "{help}");
        snapshot_of!(format!("help_data_{command}"), help);
    }
}

#[test]
fn short_help_is_short() {
    snapshot!(CliTest::new(), "predict -h");
}

#[test]
fn the_version_is_told() {
    snapshot!(CliTest::new(), "--version");
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
