//! Columns of codes: what groups are made of is a category to the learner too, and what may be codes is reported.

use std::fmt::Write as _;

use evenhand::{Column, ReadOptions, Table};

use crate::support::{CliTest, RandomNumbers, each_line};

const FIT: &str = "fit census.csv --label y --group RAC1P=1,2,5 --notion demographic-parity";

/// By how much each code is above the middle: neither rising nor falling with the code, so that no straight line
/// through codes can make up for it.
const SHIFTS: [i64; 6] = [7, -7, 9, -5, 8, -6];

/// People with a code from 1, hours that differ by code, and a label that depends on hours.
fn census() -> CliTest {
    let (test, mut rng) = (CliTest::new(), RandomNumbers::new(3));
    let mut text = "RAC1P,hours,y\n".to_owned();
    for _ in 0..6000 {
        let code = rng.below(6);
        let hours = 10 + SHIFTS[usize::try_from(code).unwrap()] + rng.below(61);
        let label = rng.below(60) < hours - 10;
        writeln!(text, "{},{hours},{}", code + 1, u8::from(label)).unwrap();
    }
    test.write("census.csv", &text);
    test
}

fn violation(json: &serde_json::Value) -> f64 {
    json["train"]["violation"].as_f64().unwrap()
}

/// The columns of the model's encoding, each with its code.
fn codes(test: &CliTest, model: &str) -> Vec<(String, String)> {
    let model: serde_json::Value = serde_json::from_str(&test.read(model)).unwrap();
    let columns = model["model"]["binding"]["encoding"]["columns"].as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    columns.iter().map(|one| (text(&one["column"]), text(&one["code"]))).collect()
}

fn output_of(test: &CliTest, command: &str) -> String {
    String::from_utf8(test.expect(0, command).stderr).unwrap()
}

#[test]
fn groups_of_codes_are_evened_unless_the_codes_are_said_to_be_numbers() {
    let test = census();
    let by_value = test.json(&format!("{FIT} --json --model by_value.json"));
    let as_number = test.json(&format!("{FIT} --json --numeric RAC1P --model as_number.json"));
    let as_text = test.json(&format!("{FIT} --json --categorical RAC1P"));
    assert!(violation(&by_value) < 0.01, "{}", violation(&by_value));
    assert!(violation(&as_number) > 0.05, "{}", violation(&as_number));
    assert_eq!((&by_value["train"], &by_value["multipliers"]), (&as_text["train"], &as_text["multipliers"]));
    assert_eq!(codes(&test, "by_value.json")[0], ("RAC1P".to_owned(), "one-hot".to_owned()));
    assert_eq!(codes(&test, "as_number.json")[0], ("RAC1P".to_owned(), "number".to_owned()));
    for model in ["by_value.json", "as_number.json"] {
        test.expect(0, &format!("verify {model} census.csv"));
    }
}

#[test]
fn joined_codes_are_one_group_in_every_command() {
    let test = census();
    let groups = "--label y --group 'RAC1P=5|1.0,2'";
    let fitted = test.json(&format!("fit census.csv {groups} --notion demographic-parity --json --model model.json"));
    assert!(violation(&fitted) < 0.01, "{}", violation(&fitted));
    let named: Vec<&str> =
        fitted["train"]["groups"].as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["RAC1P=1|5", "RAC1P=2"]);
    assert_eq!(codes(&test, "model.json")[0], ("RAC1P".to_owned(), "one-hot".to_owned()));
    test.expect(0, "verify model.json census.csv");
    test.expect(0, "predict model.json census.csv --out scored.csv");
    test.expect(0, "evaluate model.json census.csv");
    let audited = test.json(&format!("audit census.csv {groups} --json"));
    let joined = &audited["classes"][0]["labels"]["groups"][0];
    let census = test.read("census.csv");
    let rows = census.lines().filter(|line| line.starts_with("1,") || line.starts_with("5,")).count();
    assert_eq!((&joined["group"], &joined["rows"]), (&"RAC1P=1|5".into(), &rows.into()));
}

#[test]
fn a_code_is_the_same_value_in_every_file() {
    let test = census();
    test.expect(0, &format!("{FIT} --model model.json"));
    let census = test.read("census.csv");
    let fraction = |at: usize, line: &str| if at == 0 { line.to_owned() } else { line.replacen(',', ".0,", 1) };
    test.write("fractions.csv", &each_line(&census, fraction));
    test.convert_with("census.csv", "numbers.parquet", &ReadOptions::default());
    test.convert_with("census.csv", "texts.parquet", &ReadOptions::default().categorical(["RAC1P"]));
    let scores = |file: &str| {
        let output = output_of(&test, &format!("predict model.json {file} --out scored.csv"));
        assert!(!output.contains("never saw"), "{file}: {output}");
        let (scored, _) = Table::read(&test.path("scored.csv"), &ReadOptions::default()).unwrap();
        let Column::Numeric(scores) = scored.column("probability").unwrap().clone() else {
            panic!("scores are numbers")
        };
        scores
    };
    let expected = scores("census.csv");
    for file in ["fractions.csv", "numbers.parquet", "texts.parquet"] {
        assert_eq!(scores(file), expected, "{file}");
    }
}

#[test]
fn every_command_that_learns_takes_codes_alike() {
    let test = census();
    let parity = "census.csv --label y --group RAC1P=1,2,5 --notion demographic-parity";
    let smallest = |more: &str| {
        let json = test.json(&format!("frontier {parity} --points 3 --json {more}"));
        let points = json["points"].as_array().unwrap().clone();
        points.iter().map(violation).fold(f64::INFINITY, f64::min)
    };
    assert!(smallest("") < 0.02 && smallest("--numeric RAC1P") > 0.05);
    let swept = |more: &str| {
        let json = test.json(&format!("sweep {parity} --json {more}"));
        let points = json["points"].as_array().unwrap().clone();
        points.iter().map(violation).fold(f64::INFINITY, f64::min)
    };
    assert!(swept("") < 0.02 && swept("--numeric RAC1P") > 0.05);
    let identify = "identify census.csv --label y --group RAC1P=2 --resamples 0 --json";
    let factor = test.json(identify)["effects"][0]["odds_ratio"].as_f64().unwrap();
    assert!((0.3..0.6).contains(&factor), "{factor}");
    // No multiplier makes the scores of a straight line through codes even.
    test.expect(1, &format!("{identify} --numeric RAC1P"));
    let changed = |more: &str| {
        let command = "inject census.csv --label y --group RAC1P=2 --multiplier RAC1P=2=0.4 --out biased.csv --json";
        test.expect(0, &format!("{command} {more}"));
        test.read("biased.csv")
    };
    assert_ne!(changed(""), changed("--numeric RAC1P"));
}

#[test]
fn what_may_be_codes_is_told_of_in_one_line_where_a_learner_takes_it_as_a_number() {
    let test = census();
    let by_hours = "census.csv --label y --group 'hours<=20'";
    let output = output_of(&test, &format!("fit {by_hours} --notion demographic-parity"));
    let line = "warning: column `RAC1P` has 6 whole-number values and is used as a number; if they are codes, say that it is \
                categorical, else that it is numeric\n  advice: --categorical 'RAC1P' makes it a category, --numeric \
                'RAC1P' says that it is a number\n";
    assert!(output.contains(line), "{output}");
    assert_eq!(output.matches("whole-number").count(), 1, "{output}");
    for kind in ["--categorical", "--numeric"] {
        let output = output_of(&test, &format!("fit {by_hours} --notion demographic-parity {kind} RAC1P"));
        assert!(!output.contains("whole-number"), "{output}");
    }
    let flip = "--flip 'hours<=20=0.2' --out biased.csv";
    for command in [format!("audit {by_hours}"), format!("inject {by_hours} {flip}")] {
        assert!(!output_of(&test, &command).contains("whole-number"), "{command}");
    }
    let json = test.json(&format!("fit {by_hours} --notion demographic-parity --json"));
    let warnings = json["warnings"].as_array().unwrap();
    let codes = warnings.iter().find(|warning| warning["code"] == "possible-codes").unwrap();
    assert_eq!(codes["columns"], serde_json::json!([{ "column": "RAC1P", "values": 6 }]));
}

#[test]
fn two_kinds_for_one_column_are_refused() {
    let output = census().run(&format!("{FIT} --numeric RAC1P --categorical RAC1P"));
    assert!(output.starts_with("exit code 2") && output.contains("not also said to be categorical"), "{output}");
}
