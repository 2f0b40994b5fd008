//! `evenhand audit`.

use crate::support::{CliTest, each_line, snapshot};

const AUDIT: &str = "audit loans.csv --label approved --ignore id --group sex";

/// Loans with a column of predictions: approved when the income is above 60.
fn with_predictions() -> CliTest {
    let test = CliTest::new();
    let csv = each_line(&test.read("loans.csv"), |at, line| {
        let income: Option<u32> = line.split(',').nth(1).and_then(|income| income.parse().ok());
        let predicted = if income > Some(60) { "yes" } else { "no" };
        format!("{line},{}", if at == 0 { "predicted" } else { predicted })
    });
    test.write("loans.csv", &csv);
    test
}

#[test]
fn labels_alone_are_audited() {
    snapshot!(CliTest::new(), &format!("{AUDIT} --group 'age<=30'"));
}

#[test]
fn predictions_of_any_model_are_audited() {
    snapshot!(with_predictions(), &format!("{AUDIT} --predictions predicted --confidence 0.9"));
}

#[test]
fn json_has_the_same_numbers() {
    snapshot!(with_predictions(), &format!("{AUDIT} --predictions predicted --json"));
}

#[test]
fn a_bound_on_labels_that_is_not_met_exits_with_1() {
    snapshot!(CliTest::new(), &format!("{AUDIT} --max-violation 0.01"));
}

#[test]
fn a_bound_on_predictions_is_told_in_json() {
    let test = with_predictions();
    let bound = "--predictions predicted --notion equal-opportunity --max-violation";
    let met = test.json(&format!("{AUDIT} {bound} 0.9 --json"));
    assert_eq!((&met["bounds"][0]["verdict"], &met["bounds"][0]["of"]), (&"met".into(), &"predictions".into()));
    assert_eq!(met["notion"], serde_json::json!(["equal-opportunity"]));
    test.expect(1, &format!("{AUDIT} {bound} 0.0001 --json"));
}

#[test]
fn a_bound_that_labels_cannot_tell_is_refused() {
    snapshot!(CliTest::new(), &format!("{AUDIT} --notion equal-opportunity --max-violation 0.1"));
}

#[test]
fn a_bound_without_groups_is_refused() {
    snapshot!(CliTest::new(), "audit loans.csv --label approved --max-violation 0.1");
}

#[test]
fn predictions_that_are_no_labels_are_refused() {
    snapshot!(CliTest::new(), &format!("{AUDIT} --predictions region"));
}
