//! Audits of scores, held to numbers of scikit-learn and scipy (`golden/audit_scores.py`), and audits without labels.

use std::fmt::Write as _;

use evenhand::audit::{AuditOptions, Estimate, GroupScores, ScoreColumn};
use evenhand::data::{RowFiles, find_files};
use evenhand::{Audit, Bound, Dataset, GroupSpec, Groups, Notion, ReadOptions, Schema};
use serde_json::Value;

const ROWS: usize = 240;

/// The rows of `golden/audit_scores.py`, as CSV.
fn people(order: impl Iterator<Item = usize>) -> String {
    let mut text = "group,score,label,weight,decided\n".to_owned();
    for at in order {
        let score = (at * 37 % 101) as f64 / 100.0;
        let label = u8::from((at * 53 % 97) as f64 / 97.0 < 0.15 + 0.7 * score);
        let group = if at * 29 % 7 < 3 { "a" } else { "b" };
        writeln!(text, "{group},{score},{label},{},{}", 1 + at * 11 % 4, u8::from(score >= 0.6)).unwrap();
    }
    text
}

fn options() -> AuditOptions {
    AuditOptions {
        score: Some(ScoreColumn { column: "score".into(), threshold: 0.6 }),
        notions: vec![Notion::EqualOpportunity],
        bounds: vec![Bound::MaxViolation(0.1)],
        ..AuditOptions::default()
    }
}

fn audit(schema: &Schema, predictions: Option<&str>, options: &AuditOptions) -> evenhand::Result<Audit> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people(0..ROWS)).unwrap();
    let (data, _) = Dataset::read(folder.path(), schema, &ReadOptions::default()).unwrap();
    let (groups, _) = Groups::of(&["group".parse().unwrap()], &data).unwrap();
    Audit::of_dataset(&data, &groups, predictions, options)
}

fn agree(found: &GroupScores, golden: &Value) {
    let near = |found: f64, key: &str, golden: &Value| {
        let expected = golden.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-9, "{key}: {found} {expected}");
    };
    for (key, estimate) in [("auc", found.auc), ("calibration", found.calibration)] {
        let Estimate { value, low, high } = estimate.unwrap();
        for (at, number) in [value, low, high].into_iter().enumerate() {
            near(number, key, &golden[key][at]);
        }
    }
    for (key, number) in [
        ("mean_score", found.mean_score),
        ("positive_rate", found.positive_rate.value),
        ("calibration_error", found.calibration_error),
        ("calibration_error_by_chance", found.calibration_error_by_chance),
    ] {
        near(number.unwrap(), key, &golden[key]);
    }
}

#[test]
fn scores_agree_with_an_independent_computation() {
    let golden: Value = serde_json::from_str(include_str!("../../../../golden/audit_scores.json")).unwrap();
    let plain = Schema::label("label").ignore("weight").ignore("decided");
    let weighted = Schema::label("label").weight("weight").ignore("decided");
    for (name, schema) in [("alike", plain), ("weighted", weighted)] {
        let found = audit(&schema, None, &options()).unwrap().scores.unwrap();
        agree(&found.overall, &golden[name]["overall"]);
        for group in &found.groups {
            agree(group, &golden[name][&group.group]);
        }
        let aucs: Vec<f64> = found.groups.iter().map(|group| group.auc.unwrap().value).collect();
        assert!((found.auc_difference.unwrap() - (aucs[0] - aucs[1]).abs()).abs() < 1e-15 && !found.rounded);
        let rows: usize = found.overall.bins.iter().map(|bin| bin.positive_rate.count).sum();
        assert_eq!((found.overall.bins.len(), rows), (10, ROWS));
    }
}

#[test]
fn scores_decide_from_the_threshold_on() {
    let schema = Schema::label("label").ignore("weight");
    let by_score = audit(&schema, None, &options()).unwrap();
    let by_column = audit(&schema, Some("decided"), &AuditOptions { score: None, ..options() }).unwrap();
    assert_eq!((&by_score.classes, &by_score.bounds), (&by_column.classes, &by_column.bounds));
    let text = by_score.to_string();
    assert!(text.contains("SCORES: `score`, decided from 0.6 on") && text.contains("AUC: how often"), "{text}");
}

#[test]
fn scores_of_files_have_the_bits_of_rows_in_memory() {
    let schema = Schema::label("label").weight("weight");
    let expected = audit(&schema, None, &options()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for part in 0..3 {
        let order = (0..ROWS).map(|at| at * 77 % ROWS).filter(|at| at % 3 == part);
        let order: Vec<usize> = if part == 1 { order.rev_sorted() } else { order.collect() };
        std::fs::write(folder.path().join(format!("{part}.csv")), people(order.into_iter())).unwrap();
    }
    let (files, _) = RowFiles::open(&find_files(folder.path()).unwrap(), &ReadOptions::default()).unwrap();
    let specs: [GroupSpec; 1] = ["group".parse().unwrap()];
    let found = Audit::of_files(&files, &schema, &specs, None, &options(), None).unwrap();
    assert_eq!(format!("{:?}", found.scores), format!("{:?}", expected.scores));
    assert_eq!(format!("{:?}", found.classes), format!("{:?}", expected.classes));
}

trait RevSorted {
    fn rev_sorted(self) -> Vec<usize>;
}

impl<I: Iterator<Item = usize>> RevSorted for I {
    fn rev_sorted(self) -> Vec<usize> {
        let mut all: Vec<usize> = self.collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        all
    }
}

#[test]
fn what_is_no_probability_of_two_classes_is_refused() {
    let schema = Schema::label("label");
    let of = |column: &str, threshold: f64| {
        let score = Some(ScoreColumn { column: column.into(), threshold });
        audit(&schema, None, &AuditOptions { score, ..options() }).unwrap_err().code()
    };
    assert_eq!(of("weight", 0.5), "score-invalid");
    assert_eq!(of("score", 1.5), "setting-invalid");
    assert_eq!(of("scor", 0.5), "column-unknown");
    assert_eq!(of("group", 0.5), "column-kind");
}

#[test]
fn predictions_alone_show_how_often_groups_are_selected() {
    let schema = Schema::label("decided").ignore("label").ignore("score").ignore("weight");
    let options = AuditOptions { unlabelled: true, bounds: vec![Bound::MaxDifference(0.2)], ..AuditOptions::default() };
    let found = audit(&schema, None, &options).unwrap();
    let both = audit(&Schema::label("label"), Some("decided"), &AuditOptions::default()).unwrap();
    let (alone, known) =
        (found.classes[0].predictions.as_ref().unwrap(), both.classes[0].predictions.as_ref().unwrap());
    assert!(found.classes[0].labels.is_none() && found.accuracy.is_none() && found.tested() == "predictions");
    assert_eq!(alone.groups[0].positive_rate, known.groups[0].positive_rate);
    assert_eq!(alone.groups[0].true_positive_rate.value, None);
    assert_eq!(alone.violations.as_slice(), &known.violations[..1]);
    assert_eq!(found.bounds.len(), 1);
    let text = found.to_string();
    assert!(text.contains("Without labels:") && text.contains("PREDICTIONS") && !text.contains("LABELS"), "{text}");
    assert!(!text.contains("True positive rate"), "{text}");
    let scores = Schema::label("score").ignore("label").ignore("decided").ignore("weight");
    let refused = audit(&scores, None, &options).unwrap_err().to_string();
    assert!(refused.contains("compare scores with a threshold first"), "{refused}");
    let asked = AuditOptions { notions: vec![Notion::EqualizedOdds], ..options };
    assert_eq!(audit(&schema, None, &asked).unwrap_err().code(), "setting-invalid");
}

#[test]
fn a_notion_that_is_asked_for_is_all_that_is_shown() {
    let found = audit(&Schema::label("label"), Some("decided"), &AuditOptions::default()).unwrap();
    let text = found.text_of(&[Notion::EqualOpportunity]);
    assert!(text.contains("Equal opportunity:") && text.contains("True positive rate:"), "{text}");
    for other in ["LABELS", "Demographic parity", "False positive rate", "Accuracy:"] {
        assert!(!text.contains(other), "{other}: {text}");
    }
    assert!(text.lines().count() < 20);
    assert_eq!(found.text_of(&[]), found.to_string());
}
