//! `evenhand demo`.

use crate::support::{CliTest, snapshot};

#[test]
fn the_demonstration_is_one_small_table() {
    snapshot!(CliTest::new(), "demo --rows 5000 --seed 3");
}

#[test]
fn a_correction_brings_a_classifier_closer_to_the_true_labels() {
    let json = CliTest::new().json("demo --json");
    let error = |kind: &str| json[kind]["truth"]["error"].as_f64().unwrap();
    assert!(error("corrected") < error("uncorrected"), "{json}");
    for multiplier in json["multipliers"].as_array().unwrap() {
        let number = |key: &str| multiplier[key].as_f64().unwrap();
        // Labels are drawn at random: with 35,000 training rows a multiplier has a standard
        // error of about 0.02.
        assert!((number("value") - number("truth")).abs() < 0.1, "{multiplier}");
    }
}

#[test]
fn too_few_rows_are_refused() {
    snapshot!(CliTest::new(), "demo --rows 10");
}

#[test]
fn more_rows_than_memory_holds_are_refused() {
    CliTest::new().expect(2, "demo --rows 100000000000000");
}
