//! `evenhand fit --method`, and what predicts and verifies after it.

use crate::support::{CliTest, each_line, snapshot, snapshot_of};

const FIT: &str =
    "fit loans.csv --label approved --ignore id --group sex --group 'age<=30' --notion demographic-parity";

const METHODS: [&str; 6] =
    ["correction", "unconstrained", "reweighing", "threshold-postprocessing", "percentile-thresholds", "lagrangian"];

/// Methods that decide by group.
const BY_GROUP: [&str; 2] = ["threshold-postprocessing", "percentile-thresholds"];

#[test]
fn threshold_postprocessing_shows_its_thresholds_and_what_it_needs() {
    snapshot!(CliTest::new(), &format!("{FIT} --holdout 0.3 --seed 7 --method threshold-postprocessing"));
}

#[test]
fn threshold_postprocessing_without_random_decisions_has_one_threshold_each() {
    snapshot!(
        CliTest::new(),
        &format!("{FIT} --method threshold-postprocessing --decisions deterministic --max-violation 0.02")
    );
}

#[test]
fn percentile_thresholds_show_theirs_too() {
    snapshot!(CliTest::new(), &format!("{FIT} --method percentile-thresholds"));
}

#[test]
fn reweighing_has_no_multipliers_and_tests_bounds() {
    snapshot!(CliTest::new(), &format!("{FIT} --method reweighing --max-violation 0.001"));
}

#[test]
fn lagrangian_shows_its_multipliers_and_slack() {
    snapshot!(CliTest::new(), &format!("{FIT} --method lagrangian --method-seed 3"));
}

#[test]
fn every_method_is_named_in_json_and_has_the_same_baseline() {
    let test = CliTest::new();
    let plain = test.json(&format!("{FIT} --method unconstrained --json"));
    assert_eq!(plain["train"], plain["uncorrected"]["train"]);
    for method in METHODS {
        let json = test.json(&format!("{FIT} --method {method} --json"));
        assert_eq!(json["method"], method);
        assert_eq!(json["uncorrected"], plain["uncorrected"], "{method}");
        assert_eq!(json.get("thresholds").is_some(), BY_GROUP.contains(&method));
        assert_eq!(json.get("slack").is_some(), method == "lagrangian");
    }
    let json = test.json(&format!("{FIT} --method threshold-postprocessing --json"));
    assert!(json["train"]["violation"].as_f64().unwrap() < 1e-9, "{json}");
    assert_eq!(json["groups_needed"], serde_json::json!(["age", "sex"]));
}

#[test]
fn every_method_is_saved_predicts_and_verifies() {
    let test = CliTest::new();
    for method in METHODS {
        test.expect(0, &format!("{FIT} --holdout 0.3 --seed 7 --method {method} --model {method}.json"));
        test.expect(0, &format!("predict {method}.json loans.csv --out {method}.csv"));
        let json = test.json(&format!("verify {method}.json loans.csv --json"));
        assert_eq!(json["matches"], true, "{method}: {json}");
        let names: Vec<&str> =
            json["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
        assert_eq!(names.contains(&"thresholds"), BY_GROUP.contains(&method), "{names:?}");
        let all = json["checks"].as_array().unwrap();
        let known = all.iter().all(|check| check["matches"] == true || check["name"] == "software");
        assert!(known, "{method}: {json}");
    }
}

#[test]
fn verify_finds_what_another_method_would_have_found() {
    let test = CliTest::new();
    for method in ["reweighing", "threshold-postprocessing", "percentile-thresholds", "lagrangian"] {
        test.expect(0, &format!("{FIT} --method {method} --model model.json"));
        let loans = test.read("loans.csv");
        test.write("other.csv", &loans.replacen(",yes\n", ",no\n", 30));
        let output = test.run("verify model.json other.csv");
        let differs = match method {
            "reweighing" => "DIFFERS      weights",
            "threshold-postprocessing" => "DIFFERS      thresholds",
            _ => "DIFFERS      classifier",
        };
        assert!(output.starts_with("exit code 1") && output.contains(differs), "{output}");
    }
}

#[test]
fn a_post_processed_model_decides_by_group_and_not_without() {
    let test = CliTest::new();
    test.expect(
        0,
        &format!("{FIT} --withhold sex --method threshold-postprocessing --decisions deterministic --model model.json"),
    );
    test.expect(0, "predict model.json loans.csv --out all.csv");
    // The column of the sex, which the learner never saw, is the fourth.
    let without = each_line(&test.read("loans.csv"), |_, line| {
        let fields: Vec<&str> = line.split(',').collect();
        [&fields[..3], &fields[4..]].concat().join(",")
    });
    test.write("without.csv", &without);
    snapshot!(test, "predict model.json without.csv --out none.csv");
    let ignored = test.run("predict model.json loans.csv --ignore sex --out none.csv");
    assert!(ignored.contains("no column `sex`"), "{ignored}");
    // The other sex with the same features: other decisions, the same probabilities.
    let swapped =
        test.read("loans.csv").replace(",male,", ",x,").replace(",female,", ",male,").replace(",x,", ",female,");
    test.write("swapped.csv", &swapped);
    test.expect(0, "predict model.json swapped.csv --out swapped-out.csv");
    let columns = |name: &str, place: usize| -> Vec<String> {
        test.read(name).lines().map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
    };
    assert_eq!(columns("all.csv", 7), columns("swapped-out.csv", 7));
    assert_ne!(columns("all.csv", 8), columns("swapped-out.csv", 8));
}

#[test]
fn random_decisions_depend_on_the_seed_alone() {
    let test = CliTest::new();
    let decide = |seed: u64, threads: usize| {
        let method = format!("--method threshold-postprocessing --method-seed {seed} --threads {threads}");
        test.expect(0, &format!("{FIT} {method} --model model.json"));
        test.expect(0, "predict model.json loans.csv --out scored.csv");
        test.read("scored.csv")
    };
    assert_eq!(decide(1, 1), decide(1, 2));
    assert!((2..9).any(|seed| decide(seed, 1) != decide(1, 1)), "no row was decided at random");
}

#[test]
fn options_of_other_methods_are_refused() {
    let test = CliTest::new();
    let wrong = [
        "--method fairness",
        "--decisions randomised",
        "--method-seed 1",
        "--method reweighing --method-seed 1",
        "--method threshold-postprocessing --decisions deterministic --method-seed 1",
        "--method reweighing --decisions deterministic",
        "--method reweighing --max-fits 3",
        "--method threshold-postprocessing --loops 3",
        "--method threshold-postprocessing --preset paper",
        "--method threshold-postprocessing --measure scores",
        "--method threshold-postprocessing --weights weights.csv",
        "--method threshold-postprocessing --trace trace.csv",
        "--method percentile-thresholds --notion equalized-odds",
        "--method percentile-thresholds --decisions deterministic",
        "--method percentile-thresholds --method-seed 1",
        "--method percentile-thresholds --threshold best",
        "--method unconstrained --weights weights.csv",
        "--method unconstrained --validation k-fold",
        "--method unconstrained --technique sampling",
        "--method unconstrained --covariate-shift corrected",
        "--method lagrangian --l2 3",
        "--method lagrangian --no-penalise-intercept",
        "--method lagrangian --learner cat",
        "--method lagrangian --weights weights.csv",
    ];
    let all: Vec<String> =
        wrong.iter().map(|option| format!("{option}: {}", test.run(&format!("{FIT} {option}")))).collect();
    snapshot_of!(all.join("\n"));
}

#[test]
fn weights_and_loops_are_written_where_there_are_any() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --method reweighing --weights weights.csv"));
    assert_eq!(test.read("weights.csv").lines().count(), 401);
    test.expect(0, &format!("{FIT} --method lagrangian --trace trace.csv"));
    assert_eq!(test.read("trace.csv").lines().count(), 101);
    test.expect(0, &format!("{FIT} --method threshold-postprocessing --preset notebook"));
}
