//! The rows that notions name themselves, bound as groups behind those that were asked for.

use super::form::OwnRows;
use super::rate_weights::weighing_columns;
use crate::data::Schema;
use crate::facts::Facts;
use crate::group::{Group, GroupSpec, Groups};
use crate::notion::Notion;
use crate::{Error, Result, Warning};

/// The subsets that notions name themselves, per notion their places in the membership, where they stand behind the asked groups, and what is to be known
/// of them.
pub(crate) type Named = (Groups, Vec<OwnRows>, Vec<Warning>);

/// Binds the rows that notions name to training rows.
///
/// # Errors
/// What is wrong with a specification, and [`Error::RateSyntax`] where one that rows are compared with is several groups.
pub(crate) fn own_rows(notions: &[Notion], schema: &Schema, facts: &dyn Facts, asked: &Groups) -> Result<Named> {
    let (mut all, mut places, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let columns = weighing_columns(notions);
    for notion in notions {
        let mut bind = |spec: Option<&GroupSpec>| -> Result<Vec<usize>> {
            let Some(spec) = spec else { return Ok(Vec::new()) };
            let (groups, more) = Groups::learn_roles(std::slice::from_ref(spec), schema, facts)?;
            warnings.extend(more);
            Ok(groups.definitions().iter().map(|group| place(notion, group, asked, &mut all)).collect())
        };
        let [rows, against] = notion.own_rows();
        let (rows, against) = (bind(rows)?, bind(against)?);
        if against.len() > 1 {
            let problem = format!(
                "what stands after `against` is {} groups; name one of them, or join values by `|`",
                against.len()
            );
            return Err(Error::RateSyntax { notion: notion.to_string(), problem });
        }
        let weighted_by = notion.weighted_by().and_then(|column| columns.iter().position(|known| known == column));
        places.push(OwnRows { rows, against: against.first().copied(), weighted_by });
    }
    Ok((Groups::from_definitions(all)?, places, warnings))
}

/// The place of a group: of the same rows where these are there already, else behind all others.
fn place(notion: &Notion, group: &Group, asked: &Groups, own: &mut Vec<Group>) -> usize {
    // Pinned rows and those of known rates have a name of their own: the same rows may be an asked group as well.
    let kind = match notion {
        Notion::Pinned { .. } => Some("pinned"),
        Notion::KnownRate { .. } => Some("known-rate"),
        _ => None,
    };
    let Some(kind) = kind else {
        let all = asked.definitions().iter().chain(own.iter());
        let is_same = |known: &Group| known.name() == group.name() && known.conditions() == group.conditions();
        if let Some(place) = all.into_iter().position(is_same) {
            return place;
        }
        own.push(group.clone());
        return asked.len() + own.len() - 1;
    };
    own.push(Group::new(format!("{kind} {}", group.name()), group.conditions().to_vec()));
    asked.len() + own.len() - 1
}
