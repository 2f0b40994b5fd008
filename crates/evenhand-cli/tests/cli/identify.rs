//! `evenhand identify`.

use crate::support::{CliTest, snapshot, snapshot_of};

const IDENTIFY: &str = "identify loans.csv --label approved --ignore id --group sex";

#[test]
fn the_bias_is_said_in_words_and_numbers() {
    snapshot!(CliTest::new(), &format!("{IDENTIFY} --group 'age<=30' --resamples 20"));
}

#[test]
fn json_has_the_same_numbers() {
    snapshot!(CliTest::new(), &format!("{IDENTIFY} --resamples 0 --json"));
}

#[test]
fn what_a_bias_is_taken_to_go_by_is_said() {
    let test = CliTest::new();
    let said = |tilt: &str| test.run(&format!("{IDENTIFY} --resamples 0{tilt}")).replace('\n', " ");
    let (group, seen) = (said(""), said(" --tilt expected"));
    assert!(group.contains("that depends on group alone") && group.contains("in units of g/Z - 1"), "{group}");
    assert!(seen.contains("what features tell of the group") && seen.contains("in units of P(g|x)/Z - 1"), "{seen}");
}

/// No weights make the rates of a group even that is the label itself.
fn group_is_label(test: &CliTest) {
    let row = |row: usize| {
        let (label, group) = if row.is_multiple_of(3) { (1, "p") } else { (0, "q") };
        format!("{},{group},{label}\n", row * 37 % 101)
    };
    test.write("group_is_label.csv", &("x,sex,y\n".to_owned() + &(0..2_000).map(row).collect::<String>()));
}

#[test]
fn without_a_solution_nothing_is_said_of_the_bias() {
    let test = CliTest::new();
    group_is_label(&test);
    let command = "identify group_is_label.csv --label y --group sex";
    let text = test.run(command);
    assert!(text.starts_with("exit code 1\n----- stdout\nThere is no estimate: no multipliers were found"), "{text}");
    assert!(!text.contains("interval") && !text.contains("chance") && !text.contains("odds"), "{text}");
    let output = test.expect(1, &format!("{command} --json --report bias.md"));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (found["effects"].as_array().map(Vec::len), found["multipliers"].as_array().map(Vec::len)),
        (Some(0), Some(0))
    );
    assert_eq!(found["missing"], "no multipliers were found that make the probabilities of the groups even");
    let page = test.read("bias.md");
    assert!(page.contains("There is no estimate of the bias") && !page.contains("% interval"), "{page}");
}

#[test]
fn the_assumption_stands_before_every_claim() {
    let test = CliTest::new();
    let (text, json) = (test.run(&format!("{IDENTIFY} --report bias.txt")), test.run(&format!("{IDENTIFY} --json")));
    for said in [text, json, test.read("bias.txt")] {
        let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
        assert!(place("is an estimate of labelling bias only if") < place("Positive labels for sex=female"), "{said}");
    }
}

/// What if groups truly differ? In text, JSON and every form of the report.
#[test]
fn how_far_groups_would_have_to_differ_is_said_everywhere() {
    let test = CliTest::new();
    let command = format!("{IDENTIFY} --resamples 0 --sensitivity");
    let found = test.json(&format!("{command} --json --report bias.html"));
    let curves = found["sensitivity"]["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 2);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    for (curve, often) in curves.iter().zip(["less", "more"]) {
        let tipping = 100.0 * number(&curve["tipping"]["difference"]).abs();
        let sentence = curve["sentence"].as_str().unwrap();
        assert!(
            sentence.contains(&format!("deserve positive labels {tipping:.1} points {often} often than everyone")),
            "{sentence}"
        );
        let points = curve["points"].as_array().unwrap();
        let last = &points[points.len() - 1];
        assert!((number(&last["difference"]) - number(&curve["observed"])).abs() < 1e-12);
        assert!(
            (number(&last["overall_rate"]) - number(&last["group_rate"]) - number(&curve["observed"])).abs() < 1e-6
        );
    }
    let text = test.run(&command);
    let sentence = curves[0]["sentence"].as_str().unwrap();
    assert!(text.contains("If groups truly differ\n") && text.contains(sentence), "{text}");
    assert!(
        text.contains("\n  alike ") && text.contains("points less often ") && text.contains("known-rate"),
        "{text}"
    );
    let page = test.read("bias.html");
    assert_eq!(page.matches("<polygon class=\"band\"").count(), 2);
    for file in ["bias.md", "bias.txt"] {
        test.expect(0, &format!("{command} --report {file}"));
        assert!(test.read(file).contains("If groups truly differ"), "{file}");
    }
    // Not asked for, not computed: as before.
    assert!(test.json(&format!("{IDENTIFY} --resamples 0 --json"))["sensitivity"].is_null());
}

/// Drawing a million rows a hundred times takes minutes: with many rows it is done when asked for.
#[test]
fn many_rows_are_drawn_again_only_if_asked() {
    let test = CliTest::new();
    let rows = test.read("loans.csv");
    let (head, body) = rows.split_once('\n').unwrap();
    test.write("many.csv", &format!("{head}\n{}", body.repeat(51)));
    let command = "identify many.csv --label approved --ignore id --group sex --json";
    let drawn =
        |arguments: &str| test.json(&format!("{command}{arguments}"))["effects"][0]["resampled"]["draws"].as_u64();
    assert_eq!((drawn(""), drawn(" --resamples 20")), (None, Some(20)));
    let text = test.run(&command.replace(" --json", ""));
    assert!(text.contains("Rows were not drawn again to check the intervals"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let test = CliTest::new();
    let wrong = [
        "identify loans.csv --label approved --ignore id",
        "identify loans.csv --label approved --ignore id --group sx",
        "identify loans.csv --label approved --ignore id --group sex --confidence 2",
        "identify loans.csv --label approved --ignore id --group sex --resamples 3",
        "identify nowhere.csv --label approved --group sex",
    ];
    let all: Vec<String> = wrong.iter().map(|arguments| test.run(arguments)).collect();
    snapshot_of!(all.join("\n"));
}

#[test]
fn weights_are_written_and_refused_before_any_work() {
    let test = CliTest::new();
    let json = test.json(&format!("{IDENTIFY} --resamples 0 --weights weights.csv --json"));
    assert_eq!(json["weights"], "weights.csv");
    let written = test.read("weights.csv");
    assert!(written.starts_with("row,weight\n1,0.") && written.lines().count() == 401, "{written}");
    let text = test.run(&format!("{IDENTIFY} --resamples 0 --weights weights.parquet"));
    assert!(text.contains("Wrote to weights.parquet the weights that undo the bias"), "{text}");
    let place = test.run(&format!("{IDENTIFY} --weights nowhere/weights.csv"));
    assert!(place.starts_with("exit code 2") && place.contains("there is no folder nowhere"), "{place}");
    let labels = test.run(&format!("{IDENTIFY} --notion equal-opportunity --weights other.csv"));
    assert!(labels.starts_with("exit code 2") && labels.contains("goes by the true label"), "{labels}");
    // Without an estimate there are none.
    group_is_label(&test);
    test.expect(1, "identify group_is_label.csv --label y --group sex --weights none.csv");
    assert!(!test.path("none.csv").exists() && !test.path("other.csv").exists());
}
