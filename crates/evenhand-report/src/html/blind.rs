//! The table of how well features tell groups.

use super::table::Table;
use crate::Blind;
use crate::blind::MEMBERSHIPS;
use crate::number::decimal;

/// A line for each model of membership.
pub(super) fn memberships(blind: &Blind) -> Option<Table> {
    (!blind.memberships.is_empty()).then(|| Table {
        caption: MEMBERSHIPS.to_owned(),
        heads: ["Group", "AUC"].map(str::to_owned).to_vec(),
        words: 1,
        remarks: false,
        rows: blind.memberships.iter().map(|one| vec![one.name(), decimal(one.auc, 3)]).collect(),
    })
}
