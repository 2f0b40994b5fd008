//! What the learner may not see: whole columns, and of others the values that are groups.
//!
//! Columns are withheld by name, by [`Notion::DisparateImpact`] and beside scores that are given. [`Notion::PaperDisparateImpact`] withholds the
//! groups' own indicators alone, as the published experiments do: of `race`, where White and Black are groups, every other race stays a feature.

use crate::Result;
use crate::correction::settings::Correction;
use crate::data::Table;
use crate::features::{ColumnPlan, PlanKind};
use crate::group::Groups;
use crate::notion::Notion;

/// The columns that are withheld whole, whatever they hold.
pub(super) fn columns(settings: &Correction, groups: &Groups, table: &Table) -> Result<Vec<String>> {
    let mut withheld = settings.withhold.clone();
    let by_score = settings.score.as_ref().is_some_and(|score| !score.with_group);
    if by_score || settings.notions.contains(&Notion::DisparateImpact) {
        withheld.extend(groups.columns().into_iter().map(str::to_owned));
    }
    withheld.sort_unstable();
    withheld.dedup();
    for column in &withheld {
        table.column(column)?;
    }
    Ok(withheld)
}

/// Takes the indicators of groups out of the plans, where the paper's disparate impact is asked for. A column that has no indicators, or none but
/// those of groups, is withheld whole.
pub(super) fn without_indicators(
    settings: &Correction,
    groups: &Groups,
    table: &Table,
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
        match groups.values_of(column, table.column(column)?).filter(|_| one_hot) {
            Some(values) if has_others(table, column, &values)? => {
                let own = plans.iter_mut().filter(|plan| plan.column == column);
                own.for_each(|plan| plan.kind = PlanKind::OneHotWithout(values.clone()));
            }
            _ => {
                plans.retain(|plan| plan.column != column);
                withheld.push(column.to_owned());
            }
        }
    }
    withheld.sort_unstable();
    Ok(())
}

/// Whether some row has none of these values.
fn has_others(table: &Table, column: &str, values: &[String]) -> Result<bool> {
    let column = table.column(column)?.to_categorical();
    let counts = column.counts();
    let other = column.dictionary().iter().zip(&counts).any(|(value, &count)| count > 0 && !values.contains(value));
    Ok(other || counts[column.missing()] > 0)
}
