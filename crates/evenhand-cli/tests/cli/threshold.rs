//! `--threshold best`: decisions from another probability on than ½.

use crate::support::{CliTest, snapshot, snapshot_of};

/// A strong penalty makes probabilities err at ½.
const ROWS: &str = "loans.csv --label approved --ignore id --group sex --notion demographic-parity --l2 300";

fn threshold(json: &serde_json::Value) -> f64 {
    json["threshold"].as_f64().unwrap()
}

#[test]
fn a_fit_says_where_decisions_begin() {
    snapshot!(CliTest::new(), &format!("fit {ROWS} --max-violation 0.05 --threshold best --holdout 0.3 --seed 7"));
}

#[test]
fn predictions_decide_by_it_and_verification_chooses_it_again() {
    let test = CliTest::new();
    let fit = format!("fit {ROWS} --method unconstrained --json --model model.json --report report.md");
    let half = test.json(&fit);
    assert!(half.get("threshold").is_none(), "{half}");
    let best = test.json(&format!("{fit} --threshold best"));
    let error = |json: &serde_json::Value| json["train"]["error"].as_f64().unwrap();
    assert!(error(&best) < error(&half), "{best}");
    let said = format!("Rows are decided positive above a probability of {:.4}", threshold(&best));
    assert!(test.read("report.md").contains(&said), "{said}");
    test.expect(0, "predict model.json loans.csv --out decided.csv");
    let mut between = 0;
    for line in test.read("decided.csv").lines().skip(1) {
        let [probability, decision] = [1, 0].map(|from_end| line.rsplit(',').nth(from_end).unwrap());
        let probability: f64 = probability.parse().unwrap();
        assert_eq!(decision == "yes", probability > threshold(&best), "{line}");
        between += usize::from((probability > 0.5) != (decision == "yes"));
    }
    assert!(between > 0, "no row lies between the thresholds");
    let verdict = test.json("verify model.json loans.csv --json");
    assert_eq!(verdict["matches"], true, "{verdict}");
    let names: Vec<&str> =
        verdict["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"threshold"), "{names:?}");
}

#[test]
fn a_frontier_says_it_of_every_point() {
    let test = CliTest::new();
    let frontier = format!("frontier {ROWS} --points 4 --threshold best --out points.csv");
    let json = test.json(&format!("{frontier} --json"));
    let points = json["points"].as_array().unwrap();
    assert!((threshold(&points[0]) - 0.5).abs() > 1e-3 && points.iter().all(|one| one["threshold"].is_f64()), "{json}");
    assert!(test.read("points.csv").lines().next().unwrap().contains(",threshold,"));
    let text = test.run(&frontier);
    assert!(text.contains("Rows are decided positive above a probability of"), "{text}");
}

#[test]
fn where_there_is_nothing_to_choose_it_is_refused() {
    let test = CliTest::new();
    let wrong = ["best --method threshold-postprocessing", "best --measure scores", "middle"];
    let all: Vec<String> = wrong.iter().map(|choice| test.run(&format!("fit {ROWS} --threshold {choice}"))).collect();
    snapshot_of!(all.join("\n"));
}
