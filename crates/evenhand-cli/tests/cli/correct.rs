//! `evenhand correct`: scores by somebody else's model.

use std::fmt::Write as _;

use crate::support::{CliTest, RandomNumbers, each_line, snapshot, snapshot_of};

const CORRECT: &str = "correct scores.csv --score p --label approved --group sex --notion demographic-parity";

const ALL: [&str; 4] = ["p", "hint", "sex", "approved"];

/// Scores that are lower for women, with a column that tells the sex in part; `columns` are those to keep.
fn scores(columns: &[&str]) -> String {
    let mut rng = RandomNumbers::new(11);
    let keep = |row: [String; 4]| {
        let kept = ALL.iter().zip(row).filter(|(name, _)| columns.contains(name));
        kept.map(|(_, value)| value).collect::<Vec<_>>().join(",")
    };
    let mut text = keep(ALL.map(str::to_owned)) + "\n";
    for _ in 0..600 {
        let (merit, woman) = (rng.below(100), rng.below(2));
        let p = (merit * 100 - 2500 * woman + 1500).clamp(50, 9950);
        let hint = if rng.below(10) < 8 { woman } else { 1 - woman };
        let approved = if rng.below(10_000) < p { "yes" } else { "no" };
        let sex = if woman == 1 { "female" } else { "male" };
        writeln!(text, "{}", keep([format!("0.{p:04}"), hint.to_string(), sex.to_owned(), approved.to_owned()]))
            .unwrap();
    }
    text
}

fn with(columns: &[&str]) -> CliTest {
    let test = CliTest::new();
    test.write("scores.csv", &scores(columns));
    test
}

#[test]
fn scores_are_corrected_by_what_other_columns_tell() {
    snapshot!(with(&ALL), &format!("{CORRECT} --max-violation 0.05 --holdout 0.3 --seed 3"));
}

#[test]
fn the_score_alone_and_the_group_are_said_to_be_what_decides() {
    let test = with(&["p", "sex", "approved"]);
    let said = |rest: &str| -> String {
        let output = test.run(&format!("{CORRECT} {rest}"));
        let lines = output.lines().filter(|line| line.starts_with("Scores are") || line.contains(" fit"));
        lines.collect::<Vec<_>>().join("\n")
    };
    snapshot_of!(format!("{}\n\n{}", said(""), said("--with-group")));
}

#[test]
fn a_model_of_scores_predicts_verifies_and_is_audited() {
    let test = with(&ALL);
    for (name, rest) in [("blind", ""), ("told", "--with-group")] {
        let output = test.output(&format!("{CORRECT} {rest} --json --model {name}.json --report {name}.html"));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
        assert!(violation(&json["train"]) < 0.5 * violation(&json["uncorrected"]["train"]), "{json}");
        assert_eq!((&json["score"], &json["apply"]), (&"p".into(), &"tilt".into()));
        // Nothing is trained but who is in a group.
        assert_eq!(json["fits"], i32::from(name == "blind"));
        test.expect(0, &format!("predict {name}.json scores.csv --out {name}.csv"));
        let verdict = test.json(&format!("verify {name}.json scores.csv --json"));
        assert_eq!(verdict["matches"], true, "{verdict}");
        test.expect(0, &format!("audit {name}.csv --label approved --predictions decision --group sex"));
    }
    // Blind: no group is needed; otherwise it is.
    test.write("new.csv", &scores(&["p", "hint"]));
    test.expect(0, "predict blind.json new.csv --out scored.csv");
    let refused = test.run("predict told.json new.csv --out scored.csv");
    assert!(refused.starts_with("exit code 2") && refused.contains("no column `sex`"), "{refused}");
}

#[test]
fn what_is_no_score_is_refused_with_its_row() {
    let test = with(&ALL);
    let good = test.read("scores.csv");
    let change = |name: &str, at: usize, to: &str| {
        let changed = each_line(&good, |row, line| {
            if row == at { format!("{to},{}", line.split_once(',').unwrap().1) } else { line.to_owned() }
        });
        test.write(name, &changed);
    };
    change("above.csv", 7, "1.25");
    change("below.csv", 8, "-0.5");
    change("missing.csv", 9, "");
    let correct = "correct FILE --score SCORE --label approved --group sex --notion demographic-parity";
    let wrong = [
        ("above.csv", "p"),
        ("below.csv", "p"),
        ("missing.csv", "p"),
        ("scores.csv", "sex"),
        ("scores.csv", "approved"),
        ("scores.csv", "q"),
    ];
    let run = |(file, score): (&str, &str)| test.run(&correct.replace("FILE", file).replace("SCORE", score));
    let all: Vec<String> = wrong.into_iter().map(run).collect();
    snapshot_of!(all.join("\n"));
    // New rows are looked at as well.
    test.expect(0, &format!("{CORRECT} --model model.json"));
    let refused = test.run("predict model.json above.csv --out scored.csv");
    assert!(refused.starts_with("exit code 2") && refused.contains("1.25 is no probability"), "{refused}");
    // With the row as the file counts it, as in training; a missing one is none either.
    let place = |output: &str| output.split(": ").find(|part| part.contains("row ")).map(str::to_owned);
    assert_eq!(place(&refused), place(&run(("above.csv", "p"))), "{refused}");
    assert!(place(&refused).is_some_and(|place| place.contains("row 8")), "{refused}");
    let missing = test.run("predict model.json missing.csv --out scored.csv");
    assert!(missing.starts_with("exit code 2") && missing.contains("row 10"), "{missing}");
    let three = each_line(&good, |row, line| {
        if row == 5 { line.replace(",no", ",perhaps").replace(",yes", ",perhaps") } else { line.to_owned() }
    });
    test.write("three.csv", &three);
    let refused = test.run(&format!("{} --positive yes", CORRECT.replace("scores.csv", "three.csv")));
    assert!(refused.starts_with("exit code 2") && refused.contains("two classes"), "{refused}");
}

#[test]
fn predictions_of_the_same_rows_are_those_of_predict() {
    let test = with(&ALL);
    let json = test.json(&format!("{CORRECT} --threshold best --model model.json --predictions at-once.csv --json"));
    assert_eq!(json["predictions"], "at-once.csv");
    test.expect(0, "predict model.json scores.csv --out later.csv");
    assert_eq!(test.read("at-once.csv"), test.read("later.csv"));
    assert!(test.read("later.csv").starts_with("p,hint,sex,approved,probability,decision\n"));
    let quiet = test.run(&format!("{CORRECT} --predictions at-once.csv"));
    assert!(!quiet.contains("nothing was saved"), "{quiet}");
}

#[test]
fn a_score_that_is_called_probability_stays_beside_the_corrected_one() {
    let test = with(&ALL);
    test.write("scores.csv", &test.read("scores.csv").replacen("p,", "probability,", 1));
    let correct = CORRECT.replace("--score p", "--score probability");
    test.expect(0, &format!("{correct} --model model.json --predictions at-once.csv"));
    test.expect(0, "predict model.json scores.csv --out later.csv");
    let written = test.read("later.csv");
    assert!(written.starts_with("probability,hint,sex,approved,corrected_probability,decision\n"), "{written}");
    assert_eq!(test.read("at-once.csv"), written);
    // Another column of that name may be left out.
    test.write("scored.csv", &test.read("scores.csv").replacen("probability,hint,sex", "probability,hint,decision", 1));
    let refused = test.run("predict model.json scored.csv --out again.csv");
    assert!(refused.contains("leave it out with --ignore 'decision'"), "{refused}");
    test.expect(0, "predict model.json scored.csv --ignore decision --out again.csv");
}

#[test]
fn many_rows_of_two_scores_are_corrected() {
    // More rows than a start looks at, with so few scores that a sample by score might have none.
    let (test, mut rng) = (CliTest::new(), RandomNumbers::new(5));
    let mut text = "p,sex,approved\n".to_owned();
    for _ in 0..60_000 {
        let woman = rng.below(2) == 1;
        let likely = rng.below(10) < if woman { 3 } else { 6 };
        let approved = rng.below(10) < if likely { 7 } else { 2 };
        let (p, sex) = (if likely { "0.7" } else { "0.2" }, if woman { "female" } else { "male" });
        writeln!(text, "{p},{sex},{}", if approved { "yes" } else { "no" }).unwrap();
    }
    test.write("scores.csv", &text);
    let json = test.json(&format!("{CORRECT} --with-group --json"));
    let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
    assert!(violation(&json["uncorrected"]["train"]) > 0.1, "{json}");
    assert!(violation(&json["train"]) <= violation(&json["uncorrected"]["train"]), "{json}");
}

#[test]
fn a_score_of_three_classes_is_refused_without_naming_options_of_other_commands() {
    let test = CliTest::new();
    let rows = ["a,f,0.5", "b,m,0.5", "c,f,0.5", "a,m,0.5"].map(|row| format!("{row}\n")).concat().repeat(20);
    test.write("three.csv", &format!("grade,sex,score\n{rows}"));
    let output =
        test.expect(2, "correct three.csv --label grade --score score --group sex --notion demographic-parity");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: `score` is given with 3 classes") && !said.contains("--method"), "{said}");
}
