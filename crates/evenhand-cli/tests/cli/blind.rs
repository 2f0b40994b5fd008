//! `--apply` and `--tilt`: corrections by what features tell of groups, in weights and in the probabilities of one model.

use crate::learner::SHARES;
use crate::support::{CliTest, each_line, snapshot, snapshot_of};

const ROWS: &str = "loans.csv --label approved --ignore id --group sex --group 'age<=30'";

fn fit(rest: &str) -> String {
    format!("fit {ROWS} {rest}")
}

/// The file without the columns at some places.
fn without(test: &CliTest, places: &[usize]) -> String {
    each_line(&test.read("loans.csv"), |_, line| {
        let fields = line.split(',').enumerate().filter(|(at, _)| !places.contains(at));
        fields.map(|(_, field)| field).collect::<Vec<_>>().join(",")
    })
}

#[test]
fn a_blind_tilt_says_what_decides_and_how_well_features_tell_the_group() {
    snapshot!(CliTest::new(), &fit("--notion disparate-impact --apply tilt --holdout 0.3 --seed 7"));
}

#[test]
fn a_tilt_of_features_that_tell_the_group_says_so() {
    snapshot!(CliTest::new(), &fit("--notion demographic-parity --apply tilt --max-violation 0.02"));
}

#[test]
fn blind_weights_say_how_well_features_tell_the_group() {
    snapshot!(CliTest::new(), &fit("--notion disparate-impact"));
}

#[test]
fn a_blind_frontier_says_how_well_features_tell_the_group() {
    let test = CliTest::new();
    snapshot!(test, &format!("frontier {ROWS} --notion disparate-impact --apply tilt --points 3 --out points.csv"));
    let words = test.read("points.csv");
    assert!(words.lines().nth(1).unwrap().contains(",tilt,"), "{words}");
    let json = test.json(&format!("frontier {ROWS} --notion disparate-impact --points 3 --json"));
    assert_eq!((&json["apply"], json["memberships"].as_array().unwrap().len()), (&"weights".into(), 2), "{json}");
}

#[test]
fn models_of_membership_are_in_json_with_the_labels_they_are_among() {
    let test = CliTest::new();
    let blind = test.json(&fit("--notion equalized-odds --withhold sex --withhold age --apply tilt --json"));
    assert_eq!(blind["apply"], "tilt");
    assert!(blind.get("rule").is_none() && blind.get("groups_needed").is_none(), "{blind}");
    let named: Vec<(&str, &str)> = blind["memberships"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["group"].as_str().unwrap(), one["labelled"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [("sex=female", "yes"), ("sex=female", "no"), ("age<=30", "yes"), ("age<=30", "no")]);
    assert!(blind["memberships"].as_array().unwrap().iter().all(|one| one["auc"].as_f64().unwrap() > 0.5));
    // A fit of the labels, and one for each model.
    assert_eq!(blind["fits"], 5);

    let seen = test.json(&fit("--notion equalized-odds --apply tilt --json"));
    assert!(seen.get("memberships").is_none(), "{seen}");
    assert_eq!((&seen["fits"], &seen["groups_needed"]), (&1.into(), &serde_json::json!(["age", "sex"])));

    let weights = test.json(&fit("--notion disparate-impact --json"));
    assert_eq!((&weights["apply"], &weights["rule"]["tilt"]), (&"weights".into(), &"expected".into()));
    let centred = test.json(&fit("--notion disparate-impact --tilt centred --json"));
    assert!(centred["rule"]["tilt"] == "centred" && centred.get("memberships").is_none(), "{centred}");
}

#[test]
fn both_are_saved_predict_and_verify() {
    let test = CliTest::new();
    let ways = [
        ("tilt", "--notion disparate-impact --apply tilt"),
        ("odds", "--notion equalized-odds --withhold sex --apply tilt --max-violation 0.05"),
        ("folds", "--notion disparate-impact --apply tilt --validation k-fold=3"),
        ("weights", "--notion disparate-impact"),
        ("held", "--notion equal-opportunity --withhold sex --withhold age --tilt expected --validation holdout=0.3"),
    ];
    for (name, options) in ways {
        // Whether bounds are met is not the question.
        test.output(&fit(&format!("{options} --holdout 0.3 --seed 7 --model {name}.json --report {name}.html")));
        test.expect(0, &format!("predict {name}.json loans.csv --out {name}.csv"));
        let json = test.json(&format!("verify {name}.json loans.csv --json"));
        let all = json["checks"].as_array().unwrap();
        let known = all.iter().all(|check| check["matches"] == true || check["name"] == "software");
        assert!(json["matches"] == true && known, "{name}: {json}");
        assert!(test.read(&format!("{name}.html")).contains("How well features tell the group"), "{name}");
    }
}

#[test]
fn a_blind_tilt_predicts_without_groups_and_another_one_not() {
    let test = CliTest::new();
    test.write("without.csv", &without(&test, &[3, 4]));
    test.expect(0, &fit("--notion disparate-impact --apply tilt --model blind.json"));
    test.expect(0, "predict blind.json loans.csv --out all.csv");
    test.expect(0, "predict blind.json without.csv --out some.csv");
    let last = |name: &str| -> Vec<String> {
        test.read(name).lines().map(|line| line.rsplitn(3, ',').take(2).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(last("all.csv"), last("some.csv"));
    test.expect(0, &fit("--notion demographic-parity --withhold age --apply tilt --model told.json"));
    test.write("no-age.csv", &without(&test, &[4]));
    // The learner sees the sex alone; groups are needed together, and the age is one.
    snapshot!(test, "predict told.json no-age.csv --out none.csv");
}

#[test]
fn decisions_are_by_the_tilted_probabilities() {
    let test = CliTest::new();
    test.expect(0, &fit("--notion demographic-parity --apply tilt --model model.json"));
    test.expect(0, "predict model.json loans.csv --out scored.csv");
    for line in test.read("scored.csv").lines().skip(1) {
        let mut fields = line.rsplit(',');
        let (decision, probability) = (fields.next().unwrap(), fields.next().unwrap().parse::<f64>().unwrap());
        assert_eq!(decision == "yes", probability > 0.5, "{line}");
    }
}

#[test]
fn what_belongs_to_weights_is_refused_with_a_tilt() {
    let test = CliTest::new();
    let wrong = [
        "--apply tilt --weights weights.csv",
        "--apply tilt --tilt centred",
        "--apply tilt --range bounded",
        "--apply tilt --technique sampling",
        "--apply tilt --covariate-shift corrected",
        "--apply tilt --preset paper",
        "--apply tilt --method reweighing",
        "--apply probabilities",
        "--tilt expected --preset paper",
        "--tilt expected --covariate-shift corrected",
    ];
    let all: Vec<String> = wrong
        .iter()
        .map(|option| format!("{option}: {}", test.run(&fit(&format!("--notion demographic-parity {option}")))))
        .collect();
    snapshot_of!(all.join("\n"));
}

#[test]
fn a_membership_that_is_constant_has_no_model() {
    let test = CliTest::new();
    let all = each_line(&test.read("loans.csv"), |at, line| {
        let everyone = if at == 0 { "person" } else { "yes" };
        // Every positive label is of one sex: among these, membership is constant.
        let line = if line.ends_with(",yes") { line.replace(",male,", ",female,") } else { line.to_owned() };
        format!("{line},{everyone}")
    });
    test.write("constant.csv", &all);
    let fit = "fit constant.csv --label approved --positive yes --ignore id --group sex --group person --withhold sex --withhold person";
    for apply in ["tilt", "weights"] {
        for (notion, models) in [("equal-opportunity", 0), ("demographic-parity", 1)] {
            let output = test.output(&format!("{fit} --notion {notion} --apply {apply} --tilt expected --json"));
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let found = json["memberships"].as_array().map_or(0, Vec::len);
            assert_eq!(found, models, "{apply}, {notion}: {json}");
        }
    }
}

#[test]
fn a_program_that_learns_models_membership_too() {
    let test = CliTest::new();
    test.write("learn.sh", SHARES);
    let command = "'sh learn.sh'";
    test.expect(
        0,
        &fit(&format!("--ignore income --ignore region --notion disparate-impact --apply tilt --learner {command} --model model.json")),
    );
    test.expect(0, &format!("predict model.json loans.csv --learner {command} --out scored.csv"));
    let refused = test.run("predict model.json loans.csv --out scored.csv");
    assert!(refused.starts_with("exit code 2") && refused.contains("agree to it"), "{refused}");
}

#[test]
fn the_papers_disparate_impact_withholds_the_indicators_of_groups_alone() {
    let test = CliTest::new();
    let rows = "loans.csv --label approved --ignore id --group region=r0,r1";
    let fit = format!("fit {rows} --notion paper-disparate-impact");
    test.expect(0, &format!("{fit} --model model.json"));
    let model: serde_json::Value = serde_json::from_str(&test.read("model.json")).unwrap();
    let columns = model["model"]["binding"]["encoding"]["columns"].as_array().unwrap();
    let region = columns.iter().find(|one| one["column"] == "region").unwrap();
    assert_eq!((&region["values"], &region["withheld"]), (&["r2", "r3"].into(), &["r0", "r1"].into()), "{region}");
    test.expect(0, "verify model.json loans.csv");
    test.expect(0, "predict model.json loans.csv --out decided.csv");
    // With one group of a column the other values tell it, and that is said.
    let warned = test.run(&fit.replace("r0,r1", "r0"));
    let said = "warning: the groups of column `region` are withheld from the learner, but what is left of the column";
    assert!(warned.contains(said) && warned.contains("--withhold 'region' too"), "{warned}");
    let audit = "audit decided.csv --label approved --predictions decision --ignore id --ignore probability --group region=r0,r1";
    let [ours, parity] = ["paper-disparate-impact", "demographic-parity"]
        .map(|notion| test.json(&format!("{audit} --notion {notion} --max-violation 0.5 --json")));
    assert_eq!(ours["bounds"][0]["value"], parity["bounds"][0]["value"]);
}

#[test]
fn a_feature_that_tells_a_withheld_column_is_named_for_every_notion() {
    let test = CliTest::new();
    let csv = each_line(&test.read("loans.csv"), |at, line| {
        let code = if line.contains("female") { "1" } else { "0" };
        format!("{line},{}", if at == 0 { "gender" } else { code })
    });
    test.write("copied.csv", &csv);
    let asked = "copied.csv --label approved --ignore id --group sex --withhold sex --max-violation 0.1";
    let told = "column `sex` is withheld from the learner, but the feature `gender` determines it exactly";
    for notion in ["demographic-parity", "equal-opportunity", "equalized-odds"] {
        let rest = format!("{asked} --notion {notion}");
        let warned = String::from_utf8(test.output(&format!("fit {rest} --report report.html")).stderr).unwrap();
        assert!(warned.contains(&format!("warning: {told}\n  advice: --withhold 'gender' too")), "{notion}: {warned}");
        assert!(test.read("report.html").contains("determines it exactly"), "{notion}");
        let json = test.json(&format!("frontier {rest} --points 2 --json").replace(" --max-violation 0.1", ""));
        let named = |one: &&serde_json::Value| one["code"] == "exact-proxy";
        let found = json["warnings"].as_array().unwrap().iter().find(named).unwrap();
        assert_eq!((&found["column"], &found["feature"]), (&"sex".into(), &"gender".into()), "{notion}");
    }
    let seen = test.output(&format!("fit {asked} --notion demographic-parity").replace(" --withhold sex", ""));
    assert!(!String::from_utf8(seen.stderr).unwrap().contains("determines"));
}
