//! `--covariate-shift corrected`: weights divided by what they do to features.

use std::collections::BTreeSet;

use crate::learner::SHARES;
use crate::support::{CliTest, snapshot};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// The weights that a command writes, as text.
fn weights(test: &CliTest, options: &str) -> Vec<String> {
    test.expect(0, &format!("{FIT} --weights weights.csv {options}"));
    test.read("weights.csv").lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn divided_weights_are_written_and_verified() {
    let test = CliTest::new();
    let kept: BTreeSet<String> = weights(&test, "").into_iter().collect();
    assert_eq!(kept.len(), 4);
    let undone = weights(&test, "--covariate-shift corrected --model model.json");
    assert!(undone.iter().collect::<BTreeSet<_>>().len() > 300);
    let mean = undone.iter().map(|weight| weight.parse::<f64>().unwrap()).sum::<f64>() / undone.len() as f64;
    // Not exactly 1: the penalty draws probabilities towards one half, the more so the fewer rows there are.
    assert!((mean - 1.0).abs() < 0.15, "{mean}");
    let model: serde_json::Value = serde_json::from_str(&test.read("model.json")).unwrap();
    assert_eq!(model["model"]["settings"]["covariate_shift"], "corrected");
    assert_eq!(model["model"]["observed"]["kind"], "logistic");
    snapshot!(test, "verify model.json loans.csv");
}

#[test]
fn a_notion_that_would_be_divided_away_is_refused() {
    snapshot!(
        CliTest::new(),
        &format!("{} --covariate-shift corrected", FIT.replace("demographic-parity", "equal-accuracy"))
    );
}

#[test]
fn a_command_that_gives_probabilities_will_do_and_one_that_decides_will_not() {
    let test = CliTest::new();
    test.write("shares.sh", SHARES);
    test.write("decides.sh", &SHARES.replace("share[$0] : 0.5", "(share[$0] > 0.5) : 0"));
    let few = format!("{FIT} --ignore income --ignore age --ignore region --max-fits 20 --covariate-shift corrected");
    let json = test.json(&format!("{few} --learner 'sh shares.sh' --model model.json --json"));
    let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
    assert!(violation(&json["train"]) < violation(&json["uncorrected"]["train"]), "{json}");
    snapshot!(test, "verify model.json loans.csv --learner 'sh shares.sh'");
    snapshot!(test, &format!("{few} --learner 'sh decides.sh'"));
}

#[test]
fn a_frontier_takes_it_too() {
    let test = CliTest::new();
    let frontier = FIT.replace("fit", "frontier") + " --points 3 --json";
    let (kept, undone) = (test.json(&frontier), test.json(&format!("{frontier} --covariate-shift corrected")));
    let last = |json: &serde_json::Value| json["points"].as_array().unwrap().last().unwrap().clone();
    assert!(last(&undone)["train"]["violation"].as_f64().unwrap() < 0.02, "{undone}");
    assert_ne!(last(&kept)["multipliers"], last(&undone)["multipliers"]);
}
