//! The derivative of a fit with respect to its weights faces finite differences.

use crate::population::{table, three_classes};
use evenhand::correction::Binding;
use evenhand::learner::{Training, scores};
use evenhand::{Correction, Dataset, Learner, Logistic, Schema, Weights};

fn correction(notion: &str) -> Correction {
    Correction::new(notion.parse().unwrap()).group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn two_classes() -> Dataset {
    Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

/// What a step of the solver is made of: the derivatives of scores with respect to weights, through a fit.
#[test]
fn the_tangent_of_a_fit_matches_fits_with_other_weights() {
    let learner = Logistic { tolerance: 1e-10, ..Logistic::default() };
    for (data, classes) in [(two_classes(), 2), (three_classes(), 3)] {
        let (_, problem, _) = Binding::new(&correction("demographic-parity"), &data).unwrap();
        let (features, rows) = (problem.features(), data.rows());
        let direction: Vec<f64> = (0..rows).map(|row| (row % 7) as f64 / 7.0).collect();
        let at = |by: f64, warm_start: &mut <Logistic as Learner>::WarmStart| {
            let weights = Weights::of_rows(direction.iter().map(|one| 1.0 + by * one).collect()).unwrap();
            let training = Training { features, labels: problem.labels(), classes, weights: &weights };
            let model = learner.fit(training, warm_start).unwrap();
            (scores(&model, features, classes).unwrap(), model)
        };
        let mut warm_start = <Logistic as Learner>::WarmStart::default();
        let (_, model) = at(0.0, &mut warm_start);
        let (weights, slope) = (Weights::equal(rows), Weights::of_rows(direction.clone()).unwrap());
        let training = Training { features, labels: problem.labels(), classes, weights: &weights };
        let sensitivity = learner.sensitivity(training, &model, &[slope], &mut warm_start).unwrap().unwrap();
        let mut slopes = Vec::new();
        sensitivity.on(features).unwrap()(0..rows, &mut slopes);
        let [(up, _), (down, _)] = [1e-3, -1e-3].map(|by| at(by, &mut <Logistic as Learner>::WarmStart::default()));
        for ((up, down), slope) in up.iter().zip(down).zip(&slopes) {
            assert!(((up - down) / 2e-3 - slope).abs() < 1e-5, "{} {slope}", (up - down) / 2e-3);
        }
    }
}
