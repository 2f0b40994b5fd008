//! Corrections with covariate shift corrected: with every setting that could get in the way.
use crate::population::{table, three_classes};
use evenhand::correction::WeightRange;
use evenhand::correction::{Binding, CovariateShift, Silent, Solver, Technique};
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, LogisticModel, Training, scores};
use evenhand::model::LearnerRecord;
use evenhand::{
    Column, Correction, Dataset, Fitted, Learner, Logistic, Measure, Model, Notion, Preset, Schema, Table, Weights,
};

/// A fit to the last digit, so that fits with the same weights are the same.
const EXACT: Logistic = Logistic { l2: 1.0, penalise_intercept: false, tolerance: 1e-9, max_passes: 500 };

fn schema() -> Schema {
    Schema::label("approved").positive("yes").ignore("deserved")
}

fn dataset(table: Table) -> Dataset {
    Dataset::new(table, &schema()).unwrap()
}

fn corrected(notion: &str) -> Correction {
    let correction = Correction::new(notion.parse().unwrap()).covariate_shift(CovariateShift::Corrected);
    correction.group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn fit(settings: &Correction, data: &Dataset) -> Fitted<LogisticModel> {
    settings.fit(data, &EXACT).unwrap()
}

/// The learner itself, on all training rows with these weights.
fn alone(fitted: &Fitted<LogisticModel>, weights: &Weights) -> LogisticModel {
    let problem = fitted.problem();
    let (features, labels, classes) = (problem.features(), problem.labels(), problem.classes());
    EXACT
        .fit(Training { features, labels, classes, weights }, &mut <Logistic as Learner>::WarmStart::default())
        .unwrap()
}

/// The largest difference between two classifiers' probabilities on the training rows.
fn apart(fitted: &Fitted<LogisticModel>, one: &LogisticModel, other: &LogisticModel) -> f64 {
    let scores = |model| scores(model, fitted.problem().features(), fitted.problem().classes()).unwrap();
    scores(one).iter().zip(scores(other)).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

fn verifies(settings: &Correction, fitted: &Fitted<LogisticModel>, data: &Dataset) -> Model {
    let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: EXACT, model: model.clone() };
    let model = Model::new(settings, fitted, record, None, (data.digest(), data.rows()), None).unwrap();
    let verdict = model.verify(data.table().clone()).unwrap();
    assert!(verdict.matches, "{verdict:?}");
    assert!(verdict.checks.iter().any(|check| check.name == "observed" && check.matches == Some(true)));
    model
}

/// Rows that weigh 1, 2 or 3.
fn weighted() -> Dataset {
    let mut table = table();
    let weights = (0..table.rows()).map(|row| (row % 3 + 1) as f64).collect();
    table.set("count", Column::Numeric(weights)).unwrap();
    Dataset::new(table, &schema().weight("count")).unwrap()
}

/// Columns of few categories alone, so that many rows are alike and become one.
fn repeated() -> Dataset {
    let table = table();
    let columns =
        ["region", "sex", "age_band", "approved"].map(|name| (name.to_owned(), table.get(name).unwrap().clone()));
    Dataset::new(Table::new(columns.to_vec(), 1).unwrap(), &Schema::label("approved").positive("yes")).unwrap()
}

#[test]
fn exported_weights_are_those_the_classifier_was_fitted_with() {
    for (name, data) in
        [("plain", dataset(table())), ("weighted", weighted()), ("repeated", repeated()), ("classes", three_classes())]
    {
        let settings = corrected("demographic-parity").measure(Measure::Scores);
        let fitted = fit(&settings, &data);
        let solution = fitted.solution();
        let (before, after) = (solution.trace[0].violation, solution.train.violation.unwrap());
        assert!(before > 0.03 && after < 1e-6, "{name}: {before} {after} {:?} {}", solution.stop, solution.fits);
        let far = apart(&fitted, &alone(&fitted, fitted.weights()), fitted.predictor());
        assert!(far < 1e-6, "{name}: {far}");
        // And they are others than those that keep the shift.
        let kept = fit(&settings.clone().covariate_shift(CovariateShift::Ignored), &data);
        let far = apart(&fitted, kept.predictor(), fitted.predictor());
        assert!(far > 1e-3, "{name}: {far}");
        verifies(&settings, &fitted, &data);
    }
}

#[test]
fn at_every_x_the_weights_of_all_labels_average_to_one() {
    let data = dataset(table());
    let fitted = fit(&corrected("demographic-parity"), &data);
    let weights = fitted.weights().to_rows();
    assert!(weights.iter().any(|weight| (weight - 1.0).abs() > 0.2));
    // What is fitted without correction and an intercept has, overall and in each group it sees, as many positives as
    // observed: so weights average to 1 there too, but for the penalty.
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    assert!((mean - 1.0).abs() < 0.01, "{mean}");
    let kept =
        fit(&corrected("demographic-parity").covariate_shift(CovariateShift::Ignored), &data).weights().to_rows();
    assert!((kept.iter().sum::<f64>() / kept.len() as f64 - 0.5).abs() < 0.1);
}

#[test]
fn every_way_to_find_multipliers_takes_divided_weights() {
    let data = dataset(table());
    let unbounded = |mut settings: Correction| {
        if let Solver::Sqp(newton) = &mut settings.solver {
            newton.range = Some(WeightRange::Unbounded);
        }
        settings
    };
    let parity = || corrected("demographic-parity");
    let all = [
        ("default", parity(), 0.01),
        ("unbounded", unbounded(parity()), 0.01),
        ("bound", parity().max_violation(0.03), 0.03),
        ("paper", parity().preset(Preset::Paper), 0.02),
        ("notebook", parity().preset(Preset::Notebook), 0.02),
        ("holdout", parity().validation("holdout=0.25".parse().unwrap()), 0.04),
        ("k-fold", parity().validation("k-fold=3".parse().unwrap()), 0.02),
        ("sampling", parity().technique(Technique::Sampling { seed: 3 }), 0.02),
        ("opportunity", corrected("equal-opportunity"), 0.02),
        ("impact", corrected("disparate-impact"), 0.06),
        ("rate", corrected("group-target-rate=0.4"), 0.02),
        ("odds", corrected("equalized-odds"), 0.06),
    ];
    for (name, settings, most) in all {
        let fitted = fit(&settings, &data);
        let solution = fitted.solution();
        let (before, after) = (solution.trace[0].violation, solution.train.violation.unwrap());
        assert!(after < most && after < before / 2.0, "{name}: {before} {after}");
        verifies(&settings, &fitted, &data);
    }
}

#[test]
fn what_was_divided_by_is_verified() {
    let data = dataset(table());
    let settings = corrected("demographic-parity");
    let mut model = verifies(&settings, &fit(&settings, &data), &data);
    let failed = |model: &Model| -> Vec<&'static str> {
        let verdict = model.verify(data.table().clone()).unwrap();
        verdict.checks.iter().filter(|check| check.matches == Some(false)).map(|check| check.name).collect()
    };
    let Some(LearnerRecord::Logistic { model: observed, .. }) = &model.observed else { panic!("it is recorded") };
    let mut coefficients = observed.coefficients().to_vec();
    coefficients[0] += 0.1;
    let changed = LogisticModel::new(2, coefficients).unwrap();
    model.observed = Some(LearnerRecord::Logistic { settings: EXACT, model: changed });
    assert_eq!(failed(&model), ["observed", "classifier", "search"]);
    model.observed = None;
    assert_eq!(failed(&model), ["observed", "classifier", "search"]);
    // A model that keeps the shift says nothing of it, so that its file and digest are those of earlier versions.
    let kept = settings.covariate_shift(CovariateShift::Ignored);
    assert!(!serde_json::to_string(&kept).unwrap().contains("covariate_shift"));
}

/// Logistic regression in the guise of any closure: no derivatives, no aggregated rows.
fn closure() -> impl Learner<Predictor = LogisticModel> {
    FnLearner::new(|training: Training<'_>| EXACT.fit(training, &mut <Logistic as Learner>::WarmStart::default()))
}

#[test]
fn a_learner_without_derivatives_reaches_the_same_multipliers() {
    let data = dataset(table());
    let settings = corrected("demographic-parity").measure(Measure::Scores);
    let (known, learnt) = (fit(&settings, &data), settings.fit(&data, &closure()).unwrap());
    assert!(learnt.solution().train.violation.unwrap() < 1e-3);
    for ((_, one), (name, other)) in known.multipliers().zip(learnt.multipliers()) {
        assert!((one - other).abs() < 0.01, "{name}: {one} {other}");
    }
}

#[test]
fn a_learner_that_only_decides_is_refused() {
    let deciding = FnLearner::new(|training: Training<'_>| {
        let model = EXACT.fit(training, &mut <Logistic as Learner>::WarmStart::default())?;
        Ok(FnPredictor::new(2, move |features: &Features| {
            let decide = |row: &[f64]| if row[1] > row[0] { [0.0, 1.0] } else { [1.0, 0.0] };
            Ok(scores(&model, features, 2)?.chunks(2).flat_map(decide).collect())
        }))
    });
    let data = dataset(table());
    let error = corrected("demographic-parity").fit(&data, &deciding).err().unwrap();
    assert_eq!(error.code(), "learner-failed");
    assert!(error.to_string().contains("`covariate_shift` needs probabilities"), "{error}");
    // Without the division it will do, and so will comparing it with no correction.
    assert!(corrected("demographic-parity").covariate_shift(CovariateShift::Ignored).fit(&data, &deciding).is_ok());
    let (_, problem, _) = Binding::new(&corrected("demographic-parity"), &data).unwrap();
    assert!(corrected("demographic-parity").uncorrected(&problem, &deciding).is_ok());
}

#[test]
fn notions_that_weigh_all_labels_alike_are_refused() {
    let data = dataset(table());
    for notion in ["equal-accuracy", "pinned=sex=female:0.9"] {
        let error = corrected(notion).fit(&data, &EXACT).unwrap_err();
        assert_eq!(error.code(), "setting-invalid");
        assert!(error.to_string().starts_with("`covariate_shift` is corrected with"), "{error}");
        let both = corrected("demographic-parity").and(notion.parse::<Notion>().unwrap());
        assert_eq!(both.check().unwrap_err().code(), "setting-invalid");
    }
}

#[test]
fn a_frontier_is_traced_with_divided_weights() {
    let data = dataset(table());
    let settings = corrected("demographic-parity");
    let (_, problem, _) = Binding::new(&settings, &data).unwrap();
    let frontier = settings.frontier(&problem, &EXACT, 4, &mut Silent).unwrap();
    let last = &frontier.points.last().unwrap().solution;
    assert!(last.train.violation.unwrap() < 0.01, "{:?}", last.train.violation);
    let first = &frontier.points[0].solution;
    let plain = first.shift_correction.as_ref().unwrap();
    let pairs = plain.observed.coefficients().iter().zip(first.predictor.coefficients());
    assert!(pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max) < 1e-6);
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let data = dataset(table());
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fitted = pool.install(|| fit(&corrected("equal-opportunity"), &data));
        fitted.predictor().coefficients().iter().map(|one| one.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(2));
}
