//! A model file that was changed and sealed again: every value in it is derived again, or named as one that is not.

use evenhand::correction::Silent;
use evenhand::learner::LogisticModel;
use evenhand::model::{LearnerRecord, Split};
use evenhand::{Bound, Correction, Dataset, Logistic, Model, Notion, Preset, Schema};
use evenhand_datasets::synthetic;
use serde_json::{Value, json};

fn model(data: &Dataset) -> Model {
    let settings = Correction::new(Notion::DemographicParity).group("sex").unwrap();
    model_by(settings, data)
}

fn model_by(mut settings: Correction, data: &Dataset) -> Model {
    let split = Split { holdout: 0.3, seed: 4 };
    let (train, test) = evenhand::data::holdout(data.rows(), split.holdout, split.seed).unwrap();
    let (train, test) = (data.select(&train), data.select(&test));
    settings.bounds.push(Bound::MaxViolation(0.05).into());
    let fitted = settings.fit_observed(&train, &Logistic::default(), &mut Silent).unwrap();
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let metrics = fitted.evaluate(&test, settings.measure).unwrap().0;
    let verdicts = fitted.test_bounds(&test, 0.95).unwrap().0;
    let source = (data.digest(), data.rows());
    Model::new(&settings, &fitted, record, Some(metrics), source, Some(split)).unwrap().with_bound_tests(verdicts)
}

/// The paths of all leaves.
fn leaves(value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Object(map) => map.iter().flat_map(|(key, value)| leaves(value, &format!("{path}/{key}"))).collect(),
        Value::Array(all) => {
            all.iter().enumerate().flat_map(|(at, value)| leaves(value, &format!("{path}/{at}"))).collect()
        }
        _ => vec![path.to_owned()],
    }
}

fn changed(leaf: &Value) -> Value {
    match leaf {
        Value::Null => json!(0.25),
        Value::Bool(is) => json!(!is),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => json!(whole + 1),
            None => json!(number.as_f64().unwrap() * 0.9 + 1e-3),
        },
        Value::String(text) => json!(format!("{text}x")),
        _ => unreachable!("leaves alone"),
    }
}

#[test]
fn whatever_is_changed_in_a_file_is_noticed() {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let data = Dataset::new(synthetic::population(1_500, 3).unwrap(), &schema).unwrap();
    let model = model(&data);
    assert!(model.verify(data.table().clone()).unwrap().matches);
    let whole: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    let paths = leaves(&whole, "");
    let mut passed = Vec::new();
    for path in &paths {
        let mut forged = whole.clone();
        let leaf = forged.pointer_mut(path).unwrap();
        *leaf = changed(leaf);
        let noticed = match Model::from_json(&forged.to_string()) {
            Err(_) => true,
            // A value that is written as it was read, and means the same.
            Ok(same) if same == model => true,
            Ok(forged) => forged.verify(data.table().clone()).map_or(true, |verdict| !verdict.matches),
        };
        if !noticed {
            passed.push(path.as_str());
        }
    }
    assert!(paths.len() > 150, "{}", paths.len());
    assert_eq!(passed, ["/software"], "of {}", paths.len());
}

#[test]
fn a_run_is_done_again_for_as_long_as_the_file_says_it_took() {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let data = Dataset::new(synthetic::population(1_500, 3).unwrap(), &schema).unwrap();
    let settings = Correction::new(Notion::DemographicParity).group("sex").unwrap().preset(Preset::Paper);
    let mut whole: Value = serde_json::from_str(&model_by(settings, &data).to_json().unwrap()).unwrap();
    let verify = |whole: &Value| Model::from_json(&whole.to_string()).unwrap().verify(data.table().clone()).unwrap();
    assert!(verify(&whole).matches);
    *whole.pointer_mut("/settings/solver/loop/loops").unwrap() = json!(1_000_000_000);
    assert!(!verify(&whole).matches);
}
