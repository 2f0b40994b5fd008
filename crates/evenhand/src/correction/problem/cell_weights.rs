//! Sample weights by cell, for reports.
//!
//! Holds [`CellWeights`]. Rows alike in their groups and their label share a weight, or, where covariate shift
//! is corrected, have weights close to each other; or weights by numbers of theirs, where a rate is weighted by a column.

use std::collections::BTreeMap;

use super::Problem;
use crate::Weights;

/// The weights of rows that are alike in their groups and their label.
#[derive(Debug, Clone, PartialEq)]
pub struct CellWeights {
    /// Their groups, and the sets of rows without a value that they are in, by place in [`Problem::group_names`].
    pub groups: Vec<usize>,
    /// Their class.
    pub label: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The sum of their weights.
    pub total: f64,
    /// The sum of the user's own weights of them.
    pub own: f64,
    /// The smallest weight, relative to the user's own.
    pub least: f64,
    /// The largest weight, relative to the user's own.
    pub most: f64,
}

impl CellWeights {
    /// The weights of the rows of a problem, by cell; cells that weigh nothing are left out.
    pub(in crate::correction) fn of(trained_on: &Problem, weights: &Weights) -> Vec<Self> {
        let cells = trained_on.cells();
        let weights = weights.to_rows();
        let cell = |at: usize| Self {
            groups: cells.sets(at).collect(),
            label: cells.label(at),
            rows: cells.count(at),
            total: 0.0,
            own: 0.0,
            least: f64::INFINITY,
            most: 0.0,
        };
        let (mut found, place) = merged((0..cells.len()).map(cell));
        for (row, at) in cells.cell_of_row().iter().enumerate() {
            let own = trained_on.row_weight(row);
            if own > 0.0 {
                let (cell, ratio) = (&mut found[place[at]], weights[row] / own);
                cell.total += weights[row];
                cell.own += own;
                cell.least = cell.least.min(ratio);
                cell.most = cell.most.max(ratio);
            }
        }
        found.retain(|cell| cell.own > 0.0);
        found
    }
}

/// Those that differ in their groups or their label, and not only in numbers that rates are weighted by; and which of them each is.
fn merged(all: impl Iterator<Item = CellWeights>) -> (Vec<CellWeights>, Vec<usize>) {
    let (mut known, mut found, mut places) = (BTreeMap::new(), Vec::<CellWeights>::new(), Vec::new());
    for one in all {
        let place = *known.entry((one.groups.clone(), one.label)).or_insert(found.len());
        match found.get_mut(place) {
            Some(known) => known.rows += one.rows,
            None => found.push(one),
        }
        places.push(place);
    }
    (found, places)
}
