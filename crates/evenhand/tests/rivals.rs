//! The methods a correction is compared with, on the made-up population.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod population;

use evenhand::correction::{Binding, Outcome, Problem, Selection, Shift, Silent, Technique};
use evenhand::learner::{Learner, LogisticModel, Training};
use evenhand::{Correction, Dataset, Logistic, Measure, Method, Schema, Weights};
use population::{table, three_classes};

fn dataset() -> Dataset {
    Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

/// Groups that overlap: sex, and one band of age.
fn asked(notion: &str) -> Correction {
    Correction::new(notion.parse().unwrap()).group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn bound(settings: &Correction) -> (Binding, Problem) {
    let (binding, problem, _) = Binding::new(settings, &dataset()).unwrap();
    (binding, problem)
}

fn by(method: Method, settings: &Correction, problem: &Problem) -> Outcome<LogisticModel> {
    settings.clone().method(method).solve(problem, &Logistic::default(), &mut Silent).unwrap()
}

#[test]
fn every_method_is_known_by_its_name() {
    for method in Method::all() {
        assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
    }
    let said = "fairness".parse::<Method>().unwrap_err().to_string();
    assert!(said.starts_with("`method` is `fairness`; allowed is one of correction, unconstrained, "), "{said}");
}

#[test]
fn unconstrained_is_the_fit_that_corrections_are_compared_with() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let outcome = by(Method::Unconstrained, &settings, &problem);
    let plain = settings.uncorrected(&problem, &Logistic::default()).unwrap();
    assert_eq!((&outcome.train, outcome.fits), (&plain.train, 1));
    assert!(outcome.multipliers.is_empty() && outcome.unweighted);
    assert_eq!(outcome.assess(&problem, Measure::Decisions).unwrap(), outcome.train);
}

#[test]
fn reweighing_is_one_fit_with_its_weights_and_lowers_the_violation() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let outcome = by(Method::Reweighing, &settings, &problem);
    let cells = problem.cells();
    let rows = cells.cell_of_row().iter().map(|cell| outcome.cell_weights[cell]).collect();
    let weights = Weights::of_rows(rows).unwrap();
    let training = Training {
        features: problem.features(),
        labels: problem.labels(),
        classes: problem.classes(),
        weights: &weights,
    };
    let again = Logistic::default().fit(training, &mut <Logistic as Learner>::Memory::default()).unwrap();
    let again = problem.assess_predictor(&again, Measure::Scores).unwrap();
    let found = outcome.assess(&problem, Measure::Scores).unwrap();
    assert!((again.violation.unwrap() - found.violation.unwrap()).abs() < 1e-6);
    let plain = settings.uncorrected(&problem, &Logistic::default()).unwrap().train;
    assert!(outcome.train.violation.unwrap() < plain.violation.unwrap() / 2.0, "{:?}", outcome.train);
}

#[test]
fn what_only_a_correction_can_do_is_refused() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let refused =
        |settings: Correction| settings.solve(&problem, &Logistic::default(), &mut Silent).unwrap_err().to_string();
    let rival = settings.method(Method::Reweighing);
    let said = refused(rival.clone().select(Selection::CrossFit { folds: 5, seed: 0 }));
    assert!(said.contains("`select` is other rows with the method reweighing"), "{said}");
    let said = refused(rival.clone().technique(Technique::Sampling { seed: 0 }));
    assert!(said.contains("`technique` is sampling with the method reweighing"), "{said}");
    let said = refused(rival.clone().shift(Shift::Undone));
    assert!(said.contains("`shift` is undone with the method reweighing"), "{said}");
    let said = rival.frontier(&problem, &Logistic::default(), 5, &mut Silent).unwrap_err().to_string();
    assert!(said.contains("`method` is reweighing; allowed is correction"), "{said}");
}

#[test]
fn reweighing_takes_any_number_of_classes() {
    let settings = asked("demographic-parity").method(Method::Reweighing);
    let fitted = settings.fit(&three_classes(), &Logistic::default()).unwrap();
    assert!(fitted.multipliers().next().is_none());
    let weights = fitted.weights();
    assert!((weights.total() / weights.rows() as f64 - 1.0).abs() < 1e-9, "they average to one");
}
