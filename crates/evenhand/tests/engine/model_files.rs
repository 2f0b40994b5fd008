//! The model file: what is saved reads back as it was, verifies on its data alone, and holds no row.

use std::path::PathBuf;

use crate::corrections::{correction, dataset, fit, short};
use crate::population::table;
use evenhand::data::{Categorical, holdout};
use evenhand::learner::LogisticModel;
use evenhand::model::{LearnerRecord, Split};
use evenhand::{Column, Correction, Dataset, Logistic, Measure, Model, Preset, ReadOptions, Table};

/// The model of a fit, to all rows or to those that a split leaves for training.
pub(crate) fn model(data: &Dataset, settings: &Correction, split: Option<Split>) -> Model {
    let (train, test) = match split {
        Some(split) => {
            let (train, test) = holdout(data.rows(), split.holdout, split.seed).unwrap();
            (data.select(&train), Some(data.select(&test)))
        }
        None => (data.clone(), None),
    };
    let fitted = fit(settings, &train);
    let test = test.map(|test| fitted.evaluate(&test, settings.measure).unwrap().0);
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    Model::new(settings, &fitted, record, test, (data.digest(), data.rows()), split).unwrap()
}

fn saved(model: &Model, folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("model.json");
    model.save(&path).unwrap();
    path
}

#[test]
fn a_saved_model_predicts_the_same_bits_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(table());
    for notion in ["demographic-parity", "equalized-odds", "disparate-impact"] {
        for preset in [Preset::Default, Preset::Paper, Preset::Notebook] {
            let settings = short(correction(notion), preset, 6);
            let model = model(&data, &settings, Some(Split { holdout: 0.3, seed: 4 }));
            let loaded = Model::load(&saved(&model, &folder)).unwrap();
            assert_eq!(loaded, model);
            assert_eq!(loaded.predict(data.table()).unwrap(), model.predict(data.table()).unwrap());
            let verdict = loaded.verify(data.table().clone()).unwrap();
            assert!(verdict.matches && verdict.checks.len() == 10, "{verdict:?}");
        }
    }
}

#[test]
fn changed_data_and_changed_multipliers_do_not_verify() {
    let data = dataset(table());
    let model = model(&data, &correction("demographic-parity"), None);
    let failed = |model: &Model, table: Table| -> Vec<&'static str> {
        let verdict = model.verify(table).unwrap();
        verdict.checks.iter().filter(|check| check.matches == Some(false)).map(|check| check.name).collect()
    };
    let fewer: Vec<usize> = (1..data.rows()).collect();
    assert!(failed(&model, data.table().select(&fewer)).contains(&"data"));
    let mut other = model.clone();
    other.multipliers[0].value = Some(0.9);
    assert_eq!(failed(&other, data.table().clone()), ["weights", "classifier", "multipliers"]);
    let mut other = model.clone();
    other.train.error += 1e-6;
    assert_eq!(failed(&other, data.table().clone()), ["training rates"]);
    let mut other = model.clone();
    other.train.groups[0].positive_rate = Some(0.999);
    assert_eq!(failed(&other, data.table().clone()), ["training rates"]);
    let mut other = model.clone();
    other.settings.measure = Measure::Scores;
    assert!(failed(&other, data.table().clone()).contains(&"settings"));
}

#[test]
fn a_model_file_with_any_byte_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&model(&dataset(table()), &correction("demographic-parity"), None), &folder);
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(97).chain([0, 1, whole.len() - 2, whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let code = Model::load(&path).unwrap_err().code();
        assert!(["model-integrity", "model-format", "model-version"].contains(&code), "byte {at}: {code}");
    }
    for cut in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        Model::load(&path).unwrap_err();
    }
    let text = String::from_utf8(whole).unwrap().replace("\"version\": 1,", "\"version\": 2,");
    std::fs::write(&path, text).unwrap();
    assert_eq!(Model::load(&path).unwrap_err().code(), "model-version");
}

#[test]
fn the_model_holds_no_row() {
    // Every row has a text of its own, in a column that the learner does not see, and a number of its own, in one that it does.
    let rows = 6_000;
    let secret = |row: usize| format!("secret-{row}");
    let number = |row: usize| 1e6 + row as f64 * std::f64::consts::PI;
    let mut table = table();
    let names = Categorical::from_values((0..rows).map(|row| Some(secret(row))));
    table.set("name", Column::Categorical(names)).unwrap();
    table.set("number", Column::Numeric((0..rows).map(number).collect())).unwrap();
    let settings = correction("demographic-parity").withhold("name");
    let text = model(&dataset(table), &settings, None).to_json().unwrap();
    for row in 0..rows {
        assert!(!text.contains(&secret(row)) && !text.contains(&number(row).to_string()), "row {row} is in the model");
    }
}

#[test]
fn the_settings_digest_tells_learners_apart() {
    let data = dataset(table());
    let settings = correction("demographic-parity");
    let fitted = fit(&settings, &data);
    let with = |l2: f64| {
        let learner = Logistic { l2, ..Logistic::default() };
        let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: learner, model: model.clone() };
        let model = Model::new(&settings, &fitted, record, None, (data.digest(), data.rows()), None).unwrap();
        model.provenance.settings_sha256
    };
    assert_ne!(with(1.0), with(10.0));
}

#[test]
fn a_table_in_memory_is_taken_as_the_training_file_was_read() {
    let data = dataset(table());
    let options = ReadOptions::default().missing(["?"]);
    let model = model(&data, &short(correction("demographic-parity"), Preset::Default, 2), None);
    let model = model.read_as(&options, data.table());
    let known = data.table().get("sex").unwrap().text(0).unwrap();
    let predicted = |sexes: [Option<&str>; 3]| {
        let mut table = data.table().select(&[0, 1, 2]);
        table.set("sex", Column::Categorical(Categorical::from_values(sexes))).unwrap();
        model.predict(&table).unwrap()
    };
    let as_read = predicted([None, Some(&known), Some(&known)]);
    assert_eq!(predicted([Some("?"), Some(&format!(" {known}")), Some(&format!("{known} "))]), as_read);
}

#[test]
fn a_saved_model_is_judged_on_new_rows_as_the_fit_judged_its_test_rows() {
    let data = dataset(table());
    let settings = correction("equalized-odds").max_violation(0.05);
    let split = Split { holdout: 0.3, seed: 4 };
    let model = model(&data, &settings, Some(split));
    let (_, test) = holdout(data.rows(), split.holdout, split.seed).unwrap();
    let later = data.table().select(&test);
    let (found, _) = model.evaluate(&later, &[], 0.95).unwrap();
    assert_eq!(Some(&found.metrics), model.test.as_ref());
    assert_eq!((found.bounds.len(), found.violations.len()), (1, found.metrics.violations.len()));
    for (one, named) in found.violations.iter().zip(&found.metrics.violations) {
        assert_eq!((&one.name, one.value), (&named.name, named.value));
        assert!(one.low.unwrap() <= one.value.unwrap() && one.value.unwrap() <= one.high.unwrap());
    }
    // Bounds of one's own take the place of those that were asked of the fit.
    let asked = [evenhand::Bound::MinRatio(0.8).into(), evenhand::Bound::MaxViolation(0.5).into()];
    let (found, _) = model.evaluate(&later, &asked, 0.9).unwrap();
    assert_eq!((found.bounds.len(), found.bounds[1].verdict), (2, evenhand::Verdict::Met));
    let other = [evenhand::Bound::MaxViolation(0.1).on(evenhand::Notion::EqualAccuracy)];
    assert_eq!(model.evaluate(&later, &other, 0.95).unwrap_err().code(), "setting-invalid");
    assert!(model.evaluate(&later, &[], 2.0).is_err());
}
