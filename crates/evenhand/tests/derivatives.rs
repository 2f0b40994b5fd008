//! Derivatives face finite differences: of weights, and of a fit to them.

#![allow(clippy::unwrap_used)] // clippy knows helpers of unit tests only

mod population;

use evenhand::constraint::{WeightRange, WeightRule};
use evenhand::correction::Binding;
use evenhand::learner::{Training, scores};
use evenhand::{Correction, Dataset, Learner, Logistic, Schema, Weights};
use population::{table, three_classes};

fn correction(notion: &str) -> Correction {
    Correction::new(notion.parse().unwrap()).group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn two_classes() -> Dataset {
    Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

#[test]
fn the_slopes_of_weights_match_finite_differences() {
    let data = three_classes();
    for notion in ["demographic-parity", "equal-opportunity", "equalized-odds", "equal-accuracy"] {
        for range in [WeightRange::Bounded, WeightRange::Unbounded] {
            let (_, problem, _) = Binding::new(&correction(notion), &data).unwrap();
            let table = problem.tilt_table(WeightRule { range, ..WeightRule::CENTRED });
            let here: Vec<f64> = (0..table.multipliers()).map(|at| 0.1 * (at as f64 * 1.7).sin()).collect();
            for (at, slope) in table.slopes(&here).iter().enumerate() {
                let moved = |by: f64| {
                    let mut there = here.clone();
                    there[at] += by;
                    table.weights(&there)
                };
                for ((up, down), slope) in moved(1e-6).iter().zip(moved(-1e-6)).zip(slope) {
                    assert!(((up - down) / 2e-6 - slope).abs() < 1e-7, "{notion} {range:?}");
                }
            }
        }
    }
}

/// What a step of Newton's method is made of: how scores answer to weights, through a fit.
#[test]
fn the_tangent_of_a_fit_matches_fits_with_other_weights() {
    let learner = Logistic { tolerance: 1e-10, ..Logistic::default() };
    for (data, classes) in [(two_classes(), 2), (three_classes(), 3)] {
        let (_, problem, _) = Binding::new(&correction("demographic-parity"), &data).unwrap();
        let (features, rows) = (problem.features(), data.rows());
        let direction: Vec<f64> = (0..rows).map(|row| (row % 7) as f64 / 7.0).collect();
        let at = |by: f64, memory: &mut <Logistic as Learner>::Memory| {
            let weights = Weights::of_rows(direction.iter().map(|one| 1.0 + by * one).collect()).unwrap();
            let training = Training { features, labels: problem.labels(), classes, weights: &weights };
            let model = learner.fit(training, memory).unwrap();
            (scores(&model, features, classes).unwrap(), model)
        };
        let mut memory = <Logistic as Learner>::Memory::default();
        let (_, model) = at(0.0, &mut memory);
        let (weights, slope) = (Weights::equal(rows), Weights::of_rows(direction.clone()).unwrap());
        let training = Training { features, labels: problem.labels(), classes, weights: &weights };
        let tangent = learner.tangent(training, &model, &[slope], &mut memory).unwrap().unwrap();
        let mut slopes = Vec::new();
        tangent.on(features).unwrap()(0..rows, &mut slopes);
        let [(up, _), (down, _)] = [1e-3, -1e-3].map(|by| at(by, &mut <Logistic as Learner>::Memory::default()));
        for ((up, down), slope) in up.iter().zip(down).zip(&slopes) {
            assert!(((up - down) / 2e-3 - slope).abs() < 1e-5, "{} {slope}", (up - down) / 2e-3);
        }
    }
}
