//! `evenhand fit`: which groups a bound limits, and what the exit code says of it.

use crate::support::CliTest;

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// The rows of `loans.csv` without some, as a file.
fn without(test: &CliTest, name: &str, gone: impl Fn(&str) -> bool) {
    let kept = test
        .read("loans.csv")
        .lines()
        .filter(|line| !gone(line))
        .map(|line| line.to_owned() + "\n")
        .collect::<String>();
    test.write(name, &kept);
}

#[test]
fn a_group_that_training_lacks_is_tested_on_test_rows() {
    let test = CliTest::new();
    without(&test, "unseen.csv", |line| line.contains(",r3,"));
    let fit = "fit unseen.csv --test loans.csv --label approved --ignore id --group region --notion demographic-parity";
    let command = format!("{fit} --max-violation 0.0001");
    let output = test.expect(1, &command);
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(notes.contains("warning (test rows): group `region=r3` has 97 rows here and none in training"), "{notes}");
    let line = text.lines().find(|line| line.starts_with("  demographic-parity region=r3")).unwrap();
    assert_eq!(line.split_whitespace().filter(|word| *word == "-").count(), 2, "{line}");
    let json: serde_json::Value = serde_json::from_slice(&test.expect(1, &format!("{command} --json")).stdout).unwrap();
    assert_eq!(json["test"]["violations"][3]["name"], "demographic-parity region=r3");
    assert!(json["test"]["violations"][3]["value"].is_number() && json["multipliers"].as_array().unwrap().len() == 3);
}

#[test]
fn a_constraint_dropped_in_training_is_tested_or_cannot_be_told() {
    let test = CliTest::new();
    without(&test, "dropped.csv", |line| line.contains(",r3,yes"));
    let fit =
        "fit dropped.csv --label approved --ignore id --group region --notion equal-opportunity --max-violation 0.9";
    let notes = String::from_utf8(test.expect(1, &format!("{fit} --model model.json")).stderr).unwrap();
    let expected = "cannot tell whether it is met: max-violation 0.9 on training rows: no rows to measure `equal-opportunity region=r3`";
    assert!(notes.contains(expected), "{notes}");
    // The verdict is in the model, and is found again.
    test.expect(0, "verify model.json dropped.csv");
    let json = test.json(&format!("{fit} --test loans.csv --json"));
    assert_eq!(
        (&json["bounds"][0]["verdict"], &json["bounds"][0]["unmeasured"]),
        (&"met".into(), &serde_json::json!([]))
    );
    let names: Vec<&str> =
        json["test"]["violations"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"equal-opportunity region=r3"), "{names:?}");
}

#[test]
fn a_group_that_is_everyone_is_warned_of_and_not_tested() {
    let test = CliTest::new();
    let fit = "fit loans.csv --label approved --ignore id --group 'age<=1000' --notion demographic-parity --max-violation 0.02";
    let output = test.expect(1, fit);
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(notes.contains("warning: `demographic-parity age<=1000`: everyone it is about is in the group"), "{notes}");
    assert!(text.contains("max-violation 0.02 on training rows: cannot tell (nothing could be measured)"), "{text}");
}

#[test]
fn a_strict_fit_fails_with_too_few_rows_to_tell() {
    let test = CliTest::new();
    let command = format!("{FIT} --max-difference 0.1");
    test.expect(0, &command);
    test.expect(1, &format!("{command} --strict"));
    test.expect(0, &format!("{FIT} --max-difference 0.9 --strict"));
    test.expect(2, &format!("{FIT} --strict"));
}
