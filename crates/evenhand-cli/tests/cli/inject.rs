//! `evenhand inject`: labels with a known bias.

use crate::support::{CliTest, snapshot, snapshot_of};

const LOANS: &str = "inject loans.csv --label approved --positive yes --group sex";

#[test]
fn rates_before_and_after_are_shown() {
    let test = CliTest::new();
    snapshot!(test, &format!("{LOANS} --multiplier sex=female=0.5 --seed 3 --out biased.csv"));
}

#[test]
fn flips_are_shown_too() {
    let test = CliTest::new();
    snapshot!(test, &format!("{LOANS} --flip sex=female=0.5 --flip sex=male:negative=0.25 --out biased.csv"));
}

#[test]
fn a_violation_is_shown_with_the_multipliers_found_for_it() {
    let test = CliTest::new();
    snapshot!(test, &format!("{LOANS} --violation sex=female=0.35 --seed 3 --out biased.csv"));
    let json = test.json(&format!("{LOANS} --violation sex=female=0.35 --seed 3 --out biased.csv --json"));
    let multiplier = json["multipliers"][0]["value"].as_f64().unwrap();
    assert_eq!((&json["violations"][0]["asked"], json["multipliers"][1]["value"].as_f64()), (&0.35.into(), Some(0.0)));
    assert!(multiplier > 0.0 && json["violations"][0]["before"].as_f64().unwrap() < 0.35, "{json}");
    assert!(json["divergence"].as_f64().unwrap() > 0.0);
    // The multiplier by itself draws the same labels.
    test.expect(0, &format!("{LOANS} --multiplier sex=female={multiplier} --seed 3 --out same.csv"));
    assert_eq!(test.read("biased.csv"), test.read("same.csv"));
}

#[test]
fn violations_that_cannot_be_put_in_are_refused() {
    let test = CliTest::new();
    let wrong = [
        "--violation sex=female=0.05",
        "--violation sex=female=0",
        "--violation sex=female=0.9",
        "--violation sex=female=much",
        "--violation sex=woman=0.3",
        "--violation sex=female=0.4 --violation sex=male=0.4",
        "--violation sex=female=0.4 --multiplier sex=female=0.4",
        "--violation sex=female=0.4 --flip sex=female=0.4",
    ];
    let all: Vec<String> =
        wrong.iter().map(|bias| format!("{bias}: {}", test.run(&format!("{LOANS} {bias} --out none.csv")))).collect();
    snapshot_of!(all.join("\n"));
}

#[test]
fn json_has_the_same_numbers() {
    let test = CliTest::new();
    snapshot!(test, &format!("{LOANS} --multiplier sex=female=0.5 --seed 3 --out biased.csv --json"));
}

#[test]
fn all_columns_stay_to_the_letter_and_the_truth_stands_beside() {
    let test = CliTest::new();
    test.expect(0, &format!("{LOANS} --flip sex=female=1 --out biased.csv"));
    let (before, after) = (test.read("loans.csv"), test.read("biased.csv"));
    assert_eq!(before.lines().count(), after.lines().count());
    assert_eq!(after.lines().next().unwrap(), "id,income,history,sex,age,region,approved,approved_true");
    for (before, after) in before.lines().zip(after.lines()).skip(1) {
        let (rest, label) = before.rsplit_once(',').unwrap();
        let biased = if before.contains(",female,") { "no" } else { label };
        assert_eq!(after, format!("{rest},{biased},{label}"));
    }
}

#[test]
fn columns_that_are_left_out_are_carried_and_labels_keep_their_type() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let named: String = loans
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => line.to_owned() + ", note \n",
            _ => format!("{},{}", line.replace(",yes", ",1").replace(",no", ",0"), "  9007199254740993 \n"),
        })
        .collect();
    test.write("named.csv", &named);
    let options = "--label approved --group sex --ignore note --flip sex=female=1";
    test.expect(0, &format!("inject named.csv {options} --out biased.csv"));
    for (before, after) in named.lines().zip(test.read("biased.csv").lines()).skip(1) {
        let fields: Vec<&str> = after.split(',').collect();
        assert_eq!((fields[7], fields.len()), ("  9007199254740993 ", 9));
        assert_eq!(before.split(',').nth(6), Some(fields[8]));
    }
    test.expect(0, &format!("inject named.csv {options} --out biased.parquet"));
    test.expect(0, &format!("inject biased.parquet {options} --truth-column again --out back.csv"));
    let back = test.read("back.csv");
    let row = back.lines().nth(1).unwrap();
    assert!(row.contains(",9007199254740993,") && !row.contains(".0,"), "{row}");
}

#[test]
fn the_seed_decides_and_the_format_does_not() {
    let test = CliTest::new();
    test.convert("loans.csv", "loans.parquet");
    let base = "--label approved --positive yes --group sex --multiplier sex=female=0.8";
    let rates = |data: &str, seed: u64, out: &str| {
        let mut found = test.json(&format!("inject {data} {base} --ignore id --seed {seed} --out {out} --json"));
        found["out"] = serde_json::Value::Null;
        found
    };
    let one = rates("loans.csv", 1, "one.csv");
    assert_eq!(one, rates("loans.parquet", 1, "other.parquet"));
    assert_ne!(one, rates("loans.csv", 2, "two.csv"));
    assert_ne!(test.read("one.csv"), test.read("two.csv"));
}

#[test]
fn no_multiplier_no_change_unless_the_truth_is_drawn_too() {
    let test = CliTest::new();
    let nothing = test.json(&format!("{LOANS} --multiplier sex=female=0 --out same.csv --json"));
    assert_eq!(nothing["changed"], 0);
    let drawn = test.json(&format!("{LOANS} --multiplier sex=female=0 --truth model --out drawn.csv --json"));
    assert_eq!(drawn["changed"], 0);
    assert_ne!(test.read("same.csv"), test.read("drawn.csv"));
}

#[test]
fn every_rate_of_equalized_odds_has_its_own() {
    let test = CliTest::new();
    let command = format!("{LOANS} --notion equalized-odds --multiplier 'tpr sex=female=0.6' --out biased.csv --json");
    let found = test.json(&command);
    let named = found["multipliers"].as_array().unwrap();
    assert_eq!((named.len(), &named[0]["value"], &named[1]["value"]), (4, &0.6.into(), &0.0.into()));
    assert!(found["changed"].as_u64().unwrap() > 0);
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_written() {
    let test = CliTest::new();
    test.write("clash.csv", "x,y,y_true,g\n1,no,1,a\n2,yes,1,b\n3,no,0,a\n4,yes,0,b\n");
    test.write("three.csv", "x,y,g\n1,a,u\n2,b,v\n3,c,u\n4,a,v\n");
    let wrong = [
        format!("{LOANS} --out biased.csv"),
        format!("{LOANS} --multiplier sex=female=0.5 --flip sex=female=0.5 --out biased.csv"),
        format!("{LOANS} --multiplier sex=woman=0.5 --out biased.csv"),
        format!("{LOANS} --multiplier sex=female --out biased.csv"),
        format!("{LOANS} --multiplier sex=female=1 --multiplier sex=female=2 --out biased.csv"),
        format!("{LOANS} --flip sex=female=1.5 --out biased.csv"),
        format!("{LOANS} --flip sex=female=-0.5 --out biased.csv"),
        format!("{LOANS} --flip sex=woman=0.5 --out biased.csv"),
        format!("{LOANS} --flip sex=female=0.5 --truth model --out biased.csv"),
        format!("{LOANS} --flip sex=female=0.5 --truth-column region --out biased.csv"),
        format!("{LOANS} --flip sex=female=0.5 --out loans.csv"),
        format!("{LOANS} --flip sex=female=0.5 --out biased.txt"),
        "inject clash.csv --label y --group g --flip g=a=0.5 --out biased.csv".to_owned(),
        "inject three.csv --label y --group g --flip g=u=0.5 --out biased.csv".to_owned(),
    ];
    let all: Vec<String> = wrong.iter().map(|command| test.run(command)).collect();
    snapshot_of!(all.join("\n"));
    assert!(!test.path("biased.csv").exists());
}
