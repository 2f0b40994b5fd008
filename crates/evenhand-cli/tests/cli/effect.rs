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
  levelled down: groups that had less than everyone now have still less: `sex=f` (positive rate 0.2 % against 0.6 %); \
`target-rate=0.036` beside the notion asks for as many positives as without correction
";
    assert!(text.starts_with(first), "{text}");
    // The price, and then what was bought with it.
    let bought = text[first.len()..].lines().next().unwrap();
    let json = test.json(&format!("{DOWN} --json"));
    let violation = |metrics: &serde_json::Value| format!("{:.4}", metrics["violation"].as_f64().unwrap());
    let (before, after) = (violation(&json["uncorrected"]["train"]), violation(&json["train"]));
    assert_eq!(bought, format!("  for a largest violation of {after}, where without correction it is {before}"));
    assert!(text.contains("max-violation 0.02 on training rows: met"), "{text}");
    let warned = String::from_utf8(test.output(DOWN).stderr).unwrap();
    assert!(
        warned.contains("advice: --notion target-rate=0.036 --max-violation target-rate=0.0018 beside the others"),
        "{warned}"
    );
    // It is advised by two warnings, and said once.
    assert_eq!(warned.matches("advice: --notion target-rate").count(), 1, "{warned}");
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
            if at.is_multiple_of(2) { "m" } else { "f" },
            u8::from(at % 20 < 6 || (at % 20).is_multiple_of(2) && at % 20 < 12)
        )
    };
    test.write("only_group.csv", &("sex,y\n".to_owned() + &(0..2_000).map(row).collect::<String>()));
    let text =
        stdout(&test, "fit only_group.csv --label y --group sex --notion demographic-parity --max-violation 0.02");
    assert!(text.starts_with("Note: all 2000 rows are predicted `0`"), "{text}");
    let effect = text.lines().nth(3).unwrap();
    assert_eq!(effect, "  no row is predicted positive, 50.0 % are without correction", "{text}");
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

const KEPT: &str = "fit hires.csv --label hired --group sex --notion demographic-parity --notion target-rate=0.1";

/// How far the positive rate is from a tenth.
fn missed(json: &serde_json::Value) -> f64 {
    (json["train"]["positive_rate"].as_f64().unwrap() - 0.1).abs()
}

#[test]
fn a_target_rate_is_not_loosened_by_the_bound_of_another_notion() {
    let test = hires(80, 0);
    let loose = test.json(&format!("{KEPT} --max-violation 0.03 --json"));
    assert!(missed(&loose) > 0.02 && loose["bounds"].as_array().unwrap().len() == 1, "{}", missed(&loose));
    let close = test.json(&format!("{KEPT} --max-violation 0.03 --max-violation target-rate=0.005 --json"));
    assert!(missed(&close) < 0.005, "{}", missed(&close));
    let bounds = close["bounds"].as_array().unwrap();
    assert_eq!((&bounds[0]["notion"], &bounds[1]["notion"]), (&serde_json::Value::Null, &"target-rate=0.1".into()));
    assert!(bounds[0]["worst"].as_str().unwrap().starts_with("demographic-parity"), "{bounds:?}");
    assert!(bounds[1]["worst"].as_str().unwrap().starts_with("target-rate"), "{bounds:?}");
    let text = stdout(&test, &format!("{KEPT} --max-violation 0.03 --max-violation target-rate=0.005"));
    assert!(text.contains("  max-violation target-rate=0.1=0.005 on training rows: "), "{text}");
    // Also by thresholds, whose programme has the same inequalities.
    let method = "--method threshold-postprocessing --max-violation 0.03 --max-violation target-rate=0.005 --json";
    // They lie on the bound itself, where single rows decide the exit code.
    let thresholds = serde_json::from_str(&stdout(&test, &format!("{KEPT} {method}"))).unwrap();
    assert!(missed(&thresholds) < 0.005 + 1e-9, "{}", missed(&thresholds));
}

#[test]
fn the_way_out_of_levelling_down_keeps_positives() {
    let test = hires(40, 0);
    let warned = String::from_utf8(test.output(DOWN).stderr).unwrap();
    let advice = warned.lines().find_map(|line| line.strip_prefix("  advice: --notion target-rate=")).unwrap();
    let options = advice.split(" beside").next().unwrap();
    assert_eq!(options, "0.036 --max-violation target-rate=0.0018");
    // With the group in sight of the learner, both can be had.
    let sighted = DOWN.replace("disparate-impact", "demographic-parity");
    let json = test.json(&format!("{sighted} --notion target-rate={options} --json"));
    assert!((json["train"]["positive_rate"].as_f64().unwrap() - 0.036).abs() < 0.0018, "{}", json["train"]);
    assert_eq!(codes(&json).iter().filter(|code| **code == "levelled-down").count(), 0);
    assert!(json["train"]["violation"].as_f64().unwrap() <= 0.02);
}

#[test]
fn a_model_keeps_the_notion_of_a_bound_and_verifies() {
    let test = hires(80, 0);
    let bounds = "--max-violation 0.03 --max-violation target-rate=0.005 --min-ratio demographic-parity=0.2";
    test.output(&format!("{KEPT} {bounds} --model model.json"));
    let model: serde_json::Value = serde_json::from_str(&test.read("model.json")).unwrap();
    let kept = serde_json::json!([
        { "max-violation": 0.03 },
        { "max-violation": 0.005, "notion": "target-rate=0.1" },
        { "min-ratio": 0.2, "notion": "demographic-parity" },
    ]);
    assert!(model.to_string().contains(&kept.to_string()), "{}", model["settings"]);
    let verified = test.json("verify model.json hires.csv --json");
    assert_eq!(verified["matches"], true, "{verified}");
}

#[test]
fn a_bound_on_a_notion_that_is_not_asked_for_is_refused() {
    let test = CliTest::new();
    let fit = "fit loans.csv --label approved --group sex --notion demographic-parity";
    for (bound, words) in [
        ("--max-violation equal-opportunity=0.01", "a notion that is asked for: `demographic-parity`"),
        ("--max-violation x", "a number, or NOTION=NUMBER"),
        ("--max-violation 0.1 --max-violation 0.2", "one number for all notions"),
        ("--max-violation 0.1 --max-violation demographic_parity=0.2", "all have one of their own"),
    ] {
        let refused = test.run(&format!("{fit} {bound}"));
        assert!(refused.starts_with("exit code 2") && refused.contains(words), "{bound}: {refused}");
    }
}

#[test]
fn a_frontier_holds_a_target_rate_all_along() {
    let test = hires(80, 0);
    let path =
        "frontier hires.csv --label hired --group sex --notion demographic-parity --notion target-rate=0.1 --points 5";
    let held = test.json(&format!("{path} --max-violation target-rate=0.01 --json"));
    for point in held["points"].as_array().unwrap() {
        let violations = point["train"]["violations"].as_array().unwrap();
        assert!(violations[2]["value"].as_f64().unwrap().abs() <= 0.01, "{violations:?}");
    }
    let last = held["points"].as_array().unwrap().last().unwrap();
    assert!(last["train"]["violations"][0]["value"].as_f64().unwrap().abs() < 0.02, "{last}");
    let refused = test.run(&format!("{path} --max-violation 0.01"));
    assert!(refused.starts_with("exit code 2") && refused.contains("bounds of its own"), "{refused}");
}
