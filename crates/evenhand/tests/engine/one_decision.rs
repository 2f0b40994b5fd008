//! Classifiers that decide alike for everyone, and methods that search for nothing: what is said of them.

use evenhand::audit::AuditOptions;
use evenhand::correction::{Solver, SqpSettings};
use evenhand::data::Categorical;
use evenhand::model::LearnerRecord;
use evenhand::{
    Audit, Column, Correction, Dataset, Groups, Logistic, Method, Model, Notion, Schema, Table, Termination, Warning,
};
use evenhand_datasets::synthetic;

/// Rows of two groups, 5 and 10 % of them positive, with nothing else to tell them apart by.
fn rows(count: usize) -> Table {
    let texts = |text: &dyn Fn(usize) -> &'static str| {
        Column::Categorical(Categorical::from_values((0..count).map(|row| Some(text(row)))))
    };
    let label = |row: usize| if row.is_multiple_of(20) || row % 20 == 1 && row % 40 < 20 { "yes" } else { "no" };
    let columns = vec![
        ("sex".to_owned(), texts(&|row| if row % 40 < 20 { "f" } else { "m" })),
        ("hired".to_owned(), texts(&label)),
        ("predicted".to_owned(), texts(&|_| "no")),
    ];
    Table::new(columns, 2).unwrap()
}

fn schema() -> Schema {
    Schema::label("hired").positive("yes").ignore("predicted")
}

fn asked() -> Correction {
    Correction::new(Notion::DemographicParity).group("sex").unwrap()
}

fn loans() -> Dataset {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    Dataset::new(synthetic::population(2_000, 1).unwrap(), &schema).unwrap()
}

fn all_are_no(warnings: &[Warning]) -> bool {
    warnings.contains(&Warning::OneDecision { decision: "no".into(), rows: 800 })
}

#[test]
fn nobody_decided_positive_is_told_by_a_fit_an_evaluation_and_an_audit() {
    let data = Dataset::new(rows(800), &schema()).unwrap();
    for settings in [asked(), asked().max_violation(0.02), asked().method(Method::Unconstrained)] {
        let fitted = settings.fit(&data, &Logistic::default()).unwrap();
        assert_eq!(fitted.solution().train.positive_rate, Some(0.0));
        assert!(all_are_no(fitted.warnings()), "{:?}", fitted.warnings());
        let record = |model: &_| LearnerRecord::Logistic { settings: Logistic::default(), model: Clone::clone(model) };
        let digest = (data.digest(), data.rows());
        let model = Model::new(&settings, &fitted, record, None, digest, None).unwrap();
        let (_, warnings) = model.evaluate(&rows(800), &[], 0.95).unwrap();
        assert!(all_are_no(&warnings), "{warnings:?}");
        // One row is always decided alike.
        let (_, warnings) = model.evaluate(&rows(1), &[], 0.95).unwrap();
        assert!(!warnings.iter().any(Warning::is_of_decisions), "{warnings:?}");
    }
    let audit = |predictions: Option<&str>, schema: &Schema| {
        let data = Dataset::new(rows(800), schema).unwrap();
        let (groups, _) = Groups::of(&["sex".parse().unwrap()], &data).unwrap();
        Audit::of_dataset(&data, &groups, predictions, &AuditOptions::default()).unwrap()
    };
    let schema = Schema::label("hired").positive("yes");
    let found = audit(Some("predicted"), &schema);
    assert!(all_are_no(&found.warnings), "{:?}", found.warnings);
    assert!(!all_are_no(&audit(None, &schema).warnings));
}

#[test]
fn a_classifier_that_tells_some_apart_is_not_warned_of() {
    let data = loans();
    let fitted = asked().fit(&data, &Logistic::default()).unwrap();
    assert!(!fitted.warnings().iter().any(|one| matches!(one, Warning::OneDecision { .. })));
}

#[test]
fn what_searched_for_nothing_does_not_say_how_a_search_ended() {
    let data = loans();
    for method in [Method::Unconstrained, Method::Reweighing] {
        let fitted = asked().method(method).fit(&data, &Logistic::default()).unwrap();
        assert_eq!((fitted.stop(), fitted.stop().is_short()), (Termination::NotSearched, false), "{method}");
        assert_eq!(fitted.solution().explain(&asked().method(method)), "no bound and no notion was searched for");
    }
    // No group has so many rows.
    let mut few = asked();
    few.solver = Solver::Sqp(SqpSettings { min_group: 10_000, ..SqpSettings::default() });
    let fitted = few.fit(&data, &Logistic::default()).unwrap();
    assert_eq!((fitted.stop().to_string().as_str(), fitted.solution().fits), ("not-searched", 1));
    assert!(fitted.solution().explain(&few).starts_with("nothing was searched for"));
    assert!(fitted.warnings().iter().any(|one| matches!(one, Warning::NotSearched { .. })));
    assert_eq!(asked().fit(&data, &Logistic::default()).unwrap().stop(), Termination::Converged);
}
