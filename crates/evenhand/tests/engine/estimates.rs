//! Intervals of what a fit is evaluated by.

use evenhand::correction::{Binding, Silent};
use evenhand::{Correction, Dataset, Logistic, Measure, Membership, Notion, Schema};
use evenhand_datasets::synthetic;

#[test]
fn intervals_hold_their_values_and_decisions_are_those_that_were_counted() {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let data = Dataset::new(synthetic::population(2_000, 1).unwrap(), &schema).unwrap();
    let asked = Correction::new(Notion::DemographicParity).group("sex").unwrap();
    let (binding, problem, _) = Binding::new(&asked, &data).unwrap();
    let found = asked.solve(&problem, &Logistic::default(), &mut Silent).unwrap();
    let estimated = found.estimate(&problem, Measure::Decisions, 0.95).unwrap();
    assert_eq!(estimated.len(), 2);
    for (one, counted) in estimated.iter().zip(&found.train.violations) {
        assert_eq!((&one.name, one.value), (&counted.name, counted.value));
        assert!(one.low < one.value && one.value < one.high, "{one:?}");
    }
    let decisions = found.decisions(&problem, &binding.membership(data.table()).unwrap()).unwrap();
    let positive = decisions.iter().filter(|&class| class == 1).count() as f64 / 2_000.0;
    assert!((positive - found.train.positive_rate.unwrap()).abs() < 1e-12);
    assert_eq!(found.estimate(&problem, Measure::Decisions, 2.0).unwrap_err().code(), "setting-invalid");
    let other = Membership::none(3);
    assert_eq!(found.decisions(&problem, &other).unwrap_err().code(), "length-mismatch");
}
