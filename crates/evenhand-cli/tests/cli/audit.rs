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
fn everything_is_shown_on_request() {
    snapshot!(with_predictions(), &format!("{AUDIT} --predictions predicted --confidence 0.9 --full"));
}

#[test]
fn a_summary_fits_a_screen() {
    let test = with_scores();
    let groups = "--group region --group 'age<=30' --ignore predicted --score p";
    let shown = |more: &str| {
        let output = test.expect(0, &format!("{AUDIT} {groups} {more}"));
        String::from_utf8(output.stdout).unwrap()
    };
    let (summary, whole) = (shown(""), shown("--full"));
    assert!(summary.lines().count() < 50 && whole.lines().count() > 200, "{summary}");
    assert!(summary.ends_with("--notion NOTION prints what one notion is about.\n"), "{summary}");
    assert!(whole.contains("difference") && !whole.contains("--full"), "{whole}");
    let (of_notion, everything) = (shown("--notion equal-accuracy"), shown("--notion equal-accuracy --full"));
    assert!(of_notion.lines().count() < everything.lines().count() && everything == whole);
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

/// So many rows of women and of men, of which so many are labelled and so many of those predicted positive.
fn people(test: &CliTest, rows: [(&str, usize, usize, usize); 2]) {
    let of = |(sex, count, positives, predicted): (&str, usize, usize, usize)| {
        let line = |row: usize| {
            let said = |yes: bool| if yes { "yes" } else { "no" };
            format!("{sex},{},{}\n", said(row < positives), said(row < predicted))
        };
        (0..count).map(line).collect::<String>()
    };
    test.write("people.csv", &format!("sex,y,predicted\n{}{}", of(rows[0]), of(rows[1])));
}

const PEOPLE: &str = "audit people.csv --label y --positive yes --group sex --predictions predicted";

fn verdict(test: &CliTest, code: i32, command: &str) -> serde_json::Value {
    let output = test.expect(code, &format!("{command} --json"));
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["bounds"][0].clone()
}

#[test]
fn few_rows_are_too_few_to_tell_and_fail_a_strict_pipeline_alone() {
    let test = CliTest::new();
    people(&test, [("f", 20, 10, 8), ("m", 20, 10, 9)]);
    let found = verdict(&test, 0, &format!("{PEOPLE} --max-violation 0.1"));
    assert_eq!((&found["verdict"], &found["of"]), (&"too-few-rows".into(), &"predictions".into()));
    assert!(found["high"].as_f64().unwrap() > 0.1);
    for bound in ["--max-violation 0.1", "--max-difference 0.1", "--min-ratio 0.8"] {
        assert_eq!(verdict(&test, 0, &format!("{PEOPLE} {bound}"))["verdict"], "too-few-rows", "{bound}");
        let output = test.expect(1, &format!("{PEOPLE} {bound} --strict"));
        assert!(String::from_utf8(output.stderr).unwrap().contains("too few rows to tell whether it is met"));
    }
    let refused = String::from_utf8(test.expect(2, &format!("{PEOPLE} --strict")).stderr).unwrap();
    assert!(refused.contains("--strict is about bounds, and there is none"), "{refused}");
    let shown = String::from_utf8(test.expect(0, &format!("{PEOPLE} --notion equal-accuracy")).stdout).unwrap();
    assert!(shown.contains("Equal accuracy:") && !shown.contains("Demographic parity"), "{shown}");
    let whole = String::from_utf8(test.expect(0, &format!("{PEOPLE} --full")).stdout).unwrap();
    assert!(3 * shown.lines().count() < whole.lines().count(), "{shown}");
}

#[test]
fn a_group_without_positives_is_named_and_nobody_can_tell() {
    let test = CliTest::new();
    people(&test, [("f", 400, 0, 0), ("m", 400, 200, 150)]);
    let command = format!("{PEOPLE} --notion equal-opportunity --max-difference 0.9");
    let found = verdict(&test, 1, &command);
    assert_eq!(found["verdict"], "cannot-tell");
    assert_eq!(found["unmeasured"], serde_json::json!(["equal-opportunity sex=f"]));
    let output = test.expect(1, &command);
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains("no rows to measure `equal-opportunity sex=f`"), "{text}");
    assert!(
        notes.contains("cannot tell whether it is met: max-difference 0.9 of predictions: no rows to measure"),
        "{notes}"
    );
}

#[test]
fn a_group_that_is_everyone_is_not_said_to_be_even() {
    let test = CliTest::new();
    people(&test, [("f", 400, 200, 150), ("f", 400, 200, 150)]);
    let found = verdict(&test, 1, &format!("{PEOPLE} --max-violation 0.02"));
    assert_eq!((&found["verdict"], &found["value"]), (&"cannot-tell".into(), &().into()));
    assert_eq!(found["own_reference"], serde_json::json!(["demographic-parity sex=f"]));
    let text = String::from_utf8(test.expect(1, &format!("{PEOPLE} --max-violation 0.02")).stdout).unwrap();
    assert!(text.contains("`sex=f`: everyone it is about is in the group"), "{text}");
    let pair = verdict(&test, 1, &format!("{PEOPLE} --min-ratio 0.8"));
    assert_eq!(pair["verdict"], "cannot-tell");
}

#[test]
fn several_notions_and_bounds_are_tested_at_once() {
    let test = CliTest::new();
    people(&test, [("f", 4000, 2000, 1500), ("m", 4000, 2000, 1480)]);
    let command =
        format!("{PEOPLE} --notion demographic-parity --notion equal-opportunity --max-violation 0.05 --min-ratio 0.9");
    let text = String::from_utf8(test.expect(0, &format!("{command} --strict")).stdout).unwrap();
    assert!(text.contains("BOUNDS: predictions by demographic-parity, equal-opportunity\n  max-violation 0.05 of predictions: met (0.00"), "{text}");
    assert!(text.contains("min-ratio 0.9 of predictions: met ("), "{text}");
}

/// Loans with a column of scores, higher where the income is.
fn with_scores() -> CliTest {
    let test = with_predictions();
    let csv = each_line(&test.read("loans.csv"), |at, line| {
        let income: f64 = line.split(',').nth(1).and_then(|income| income.parse().ok()).unwrap_or(50.0);
        format!("{line},{}", if at == 0 { "p".to_owned() } else { (income / 150.0).clamp(0.0, 1.0).to_string() })
    });
    test.write("loans.csv", &csv);
    test
}

#[test]
fn scores_are_audited_and_decide_by_a_threshold() {
    let test = with_scores();
    let found = test.json(&format!("{AUDIT} --ignore predicted --score p --threshold 0.4 --json"));
    let scores = &found["scores"];
    assert_eq!((&scores["column"], &scores["threshold"]), (&"p".into(), &0.4.into()));
    let auc = &scores["overall"]["auc"];
    assert!(auc["low"].as_f64() < auc["value"].as_f64() && auc["value"].as_f64() < auc["high"].as_f64());
    assert!(found["classes"][0]["predictions"]["groups"][0]["true_positive_rate"]["value"].is_number());
    let text = String::from_utf8(test.expect(0, &format!("{AUDIT} --score p --ignore predicted")).stdout).unwrap();
    assert!(text.contains("SCORES: `p`, decided from 0.5 on") && text.contains("Calibration in the large"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let both = test.json(&format!("{AUDIT} --score p --predictions predicted --json"));
    assert_eq!(both["scores"]["overall"]["auc"], found["scores"]["overall"]["auc"]);
}

#[test]
fn a_group_without_positives_has_no_auc_and_still_a_calibration() {
    let test = CliTest::new();
    let line = |row: usize| {
        let (sex, yes) = (["f", "m", ""][row % 3], !row.is_multiple_of(3) && row % 7 < 3);
        format!("{sex},{},{}\n", if yes { "yes" } else { "no" }, (row % 11) as f64 / 10.0)
    };
    test.write("people.csv", &format!("sex,y,p\n{}", (0..300).map(line).collect::<String>()));
    let found = test.json("audit people.csv --label y --group sex --score p --json");
    let women = &found["scores"]["groups"][0];
    assert!(women["auc"].is_null() && women["calibration"]["value"].as_f64() > Some(0.4), "{women}");
    assert_eq!(found["scores"]["missing"][0]["group"], "sex missing");
    let text = test.expect(0, "audit people.csv --label y --group sex --score p").stdout;
    assert!(String::from_utf8(text).unwrap().contains("undefined"));
}

#[test]
fn fractions_as_predictions_name_the_options_for_scores() {
    let refused = with_scores().expect(2, &format!("{AUDIT} --predictions p"));
    let refused = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.contains("is none of the known classes: `no`, `yes`"), "{refused}");
    assert!(refused.contains("hint: for probabilities give --score p --threshold 0.5"), "{refused}");
}

#[test]
fn predictions_are_audited_without_labels() {
    let test = with_predictions();
    let alone = "audit loans.csv --predictions predicted --ignore id --ignore approved --group sex";
    let found = test.json(&format!("{alone} --json"));
    let both = test.json(&format!("{AUDIT} --predictions predicted --json"));
    assert!(found["classes"][0]["labels"].is_null() && found["accuracy"].is_null());
    let rates = |found: &serde_json::Value| found["classes"][0]["predictions"]["groups"][0]["positive_rate"].clone();
    assert_eq!(rates(&found), rates(&both));
    let text = String::from_utf8(test.expect(0, alone).stdout).unwrap();
    assert!(text.contains("Without labels: error rates, accuracy"), "{text}");
    test.expect(1, &format!("{alone} --max-violation 0.0001"));
    let refused = String::from_utf8(test.expect(2, &format!("{alone} --notion equalized-odds")).stderr).unwrap();
    assert!(refused.contains("compares predictions with labels, and there are none"), "{refused}");
    let refused = String::from_utf8(test.expect(2, "audit loans.csv --group sex").stderr).unwrap();
    assert!(refused.contains("--label"), "{refused}");
}

#[test]
fn more_rows_than_are_read_into_memory_give_the_same_json() {
    let test = CliTest::new();
    // Two million rows are read into memory; standard input always is.
    let line = |row: usize| {
        let yes = |every: usize| if row.is_multiple_of(every) { "yes" } else { "no" };
        format!("{},{},{}\n", ["f", "m", ""][(row % 7) % 3], yes(3), yes(4))
    };
    let mut csv = "sex,y,predicted\n".to_owned();
    csv.extend((0..2_200_000).map(line));
    test.write("many.csv", &csv);
    let asked = "--label y --group sex --predictions predicted --notion equalized-odds --max-violation 0.1 --json";
    let found = test.expect(0, &format!("audit many.csv {asked}")).stdout;
    let mut whole = test.command(&format!("audit - {asked}"));
    let whole = whole.stdin(std::fs::File::open(test.path("many.csv")).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(found).unwrap(), String::from_utf8(whole.stdout).unwrap());
    let refused = String::from_utf8(test.expect(2, "audit many.csv --label y --group sx").stderr).unwrap();
    assert!(refused.contains("no column `sx`; the data have: `sex`, `y`, `predicted`"), "{refused}");
}
