//! `--frequency`: rows that stand for several, as if each stood in the file so many times.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{CliTest, loans};

const ASKED: &str = "--label approved --ignore id --group sex";

/// `counted.csv`, with how often each of its loans counts, and `repeated.csv`, in which each stands so often.
fn counted() -> CliTest {
    let test = CliTest::new();
    let all = loans(900);
    let (header, rows) = all.split_once('\n').unwrap();
    let (mut once, mut each) = (format!("{header},times\n"), format!("{header}\n"));
    for (at, row) in rows.lines().enumerate() {
        let times = [1, 3, 0, 2][at % 4];
        writeln!(once, "{row},{times}").unwrap();
        each.push_str(&format!("{row}\n").repeat(times));
    }
    test.write("counted.csv", &once);
    test.write("repeated.csv", &each);
    test
}

/// What a model file says of classifier and multipliers.
fn found(test: &CliTest, model: &str) -> (Value, Value) {
    let json: Value = serde_json::from_str(&test.read(model)).unwrap();
    let model = if json.get("learner").is_some() { &json } else { &json["model"] };
    assert!(model["learner"].is_object() && model["multipliers"].is_array());
    (model["learner"].clone(), model["multipliers"].clone())
}

#[test]
fn a_model_is_that_of_repeated_rows() {
    let test = counted();
    let asked = format!("{ASKED} --notion equalized-odds");
    for many in ["", " --sample-rows 400"] {
        let one = test.json(&format!("fit counted.csv {asked} --frequency times --model one.json --json{many}"));
        let other = test.json(&format!("fit repeated.csv {asked} --model other.json --json{many}"));
        assert_eq!(one["train"], other["train"]);
        assert_eq!(one["train"]["rows"], 1350);
        assert_eq!(one.get("passes"), other.get("passes"));
        assert_eq!(found(&test, "one.json"), found(&test, "other.json"));
        // The model file knows how its rows were counted.
        test.expect(0, "verify one.json counted.csv");
        test.expect(0, "verify one.json repeated.csv");
        let one = test.json("evaluate one.json counted.csv --json");
        let other = test.json("evaluate other.json repeated.csv --json");
        assert_eq!((&one["metrics"], &one["violations"]), (&other["metrics"], &other["violations"]));
        // Rows are predicted once each, and the column that counts them is no stranger.
        let predicted = test.json("predict one.json counted.csv --out scored.csv --json");
        assert_eq!((&predicted["rows"], &predicted["warnings"]), (&900.into(), &serde_json::json!([])));
    }
}

#[test]
fn an_audit_and_a_bias_are_those_of_repeated_rows() {
    let test = counted();
    for (command, more) in [("audit", "--min-ratio 0.1"), ("identify", "--resamples 0")] {
        let one = test.output(&format!("{command} counted.csv {ASKED} --frequency times {more} --json"));
        let other = test.output(&format!("{command} repeated.csv {ASKED} {more} --json"));
        assert_eq!(one.status.code(), other.status.code());
        assert!(!one.stdout.is_empty() && one.stdout == other.stdout, "{command}");
    }
}

#[test]
fn what_does_not_go_with_it_is_said() {
    let test = counted();
    for command in [
        format!("fit counted.csv {ASKED} --notion demographic-parity --frequency times --weights weights.csv"),
        format!("identify counted.csv {ASKED} --frequency times --weights weights.csv"),
        format!(
            "inject counted.csv {ASKED} --frequency times --notion demographic-parity --violation sex=female=0.1 --out biased.csv"
        ),
    ] {
        let said = test.run(&command);
        assert!(said.starts_with("exit code 2") && said.contains("--frequency does not go with"), "{said}");
    }
    test.write("bad.csv", &test.read("counted.csv").replacen(",1\n", ",1.5\n", 1));
    let said = test.run(&format!("fit bad.csv {ASKED} --notion demographic-parity --frequency times"));
    assert!(
        said.starts_with("exit code 2") && said.contains("row 2:") && said.contains("is not a frequency"),
        "{said}"
    );
    let said = test.run(&format!("fit counted.csv {ASKED} --notion demographic-parity --frequency tims"));
    assert!(said.starts_with("exit code 2") && said.contains("no column `tims`"), "{said}");
}
