//! What the learner may not see: whole columns, and of others the values that are groups.
//!
//! Columns are withheld by name, by [`Notion::DisparateImpact`] and beside scores that are given. [`Notion::PaperDisparateImpact`] withholds the
//! groups' own indicators alone, as the published experiments do: of `race`, where White and Black are groups, every other race stays a feature.

use crate::Result;
use crate::correction::settings::Correction;
use crate::facts::{Categories, Facts, Kind};
use crate::features::{ColumnPlan, PlanKind};
use crate::group::Groups;
use crate::notion::Notion;

/// The columns that are withheld whole, whatever they hold.
pub(super) fn columns(settings: &Correction, groups: &Groups, facts: &dyn Facts) -> Result<Vec<String>> {
    let mut withheld = [settings.withhold.as_slice(), &settings.beside].concat();
    let by_score = settings.score.as_ref().is_some_and(|score| !score.with_group);
    if by_score || settings.notions.contains(&Notion::DisparateImpact) {
        withheld.extend(groups.columns().into_iter().map(str::to_owned));
    }
    withheld.sort_unstable();
    withheld.dedup();
    for column in &withheld {
        facts.kind(column)?;
    }
    Ok(withheld)
}

/// Takes the indicators of groups out of the plans, where the paper's disparate impact is asked for. A column that has no indicators, or none but
/// those of groups, is withheld whole.
pub(super) fn without_indicators(
    settings: &Correction,
    groups: &Groups,
    facts: &dyn Facts,
    plans: &mut Vec<ColumnPlan>,
    withheld: &mut Vec<String>,
) -> Result<()> {
    if !settings.notions.contains(&Notion::PaperDisparateImpact) {
        return Ok(());
    }
    for column in groups.columns() {
        if withheld.iter().any(|one| one == column) {
            continue;
        }
        let one_hot = plans.iter().filter(|plan| plan.column == column).all(|plan| plan.kind == PlanKind::OneHot);
        if let Some(values) = if one_hot { own_values(facts, groups, column)? } else { None } {
            let own = plans.iter_mut().filter(|plan| plan.column == column);
            own.for_each(|plan| plan.kind = PlanKind::OneHotWithout(values.clone()));
        } else {
            plans.retain(|plan| plan.column != column);
            withheld.push(column.to_owned());
        }
    }
    withheld.sort_unstable();
    Ok(())
}

/// The values of a column that groups name, if there are others too; `None` as well where a group compares the column with a number.
fn own_values(facts: &dyn Facts, groups: &Groups, column: &str) -> Result<Option<Vec<String>>> {
    if groups.compares(column) {
        return Ok(None);
    }
    let is_number = facts.kind(column)? == Kind::Numeric;
    let Categories { values, missing } = facts.categories(column)?;
    let all = values.len();
    let own = groups.values_of(column, is_number, values);
    Ok((own.len() < all || missing > 0).then_some(own))
}
