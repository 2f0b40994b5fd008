//! Files that are cut, changed or of another version: always an error, never a panic.

use std::fs;

use crate::support::{CliTest, flip, snapshot};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

fn fitted() -> CliTest {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    test
}

#[test]
fn a_model_with_any_byte_changed_is_refused() {
    let test = fitted();
    let length = test.read("model.json").len();
    let codes = ["model-format", "model-version", "model-integrity"];
    for at in (0..length).step_by(length / 80).chain([length - 2, length - 1]) {
        flip(&test.path("model.json"), &test.path("changed.json"), at);
        let output = test.expect(2, "predict changed.json loans.csv --out scored.csv --json");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(codes.contains(&json["error"]["code"].as_str().unwrap()), "byte {at}: {json}");
    }
}

#[test]
fn a_changed_number_in_a_model_is_found() {
    let test = fitted();
    test.write("changed.json", &test.read("model.json").replacen("\"weight\": 0.", "\"weight\": 1.", 1));
    snapshot!(test, "verify changed.json loans.csv");
}

#[test]
fn a_model_of_another_version_is_refused() {
    let test = fitted();
    test.write("later.json", &test.read("model.json").replacen("\"version\": 1", "\"version\": 2", 1));
    snapshot!(test, "predict later.json loans.csv --out scored.csv");
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    snapshot!(CliTest::new(), "verify loans.csv loans.csv");
}

#[test]
fn a_cut_model_is_refused() {
    let test = fitted();
    let text = test.read("model.json");
    for length in [0, 1, 20, text.len() / 2, text.len() - 3] {
        test.write("cut.json", &text[..length]);
        let said = String::from_utf8(test.expect(2, "verify cut.json loans.csv").stderr).unwrap();
        assert!(said.contains("cut.json: not an evenhand model"), "{length}: {said}");
    }
}

#[test]
fn a_cut_parquet_file_is_refused() {
    let test = CliTest::new();
    test.convert("loans.csv", "loans.parquet");
    let bytes = fs::read(test.path("loans.parquet")).unwrap();
    fs::write(test.path("loans.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    snapshot!(test, &FIT.replace(".csv", ".parquet"));
}

#[test]
fn a_parquet_file_with_any_byte_changed_gives_rows_or_an_error() {
    let test = CliTest::new();
    test.convert("loans.csv", "loans.parquet");
    let length = fs::read(test.path("loans.parquet")).unwrap().len();
    for at in (0..length).step_by(length / 150) {
        flip(&test.path("loans.parquet"), &test.path("changed.parquet"), at);
        let output = test.output("audit changed.parquet --label approved --group sex");
        let message = String::from_utf8(output.stderr).unwrap();
        let refused = message.starts_with("error: ") && !message.contains("itself went wrong");
        assert!(output.status.code() == Some(0) || output.status.code() == Some(2) && refused, "byte {at}: {message}");
    }
}

#[test]
fn a_short_line_is_found() {
    let test = CliTest::new();
    let lines: Vec<String> = test.read("loans.csv").lines().map(str::to_owned).collect();
    let mut cut = lines.clone();
    cut[123] = "0122,55,good".into();
    test.write("loans.csv", &(cut.join("\n") + "\n"));
    snapshot!(test, FIT);
}
