//! Nobody is predicted positive, or everybody: even, and of no use. The output says so before it says that a bound is met.

use std::fmt::Write as _;

use crate::support::CliTest;

const ALIKE: &str = "rows are predicted `no`: positive rates are equal between groups because nobody is told apart";

/// One in ten women and one in twenty men are hired, and nothing else is known of them.
fn hires() -> CliTest {
    let mut text = "sex,hired,predicted\n".to_owned();
    for row in 0..2_000 {
        let woman = row % 40 < 20;
        let hired = row % 20 < if woman { 2 } else { 1 };
        writeln!(text, "{},{},no", if woman { "f" } else { "m" }, if hired { "yes" } else { "no" }).unwrap();
    }
    let test = CliTest::new();
    test.write("hires.csv", &text);
    test
}

fn codes(json: &serde_json::Value) -> Vec<(&str, Option<&str>)> {
    let code = |one: &serde_json::Value| one["code"].as_str().map(str::to_owned);
    let all = json["warnings"].as_array().unwrap();
    let found = all.iter().filter(|one| code(one).as_deref() == Some("one-decision"));
    found.map(|one| (one["decision"].as_str().unwrap(), one["row_set"].as_str())).collect()
}

#[test]
fn a_fit_an_evaluation_and_an_audit_say_that_all_are_decided_alike() {
    let test = hires();
    let fit =
        "fit hires.csv --label hired --ignore predicted --group sex --notion demographic-parity --max-violation 0.05";
    let output = test.output(&format!("{fit} --holdout 0.3 --model model.json --report report.html"));
    let (text, warned) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.starts_with(&format!("Note: all 600 {ALIKE}.\n\n")), "{text}");
    assert!(text.contains("max-violation 0.05 on test rows: met"), "{text}");
    assert!(
        warned.contains(&format!("warning (test rows): all 600 {ALIKE}\n  advice: a bound that is met")),
        "{warned}"
    );
    let page = test.read("report.html");
    assert!(page.contains("nobody is told apart") && page.contains("rates are even because it hardly decides"));
    assert_eq!(codes(&test.json(&format!("{fit} --json"))), [("no", Some("training"))]);
    assert_eq!(codes(&test.json(&format!("{fit} --method unconstrained --json"))), [("no", Some("training"))]);
    let evaluated = test.output("evaluate model.json hires.csv");
    let evaluated = String::from_utf8(evaluated.stdout).unwrap();
    assert!(evaluated.starts_with(&format!("Note: all 2000 {ALIKE}.\n")), "{evaluated}");
    assert_eq!(codes(&test.json("evaluate model.json hires.csv --json")), [("no", None)]);
    let audit = "audit hires.csv --label hired --predictions predicted --group sex";
    assert_eq!(codes(&test.json(&format!("{audit} --json"))), [("no", None)]);
    assert!(codes(&test.json("audit hires.csv --label hired --ignore predicted --group sex --json")).is_empty());
}

#[test]
fn predictions_without_labels_may_all_be_alike() {
    let test = hires();
    let audit = "audit hires.csv --predictions predicted --ignore hired --group sex --max-violation 0.05 --json";
    for (positive, rate) in [("", 0.0), ("--positive yes", 0.0), ("--positive hired", 0.0), ("--positive no", 1.0)] {
        let found = test.json(&format!("{audit} {positive}"));
        let everyone = &found["classes"][0]["predictions"]["overall"]["positive_rate"];
        assert_eq!(
            (everyone["value"].as_f64(), codes(&found)),
            (Some(rate), vec![("no", None)]),
            "{positive}: {found}"
        );
        assert_eq!(found["bounds"][0]["value"].as_f64(), Some(0.0), "{positive}");
    }
    // Labels of one class are nothing to learn from or to compare with.
    let labels = test.output("audit hires.csv --label predicted --ignore hired --group sex");
    assert!(String::from_utf8(labels.stderr).unwrap().contains("has one class only, `no`"));
}
