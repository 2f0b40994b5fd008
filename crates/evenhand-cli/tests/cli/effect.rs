//! What a correction does beyond evenness: nobody positive, levelling down, rows without a value.

use std::fmt::Write as _;

use crate::support::{CliTest, RandomNumbers};

/// Few are hired, by merit, of which men have `ahead` more; the sex of `lost` in a hundred is not known.
fn hires(ahead: i64, lost: i64) -> CliTest {
    let mut rng = RandomNumbers::new(5);
    let mut text = "merit,sex,hired\n".to_owned();
    for _ in 0..6_000 {
        let sex = rng.below(2);
        let merit = rng.below(100) + rng.below(100) + rng.below(100) + ahead * sex;
        let hired = if merit + rng.below(100) > 320 { "yes" } else { "no" };
        let known = rng.below(100) >= lost;
        let sex = ["f", "m"][usize::try_from(sex).unwrap()];
        writeln!(text, "{merit},{},{hired}", if known { sex } else { "" }).unwrap();
    }
    let test = CliTest::new();
    test.write("hires.csv", &text);
    test
}

fn stdout(test: &CliTest, command: &str) -> String {
    String::from_utf8(test.output(command).stdout).unwrap()
}

/// The slugs of the warnings of a JSON report.
fn codes(json: &serde_json::Value) -> Vec<&str> {
    json["warnings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

const DOWN: &str = "fit hires.csv --label hired --group sex --notion disparate-impact --max-violation 0.02";

#[test]
fn levelling_down_is_said_before_the_bound_is_said_to_be_met() {
    let test = hires(40, 0);
    let text = stdout(&test, DOWN);
    let first = "\
The correction changes more than evenness (training rows):
  52 % fewer rows are predicted positive than without correction (1.7 % against 3.6 %)
  levelled down: who had less than everyone now has still less: `sex=f` (positive rate 0.2 % against 0.6 %); \
asking for `target-rate=0.036` as well would keep as many positives as without correction
";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("max-violation 0.02 on training rows: met"), "{text}");
    let warned = String::from_utf8(test.output(DOWN).stderr).unwrap();
    assert!(warned.contains("advice: --notion target-rate=0.036 beside the others"), "{warned}");
}

#[test]
fn json_says_the_same_first() {
    let test = hires(40, 0);
    let written = stdout(&test, &format!("{DOWN} --json"));
    assert!(written.starts_with("{\n  \"effect\": {\n    \"rows\": \"training\","), "{written}");
    let json: serde_json::Value = serde_json::from_str(&written).unwrap();
    let effect = &json["effect"];
    assert_eq!(effect["positive_rate"]["notable"], true);
    assert_eq!(effect["positive_rate"]["before"], json["uncorrected"]["train"]["positive_rate"]);
    assert_eq!(effect["positive_rate"]["after"], json["train"]["positive_rate"]);
    assert_eq!((&effect["helped"][0]["group"], &effect["helped"][0]["notable"]), (&"sex=f".into(), &true.into()));
    assert_eq!(codes(&json), ["notable-change", "levelled-down"]);
    let summary = effect["summary"].as_str().unwrap();
    assert!(summary.starts_with("The correction changes more than evenness: 52 % fewer rows"), "{summary}");
}

#[test]
fn it_is_said_of_test_rows_where_there_are_any() {
    let json = hires(40, 0).json(&format!("{DOWN} --holdout 0.4 --json"));
    assert_eq!(json["effect"]["rows"], "test");
    assert_eq!(json["effect"]["error"]["after"], json["test"]["error"]);
    assert_eq!(json["warnings"][0]["row_set"], "test");
    let said = codes(&json);
    assert_eq!(said.iter().filter(|code| **code == "notable-change").count(), 1, "once: {said:?}");
}

#[test]
fn met_by_giving_it_to_nobody_is_said() {
    let test = CliTest::new();
    let row = |at: usize| {
        format!(
            "{},{}\n",
            if at % 2 == 0 { "m" } else { "f" },
            u8::from(at % 20 < 6 || at % 20 % 2 == 0 && at % 20 < 12)
        )
    };
    test.write("only_group.csv", &("sex,y\n".to_owned() + &(0..2_000).map(row).collect::<String>()));
    let text =
        stdout(&test, "fit only_group.csv --label y --group sex --notion demographic-parity --max-violation 0.02");
    let first = text.lines().nth(1).unwrap();
    assert_eq!(first, "  no row is predicted positive, 50.0 % are without correction", "{text}");
    assert!(text.contains("on training rows: met"), "{text}");
}

#[test]
fn how_much_is_notable_is_a_setting() {
    let test = hires(40, 0);
    let quiet = test.json(&format!("{DOWN} --notable-change 1 --json"));
    assert_eq!((&quiet["effect"]["summary"], codes(&quiet).len()), (&serde_json::Value::Null, 0));
    let refused = test.run(&format!("{DOWN} --notable-change 0"));
    assert!(refused.contains("notable_change") && refused.starts_with("exit code 2"), "{refused}");
}

#[test]
fn rows_without_a_value_are_a_row_of_their_own_and_warned_of_when_they_end_apart() {
    let test = hires(80, 20);
    let command = "fit hires.csv --label hired --group sex --notion demographic-parity --preset paper";
    let text = stdout(&test, command);
    assert!(
        text.lines().nth(3).unwrap().contains("1220 rows with `sex missing` 8.9 % are predicted positive"),
        "{text}"
    );
    let line = text.lines().find(|line| line.trim_start().starts_with("sex missing")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["sex", "missing", "9.3", "%", "8.9", "%"]);
    let json = test.json(&format!("{command} --json"));
    let groups = json["train"]["groups"].as_array().unwrap();
    let named: Vec<&str> = groups.iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!((named, &groups[2]["rows"]), (vec!["sex=f", "sex=m", "sex missing"], &1220.into()));
    assert_eq!(
        (&json["effect"]["missing"][0]["notable"], codes(&json).contains(&"missing-apart")),
        (&true.into(), true)
    );
    assert_eq!(json["train"]["violations"].as_array().unwrap().len(), 2, "nothing is asked of them");
}

#[test]
fn an_audit_shows_rows_without_a_value_and_compares_them_with_nobody() {
    let test = hires(80, 20);
    let json = test.json("audit hires.csv --label hired --group sex --predictions hired --json");
    let class = &json["classes"][0];
    for part in ["labels", "predictions"] {
        assert_eq!(
            (&class[part]["missing"][0]["group"], &class[part]["missing"][0]["rows"]),
            (&"sex missing".into(), &1220.into())
        );
        assert_eq!(class[part]["groups"].as_array().unwrap().len(), 2);
    }
    assert_eq!(class["labels"]["violation"]["gaps"].as_array().unwrap().len(), 2);
    let text = stdout(&test, "audit hires.csv --label hired --group sex");
    assert!(text.lines().any(|line| line.starts_with("  sex missing") && line.ends_with("of 1,220 rows")), "{text}");
}

#[test]
fn a_report_says_it_first_and_has_rows_without_a_value() {
    let test = hires(80, 20);
    for name in ["page.html", "card.md", "letter.txt"] {
        test.expect(
            0,
            &format!(
                "fit hires.csv --label hired --group sex --notion demographic-parity --preset paper --report {name}"
            ),
        );
        let page = test.read(name);
        let (said, before) =
            (page.find("The correction changes more than evenness: "), page.find("Before correction, "));
        assert!(said.is_some() && said < before, "{name}");
        assert!(page.contains("sex missing"), "{name}");
        assert!(page.contains("36\u{a0}% fewer rows predicted “yes” (10.1\u{a0}% before, 6.5\u{a0}% after)"), "{name}");
    }
}
