//! `evenhand frontier`, from a file to a table of points.

use std::collections::BTreeSet;

use evenhand::{Column, ReadOptions, Table};

use crate::learner::SHARES;
use crate::support::{CliTest, snapshot, snapshot_of};

const FRONTIER: &str = "frontier loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// The population of `evenhand demo`, in a file.
fn demo() -> CliTest {
    let test = CliTest::new();
    test.expect(0, "demo --rows 5000 --seed 3 --write population.csv");
    test
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.get(name) {
        Some(Column::Numeric(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn the_demonstration_pays_more_and_more_for_equalized_odds() {
    let base = "frontier population.csv --label approved --positive yes --ignore deserved --group sex";
    snapshot!(demo(), &format!("{base} --group age_band=18-24 --notion equalized-odds --holdout 0.3 --seed 7"));
}

#[test]
fn without_test_rows_there_are_fewer_columns() {
    snapshot!(CliTest::new(), &format!("{FRONTIER} --points 5"));
}

#[test]
fn json_has_the_promised_keys() {
    let test = CliTest::new();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let json = test.json(&format!("{FRONTIER} --points 4 --holdout 0.3 --seed 7 --json"));
    let output = format!("{:?}\n{:?}", keys(&json), keys(&json["points"][1]));
    insta::assert_snapshot!(output);
    let help = test.run("frontier --help-all");
    let missing = |key: &String| !help.contains(key.as_str());
    assert!(!keys(&json).iter().chain(&keys(&json["points"][1])).any(missing), "{help}");
}

#[test]
fn text_and_json_and_the_file_have_the_same_numbers() {
    let test = CliTest::new();
    let json = test.json(&format!("{FRONTIER} --holdout 0.3 --out points.csv --json"));
    let text = test.run(&format!("{FRONTIER} --holdout 0.3"));
    let (table, _) = Table::read(&test.path("points.csv"), &ReadOptions::default()).unwrap();
    let points = json["points"].as_array().unwrap();
    assert_eq!(points.len(), table.rows());
    for (at, point) in points.iter().enumerate() {
        let violation = |part: &str| point[part]["violation"].as_f64().unwrap();
        assert!(text.contains(&format!("{:.4}", violation("train"))), "{text}");
        assert!((numbers(&table, "violation")[at] - violation("train")).abs() < 1e-12);
        assert!((numbers(&table, "test_violation")[at] - violation("test")).abs() < 1e-12);
        let multiplier = point["multipliers"][0]["value"].as_f64().unwrap();
        let name = format!("multiplier: {}", point["multipliers"][0]["name"].as_str().unwrap());
        assert!((numbers(&table, &name)[at] - multiplier).abs() < 1e-12);
    }
}

#[test]
fn points_are_written_in_every_format() {
    let test = CliTest::new();
    let names = ["points.csv", "points.parquet", "points.arrow"];
    let tables = names.map(|name| {
        test.expect(0, &format!("{FRONTIER} --points 3 --out {name}"));
        Table::read(&test.path(name), &ReadOptions::default()).unwrap().0
    });
    assert!(tables.iter().all(|table| numbers(table, "error") == numbers(&tables[0], "error")));
}

#[test]
fn a_bound_from_the_frontier_is_met_by_a_fit() {
    let test = CliTest::new();
    let json = test.json(&format!("{FRONTIER} --points 6 --json"));
    let bound = json["points"].as_array().unwrap().iter().find_map(|point| point["max_violation"].as_f64()).unwrap();
    test.expect(0, &format!("{} --max-violation {bound}", FRONTIER.replace("frontier", "fit")));
}

#[test]
fn a_command_has_a_frontier_that_leads_as_far_as_a_fit_of_its_own() {
    let test = demo();
    test.write("shares.sh", SHARES);
    let base = "population.csv --label approved --positive yes --ignore deserved --ignore income --ignore history \
        --group sex --notion demographic-parity --learner 'sh shares.sh' --json";
    let path = test.json(&format!("frontier {base} --points 5"));
    let last = path["points"].as_array().unwrap().last().unwrap().clone();
    let (bound, reached) = (last["max_violation"].as_f64(), last["train"]["violation"].as_f64().unwrap());
    let bound = bound.map_or(String::new(), |bound| format!("--max-violation {bound}"));
    let fit: serde_json::Value = serde_json::from_slice(&test.output(&format!("fit {base} {bound}")).stdout).unwrap();
    assert!(reached <= fit["train"]["violation"].as_f64().unwrap() + 1e-12, "{path} {fit}");
}

#[test]
fn what_cannot_be_traced_is_refused() {
    let test = CliTest::new();
    let wrong = [
        "--notion evenness",
        "--preset paper",
        "--points 1",
        "--points 1000000000",
        "--group sex=other",
        "--out nowhere/points.csv",
        "--out points.txt",
        "--out loans.csv",
        "--max-violation 0.1",
        "--l2=-1",
    ];
    let all: Vec<String> = wrong.iter().map(|option| test.run(&format!("{FRONTIER} {option}"))).collect();
    snapshot_of!(all.join("\n"));
}

#[test]
fn a_folder_that_may_not_be_written_to_is_told() {
    let test = CliTest::new();
    // A file where a folder should be: nobody may write into it, not even root.
    let output = test.run(&format!("{FRONTIER} --points 2 --out loans.csv/points.csv"));
    assert!(output.starts_with("exit code 2") && output.contains("loans.csv/points.csv"), "{output}");
}
