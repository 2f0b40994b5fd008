//! `evenhand sweep`: more and less of a correction.

use evenhand::{Column, ReadOptions, Table};

use crate::support::{CliTest, snapshot};

const SWEEP: &str =
    "sweep loans.csv --label approved --ignore id --group sex --notion demographic-parity --holdout 0.3";

#[test]
fn error_and_violation_are_shown_along_x() {
    snapshot!(CliTest::new(), &format!("{SWEEP} --steps 7"));
}

#[test]
fn the_file_the_figure_and_json_have_the_same_points() {
    let test = CliTest::new();
    let json = test.json(&format!("{SWEEP} --steps 4 --until 1 --out swept.csv --figure swept.svg --json"));
    let (table, _) = Table::read(&test.path("swept.csv"), &ReadOptions::default()).unwrap();
    let points = json["points"].as_array().unwrap();
    let Some(Column::Numeric(violations)) = table.get("train_violation") else { panic!("no violations") };
    assert_eq!((points.len(), table.rows()), (4, 4));
    for (point, violation) in points.iter().zip(violations) {
        assert!((point["train"]["violation"].as_f64().unwrap() - violation).abs() < 1e-12);
    }
    // Nothing at x = 0, everything at x = 1.
    assert!(violations[0] > 0.05 && violations[3] < 0.02, "{violations:?}");
    let figure = test.read("swept.svg");
    assert!(figure.starts_with("<svg") && figure.matches("<polyline").count() == 4, "{figure}");
    assert!(figure.contains("<title") && figure.contains("<desc"));
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let test = CliTest::new();
    let cases = [
        ("--steps 1", "steps"),
        ("--steps 1000000000", "steps"),
        ("--until 0", "until"),
        ("--until nan", "until"),
        ("--out swept.txt", "swept.txt"),
        ("--figure loans.csv", "loans.csv"),
    ];
    for (wrong, named) in cases {
        let said = String::from_utf8(test.expect(2, &format!("{SWEEP} {wrong}")).stderr).unwrap();
        assert!(said.contains(named), "{wrong}: {said}");
    }
}
