//! Rows that lack a value that defines groups: measured apart, and nothing else.

use evenhand::data::Categorical;
use evenhand::{Column, Correction, Dataset, Logistic, Method, Notion, Schema};

use crate::population::table;

/// The population with a column `origin` that the learner may not see: every third row is `a`, and every fifth of the
/// others `rest`.
fn people(rest: Option<&str>) -> Dataset {
    let mut table = table();
    let value = |row: usize| match row {
        row if row % 3 == 0 => Some("a"),
        row if row % 5 == 0 => rest,
        _ => Some("b"),
    };
    let origin = Categorical::from_values((0..table.rows()).map(value));
    table.set("origin", Column::Categorical(origin)).unwrap();
    Dataset::new(table, &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

fn asked(method: Method) -> Correction {
    let asked = Correction::new(Notion::DemographicParity).group("origin=a").unwrap().group("sex").unwrap();
    asked.withhold("origin").method(method)
}

#[test]
fn a_missing_value_changes_no_weight_no_threshold_and_no_multiplier() {
    for method in Method::all() {
        let fit = |data: &Dataset| asked(method).fit(data, &Logistic::default()).unwrap();
        // One more value that is in no group, or none.
        let (other, missing) = (fit(&people(Some("c"))), fit(&people(None)));
        let apart = |one: &[f64], other: &[f64]| {
            one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
        };
        assert!(apart(&other.weights().to_rows(), &missing.weights().to_rows()) < 1e-9, "{method}");
        assert!(apart(&other.solution().multipliers, &missing.solution().multipliers) < 1e-6, "{method}");
        assert_eq!(other.solution().thresholds, missing.solution().thresholds, "{method}");
        assert!((other.solution().train.error - missing.solution().train.error).abs() < 1e-12, "{method}");
    }
}

#[test]
fn such_rows_are_measured_apart_where_there_are_any() {
    let fitted = asked(Method::Correction).fit(&people(None), &Logistic::default()).unwrap();
    let (groups, problem) = (&fitted.solution().train.groups, fitted.problem());
    let named: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(named, ["origin=a", "sex=female", "sex=male", "origin missing"]);
    assert_eq!((groups[3].rows, problem.missing()), (800, 3..4));
    assert_eq!(problem.constraints().len(), 3);
    // Decisions of exactly these rows, counted one by one.
    let data = people(None);
    let decided = fitted.predict(data.table()).unwrap().decisions;
    let without = |row: &usize| !row.is_multiple_of(3) && row.is_multiple_of(5);
    let positive = (0..data.rows()).filter(without).filter(|&row| decided.get(row) == 1).count();
    assert!((groups[3].positive_rate.unwrap() - positive as f64 / 800.0).abs() < 1e-12);
    // Other rows may lack nothing, and the other way round.
    let (complete, _) = fitted.evaluate(&people(Some("b")), evenhand::Measure::Decisions).unwrap();
    assert_eq!(complete.groups.len(), 3);
    let learnt = asked(Method::Correction).fit(&people(Some("b")), &Logistic::default()).unwrap();
    let (lacking, _) = learnt.evaluate(&data, evenhand::Measure::Decisions).unwrap();
    assert_eq!(lacking.groups[3].name, "origin missing");
}
