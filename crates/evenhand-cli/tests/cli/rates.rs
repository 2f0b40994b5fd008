//! Rates of one's own, and the bias of other notions, from the command line.

use crate::support::CliTest;

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex";
const RATE: &str = "'rate=predicted positive given sex=female against sex=male'";

#[test]
fn a_rate_is_fitted_saved_verified_and_reported() {
    let test = CliTest::new();
    let output = test.expect(0, &format!("{FIT} --notion {RATE} --json --model model.json --report fit.md"));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = "rate=predicted positive given sex=female against sex=male";
    assert_eq!(found["multipliers"][0]["name"], name, "{found}");
    test.expect(0, "verify model.json loans.csv");
    test.expect(0, "predict model.json loans.csv --out scored.csv");
    let page = test.read("fit.md");
    assert!(page.contains("than rows in sex=male"), "{page}");
    test.expect(0, &format!("frontier loans.csv --label approved --ignore id --notion {RATE}"));
    test.expect(0, &format!("sweep loans.csv --label approved --ignore id --notion {RATE}"));
}

#[test]
fn what_is_wrong_in_a_sentence_is_said_with_its_place() {
    let test = CliTest::new();
    for (notion, expected) in [
        ("rate=predicted positive given", "`everyone`, a group, `labelled CLASS` is expected after `given`"),
        ("rate=positive", "`predicted` is expected at the beginning, and not `positive`"),
        (
            "rate=predicted positive given sex=female at most 7",
            "`7` after `at most` is not a rate of at least 0 and below 1",
        ),
        ("rate=predicted maybe given sex=female", "`maybe` is no class; there are: `no`, `yes`"),
        (
            "rate=predicted positive given sex=female against sex",
            "what stands after `against` is 2 groups; name one of them, or join values by `|`",
        ),
    ] {
        let said = test.run(&format!("{FIT} --notion '{notion}'"));
        assert!(said.starts_with("exit code 2\n") && said.contains(expected), "{said}");
        assert!(said.contains("a rate is written `rate=predicted EVENT"), "{said}");
    }
}

#[test]
fn an_audit_shows_a_rate_as_it_was_asked_for() {
    let test = CliTest::new();
    let audit = format!("audit loans.csv --label approved --ignore id --notion {RATE}");
    let said = test.run(&audit);
    assert!(said.starts_with("exit code 0") && said.contains("RATES ASKED FOR: of labels"), "{said}");
    let output = test.expect(0, &format!("{audit} --json --report audit.txt"));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let [rate, reference, gap] = ["rate", "reference", "gap"].map(|key| found["rates"][0][key].as_f64().unwrap());
    assert!((reference - rate - gap).abs() < 1e-12 && gap.abs() > 0.01, "{found}");
    assert!(test.read("audit.txt").contains("rate=predicted positive given sex=female against sex=male"));
    test.expect(1, &format!("{audit} --max-violation 0.001"));
    let labelled = "'rate=predicted positive given sex=female and labelled positive'";
    let said = test.run(&format!("audit loans.csv --label approved --ignore id --notion {labelled}"));
    assert!(said.starts_with("exit code 2") && said.contains("labels alone"), "{said}");
}

#[test]
fn a_bias_is_put_in_and_identified_by_the_same_notion() {
    let test = CliTest::new();
    let inject = format!(
        "inject loans.csv --label approved --ignore id --group sex --notion {RATE} --multiplier '=0.5' --out biased.csv"
    );
    // Constraints of a rate are named by the rate: what is left of its name is nothing.
    assert!(test.run(&inject).contains("exit code 2"));
    let name = "rate=predicted positive given sex=female against sex=male";
    test.expect(
        0,
        &format!("inject loans.csv --label approved --ignore id --group sex --notion {RATE} --multiplier '{name}=0.5' --out biased.csv"),
    );
    let said = test.run(&format!(
        "identify biased.csv --label approved --ignore id --ignore approved_true --group sex --notion '{name}' --resamples 0"
    ));
    assert!(said.starts_with("exit code 0") && said.contains("true labels keep what is asked"), "{said}");
    assert!(said.contains(&format!("  {name}")) && said.contains("in units of g/Z - g'"), "{said}");
}

#[test]
fn where_no_multiplier_is_identified_it_is_said_why() {
    let test = CliTest::new();
    let said = test.run("identify loans.csv --label approved --ignore id --group sex --notion pinned=sex=female:0.9");
    assert!(
        said.starts_with("exit code 1\n----- stdout\nThere is no estimate: `pinned sex=female` is a bound"),
        "{said}"
    );
}
