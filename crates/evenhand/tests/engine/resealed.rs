//! Model files that are whole and sealed, and say what no fit leaves behind: each is refused by a sentence, when it is read.

use evenhand::correction::{CovariateShift, ThresholdPostprocessing};
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Logistic, Method, Model, Notion, Schema, Table};
use evenhand_datasets::synthetic;
use serde_json::{Value, json};

fn data() -> Dataset {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    Dataset::new(synthetic::population(1_000, 3).unwrap(), &schema).unwrap()
}

fn json_of(settings: &Correction, data: &Dataset) -> Value {
    let fitted = settings.fit(data, &Logistic::default()).unwrap();
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let model = Model::new(settings, &fitted, record, None, (data.digest(), data.rows()), None).unwrap();
    serde_json::from_str(&model.to_json().unwrap()).unwrap()
}

fn parity() -> Correction {
    Correction::new(Notion::DemographicParity).group("sex").unwrap()
}

/// The model with one value changed.
fn changed(model: &Value, path: &str, value: &Value) -> Value {
    let mut model = model.clone();
    *model.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value.clone();
    model
}

fn refusal(model: &Value) -> String {
    let error = Model::from_json(&model.to_string()).unwrap_err();
    assert_eq!(error.code(), "model-format");
    error.to_string()
}

#[test]
fn what_does_not_fit_together_is_refused_with_a_sentence() {
    let model = json_of(&parity(), &data());
    let cases = [
        ("/learner/model/coefficients", json!([0.5]), "the classifier has coefficients for 0 features"),
        ("/learner/model/coefficients", json!([]), "the classifier has coefficients for no whole number of features"),
        ("/learner/model/classes", json!(0), "the classifier has coefficients for no whole number of features"),
        ("/learner/settings/l2", json!(-1.0), "`l2` is -1"),
        ("/binding/classes", json!(["yes"]), "it has 1 classes"),
        ("/binding/classes", json!(["yes", "yes"]), "two of its classes have one name"),
        ("/binding/classes", json!(["a", "b", "c"]), "the classifier tells 2 classes apart, and there are 3"),
        ("/binding/positive", json!(7), "its positive class is none of its classes"),
        ("/binding/constraints/0/group", json!(9), "is on a group that is not there"),
        ("/binding/constraints/0/event", json!({ "predicts": 9 }), "is on a class that is not there"),
        ("/binding/constraints/0/labelled", json!({ "as": 9 }), "is on a class that is not there"),
        ("/binding/constraints/0/reweights", json!({ "not-as": 9 }), "is on a class that is not there"),
        ("/binding/constraints/0/reference", json!({ "rate": 2.0 }), "asks for a rate beyond 0 to 1"),
        ("/binding/constraints/0/notion", json!("equal-accuracy"), "is of a notion that the settings do not ask for"),
        ("/binding/constraints", json!([]), "its multipliers are not those of its constraints"),
        ("/binding/encoding/columns", json!([]), "it has no features"),
        ("/binding/encoding/columns/0/scale", json!(0.0), "column `income` cannot be encoded"),
        ("/multipliers/0/value", Value::Null, "a multiplier is not a number"),
        ("/cells/0/label", json!("perhaps"), "a weight is of a class or a group that is not there"),
        ("/cells/0/groups", json!(["nobody"]), "a weight is of a class or a group that is not there"),
        ("/cells/0/weight", json!(-1.0), "a weight is negative"),
        ("/train/class_rates", json!([1.0]), "its rates on training rows are not one per class"),
        ("/groups_needed", json!(["sex"]), "the columns that it needs to tell groups are not those"),
        ("/settings/solver/sqp/max_fits", json!(0), "`max_fits` is 0"),
    ];
    let cases = cases.map(|(path, value, sentence)| {
        let model = if path == "/groups_needed" {
            with_key(&model, "groups_needed", &value)
        } else {
            changed(&model, path, &value)
        };
        (path, model, sentence)
    });
    for (path, model, sentence) in cases {
        let refusal = refusal(&model);
        assert!(refusal.contains(sentence), "{path}: {refusal}");
    }
}

fn with_key(model: &Value, key: &str, value: &Value) -> Value {
    let mut model = model.clone();
    model.as_object_mut().unwrap().insert(key.into(), value.clone());
    model
}

#[test]
fn thresholds_that_cannot_decide_are_refused() {
    for method in [Method::ThresholdPostprocessing(ThresholdPostprocessing::default()), Method::PercentileThresholds] {
        refused_thresholds(&json_of(&parity().method(method), &data()));
    }
}

fn refused_thresholds(model: &Value) {
    let cases = [
        ("/thresholds/patterns", json!([]), "it decides by thresholds, and has none"),
        ("/thresholds/patterns/0/groups", json!(["nobody"]), "a threshold is for a group that is not there"),
        (
            "/thresholds/patterns/0/steps",
            json!([{ "at_least": 0.5, "chance": 1.0 }, { "at_least": 0.2, "chance": 1.0 }]),
            "thresholds do not ascend from 0 to 1",
        ),
        ("/thresholds/patterns/0/steps", json!([{ "at_least": null, "chance": 2.0 }]), "thresholds do not ascend"),
        ("/groups_needed", json!([]), "the columns that it needs to tell groups are not those"),
    ];
    for (path, value, sentence) in cases {
        let refusal = refusal(&changed(model, path, &value));
        assert!(refusal.contains(sentence), "{path}: {refusal}");
    }
}

#[test]
fn no_part_that_is_taken_out_or_doubled_makes_a_model_that_panics() {
    let data = data();
    let shifted = parity().covariate_shift(CovariateShift::Corrected);
    for model in [json_of(&parity(), &data), json_of(&shifted, &data)] {
        for path in paths(&model, "") {
            for value in nasty(model.pointer(&path).unwrap()) {
                use_all(&changed(&model, &path, &value), data.table());
            }
        }
    }
}

/// Everything that reads what a model says.
fn use_all(model: &Value, table: &Table) {
    let Ok(model) = Model::from_json(&model.to_string()) else { return };
    if let Ok(predictions) = model.predict(table) {
        assert!(predictions.scores.iter().all(|score| (0.0..=1.0).contains(score)), "{:?}", model.provenance);
    }
    assert_eq!(Model::from_json(&model.to_json().unwrap()).unwrap(), model);
}

/// The paths of all parts, but for numbers in long lists.
fn paths(value: &Value, path: &str) -> Vec<String> {
    let below: Vec<String> = match value {
        Value::Object(map) => map.iter().flat_map(|(key, value)| paths(value, &format!("{path}/{key}"))).collect(),
        Value::Array(all) => {
            all.iter().take(3).enumerate().flat_map(|(at, value)| paths(value, &format!("{path}/{at}"))).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(path.to_owned()).filter(|path| !path.is_empty()).chain(below).collect()
}

fn nasty(old: &Value) -> Vec<Value> {
    match old {
        Value::Number(_) => vec![json!(0), json!(99), json!(-1.0), json!(1e308), json!(-1e308), json!(u64::MAX)],
        Value::String(_) => vec![json!(""), json!("sex")],
        Value::Array(all) if !all.is_empty() => {
            let twice: Vec<&Value> = all.iter().chain(all).collect();
            vec![json!([]), json!(all[1..]), json!(twice), json!(all.iter().rev().collect::<Vec<_>>())]
        }
        Value::Null => vec![json!(1), json!([])],
        _ => vec![Value::Null],
    }
}
