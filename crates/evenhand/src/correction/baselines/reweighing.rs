//! Reweighing: weights that make the label independent of the groups. [Kamiran & Calders 2012]
//!
//! Rows of groups s and label y weigh P(s)P(y)/P(s,y). Where groups overlap, s is the whole pattern of membership. No
//! notion enters: the weights are the same whatever is asked.

use std::collections::BTreeMap;

use crate::cells::Cells;

/// The weight of each cell; the user's row weights count in every probability.
///
/// Where some pattern has no row of some label, there is nothing to weigh, and independence holds among the others.
pub(crate) fn cell_weights(cells: &Cells) -> Vec<f64> {
    let total = cells.total_weight();
    let pattern = |cell: usize| cells.groups(cell).collect::<Vec<_>>();
    let (mut patterns, mut labels) = (BTreeMap::new(), vec![0.0; cells.classes()]);
    for cell in 0..cells.len() {
        // Per label, of rows that are in the same groups.
        let pattern = patterns.entry(pattern(cell)).or_insert_with(|| vec![0.0; cells.classes()]);
        pattern[cells.label(cell)] += cells.weight(cell);
        labels[cells.label(cell)] += cells.weight(cell);
    }
    let weight = |cell: usize| {
        let (pattern, label) = (&patterns[&pattern(cell)], cells.label(cell));
        let (both, alone) = (pattern[label] * total, pattern.iter().sum::<f64>() * labels[label]);
        // A cell whose rows weigh nothing may weigh anything.
        if both > 0.0 { alone / both } else { 1.0 }
    };
    (0..cells.len()).map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Codes;
    use crate::group::Membership;

    fn cells(masks: &[&[u8]], labels: &[u32], weights: Option<&[f64]>) -> Cells {
        let masks: Vec<Vec<bool>> = masks.iter().map(|mask| mask.iter().map(|&one| one == 1).collect()).collect();
        let names = (0..masks.len()).map(|group| format!("g{group}")).collect();
        let membership = Membership::from_masks(names, &masks).unwrap();
        Cells::new(&membership, &Codes::narrow(labels.to_vec(), 2), 2, weights.map(Into::into)).unwrap()
    }

    /// The weight of rows in exactly these groups with this label.
    fn of(cells: &Cells, groups: &[usize], label: usize) -> f64 {
        let is = |cell: &usize| cells.groups(*cell).eq(groups.iter().copied()) && cells.label(*cell) == label;
        cell_weights(cells)[(0..cells.len()).find(is).unwrap()]
    }

    #[test]
    fn the_closed_form_by_hand() {
        // Of ten rows six are in the group, one of them positive; of the other four three are positive.
        let cells = cells(&[&[1, 1, 1, 1, 1, 1, 0, 0, 0, 0]], &[1, 0, 0, 0, 0, 0, 1, 1, 1, 0], None);
        for (groups, label, expected) in [
            (&[0][..], 1, 0.6 * 0.4 / 0.1),
            (&[0], 0, 0.6 * 0.6 / 0.5),
            (&[], 1, 0.4 * 0.4 / 0.3),
            (&[], 0, 0.4 * 0.6 / 0.1),
        ] {
            let found = of(&cells, groups, label);
            assert!((found - expected).abs() < 1e-15, "{groups:?} {label}: {found} {expected}");
        }
    }

    #[test]
    fn label_and_pattern_are_independent_in_the_weighted_table() {
        // Two groups that overlap: four patterns, all with both labels; rows weigh unevenly.
        let masks: [&[u8]; 2] = [&[1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1], &[1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]];
        let labels = [0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0];
        let own: Vec<f64> = (0..13).map(|row| 1.0 + f64::from(row % 5)).collect();
        let cells = cells(&masks, &labels, Some(&own));
        let weights = cell_weights(&cells);
        let share = |wanted: &dyn Fn(usize) -> bool| -> f64 {
            let inside = (0..cells.len()).filter(|&cell| wanted(cell));
            inside.map(|cell| weights[cell] * cells.weight(cell)).sum::<f64>() / cells.total_weight()
        };
        assert!((share(&|_| true) - 1.0).abs() < 1e-12, "the weights average to one");
        for cell in 0..cells.len() {
            let alike = |other: usize| cells.groups(other).eq(cells.groups(cell));
            let labelled = |other: usize| cells.label(other) == cells.label(cell);
            let (both, product) = (share(&|one| one == cell), share(&alike) * share(&labelled));
            assert!((both - product).abs() < 1e-12, "cell {cell}: {both} {product}");
        }
    }

    #[test]
    fn what_is_independent_already_keeps_weights_of_one() {
        let cells = cells(&[&[1, 1, 0, 0]], &[0, 1, 0, 1], None);
        assert!(cell_weights(&cells).iter().all(|weight| (weight - 1.0).abs() < 1e-15));
    }
}
