//! Intersections as features: a linear learner can follow weights that differ by more than what sex and race add up to.

use evenhand::data::Categorical;
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Column, Correction, Dataset, Fitted, Logistic, Model, Notion, Preset, Schema, Table, Termination};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How much less often each sex of each race is positive: no sum of one number a sex and one a race.
const SHIFTS: [[f64; 3]; 2] = [[0.0, 1.2, -0.9], [-0.8, -1.1, 1.0]];

/// People of two sexes and three races of whom some 40 % are positive.
fn people() -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (mut sexes, mut races, mut scores, mut labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..20_000 {
        let (sex, race) = (random.random_range(0..2_usize), random.random_range(0..3_usize));
        let score = 4.0 * random.random::<f64>() - 2.0;
        let odds = (1.6 * score - 0.6 + SHIFTS[sex][race]).exp();
        sexes.push(Some(["f", "m"][sex]));
        races.push(Some(["A", "B", "C"][race]));
        scores.push(score);
        labels.push(Some(if random.random::<f64>() < odds / (1.0 + odds) { "1" } else { "0" }));
    }
    let columns = vec![
        ("sex".to_owned(), Column::Categorical(Categorical::from_values(sexes))),
        ("race".to_owned(), Column::Categorical(Categorical::from_values(races))),
        ("score".to_owned(), Column::Numeric(scores)),
        ("y".to_owned(), Column::Categorical(Categorical::from_values(labels))),
    ];
    Dataset::new(Table::new(columns, 2).unwrap(), &Schema::label("y")).unwrap()
}

fn asked(notion: Notion) -> Correction {
    Correction::new(notion).group("sex*race").unwrap().max_violation(0.02)
}

fn fit(correction: &Correction) -> Fitted<LogisticModel> {
    correction.fit(&people(), &Logistic::default()).unwrap()
}

#[test]
fn intersections_are_evened_at_less_error() {
    for notion in [Notion::EqualOpportunity, Notion::EqualizedOdds] {
        let with = fit(&asked(notion.clone())).into_solution();
        let without = fit(&Correction { interactions: false, ..asked(notion.clone()) }).into_solution();
        assert_eq!(with.stop, Termination::Converged, "{notion}");
        // Without them a bound is missed, or paid for.
        let missed = without.stop != Termination::Converged;
        let (less, more) = (with.train.error, without.train.error);
        assert!(missed || less < more - 0.02, "{notion}: {less} with, {more} without interactions");
    }
}

#[test]
fn a_model_predicts_by_them_from_raw_columns_and_verifies() {
    let (data, correction) = (people(), asked(Notion::DemographicParity));
    let fitted = fit(&correction);
    let names = fitted.binding().feature_names();
    assert_eq!(names.len(), 2 + 3 + 1 + 6);
    assert_eq!(names[6..8], ["sex=f & race=A", "sex=f & race=B"]);
    assert_eq!(fitted.problem().features().width(), fitted.binding().width());
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let model = Model::new(&correction, &fitted, record, None, (data.digest(), data.rows()), None).unwrap();
    let model = Model::from_json(&model.to_json().unwrap()).unwrap();
    let (again, here) = (model.predict(data.table()).unwrap(), fitted.predict(data.table()).unwrap());
    assert_eq!(again.decisions, here.decisions);
    let verdict = model.verify(data.table().clone()).unwrap();
    assert!(verdict.matches, "{verdict:?}");
}

#[test]
fn they_are_features_only_where_the_learner_sees_their_columns_and_features_are_not_fixed() {
    let width = |correction: &Correction| fit(correction).binding().width();
    assert_eq!(width(&asked(Notion::DemographicParity).withhold("race")), 2 + 1);
    assert_eq!(width(&asked(Notion::DisparateImpact)), 1);
    assert_eq!(width(&asked(Notion::DemographicParity).preset(Preset::Paper)), 2 + 3 + 1);
    let single = Correction::new(Notion::DemographicParity).group("sex").unwrap().group("race=A").unwrap();
    assert_eq!(width(&single), 2 + 3 + 1);
}
