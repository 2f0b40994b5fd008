//! What multipliers come to: the factor on a group's odds, against what weights and tilts do row by row.

use std::collections::HashMap;

use evenhand::correction::{Apply, Method};
use evenhand::{Correction, Preset};

use crate::corrections::{correction, dataset, fit};
use crate::population::{table, three_classes};

/// Per pattern of groups, how many rows it has and the weight of each label.
type Patterns = HashMap<Vec<bool>, (f64, [f64; 2])>;

fn patterns(settings: &Correction) -> (Patterns, Vec<String>, Vec<Option<f64>>) {
    let data = dataset(table());
    let fitted = fit(settings, &data);
    let membership = fitted.binding().membership(data.table()).unwrap();
    let weights = fitted.weights().to_rows();
    let mut found = Patterns::new();
    for (row, weight) in weights.iter().enumerate() {
        let pattern = membership.codes().get(row);
        let groups = (0..membership.groups()).map(|group| membership.contains(pattern, group)).collect();
        let (rows, of_label) = found.entry(groups).or_insert((0.0, [f64::NAN; 2]));
        *rows += 1.0;
        of_label[data.labels().codes().get(row)] = *weight;
    }
    let named = fitted.named_multipliers().unwrap();
    let names = named.iter().map(|one| one.name.clone()).collect();
    (found, names, named.into_iter().map(|one| one.odds_factor).collect())
}

/// The factor as rows have it, by the weights that a learner was given.
fn by_rows(patterns: &Patterns, group: usize) -> f64 {
    let mean = |inside: bool| {
        let own = || patterns.iter().filter(move |(groups, _)| groups[group] == inside);
        let change = own().map(|(_, (rows, [no, yes]))| rows * (yes / no).ln()).sum::<f64>();
        change / own().map(|(_, (rows, _))| rows).sum::<f64>()
    };
    (mean(true) - mean(false)).exp()
}

#[test]
fn factors_are_those_of_the_weights_that_a_learner_was_given() {
    for notion in ["demographic-parity", "equal-opportunity", "equalized-odds", "predictive-equality"] {
        for settings in [correction(notion), correction(notion).preset(Preset::Paper)] {
            let (patterns, names, factors) = patterns(&settings);
            assert!(!factors.is_empty());
            for (name, factor) in names.iter().zip(factors) {
                let group = ["sex=female", "sex=male", "age_band=18-24"].iter().position(|one| name.ends_with(one));
                let expected = by_rows(&patterns, group.unwrap());
                assert!((factor.unwrap() / expected - 1.0).abs() < 1e-9, "{name}: {factor:?} {expected}");
            }
        }
    }
}

#[test]
fn who_got_less_is_given_better_odds() {
    let fitted = fit(&correction("demographic-parity"), &dataset(table()));
    let named = fitted.named_multipliers().unwrap();
    let of = |group: &str| named.iter().find(|one| one.name.ends_with(group)).unwrap().odds_factor.unwrap();
    assert!(of("sex=female") > 1.2, "{named:?}");
    assert!((of("sex=female") * of("sex=male") - 1.0).abs() < 1e-9, "{named:?}");
}

#[test]
fn tilted_probabilities_change_odds_by_the_factor() {
    let data = dataset(table());
    let settings = Correction { apply: Apply::Tilt, ..Correction::new("demographic-parity".parse().unwrap()) };
    let settings = settings.group("sex").unwrap();
    let fitted = fit(&settings, &data);
    let after = fitted.predict(data.table()).unwrap().scores;
    let before = fitted.solution().predictor.clone();
    let before = evenhand::learner::scores(&*before, fitted.problem().features(), 2).unwrap();
    let membership = fitted.binding().membership(data.table()).unwrap();
    let log_odds = |scores: &[f64], row: usize| (scores[2 * row + 1] / scores[2 * row]).ln();
    let mean = |inside: bool| {
        let own: Vec<f64> = (0..data.rows())
            .filter(|&row| membership.contains(membership.codes().get(row), 0) == inside)
            .map(|row| log_odds(&after, row) - log_odds(&before, row))
            .collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let named = fitted.named_multipliers().unwrap();
    let expected = (mean(true) - mean(false)).exp();
    assert!((named[0].odds_factor.unwrap() / expected - 1.0).abs() < 1e-6, "{named:?} {expected}");
}

#[test]
fn where_there_is_nobody_to_compare_with_or_no_odds_there_is_no_factor() {
    let data = dataset(table());
    let everyone = fit(&Correction::new("target-rate=0.3".parse().unwrap()), &data);
    assert_eq!(everyone.named_multipliers().unwrap()[0].odds_factor, None);
    let plain = Correction { method: Method::Unconstrained, ..correction("demographic-parity") };
    assert!(fit(&plain, &data).named_multipliers().unwrap().is_empty());
    let several = fit(&Correction::new("demographic-parity".parse().unwrap()).group("sex").unwrap(), &three_classes());
    let named = several.named_multipliers().unwrap();
    assert!(named.iter().all(|one| one.odds_factor.is_some_and(|factor| factor > 0.0)), "{named:?}");
}
