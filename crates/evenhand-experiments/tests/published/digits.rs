//! The recipe of MNIST against numpy: which labels were set to 2, and which pixels are features.

use evenhand_datasets::Recipe;
#[cfg(feature = "network")]
use evenhand_experiments::table_2::{DigitsExperiment, DigitsMethod, Effort};

use crate::support::data_folder;

#[test]
fn labels_are_set_to_2_as_numpy_draws_them() {
    let Some(folder) = data_folder("mnist") else { return };
    let source = Recipe::named("mnist").unwrap().read(&folder).unwrap();
    let prepared = source.published().unwrap();
    assert_eq!((prepared.train.rows(), prepared.test.rows()), (60_000, 10_000));
    // numpy.random.RandomState(12345).choice(60000, 12000, replace=False): 16,746 labels are 2 then, 10,788 of them changed.
    let (table, labels) = (prepared.train.table(), prepared.train.table().column("label").unwrap());
    let digits = table.column("digit").unwrap();
    let twos = (0..60_000).filter(|&row| labels.text(row).as_deref() == Some("2")).count();
    let changed = (0..60_000).filter(|&row| labels.text(row) != digits.text(row)).count();
    assert_eq!((twos, changed), (16_746, 10_788));
    for row in [6_934, 41_100, 22_842, 3_651, 59_270] {
        assert_eq!(labels.text(row).as_deref(), Some("2"), "{row}");
    }
    let test = prepared.test.table();
    let right = |row: &usize| test.column("label").unwrap().text(*row) == test.column("digit").unwrap().text(*row);
    assert!((0..10_000).all(|row| right(&row)));
    assert_eq!(prepared.plan().len(), 717);
}

#[cfg(feature = "network")]
#[test]
fn the_multiplier_put_in_is_that_of_the_shares_of_labels() {
    let Some(folder) = data_folder("mnist") else { return };
    let prepared = Recipe::named("mnist").unwrap().load(&folder).unwrap();
    let network = evenhand::learner::Network { layers: vec![16], steps: 60, ..evenhand::learner::Network::default() };
    let experiment = DigitsExperiment::new(&prepared, network).unwrap();
    // By numpy from the same draw.
    assert!((experiment.put_in() + 1.256_096_376_870_314).abs() < 1e-12, "{}", experiment.put_in());
    // The first loop has equal weights, and so the unconstrained network: nothing is trained again for it.
    let measure = |method| experiment.measure(method, Effort { loops: 1 }, &|_, _| false).unwrap();
    let (plain, first) = (measure(DigitsMethod::Unconstrained), measure(DigitsMethod::LabelBias));
    assert_eq!((plain.accuracy, plain.rate), (first.accuracy, first.rate));
    assert_eq!((first.trainings, first.multiplier), (0, Some(0.0)));
}
