//! The published experiments, number by number.
//!
//! `golden/exact.json` was computed independently: five datasets, four notions, the
//! authors' conventions, every fit solved to the optimum. Skipped without the datasets: see
//! `support`.

use std::path::Path;

use crate::support::data_folder;
use evenhand::correction::Metrics;
use evenhand::{Measure, Notion};
use evenhand_datasets::Recipe;
use serde::Deserialize;

/// The file's multipliers have eight digits; further apart, some decision differs.
const EARLY: f64 = 1e-6;

/// What is asked of later multipliers, where a decision on the edge may have gone the other way.
const LATE: f64 = 1e-3;

#[derive(Deserialize)]
struct Golden {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    dataset: String,
    notion: String,
    columns: usize,
    groups: Vec<String>,
    trace: Vec<Multipliers>,
    lambda: Vec<f64>,
    train: Part,
    test: Part,
}

#[derive(Deserialize)]
struct Multipliers {
    after_loop: usize,
    lambda: Vec<f64>,
}

#[derive(Deserialize)]
struct Part {
    wrong: f64,
    rows: usize,
    positive_predictions: f64,
    violation: f64,
    violations: Vec<f64>,
}

/// How far from the golden numbers is near enough, on one dataset.
struct Near {
    rows: f64,
    violation: f64,
}

#[test]
fn adult_comes_out_as_published() {
    reproduce("adult", &Near { rows: 3.0, violation: 0.002 });
}

#[test]
fn bank_comes_out_as_published() {
    reproduce("bank", &Near { rows: 3.0, violation: 0.002 });
}

#[test]
fn compas_comes_out_as_published() {
    reproduce("compas", &Near { rows: 2.0, violation: 0.01 });
}

#[test]
fn german_comes_out_as_published() {
    reproduce("german", &Near { rows: 2.0, violation: 0.01 });
}

#[test]
fn communities_come_out_as_published() {
    reproduce("communities", &Near { rows: 2.0, violation: 0.01 });
}

fn reproduce(dataset: &str, near: &Near) {
    let Some(folder) = data_folder(dataset) else { return };
    let prepared = Recipe::named(dataset).unwrap().load(&folder).unwrap();
    let rows: Vec<Row> = golden().into_iter().filter(|row| row.dataset == dataset).collect();
    assert_eq!(rows.len(), 4, "four notions of {dataset}");
    for row in rows {
        let name = format!("{dataset}, {}", row.notion);
        let notion: Notion = row.notion.parse().unwrap();
        let fitted = prepared.correction(notion).fit(&prepared.train, &prepared.learner()).unwrap();
        assert_eq!(fitted.problem().features().width(), row.columns, "{name}: feature columns");
        assert_eq!(fitted.binding().groups().len(), row.groups.len(), "{name}: groups");
        assert_eq!(fitted.solution().fits, 100, "{name}: fits");
        for golden in &row.trace {
            let far = distance(&fitted.trace()[golden.after_loop - 1].next_multipliers, &golden.lambda);
            let allowed = if golden.after_loop <= 3 { EARLY } else { LATE };
            assert!(far <= allowed, "{name}: multipliers are {far:e} off after loop {}", golden.after_loop);
        }
        let far = distance(&fitted.trace()[99].next_multipliers, &row.lambda);
        let (test, _) = fitted.evaluate(&prepared.test, Measure::Decisions).unwrap();
        let train = &fitted.solution().train;
        eprintln!(
            "{name}: last multipliers {far:.0e} off; wrong {} of {} in training, {} of {} in test; violation {:.6}, golden {:.6}",
            train.errors,
            row.train.wrong,
            test.errors,
            row.test.wrong,
            test.violation.unwrap(),
            row.test.violation
        );
        check(&format!("{name}, training"), train, &row.train, near);
        check(&format!("{name}, test"), &test, &row.test, near);
    }
}

fn check(name: &str, ours: &Metrics, golden: &Part, near: &Near) {
    assert_eq!(ours.rows, golden.rows, "{name}: rows");
    let wrong = (ours.errors - golden.wrong).abs();
    assert!(wrong <= near.rows, "{name}: {} wrong, golden {}", ours.errors, golden.wrong);
    // A row that is decided otherwise may keep the count of wrong ones: twice as many may be positive.
    let positive = ours.positive_rate.unwrap() * ours.rows as f64;
    let more = (positive - golden.positive_predictions).abs();
    assert!(more <= 2.0 * near.rows + 1e-6, "{name}: {positive} positive, golden {}", golden.positive_predictions);
    let violation = ours.violation.unwrap();
    let off = (violation - golden.violation).abs();
    assert!(off <= near.violation, "{name}: violation {violation}, golden {}", golden.violation);
    let violations: Vec<f64> = ours.violations.iter().map(|one| one.value.unwrap()).collect();
    let off = distance(&violations, &golden.violations);
    assert!(off <= near.violation, "{name}: violations {violations:?}, golden {:?}", golden.violations);
}

fn distance(ours: &[f64], golden: &[f64]) -> f64 {
    assert_eq!(ours.len(), golden.len());
    ours.iter().zip(golden).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn golden() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/exact.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str::<Golden>(&text).unwrap().rows
}
