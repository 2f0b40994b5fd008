//! Indicators of intersections, as features beside the encoded columns.
//!
//! A linear learner that sees sex and race has one coefficient for each value of either, and none for both together. Weights of
//! `sex=f & race=B` cannot be followed by such a learner: it would even intersections out by deciding next to nobody positive.
//! Statistics calls what is missing an interaction term; each intersection that was asked for gets one, if the learner
//! sees all columns that tell it.

use std::collections::BTreeSet;

use crate::Result;
use crate::correction::settings::Correction;
use crate::features::{Active, CodedColumn, Encoding, Features};
use crate::group::{Condition, Group, Groups, Membership};

/// The groups that become features. A plan for the columns is taken as it is.
pub(super) fn of(settings: &Correction, groups: &Groups, encoding: &Encoding) -> Result<Groups> {
    if !settings.interactions || settings.plan.is_some() {
        return Ok(Groups::default());
    }
    let intersects = |group: &&Group| {
        let columns: BTreeSet<&str> = group.conditions().iter().map(Condition::column).collect();
        columns.len() > 1 && columns.into_iter().all(|column| encoding.shows(column))
    };
    Groups::from_definitions(groups.definitions().iter().filter(intersects).cloned().collect())
}

/// A coded column for each group, behind `first` other features: for rows whose patterns are not numbered together.
pub(super) fn indicators(groups: &Membership, first: usize) -> Vec<CodedColumn> {
    let indicator = |group: usize| {
        let inside = |pattern: usize| u32::from(groups.contains(pattern, group));
        let table: Vec<u32> = (0..groups.patterns()).map(inside).collect();
        CodedColumn { codes: groups.codes().map(&table, 2), active: Active::new([None, Some((first + group) as u32)]) }
    };
    (0..groups.groups()).map(indicator).collect()
}

/// Rows with one more feature for each group.
pub(super) fn append(features: Features, groups: &Membership) -> Result<Features> {
    let first = features.width();
    let of_pattern = |pattern: usize| {
        (0..groups.groups())
            .filter(move |&group| groups.contains(pattern, group))
            .map(move |group| (first + group) as u32)
    };
    let active = Active::new((0..groups.patterns()).map(of_pattern));
    features.with_coded(CodedColumn { codes: groups.codes().clone(), active }, groups.groups())
}
