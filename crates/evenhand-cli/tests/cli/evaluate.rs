//! `evenhand evaluate`.

use crate::support::{CliTest, snapshot};

fn fitted() -> CliTest {
    let test = CliTest::new();
    test.expect(
        0,
        "fit loans.csv --label approved --ignore id --group sex --notion equalized-odds --max-violation 0.5 --holdout 0.3 --model model.json",
    );
    test
}

#[test]
fn a_model_is_evaluated_on_labelled_rows() {
    snapshot!(fitted(), "evaluate model.json loans.csv");
}

#[test]
fn json_has_the_same_numbers_and_bounds_of_ones_own() {
    let test = fitted();
    let output = test.expect(0, "evaluate model.json loans.csv --max-violation 0.6 --min-ratio 0.01 --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["notion"][0], "equalized-odds");
    assert_eq!(json["bounds"].as_array().unwrap().len(), 2);
    assert_eq!(json["bounds"][0]["rows"], "new");
    let largest = json["violations"].as_array().unwrap().iter();
    let largest = largest.map(|one| one["value"].as_f64().unwrap().abs()).fold(0.0, f64::max);
    assert!((largest - json["metrics"]["violation"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
fn a_bound_that_is_missed_exits_with_1() {
    let test = fitted();
    test.expect(1, "evaluate model.json loans.csv --max-violation 0.0001");
    test.expect(2, "evaluate model.json loans.csv --max-violation equal-accuracy=0.1");
    test.expect(2, "evaluate model.json loans.csv --max-violation 3");
    test.expect(2, "evaluate model.json nowhere.csv");
}

#[test]
fn rows_without_the_label_are_bad_input() {
    let test = fitted();
    let without = test.read("loans.csv").replacen("approved", "granted", 1);
    test.write("later.csv", &without);
    snapshot!(test, "evaluate model.json later.csv");
}

/// What can be asked, and what cannot be measured, is in the schema too.
#[test]
fn json_of_every_bound_and_of_too_few_rows_keeps_to_the_schema() {
    let test = CliTest::new();
    test.expect(0, "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity --model m.json");
    let few: String = test.read("loans.csv").split_inclusive('\n').take(3).collect();
    test.write("few.csv", &few);
    for bound in ["--max-violation 0.1", "--max-difference 0.1", "--min-ratio 0.8"] {
        for rows in ["loans.csv", "few.csv"] {
            test.run(&format!("evaluate m.json {rows} --json {bound}"));
        }
    }
}
