//! `-`: data from standard input, tables to standard output.

use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::support::CliTest;

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity --max-fits 3";

/// Runs a command with the content of a file on standard input.
#[track_caller]
fn fed(test: &CliTest, file: &str, command: &str) -> Output {
    let mut child =
        test.command(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let content = std::fs::read(test.path(file)).unwrap();
    let mut input = child.stdin.take().unwrap();
    // A command that does not read ends first.
    let feeding = std::thread::spawn(move || drop(input.write_all(&content)));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    assert_eq!(output.status.code(), Some(0), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn every_command_reads_standard_input() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    let (from_file, from_input) = (
        test.expect(0, &format!("{FIT} --json")),
        fed(&test, "loans.csv", &format!("{} --json", FIT.replace("loans.csv", "-"))),
    );
    let violation = |output: &Output| {
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["train"]["violation"].clone()
    };
    assert_eq!(violation(&from_file), violation(&from_input));
    let audit = "audit loans.csv --label approved --group sex";
    assert_eq!(fed(&test, "loans.csv", &audit.replace("loans.csv", "-")).stdout, test.expect(0, audit).stdout);
    assert_eq!(
        fed(&test, "loans.csv", "verify model.json -").stdout,
        test.expect(0, "verify model.json loans.csv").stdout
    );
    test.convert("loans.csv", "loans.parquet");
    assert_eq!(fed(&test, "loans.parquet", &audit.replace("loans.csv", "-")).stdout, test.expect(0, audit).stdout);
}

#[test]
fn tables_go_to_standard_output_and_what_is_said_of_them_to_standard_error() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json --weights weights.csv"));
    let shown = test.expect(0, &format!("{FIT} --weights -"));
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), test.read("weights.csv"));
    assert!(String::from_utf8(shown.stderr).unwrap().contains("violation"));

    test.expect(0, "predict model.json loans.csv --out scored.csv");
    for command in ["predict model.json loans.csv --out -", "predict model.json loans.csv --out - --json"] {
        let shown = test.expect(0, command);
        assert_eq!(String::from_utf8(shown.stdout).unwrap(), test.read("scored.csv"), "{command}");
        assert!(String::from_utf8(shown.stderr).unwrap().contains("rows"), "{command}");
    }
    // In a pipe, read twice to keep fields to the letter.
    let piped = fed(&test, "loans.csv", "predict model.json - --out -");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), test.read("scored.csv"));
    let inject = "inject loans.csv --label approved --group sex --flip sex=female=0.3 --out";
    test.expect(0, &format!("{inject} biased.csv"));
    let piped = fed(&test, "loans.csv", &format!("{} -", inject.replace("loans.csv", "-")));
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), test.read("biased.csv"));
    assert!(!test.path("-").exists());
}

#[test]
fn two_tables_do_not_fit_into_one_stream() {
    let said = CliTest::new().run(&format!("{FIT} --weights - --trace -"));
    assert!(said.starts_with("exit code 2") && said.contains("two outputs are `-`"), "{said}");
}
