//! A threshold of its own in place of ½: chosen on training rows, and kept wherever the classifier decides.

use crate::corrections::{correction, dataset, fit};
use crate::model_files::model;
use crate::population::{table, three_classes};
use evenhand::correction::{
    Apply, Binding, CorrectionOptions, Decisions, Lagrangian, Silent, Solution, Threshold, ThresholdPostprocessing,
    Validation,
};
use evenhand::learner::{LogisticModel, scores};
use evenhand::{Correction, Dataset, Logistic, Measure, Method, Model, Notion};
use proptest::prelude::*;

fn best(correction: Correction) -> Correction {
    correction.threshold(Threshold::Best)
}

/// Rows of which few are positive, and a model that a strong penalty makes too sure of that.
fn skewed() -> (Dataset, Logistic) {
    (dataset(table()), Logistic { l2: 3_000.0, ..Logistic::default() })
}

fn solve(correction: &Correction, data: &Dataset, learner: &Logistic) -> (Binding, Solution<LogisticModel>) {
    let (binding, problem, _) = Binding::new(correction, data).unwrap();
    (binding, correction.solve(&problem, learner, &mut Silent).unwrap())
}

/// The least share of errors over every threshold between scores, by trying them all.
fn least_error(data: &Dataset, binding: &Binding, solution: &Solution<LogisticModel>) -> f64 {
    let problem = binding.problem(data).unwrap().0;
    let scores: Vec<f64> = scores(&*solution.predictor, problem.features(), 2).unwrap();
    let rows: Vec<(f64, bool)> =
        scores.chunks(2).zip(problem.labels().iter()).map(|(score, label)| (score[1], label == 1)).collect();
    let mut cuts: Vec<f64> = rows.iter().map(|row| row.0).collect();
    cuts.sort_unstable_by(f64::total_cmp);
    cuts.dedup();
    let errors = |cut: f64| rows.iter().filter(|(score, label)| (*score > cut) != *label).count();
    cuts.iter().chain([&0.0]).map(|&cut| errors(cut)).min().unwrap() as f64 / rows.len() as f64
}

#[test]
fn without_correction_it_is_the_threshold_of_least_error_there_is() {
    let (data, learner) = skewed();
    let asked = correction("demographic-parity").method(Method::Unconstrained);
    let (_, half) = solve(&asked, &data, &learner);
    let (binding, own) = solve(&best(asked.clone()), &data, &learner);
    assert_eq!(own.predictor, half.predictor);
    assert!(own.train.error < half.train.error - 0.002, "{} {}", own.train.error, half.train.error);
    assert!((own.train.error - least_error(&data, &binding, &own)).abs() < 1e-12);
    assert!((half.threshold - 0.5).abs() < 1e-15 && (own.threshold - 0.5).abs() > 0.001, "{}", own.threshold);
    // What is recorded of the fit is what it decides.
    assert_eq!((own.trace.len(), own.trace[0].error), (1, own.train.error));
    let again = own.evaluate(&binding.problem(&data).unwrap().0, Measure::Decisions).unwrap();
    assert_eq!(again, own.train);
}

#[test]
fn decisions_change_at_it_and_probabilities_do_not() {
    let (data, learner) = skewed();
    let asked = correction("demographic-parity").method(Method::Unconstrained);
    let half = asked.fit(&data, &learner).unwrap().predict(data.table()).unwrap();
    let fitted = best(asked).fit(&data, &learner).unwrap();
    let own = fitted.predict(data.table()).unwrap();
    assert_eq!(own.scores, half.scores);
    let threshold = fitted.solution().threshold;
    for (scores, decision) in own.scores.chunks(2).zip(own.decisions.iter()) {
        assert_eq!(decision == 1, scores[1] > threshold);
    }
    assert_ne!(own.decisions, half.decisions);
}

#[test]
fn a_correction_is_even_at_its_threshold_and_no_worse_than_at_a_half() {
    let (data, learner) = skewed();
    for apply in [Apply::Weights, Apply::Tilt] {
        for notion in ["demographic-parity", "equal-opportunity", "disparate-impact"] {
            let asked = correction(notion).apply(apply).max_violation(0.03);
            let (_, half) = solve(&asked, &data, &learner);
            let (_, own) = solve(&best(asked), &data, &learner);
            let violation = own.train.violation.unwrap();
            assert!(violation <= 0.03 || half.train.violation.unwrap() > 0.03, "{notion} {apply:?}: {violation}");
            let [less, more] = [&own, &half].map(|one| one.train.error);
            assert!(less <= more, "{notion} {apply:?}: {less} at {}, {more} at 0.5", own.threshold);
            // Both searches were made, and are told of.
            assert!(own.fits >= half.fits && own.trace.len() > half.trace.len(), "{notion} {apply:?}");
            let plain = own.uncorrected.as_ref().unwrap();
            assert!((plain.threshold - 0.5).abs() > 0.001 && plain.train.error <= more, "{notion} {apply:?}");
        }
    }
}

#[test]
fn some_corrections_are_better_at_another_threshold() {
    let (data, learner) = skewed();
    let asked = correction("demographic-parity").max_violation(0.03);
    let (_, half) = solve(&asked, &data, &learner);
    let (_, own) = solve(&best(asked), &data, &learner);
    assert!(own.train.error < half.train.error - 0.001, "{} {}", own.train.error, half.train.error);
    assert!((own.threshold - 0.5).abs() > 0.001);
}

#[test]
fn other_methods_err_no_more_and_keep_what_was_asked_no_less() {
    let (data, learner) = skewed();
    let few = Lagrangian { passes: 3, ..Lagrangian::default() };
    for method in [Method::Reweighing, Method::Lagrangian(few)] {
        for bound in [None, Some(0.05)] {
            let asked = correction("demographic-parity").method(method);
            let asked = bound.into_iter().fold(asked, Correction::max_violation);
            let (_, half) = solve(&asked, &data, &learner);
            let (_, own) = solve(&best(asked), &data, &learner);
            let [before, after] = [&half, &own].map(|one| one.train.violation.unwrap());
            assert!(own.train.error <= half.train.error, "{method}");
            assert!(after <= before.max(bound.unwrap_or_default()) + 1e-12, "{method} {bound:?}: {after} {before}");
        }
    }
}

#[test]
fn thresholds_by_group_more_classes_and_scores_refuse_it() {
    let options = CorrectionOptions {
        notions: vec![Notion::DemographicParity],
        threshold: Threshold::Best,
        ..CorrectionOptions::default()
    };
    let by_group = ThresholdPostprocessing { decisions: Decisions::Deterministic };
    let by_group = Method::ThresholdPostprocessing(by_group);
    let error = CorrectionOptions { method: by_group, ..options.clone() }.build().unwrap_err();
    assert!(error.to_string().starts_with("`threshold` is `best` with the method threshold-postprocessing"));
    let error = CorrectionOptions { measure: Measure::Scores, ..options.clone() }.build().unwrap_err();
    assert!(error.to_string().starts_with("`threshold` is `best` where scores are compared"), "{error}");
    let three = best(Correction::new(Notion::DemographicParity).group("sex").unwrap());
    let error = three.fit(&three_classes(), &Logistic::default()).unwrap_err();
    let expected = "`threshold` is `best` with 3 classes; allowed is `half` with more than two classes: the most probable one is decided for";
    assert_eq!(error.to_string(), expected);
    assert_eq!("middle".parse::<Threshold>().unwrap_err().code(), "setting-invalid");
}

#[test]
fn a_model_keeps_it_and_verification_chooses_it_again() {
    let data = dataset(table());
    for method in [Method::Correction, Method::Unconstrained, Method::Reweighing] {
        for validation in [Validation::Training, Validation::Holdout { share: 0.3, seed: 1 }] {
            if !method.is_correction() && validation != Validation::Training {
                continue;
            }
            let asked =
                best(correction("demographic-parity").method(method).max_violation(0.02).validation(validation));
            let model = model(&data, &asked, None);
            let read = Model::from_json(&model.to_json().unwrap()).unwrap();
            assert_eq!(read, model);
            let fitted = fit(&asked, &data);
            assert_eq!(read.predict(data.table()).unwrap(), fitted.predict(data.table()).unwrap());
            let verdict = read.verify(data.table().clone()).unwrap();
            assert!(verdict.matches, "{method} {verdict:?}");
            assert!(verdict.checks.iter().any(|check| check.name == "threshold"), "{method}");
            let forged = Model { threshold: 0.3, ..model };
            let checks = forged.verify(data.table().clone()).unwrap().checks;
            let failed = checks.iter().find(|check| check.name == "threshold").unwrap();
            assert_eq!(failed.matches, Some(false), "{method}");
        }
    }
}

#[test]
fn a_threshold_that_was_not_asked_for_or_is_none_is_refused() {
    let data = dataset(table());
    let plain = model(&data, &correction("demographic-parity"), None);
    let chosen = model(&data, &best(correction("demographic-parity")), None);
    for (model, threshold) in [(plain, 0.4), (chosen, 1.5)] {
        let text = Model { threshold, ..model }.to_json().unwrap();
        let error = Model::from_json(&text).unwrap_err();
        assert!(error.to_string().contains("a threshold that was not asked for"), "{error}");
    }
}

#[test]
fn a_frontier_takes_the_better_threshold_at_every_bound() {
    let (data, learner) = skewed();
    for apply in [Apply::Weights, Apply::Tilt] {
        let asked = correction("demographic-parity").apply(apply);
        let (_, problem, _) = Binding::new(&asked, &data).unwrap();
        let trace = |asked: &Correction| asked.frontier(&problem, &learner, 6, &mut Silent).unwrap();
        let (half, own) = (trace(&asked), trace(&best(asked.clone())));
        assert!(own.points.len() <= 6, "{apply:?}");
        assert!(own.points[0].solution.train.error < half.points[0].solution.train.error, "{apply:?}");
        let place = |solution: &Solution<LogisticModel>| (solution.train.violation.unwrap(), solution.train.error);
        for other in &half.points[1..] {
            let (violation, error) = place(&other.solution);
            let meets =
                |one: &Solution<LogisticModel>| place(one).0 <= violation.max(other.asked.bound().unwrap_or(0.0));
            let least = own.points.iter().map(|one| &one.solution).filter(|one| meets(one));
            let least = least.map(|one| place(one).1).fold(f64::INFINITY, f64::min);
            assert!(least <= error, "{apply:?}: {least} where {error} was found at 0.5, {violation}");
        }
        let sentence = own.decided_from(&best(asked.clone())).unwrap();
        assert!(sentence.starts_with("Rows are decided positive above a probability of 0."), "{sentence}");
        assert_eq!(half.decided_from(&asked), None);
        // More and less of a correction decides where it does.
        let last = &own.points.last().unwrap().solution;
        let swept = best(asked).sweep(&problem, &learner, last, &[1.0], &mut Silent).unwrap();
        assert_eq!(swept[0].threshold.to_bits(), last.threshold.to_bits());
        assert!((swept[0].train.error - last.train.error).abs() < 1e-3, "{apply:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the penalty makes of scores.
    #[test]
    fn no_threshold_errs_less(seed in 0..u64::MAX, rows in 1_000..1_400_usize, l2 in 0.1..3_000.0_f64) {
        let data = dataset(evenhand_datasets::synthetic::population(rows, seed).unwrap());
        let asked = Correction::new(Notion::DemographicParity).group("sex").unwrap().method(Method::Unconstrained);
        let learner = Logistic { l2, ..Logistic::default() };
        let (binding, own) = solve(&best(asked), &data, &learner);
        prop_assert!((own.train.error - least_error(&data, &binding, &own)).abs() < 1e-12);
    }
}
