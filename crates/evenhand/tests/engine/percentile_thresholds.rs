//! Percentile thresholds, the paper's calibration, against percentiles taken by hand.

use crate::population::{table, three_classes};
use evenhand::correction::{Problem, Silent};
use evenhand::data::Codes;
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, Learner, Training};
use evenhand::{Correction, Dataset, Logistic, Measure, Membership, Method, Notion, Schema, Termination};

/// A learner that takes the one feature for the score.
fn as_scored() -> impl Learner {
    FnLearner::new(|_: Training<'_>| {
        Ok(FnPredictor::new(2, |features: &Features| {
            Ok(features.dense()[0].values().iter().flat_map(|&score| [1.0 - score, score]).collect())
        }))
    })
}

/// Scores, whether labelled positive, whether in the group, and weights.
type Rows<'a> = &'a [(f64, bool, bool, f64)];

fn problem(rows: Rows<'_>, notion: &str) -> Problem {
    let features = Features::from_rows(&rows.iter().map(|row| row.0).collect::<Vec<_>>(), 1).unwrap();
    let labels = Codes::narrow(rows.iter().map(|row| u32::from(row.1)).collect(), 2);
    let mask: Vec<bool> = rows.iter().map(|row| row.2).collect();
    let membership = Membership::from_masks(vec!["a".into()], &[mask]).unwrap();
    let classes = ["no".to_owned(), "yes".to_owned()];
    let weights = rows.iter().map(|row| row.3).collect();
    let notions = [notion.parse::<Notion>().unwrap()];
    Problem::of_arrays(features, labels, &classes, &membership, Some(weights), &notions).unwrap().0
}

/// The threshold of the group and of the others, as the rule has it: scores from there on are positive.
fn thresholds(rows: Rows<'_>, notion: &str) -> [f64; 2] {
    let settings = Correction::new(notion.parse().unwrap()).method(Method::PercentileThresholds);
    let solution = settings.solve(&problem(rows, notion), &as_scored(), &mut Silent).unwrap();
    assert_eq!((solution.stop, solution.fits), (Termination::Converged, 1));
    let rules = solution.thresholds.unwrap();
    assert_eq!(rules.seed, None);
    let of = |groups: &[&str]| {
        let rule = rules.patterns.iter().find(|rule| rule.groups == groups).unwrap();
        rule.steps[0].at_least.unwrap()
    };
    [of(&["a"]), of(&[])]
}

/// Four of ten rows are decided positive at ½; of the five labelled positive, three.
const TEN: [(f64, bool, bool, f64); 10] = [
    (0.1, false, true, 1.0),
    (0.2, true, true, 1.0),
    (0.4, false, true, 1.0),
    (0.6, true, true, 1.0),
    (0.15, false, false, 1.0),
    (0.3, true, false, 1.0),
    (0.45, false, false, 1.0),
    (0.7, true, false, 1.0),
    (0.8, false, false, 1.0),
    (0.9, true, false, 1.0),
];

#[test]
fn the_threshold_of_a_pattern_is_the_percentile_of_its_scores_at_the_overall_rate() {
    // Of four scores the 60th percentile lies at 0.6 · 3 = 1.8 between 0.2 and 0.4, of six at 0.6 · 5 = 3.
    let [inside, outside] = thresholds(&TEN, "demographic-parity");
    assert!((inside - 0.36).abs() < 1e-12 && (outside - 0.7).abs() < 1e-12, "{inside} {outside}");
    assert!(outside > 0.7, "decided positive is what lies above");
    // Rows labelled positive, at a true positive rate of 3/5: 0.4 · 1 between 0.2 and 0.6, 0.4 · 2 between 0.3 and 0.7.
    let [inside, outside] = thresholds(&TEN, "equal-opportunity");
    assert!((inside - 0.36).abs() < 1e-12 && (outside - 0.62).abs() < 1e-12, "{inside} {outside}");
    // Rows labelled negative, at a false positive rate of 1/5: 0.8 · 1 between 0.1 and 0.4, 0.8 · 2 between 0.45 and 0.8.
    let [inside, outside] = thresholds(&TEN, "predictive-equality");
    assert!((inside - 0.34).abs() < 1e-12 && (outside - 0.66).abs() < 1e-12, "{inside} {outside}");
}

#[test]
fn without_rows_to_take_a_percentile_of_a_pattern_keeps_its_threshold() {
    let none: Vec<_> = TEN.iter().filter(|row| !(row.1 && row.2)).copied().collect();
    let settings = Correction::new(Notion::EqualOpportunity).method(Method::PercentileThresholds);
    // The group has no rows of the label, and so no constraint either: another group has.
    let rows: Vec<_> = none.iter().map(|&(score, label, inside, weight)| (score, label, !inside, weight)).collect();
    let solution = settings.solve(&problem(&rows, "equal-opportunity"), &as_scored(), &mut Silent).unwrap();
    let rules = solution.thresholds.unwrap().patterns;
    let without = rules.iter().find(|rule| rule.groups.is_empty()).unwrap();
    assert!((without.steps[0].at_least.unwrap() - 0.5).abs() < 1e-12, "{without:?}");
}

#[test]
fn every_pattern_has_the_overall_rate_on_the_training_rows_up_to_a_row() {
    let data = Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap();
    for (notion, label) in
        [("demographic-parity", None), ("equal-opportunity", Some(1)), ("predictive-equality", Some(0))]
    {
        let asked = Correction::new(notion.parse().unwrap()).group("sex").unwrap().group("age_band=18-24").unwrap();
        let plain = asked.clone().method(Method::Unconstrained).fit(&data, &Logistic::default()).unwrap();
        let fitted = asked.method(Method::PercentileThresholds).fit(&data, &Logistic::default()).unwrap();
        assert_eq!(plain.predictor(), fitted.predictor(), "one fit, and no row weighs differently");
        let problem = fitted.problem();
        let rows = |pattern: Option<[bool; 2]>| -> Vec<usize> {
            let of = |row: &usize| label.is_none_or(|label| problem.labels().get(*row) == label);
            // Women, and the young.
            let within = |row: &usize| pattern.is_none_or(|own| own == [0, 2].map(|group| problem.is_in(*row, group)));
            (0..data.rows()).filter(of).filter(within).collect()
        };
        let rate = |decided: &Codes, rows: &[usize]| {
            rows.iter().filter(|&&row| decided.get(row) == 1).count() as f64 / rows.len() as f64
        };
        let before = plain.predict(data.table()).unwrap().decisions;
        let after = fitted.predict(data.table()).unwrap().decisions;
        let overall = rate(&before, &rows(None));
        for pattern in [[false, false], [false, true], [true, false], [true, true]] {
            let rows = rows(Some(pattern));
            let off = (rate(&after, &rows) - overall).abs();
            assert!(off <= 1.0 / rows.len() as f64 + 1e-12, "{notion} {pattern:?}: {off} of {} rows", rows.len());
        }
        let (again, _) = fitted.evaluate(&data, Measure::Decisions).unwrap();
        assert_eq!(again, fitted.solution().train);
    }
}

#[test]
fn what_one_threshold_cannot_set_is_refused() {
    let data = Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap();
    let said = |notion: &str| {
        let asked = Correction::new(notion.parse().unwrap()).group("sex").unwrap();
        asked.method(Method::PercentileThresholds).fit(&data, &Logistic::default()).unwrap_err().to_string()
    };
    for notion in ["equalized-odds", "equal-accuracy", "target-rate=0.3"] {
        let said = said(notion);
        assert!(said.starts_with(&format!("`notions` is `{notion}` with the method percentile-thresholds")), "{said}");
        assert!(said.ends_with("one threshold sets one rate"), "{said}");
    }
    let two = Correction::new(Notion::DemographicParity).and(Notion::EqualOpportunity).group("sex").unwrap();
    assert_eq!(two.method(Method::PercentileThresholds).check().unwrap_err().code(), "setting-invalid");
    let three = Correction::new(Notion::DemographicParity).group("sex").unwrap().method(Method::PercentileThresholds);
    let said = three.fit(&three_classes(), &Logistic::default()).unwrap_err().to_string();
    assert!(said.contains("two classes"), "{said}");
    assert_eq!("calibration".parse::<Method>().unwrap(), Method::PercentileThresholds);
}
