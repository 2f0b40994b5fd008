//! What the default finds at the violation that the authors' loop ends with, on public data. Skipped without the
//! datasets: see `support`.

use crate::support::data_folder;
use evenhand::correction::{Solver, SqpSettings};
use evenhand::{Bound, Notion};
use evenhand_datasets::Recipe;

/// On the rows that both look at: what new rows make of it is measured in `bench/compare`.
#[test]
fn at_the_loops_own_violation_on_compas_the_error_is_lower() {
    let Some(folder) = data_folder("compas") else { return };
    let compas = Recipe::named("compas").unwrap().load(&folder).unwrap();
    for notion in [Notion::DemographicParity, Notion::DisparateImpact, Notion::EqualOpportunity, Notion::EqualizedOdds]
    {
        let mut settings = compas.correction(notion.clone());
        let published = settings.fit(&compas.train, &compas.learner()).unwrap().solution().train.clone();
        settings.solver = Solver::Sqp(SqpSettings { margin: 0.0, ..SqpSettings::default() });
        let bound = Bound::MaxViolation(published.violation.unwrap());
        let found = settings.bound(bound).fit(&compas.train, &compas.learner()).unwrap().solution().train.clone();
        assert!(found.violation <= published.violation, "{notion:?}: {found:?}");
        assert!(found.error < published.error, "{notion:?}: {} against {}", found.error, published.error);
    }
}
