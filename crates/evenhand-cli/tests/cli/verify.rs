//! `evenhand verify`.

use crate::support::{CliTest, snapshot};

const FIT: &str =
    "fit loans.csv --label approved --ignore id --group sex --notion equalized-odds --holdout 0.3 --model model.json";

fn fitted() -> CliTest {
    let test = CliTest::new();
    test.expect(0, FIT);
    test
}

#[test]
fn what_matches_is_told() {
    snapshot!(fitted(), "verify model.json loans.csv");
}

#[test]
fn checks_are_told_as_json() {
    snapshot!(fitted(), "verify model.json loans.csv --json");
}

#[test]
fn changed_labels_exit_with_1_and_say_what_differs() {
    let test = fitted();
    let loans = test.read("loans.csv");
    test.write("loans.csv", &loans.replacen(",yes\n", ",no\n", 30));
    snapshot!(test, "verify model.json loans.csv");
}

#[test]
fn a_changed_feature_is_found() {
    let test = fitted();
    test.write("loans.csv", &test.read("loans.csv").replacen(",good,", ",bad,", 1));
    let output = test.expect(1, "verify model.json loans.csv --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["matches"], &json["checks"][0]["matches"]), (&false.into(), &false.into()));
}

#[test]
fn an_ignored_column_may_be_gone() {
    let test = fitted();
    let without: String =
        test.read("loans.csv").lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    test.write("without.csv", &without);
    test.expect(0, "verify model.json without.csv");
}

#[test]
fn classes_that_training_never_saw_are_bad_input() {
    let test = fitted();
    test.write("loans.csv", &test.read("loans.csv").replacen(",yes\n", ",perhaps\n", 1));
    snapshot!(test, "verify model.json loans.csv");
}
