//! The table of how well features tell groups.

use super::table::Table;
use crate::Blind;
use crate::blind::TOLD;
use crate::number::decimal;

/// A line for each model of membership.
pub(super) fn told(blind: &Blind) -> Option<Table> {
    (!blind.memberships.is_empty()).then(|| Table {
        caption: TOLD.to_owned(),
        heads: ["Group", "AUC"].map(str::to_owned).to_vec(),
        words: 1,
        remarks: false,
        rows: blind.memberships.iter().map(|one| vec![one.name(), decimal(one.auc, 3)]).collect(),
    })
}
