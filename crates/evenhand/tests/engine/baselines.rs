//! The methods a correction is compared with, on the made-up population.
use crate::population::{table, three_classes};
use evenhand::correction::{
    Binding, CovariateShift, Iteration, Lagrangian, Observer, Problem, Silent, Solution, Technique, Validation,
};
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, Learner, LogisticModel, Training};
use evenhand::{Correction, Dataset, Logistic, Measure, Method, Schema, Termination};

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

fn by(method: Method, settings: &Correction, problem: &Problem) -> Solution<LogisticModel> {
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
    let solution = by(Method::Unconstrained, &settings, &problem);
    let plain = settings.uncorrected(&problem, &Logistic::default()).unwrap();
    assert_eq!((&solution.train, solution.fits), (&plain.train, 1));
    assert!(solution.multipliers.is_empty() && solution.unweighted);
    assert_eq!(solution.evaluate(&problem, Measure::Decisions).unwrap(), solution.train);
}

#[test]
fn reweighing_is_one_fit_with_its_weights_and_lowers_the_violation() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let solution = by(Method::Reweighing, &settings, &problem);
    let weights = solution.weights(&problem).unwrap();
    let training = Training {
        features: problem.features(),
        labels: problem.labels(),
        classes: problem.classes(),
        weights: &weights,
    };
    let again = Logistic::default().fit(training, &mut <Logistic as Learner>::WarmStart::default()).unwrap();
    let again = problem.evaluate_predictor(&again, Measure::Scores).unwrap();
    let found = solution.evaluate(&problem, Measure::Scores).unwrap();
    assert!((again.violation.unwrap() - found.violation.unwrap()).abs() < 1e-6);
    let plain = settings.uncorrected(&problem, &Logistic::default()).unwrap().train;
    assert!(solution.train.violation.unwrap() < plain.violation.unwrap() / 2.0, "{:?}", solution.train);
}

#[test]
fn what_only_a_correction_can_do_is_refused() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let refused =
        |settings: Correction| settings.solve(&problem, &Logistic::default(), &mut Silent).unwrap_err().to_string();
    let baseline = settings.method(Method::Reweighing);
    let said = refused(baseline.clone().validation(Validation::KFold { folds: 5, seed: 0 }));
    assert!(said.contains("`validation` is other rows with the method reweighing"), "{said}");
    let said = refused(baseline.clone().technique(Technique::Sampling { seed: 0 }));
    assert!(said.contains("`technique` is sampling with the method reweighing"), "{said}");
    let said = refused(baseline.clone().covariate_shift(CovariateShift::Corrected));
    assert!(said.contains("`covariate_shift` is corrected with the method reweighing"), "{said}");
    let said = baseline.frontier(&problem, &Logistic::default(), 5, &mut Silent).unwrap_err().to_string();
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

const LAGRANGIAN: Method =
    Method::Lagrangian(Lagrangian { rate: 0.01, passes: 100, batch: 100, slack_step: 0.05, seed: 0, sample: None });

#[test]
fn the_violation_of_the_lagrangian_approach_falls_from_pass_to_pass() {
    for notion in ["demographic-parity", "equal-opportunity", "predictive-equality", "equalized-odds"] {
        let settings = asked(notion);
        let (_, problem) = bound(&settings);
        let plain = settings.uncorrected(&problem, &Logistic::default()).unwrap().train;
        let solution = by(LAGRANGIAN, &settings, &problem);
        assert_eq!((solution.trace.len(), solution.stop), (100, Termination::IterationLimit));
        let mean = |loops: &[Iteration]| loops.iter().map(|one| one.violation).sum::<f64>() / loops.len() as f64;
        let (early, late) = (mean(&solution.trace[..10]), mean(&solution.trace[90..]));
        assert!(late < early / 2.0, "{notion}: {early} {late}");
        let train = &solution.train;
        assert!(train.violation.unwrap() < plain.violation.unwrap() / 2.0, "{notion}: {train:?}");
        // Evening out mean scores is dear here: a correction costs two points.
        assert!(train.error < plain.error + 0.15 && train.positive_rate.unwrap() < 1.0, "{notion}: {train:?}");
    }
}

#[test]
fn the_lagrangian_approach_depends_on_its_seed_and_not_on_threads() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let on = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let method = Method::Lagrangian(Lagrangian { passes: 5, seed, ..Lagrangian::default() });
        pool.install(|| by(method, &settings, &problem)).predictor
    };
    assert_eq!(on(1, 0), on(2, 0));
    assert_ne!(on(1, 0), on(1, 1));
}

#[test]
fn the_lagrangian_approach_may_be_trained_on_a_sample() {
    let settings = asked("demographic-parity");
    let (_, problem) = bound(&settings);
    let on = |sample| {
        by(Method::Lagrangian(Lagrangian { sample, passes: 20, ..Lagrangian::default() }), &settings, &problem)
    };
    let (all, most, some) = (on(None), on(Some(usize::MAX)), on(Some(problem.features().rows() / 2)));
    assert_eq!(all.predictor, most.predictor);
    assert_ne!(all.predictor, some.predictor);
    // It is evaluated on all rows, however few it saw.
    let (rate, again) = (some.train.positive_rate, problem.evaluate_predictor(&some.predictor, Measure::Decisions));
    assert_eq!(rate, again.unwrap().positive_rate);
}

#[test]
fn slack_is_raised_while_everyone_is_decided_alike() {
    // One positive in fifty, in the same share of both groups, and nothing to tell it by: whatever the slack, all are decided negative.
    let rows = 1000;
    let features = Features::from_rows(&vec![1.0; rows], 1).unwrap();
    let labels = evenhand::data::Codes::narrow((0..rows).map(|row| u32::from(row % 50 == 0)).collect(), 2);
    let mask: Vec<bool> = (0..rows).map(|row| row < 500).collect();
    let membership = evenhand::Membership::from_masks(vec!["half".into()], &[mask]).unwrap();
    let classes = ["no".to_owned(), "yes".to_owned()];
    let notions = ["demographic-parity".parse().unwrap()];
    let (problem, _) = Problem::of_arrays(features, labels, &classes, &membership, None, &notions).unwrap();
    let settings = Correction::new(notions[0].clone());
    let coarse = Lagrangian { passes: 20, slack_step: 0.4, ..Lagrangian::default() };
    let solution = by(Method::Lagrangian(coarse), &settings, &problem);
    // 0, 0.4, 0.8 and 1, one after the other.
    assert_eq!((solution.fits, solution.slack, solution.stop), (4, Some(1.0), Termination::Infeasible));
}

#[test]
fn the_lagrangian_approach_is_told_to_stop_and_refuses_what_it_cannot_do() {
    struct Impatient(usize);
    impl Observer for Impatient {
        fn after(&mut self, _: &Iteration) -> bool {
            self.0 -= 1;
            self.0 > 0
        }
    }
    let settings = asked("demographic-parity").method(LAGRANGIAN);
    let (_, problem) = bound(&settings);
    let solution = settings.solve(&problem, &Logistic::default(), &mut Impatient(3)).unwrap();
    assert_eq!((solution.trace.len(), solution.stop), (3, Termination::Cancelled));
    let other = FnLearner::new(|_: Training<'_>| {
        Ok(FnPredictor::new(2, |features: &Features| Ok(vec![0.5; 2 * features.rows()])))
    });
    let said = settings.solve(&problem, &other, &mut Silent).err().unwrap().to_string();
    assert!(said.contains("allowed is the built-in learner: this method trains a linear model itself"), "{said}");
    let wrong = |lagrangian: Lagrangian| settings.clone().method(Method::Lagrangian(lagrangian)).check().unwrap_err();
    assert!(wrong(Lagrangian { rate: 0.0, ..Lagrangian::default() }).to_string().contains("`rate` is 0;"));
    assert!(wrong(Lagrangian { passes: 0, ..Lagrangian::default() }).to_string().contains("`passes` is 0;"));
    assert!(wrong(Lagrangian { batch: 0, ..Lagrangian::default() }).to_string().contains("`batch` is 0;"));
    assert!(wrong(Lagrangian { sample: Some(0), ..Lagrangian::default() }).to_string().contains("`sample` is 0;"));
    assert!(wrong(Lagrangian { slack_step: 2.0, ..Lagrangian::default() }).to_string().contains("`slack_step` is 2;"));
    let three = settings.fit(&three_classes(), &Logistic::default()).unwrap_err().to_string();
    assert!(three.contains("`method` is lagrangian with 3 classes"), "{three}");
}
