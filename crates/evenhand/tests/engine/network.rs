//! Networks as learners: corrected, saved, verified, stopped; the same bits on any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use evenhand::correction::Termination;
use evenhand::learner::{Network, NetworkModel, WatchedNetwork};
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Error, Fitted, Model, Notion, Schema};
use evenhand_datasets::synthetic;
use serde_json::{Value, json};

fn data() -> Dataset {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    Dataset::new(synthetic::population(1_500, 3).unwrap(), &schema).unwrap()
}

fn network() -> Network {
    Network { layers: vec![16, 8], steps: 300, seed: 1, ..Network::default() }
}

/// Demographic parity by few fits.
fn parity() -> Correction {
    let mut settings = Correction::new(Notion::DemographicParity).group("sex").unwrap();
    if let evenhand::correction::Solver::Sqp(sqp) = &mut settings.solver {
        sqp.max_fits = 4;
    }
    settings
}

fn model(data: &Dataset, fitted: &Fitted<NetworkModel>) -> Model {
    let network = network();
    let record = LearnerRecord::of_network(&network);
    Model::new(&parity(), fitted, record, None, (data.digest(), data.rows()), None).unwrap()
}

#[test]
fn a_network_is_corrected_in_few_fits() {
    let data = data();
    let fitted = parity().fit(&data, &network()).unwrap();
    let trace = fitted.trace();
    assert!(trace.len() <= 4 && fitted.solution().train.violation.unwrap() < trace[0].violation / 2.0, "{trace:?}");
}

#[test]
fn a_saved_network_predicts_the_same_bits_and_verifies() {
    let data = data();
    let model = model(&data, &parity().fit(&data, &network()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.predict(data.table()).unwrap(), model.predict(data.table()).unwrap());
    let verdict = loaded.verify(data.table().clone()).unwrap();
    let open: Vec<&str> =
        verdict.checks.iter().filter(|check| check.matches != Some(true)).map(|check| check.name).collect();
    assert!(verdict.matches && open == ["software"], "{verdict:?}");
}

#[test]
fn a_network_that_training_does_not_lead_to_again_does_not_verify() {
    let data = data();
    let model = model(&data, &parity().fit(&data, &network()).unwrap());
    let mut other: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    other["learner"]["settings"]["seed"] = json!(2);
    let verdict = Model::from_json(&other.to_string()).unwrap().verify(data.table().clone()).unwrap();
    let failed: Vec<&str> =
        verdict.checks.iter().filter(|check| check.matches == Some(false)).map(|check| check.name).collect();
    assert_eq!(failed, ["settings", "classifier", "multipliers", "search"]);
    // Trained elsewhere, it cannot be told.
    let mut other: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    other["learner"]["arithmetic"] = json!("an abacus");
    let verdict = Model::from_json(&other.to_string()).unwrap().verify(data.table().clone()).unwrap();
    let classifier = verdict.checks.iter().find(|check| check.name == "classifier").unwrap();
    assert!(verdict.matches && classifier.matches.is_none(), "{verdict:?}");
}

#[test]
fn networks_that_do_not_fit_their_columns_are_refused_when_read() {
    let data = data();
    let model = model(&data, &parity().fit(&data, &network()).unwrap());
    let whole: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    let refused = |path: &str, value: Value| {
        let mut other = whole.clone();
        *other.pointer_mut(path).unwrap() = value;
        let error = Model::from_json(&other.to_string()).unwrap_err();
        assert_eq!(error.code(), "model-format");
        std::error::Error::source(&error).map_or_else(String::new, ToString::to_string)
    };
    let sizes = whole["learner"]["model"]["sizes"].clone();
    assert!(refused("/learner/model/sizes/1", json!(15)).contains("its layers need others"));
    assert!(refused("/learner/settings/layers", json!([16, 9])).contains("other layers than its settings ask for"));
    assert!(refused("/learner/settings/layers", json!([0])).contains("layers of one unit or more"));
    assert!(refused("/learner/settings/steps", json!(0)).contains("`steps` is 0"));
    assert!(refused("/binding/encoding/columns/0/indicator", json!(true)).contains("takes"), "{sizes}");
    assert!(!refused("/learner/model/weights", json!("AAAA")).is_empty());
}

#[test]
fn settings_out_of_range_and_stops_are_told_apart() {
    let data = data();
    let refused = |network: Network| parity().fit(&data, &network).unwrap_err();
    assert_eq!(refused(Network { layers: vec![0], ..network() }).code(), "setting-invalid");
    assert_eq!(refused(Network { learning_rate: f64::NAN, ..network() }).code(), "setting-invalid");
    let (network, steps) = (network(), AtomicUsize::new(0));
    let at_once = WatchedNetwork { learner: &network, watch: &|_, _| true };
    assert!(matches!(parity().fit(&data, &at_once).unwrap_err(), Error::Interrupted));
    // In the middle of the second fit: what the first one found stands.
    let later = WatchedNetwork { learner: &network, watch: &|_, _| steps.fetch_add(1, Ordering::Relaxed) == 450 };
    let fitted = parity().fit(&data, &later).unwrap();
    assert_eq!((fitted.solution().stop, fitted.solution().fits), (Termination::Cancelled, 1));
}

#[test]
fn categories_and_numbers_of_any_size_are_learnt_from() {
    // Incomes in the thousands, not standardised, as recipes hand numbers over.
    let mut settings = parity();
    settings.standardise = false;
    let fitted = settings.fit(&data(), &network()).unwrap();
    let plain = parity().fit(&data(), &network()).unwrap();
    let errors = [&fitted, &plain].map(|one| one.trace()[0].error);
    assert!((errors[0] - errors[1]).abs() < 0.05, "{errors:?}");
}

#[test]
fn the_same_bits_come_of_any_number_of_threads() {
    let data = data();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| parity().fit(&data, &network()).unwrap()).predictor().clone()
    };
    assert_eq!(on(1), on(2));
}
